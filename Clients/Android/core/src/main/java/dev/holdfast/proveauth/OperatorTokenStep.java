package dev.holdfast.proveauth;

/** Gets a token of the phone's operator, over any network (GSMA TS.43): Mobile Auth over Wi-Fi. */
public interface OperatorTokenStep {
    /** @param callback may be kept and called later, from any thread */
    void execute(OperatorTokenStepCallback callback);
}
