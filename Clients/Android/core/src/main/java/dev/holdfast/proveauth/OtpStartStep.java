package dev.holdfast.proveauth;

/** Asks for the phone number, if it is needed, before the code is sent. */
public interface OtpStartStep {
    /**
     * @param phoneNumberNeeded whether the person has to name a number
     * @param otpException why the step is run again; null at the first time
     * @param callback may be kept and called later, from any thread
     */
    void execute(boolean phoneNumberNeeded, ProveAuthException otpException, OtpStartStepCallback callback);
}
