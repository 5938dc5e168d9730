package dev.holdfast.proveauth.run;

import dev.holdfast.proveauth.platform.Bell;

/** Takes one value, from any thread, and wakes the run. Later values are dropped. */
final class Slot<T> {
    private final Bell bell;
    private T value;
    private boolean isSet;

    Slot(Bell bell) {
        this.bell = bell;
    }

    void set(T newValue) {
        synchronized (this) {
            if (isSet) {
                return;
            }
            isSet = true;
            value = newValue;
        }
        bell.ring();
    }

    synchronized boolean isSet() {
        return isSet;
    }

    /** What it was set to; null before. */
    synchronized T get() {
        return value;
    }
}
