package dev.holdfast.proveauth.platform;

/** Wakes the thread of a run. A ring that nobody waits for yet is not lost. */
public final class Bell {
    private boolean hasRung;

    public synchronized void ring() {
        hasRung = true;
        notifyAll();
    }

    /** Waits for a ring, at most so long. It may come back early. */
    public synchronized void await(long milliseconds) throws InterruptedException {
        if (!hasRung && milliseconds > 0) {
            wait(milliseconds);
        }
        hasRung = false;
    }
}
