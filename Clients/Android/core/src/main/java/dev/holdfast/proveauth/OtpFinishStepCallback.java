package dev.holdfast.proveauth;

/** Takes the answer of the finish step. The first call counts. */
public interface OtpFinishStepCallback {
    void onSuccess(OtpFinishInput input);

    /** The step gives up, which ends the session. */
    void onError();

    /** The person wants another message to the same number. */
    void onOtpResend();

    /** The person wants to name another number: the start step is run again. */
    void onMobileNumberChange();
}
