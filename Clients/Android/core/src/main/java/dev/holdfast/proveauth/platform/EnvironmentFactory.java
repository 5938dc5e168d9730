package dev.holdfast.proveauth.platform;

/** Makes the environment of a platform from its context. The Android module registers its own as a service. */
public interface EnvironmentFactory {
    /** @return null if the context is of another platform */
    Environment make(Object context);
}
