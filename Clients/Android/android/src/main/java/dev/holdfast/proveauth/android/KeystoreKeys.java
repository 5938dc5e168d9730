package dev.holdfast.proveauth.android;

import android.content.Context;
import android.content.SharedPreferences;
import android.content.pm.PackageManager;
import android.os.Build;
import android.security.keystore.KeyGenParameterSpec;
import android.security.keystore.KeyProperties;
import android.security.keystore.StrongBoxUnavailableException;
import dev.holdfast.proveauth.platform.KeyStorage;
import dev.holdfast.proveauth.platform.SigningKey;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Collections;
import java.util.Map;

/**
 * Keys in the Android Keystore, where nobody can read them. The moment at which each was made is kept beside, in preferences: a key
 * without a moment counts as none.
 */
final class KeystoreKeys implements KeyStorage {
    private static final String PROVIDER = "AndroidKeyStore";
    private static final String SESSION = "holdfast.session.";
    private static final String DEVICE = "holdfast.device.";
    /** One for all instances of this process. */
    private static final Object LOCK = new Object();

    private final SharedPreferences moments;
    private final boolean hasStrongBox;

    KeystoreKeys(Context context) {
        moments = context.getSharedPreferences("holdfast-keys", Context.MODE_PRIVATE);
        hasStrongBox = Build.VERSION.SDK_INT >= Build.VERSION_CODES.P
                && context.getPackageManager().hasSystemFeature(PackageManager.FEATURE_STRONGBOX_KEYSTORE);
    }

    @Override
    public boolean isLasting() {
        return true;
    }

    @Override
    public SigningKey session(String authID, long now) throws GeneralSecurityException, IOException {
        synchronized (LOCK) {
            String alias = SESSION + authID;
            SigningKey kept = read(alias);
            if (kept != null) {
                return kept;
            }
            deleteOld(now);
            return keep(alias, generate(alias, false), now);
        }
    }

    @Override
    public void forgetSession(String authID) {
        synchronized (LOCK) {
            delete(SESSION + authID);
        }
    }

    @Override
    public SigningKey device(String server) throws GeneralSecurityException, IOException {
        synchronized (LOCK) {
            return read(DEVICE + server);
        }
    }

    @Override
    public SigningKey replaceDevice(String server, SigningKey old, long now) throws GeneralSecurityException, IOException {
        synchronized (LOCK) {
            String alias = DEVICE + server;
            SigningKey kept = read(alias);
            boolean isOld = kept != null && old != null && kept.publicKey().getW().equals(old.publicKey().getW());
            return kept == null || isOld ? keep(alias, generateDeviceKey(alias), now) : kept;
        }
    }

    /** @return null: there is none */
    private SigningKey read(String alias) throws GeneralSecurityException, IOException {
        KeyStore store = store();
        PrivateKey secret = (PrivateKey) store.getKey(alias, null);
        Certificate certificate = store.getCertificate(alias);
        long madeAt = moments.getLong(alias, 0);
        if (secret == null || certificate == null || madeAt == 0) {
            return null;
        }
        return new SigningKey(secret, (ECPublicKey) certificate.getPublicKey(), madeAt);
    }

    private SigningKey keep(String alias, KeyPair pair, long now) throws IOException {
        // Written before the key is used: a killed run must find it again.
        if (!moments.edit().putLong(alias, now).commit()) {
            throw new IOException("a key cannot be kept");
        }
        return new SigningKey(pair.getPrivate(), (ECPublicKey) pair.getPublic(), now);
    }

    private KeyPair generateDeviceKey(String alias) throws GeneralSecurityException {
        if (hasStrongBox) {
            try {
                return generate(alias, true);
            } catch (StrongBoxUnavailableException full) {
                // The other secure hardware does.
            }
        }
        return generate(alias, false);
    }

    private static KeyPair generate(String alias, boolean isStrongBox) throws GeneralSecurityException {
        KeyGenParameterSpec.Builder spec = new KeyGenParameterSpec.Builder(alias, KeyProperties.PURPOSE_SIGN)
                .setAlgorithmParameterSpec(new ECGenParameterSpec("secp256r1"))
                .setDigests(KeyProperties.DIGEST_SHA256);
        if (isStrongBox && Build.VERSION.SDK_INT >= Build.VERSION_CODES.P) {
            spec.setIsStrongBoxBacked(true);
        }
        KeyPairGenerator generator = KeyPairGenerator.getInstance(KeyProperties.KEY_ALGORITHM_EC, PROVIDER);
        generator.initialize(spec.build());
        return generator.generateKeyPair();
    }

    private void deleteOld(long now) {
        for (Map.Entry<String, ?> entry : moments.getAll().entrySet()) {
            boolean isMoment = entry.getKey().startsWith(SESSION) && entry.getValue() instanceof Long;
            if (isMoment && Math.abs(now - (Long) entry.getValue()) > SESSION_KEY_MILLISECONDS) {
                delete(entry.getKey());
            }
        }
        try {
            for (String alias : Collections.list(store().aliases())) {
                if (alias.startsWith(SESSION) && !moments.contains(alias)) {
                    delete(alias);
                }
            }
        } catch (GeneralSecurityException | IOException stay) {
            // They can wait for the next session.
        }
    }

    private void delete(String alias) {
        try {
            store().deleteEntry(alias);
        } catch (GeneralSecurityException | IOException stays) {
            // Without a moment it counts as none.
        }
        moments.edit().remove(alias).commit();
    }

    private static KeyStore store() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(PROVIDER);
        store.load(null);
        return store;
    }
}
