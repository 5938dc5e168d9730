package dev.holdfast.proveauth;

/** Runs once when the session is over, however it went. Only the backend knows the result. */
public interface AuthFinishStep {
    void execute(String authId);
}
