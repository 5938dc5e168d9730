package dev.holdfast.proveauth.tests;

import dev.holdfast.proveauth.platform.MemoryKeys;

/** Keys that outlive a killed run, since the test keeps them. */
final class PlayedKeys extends MemoryKeys {
    private final boolean isLasting;

    PlayedKeys(boolean isLasting) {
        this.isLasting = isLasting;
    }

    @Override
    public boolean isLasting() {
        return isLasting;
    }
}
