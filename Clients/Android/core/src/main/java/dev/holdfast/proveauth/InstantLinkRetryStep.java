package dev.holdfast.proveauth;

/** Offers another message while the link is waited for. It may never answer. */
public interface InstantLinkRetryStep {
    /** @param callback may be kept and called later, from any thread */
    void execute(InstantLinkRetryStepCallback callback);
}
