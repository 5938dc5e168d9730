package dev.holdfast.proveauth.run;

import dev.holdfast.proveauth.ProveAuthError;
import dev.holdfast.proveauth.platform.Bell;
import dev.holdfast.proveauth.platform.Environment;

/** All waiting of one run. The run has one thread; others only set slots and ring. */
final class Waits {
    /** Longer than anybody waits. */
    static final long FOREVER = Long.MAX_VALUE / 4;

    final Environment environment;
    private final Settings settings;
    private final Bell bell = new Bell();
    private volatile End stopped;
    private boolean isLeaving;

    Waits(Environment environment, Settings settings) {
        this.environment = environment;
        this.settings = settings;
    }

    <T> Slot<T> slot() {
        return new Slot<>(bell);
    }

    /** Ends whatever is waited for. From any thread. */
    void stop(End end) {
        stopped = end;
        bell.ring();
    }

    /** From here on nothing stops the run: its cancel has to be sent. */
    void leave() {
        isLeaving = true;
    }

    void throwIfStopped() {
        if (stopped != null && !isLeaving) {
            throw stopped;
        }
    }

    void pause(long milliseconds) {
        until(environment.elapsed() + milliseconds);
    }

    /**
     * Waits until one of the slots is set; those that are null are passed over.
     *
     * @param deadline as {@link Environment#elapsed} tells time
     * @return false when the time is over
     */
    boolean until(long deadline, Slot<?>... slots) {
        for (;;) {
            throwIfStopped();
            for (Slot<?> slot : slots) {
                if (slot != null && slot.isSet()) {
                    return true;
                }
            }
            long left = deadline - environment.elapsed();
            if (left <= 0) {
                return false;
            }
            try {
                environment.await(bell, left);
            } catch (InterruptedException cause) {
                // The thread is wanted elsewhere. The session lives on, and the same token takes it up.
                Thread.currentThread().interrupt();
                throw new End(End.Way.BROKEN, settings.error(ProveAuthError.CANCELLED, 0, cause));
            }
        }
    }
}
