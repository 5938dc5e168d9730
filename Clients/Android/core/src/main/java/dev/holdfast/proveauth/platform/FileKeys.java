package dev.holdfast.proveauth.platform;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.charset.Charset;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.interfaces.ECPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;

/**
 * Keys in files of a folder that only its owner can read, for Java without a key store of its own. Whoever reads the files has the
 * keys: on Android, the Android module keeps keys in the Keystore instead.
 */
public final class FileKeys implements KeyStorage {
    private static final String SESSION = "session-";
    private static final String DEVICE = "device-";
    private static final int MOST_BYTES = 4096;
    /** File locks hold between processes only. */
    private static final Object LOCK = new Object();

    private final File folder;

    /** @throws IOException if the folder cannot be made, or be kept from others */
    public FileKeys(File folder) throws IOException {
        this.folder = folder;
        boolean isThere = folder.isDirectory() || folder.mkdirs();
        // First nobody, then the owner.
        boolean isClosed = isThere && folder.setReadable(false, false) && folder.setWritable(false, false)
                && folder.setExecutable(false, false) && folder.setReadable(true) && folder.setWritable(true)
                && folder.setExecutable(true);
        if (!isClosed) {
            throw new IOException("no folder for keys");
        }
    }

    @Override
    public boolean isLasting() {
        return true;
    }

    @Override
    public SigningKey session(String authID, long now) throws GeneralSecurityException, IOException {
        return locked(() -> {
            File file = file(SESSION, authID);
            SigningKey kept = read(file);
            if (kept != null) {
                return kept;
            }
            deleteOld(now);
            return write(file, SigningKey.make(now));
        });
    }

    @Override
    public void forgetSession(String authID) {
        try {
            locked(() -> file(SESSION, authID).delete());
        } catch (GeneralSecurityException | IOException stays) {
            // It is deleted when it is too old.
        }
    }

    @Override
    public SigningKey device(String server) throws GeneralSecurityException, IOException {
        return locked(() -> read(file(DEVICE, server)));
    }

    @Override
    public SigningKey replaceDevice(String server, SigningKey old, long now) throws GeneralSecurityException, IOException {
        return locked(() -> {
            File file = file(DEVICE, server);
            SigningKey kept = read(file);
            boolean isOld = kept != null && old != null && kept.publicKey().equals(old.publicKey());
            return kept == null || isOld ? write(file, SigningKey.make(now)) : kept;
        });
    }

    private interface Work<T> {
        T run() throws GeneralSecurityException, IOException;
    }

    private <T> T locked(Work<T> work) throws GeneralSecurityException, IOException {
        synchronized (LOCK) {
            try (RandomAccessFile file = new RandomAccessFile(new File(folder, "lock"), "rw");
                    FileLock lock = file.getChannel().lock()) {
                if (!lock.isValid()) {
                    throw new IOException("no lock for keys");
                }
                return work.run();
            }
        }
    }

    private void deleteOld(long now) throws GeneralSecurityException, IOException {
        File[] files = folder.listFiles();
        for (File file : files == null ? new File[0] : files) {
            SigningKey key = file.getName().startsWith(SESSION) ? read(file) : null;
            if (key != null && Math.abs(now - key.madeAt()) > SESSION_KEY_MILLISECONDS && !file.delete()) {
                throw new IOException("an old key cannot be deleted");
            }
        }
    }

    /** Names of sessions and servers come from tokens: none becomes part of a path. */
    private File file(String kind, String name) throws GeneralSecurityException {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(Charset.forName("UTF-8")));
        StringBuilder text = new StringBuilder(kind);
        for (byte next : hash) {
            text.append(Character.forDigit(next >> 4 & 15, 16)).append(Character.forDigit(next & 15, 16));
        }
        return new File(folder, text.toString());
    }

    /** @return null: there is none */
    private static SigningKey read(File file) throws GeneralSecurityException, IOException {
        if (!file.exists()) {
            return null;
        }
        try (DataInputStream in = new DataInputStream(new FileInputStream(file))) {
            long madeAt = in.readLong();
            byte[] secret = bytes(in);
            byte[] point = bytes(in);
            KeyFactory keys = KeyFactory.getInstance("EC");
            return new SigningKey(
                    keys.generatePrivate(new PKCS8EncodedKeySpec(secret)),
                    (ECPublicKey) keys.generatePublic(new X509EncodedKeySpec(point)), madeAt);
        }
    }

    private static byte[] bytes(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MOST_BYTES) {
            throw new IOException("not a key");
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }

    /** Written beside and renamed, so that a killed process leaves no half of a key. */
    private static SigningKey write(File file, SigningKey key) throws IOException {
        File half = new File(file.getPath() + ".new");
        try (FileOutputStream stream = new FileOutputStream(half); DataOutputStream out = new DataOutputStream(stream)) {
            out.writeLong(key.madeAt());
            byte[] secret = key.privateKey().getEncoded();
            out.writeInt(secret.length);
            out.write(secret);
            byte[] point = key.publicKey().getEncoded();
            out.writeInt(point.length);
            out.write(point);
            out.flush();
            stream.getFD().sync();
        }
        if (!half.renameTo(file)) {
            throw new IOException("a key cannot be kept");
        }
        return key;
    }
}
