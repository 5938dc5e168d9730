package dev.holdfast.proveauth.platform;

/** All that the library uses of the world around it. A test plays it; {@link JavaEnvironment} is the real one. */
public interface Environment {
    /** The device's clock, in milliseconds since 1970. */
    long now();

    /** Milliseconds since some moment, also while the device sleeps. Nobody can set this clock. */
    long elapsed();

    /** 0 up to 1, for the spread of repeats. */
    double random();

    /** A random UUID. */
    String uuid();

    /** Waits for a ring, at most so long. It may come back early. */
    void await(Bell bell, long milliseconds) throws InterruptedException;

    /** Runs a step of the app beside the run. */
    void run(Runnable step);

    /** Starts a call. The reply is called once at most, and not after the call was cancelled. */
    Cancellable send(Request request, Reply reply);

    KeyStorage keys();

    /** Whether calls can be made over the mobile network. */
    boolean hasCellular();

    /** No call over the mobile network follows for now. */
    void endCellular();

    /** Calls back when the device may have slept, or a network has come, until it is cancelled. */
    Cancellable onWake(Runnable callback);
}
