package dev.holdfast.proveauth.platform;

/** Takes an answer, on any thread. */
public interface Reply {
    void accept(Answer answer);
}
