package dev.holdfast.proveauth;

/** Asks for the phone number, if it is needed, before the link is sent. */
public interface InstantLinkStartStep {
    /**
     * @param phoneNumberNeeded whether the person has to name a number
     * @param exception why the step is run again; null at the first time
     * @param callback may be kept and called later, from any thread
     */
    void execute(boolean phoneNumberNeeded, ProveAuthException exception, InstantLinkStartStepCallback callback);
}
