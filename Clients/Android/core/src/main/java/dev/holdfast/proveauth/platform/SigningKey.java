package dev.holdfast.proveauth.platform;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;

/** A P-256 key pair. The private key may stand in hardware: it only signs. */
public final class SigningKey {
    private static final int COORDINATE_BYTES = 32;

    private final PrivateKey privateKey;
    private final ECPublicKey publicKey;
    private final long madeAt;

    /** @param madeAt by the device's clock, in milliseconds since 1970 */
    public SigningKey(PrivateKey privateKey, ECPublicKey publicKey, long madeAt) {
        this.privateKey = privateKey;
        this.publicKey = publicKey;
        this.madeAt = madeAt;
    }

    /** Makes a key in this process's memory. */
    public static SigningKey make(long now) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair pair = generator.generateKeyPair();
        return new SigningKey(pair.getPrivate(), (ECPublicKey) pair.getPublic(), now);
    }

    public long madeAt() {
        return madeAt;
    }

    public PrivateKey privateKey() {
        return privateKey;
    }

    public ECPublicKey publicKey() {
        return publicKey;
    }

    /** The point's x, 32 bytes. */
    public byte[] x() {
        return fixed(publicKey.getW().getAffineX());
    }

    /** The point's y, 32 bytes. */
    public byte[] y() {
        return fixed(publicKey.getW().getAffineY());
    }

    /** An ES256 signature as JWS has it: r and s, 32 bytes each. */
    public byte[] sign(byte[] input) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(privateKey);
        signature.update(input);
        return fromDER(signature.sign());
    }

    /** Providers sign in DER: SEQUENCE { INTEGER r, INTEGER s }, which for P-256 is shorter than 128 bytes. */
    static byte[] fromDER(byte[] der) throws GeneralSecurityException {
        try {
            int at = 2;
            byte[] raw = new byte[2 * COORDINATE_BYTES];
            for (int half = 0; half < 2; half += 1) {
                int length = der[at + 1];
                byte[] number = new byte[length];
                System.arraycopy(der, at + 2, number, 0, length);
                System.arraycopy(fixed(new BigInteger(number)), 0, raw, half * COORDINATE_BYTES, COORDINATE_BYTES);
                at += 2 + length;
            }
            return raw;
        } catch (RuntimeException cause) {
            throw new GeneralSecurityException("the signature has no form that is known", cause);
        }
    }

    private static byte[] fixed(BigInteger number) {
        byte[] bytes = number.toByteArray();
        byte[] fixed = new byte[COORDINATE_BYTES];
        // A number may have a zero byte in front, for its sign.
        int length = Math.min(bytes.length, COORDINATE_BYTES);
        System.arraycopy(bytes, bytes.length - length, fixed, COORDINATE_BYTES - length, length);
        return fixed;
    }
}
