package dev.holdfast.proveauth;

/** Takes the answer of the retry step. The first call counts. */
public interface InstantLinkRetryStepCallback {
    /** The person wants another message to the same number. */
    void onResend();

    /** The person wants to name another number: the start step is run again. */
    void onMobileNumberChange();

    /** The step gives up, which ends the session. */
    void onError();
}
