package dev.holdfast.proveauth.platform;

/** Something under way that nobody waits for any more. */
public interface Cancellable {
    void cancel();
}
