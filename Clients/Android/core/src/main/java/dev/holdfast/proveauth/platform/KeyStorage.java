package dev.holdfast.proveauth.platform;

import java.io.IOException;
import java.security.GeneralSecurityException;

/** Keeps the keys of sessions and of the device. Every method may be called from any thread. */
public interface KeyStorage {
    /** After so long, no session can need its key. */
    long SESSION_KEY_MILLISECONDS = 20 * 60 * 1000;

    /** Whether keys outlive the process. */
    boolean isLasting();

    /**
     * The key of a session. It is made and kept if there is none; of two callers that make one, both get the first. Session
     * keys that are too old are deleted.
     *
     * @param now the device's clock, in milliseconds since 1970
     */
    SigningKey session(String authID, long now) throws GeneralSecurityException, IOException;

    void forgetSession(String authID);

    /** The device key for a server; null: none yet. */
    SigningKey device(String server) throws GeneralSecurityException, IOException;

    /**
     * Makes and keeps a device key in place of {@code old}.
     *
     * @param old null: there is none
     * @return the key that is kept; another caller may have been first
     */
    SigningKey replaceDevice(String server, SigningKey old, long now) throws GeneralSecurityException, IOException;
}
