package dev.holdfast.proveauth;

/** Takes the answer of a start step. The first call counts. */
public interface OtpStartStepCallback {
    /** @param input the number; null or an empty number where none is needed */
    void onSuccess(OtpStartInput input);

    /** The step gives up, which ends the session. */
    void onError();
}
