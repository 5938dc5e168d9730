package dev.holdfast.proveauth.run;

import dev.holdfast.proveauth.ProveAuthException;

/** How a run leaves off in the middle: thrown from wherever it is found out. */
final class End extends RuntimeException {
    private static final long serialVersionUID = 1L;

    enum Way {
        DONE,
        GIVEN_UP,
        BROKEN,
        /** The run goes on, from the newest state. */
        FOLLOW
    }

    final Way way;
    /** Null where the run is done or goes on. */
    final ProveAuthException error;

    End(Way way, ProveAuthException error) {
        // It never reaches the app: no trace is needed.
        super(null, error, false, false);
        this.way = way;
        this.error = error;
    }
}
