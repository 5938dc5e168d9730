package dev.holdfast.proveauth.platform;

import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/** Keys that end with the process: there is no device key then, and a killed run cannot go on. */
public class MemoryKeys implements KeyStorage {
    private final Map<String, SigningKey> sessions = new HashMap<>();
    private final Map<String, SigningKey> devices = new HashMap<>();

    @Override
    public boolean isLasting() {
        return false;
    }

    @Override
    public synchronized SigningKey session(String authID, long now) throws GeneralSecurityException {
        SigningKey key = sessions.get(authID);
        if (key != null) {
            return key;
        }
        for (Iterator<SigningKey> keys = sessions.values().iterator(); keys.hasNext();) {
            if (Math.abs(now - keys.next().madeAt()) > SESSION_KEY_MILLISECONDS) {
                keys.remove();
            }
        }
        key = SigningKey.make(now);
        sessions.put(authID, key);
        return key;
    }

    @Override
    public synchronized void forgetSession(String authID) {
        sessions.remove(authID);
    }

    @Override
    public synchronized SigningKey device(String server) {
        return devices.get(server);
    }

    @Override
    public synchronized SigningKey replaceDevice(String server, SigningKey old, long now) throws GeneralSecurityException {
        SigningKey kept = devices.get(server);
        if (kept != null && kept != old) {
            return kept;
        }
        SigningKey key = SigningKey.make(now);
        devices.put(server, key);
        return key;
    }
}
