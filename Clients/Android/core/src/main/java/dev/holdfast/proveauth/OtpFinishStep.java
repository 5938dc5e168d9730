package dev.holdfast.proveauth;

/** Asks for the code that was sent. The library runs it again after a wrong code. */
public interface OtpFinishStep {
    /**
     * @param otpException why the step is run again; null at the first time
     * @param otpFinishStepCallback may be kept and called later, from any thread
     */
    void execute(ProveAuthException otpException, OtpFinishStepCallback otpFinishStepCallback);
}
