package dev.holdfast.proveauth.run;

import dev.holdfast.proveauth.platform.SigningKey;
import java.nio.charset.Charset;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** Makes DPoP proofs (RFC 9449) and device proofs. */
public final class Proofs {
    static final Charset UTF8 = Charset.forName("UTF-8");

    private Proofs() {}

    /** The proof of one call. */
    public static String dpop(
            SigningKey key, String method, String url, long iat, String jti, String token, String nonce)
            throws GeneralSecurityException {
        int query = url.indexOf('?');
        Map<String, Object> claims = new TreeMap<>();
        claims.put("jti", jti);
        claims.put("htm", method);
        claims.put("htu", query < 0 ? url : url.substring(0, query));
        claims.put("iat", iat);
        claims.put("ath", Base64Url.encode(sha256(token)));
        claims.put("nonce", nonce);
        return sign(key, "dpop+jwt", claims);
    }

    /**
     * The answer to a challenge of the device step.
     *
     * @param op {@code register} or {@code authenticate}
     * @param sessionThumbprint ties the proof to the key of the session
     */
    public static String device(
            SigningKey key, Token token, String challenge, String op, long iat, String sessionThumbprint)
            throws GeneralSecurityException {
        Map<String, Object> claims = new TreeMap<>();
        claims.put("aud", token.aud);
        claims.put("sub", token.authID);
        claims.put("nonce", challenge);
        claims.put("op", op);
        claims.put("iat", iat);
        claims.put("cnf", Collections.singletonMap("jkt", sessionThumbprint));
        return sign(key, "device-proof+jwt", claims);
    }

    /** RFC 7638: the SHA-256 of the key's JWK, its members in order of the alphabet. */
    public static String thumbprint(SigningKey key) throws GeneralSecurityException {
        return Base64Url.encode(sha256(Json.write(jwk(key))));
    }

    private static Map<String, Object> jwk(SigningKey key) {
        Map<String, Object> jwk = new TreeMap<>();
        jwk.put("kty", "EC");
        jwk.put("crv", "P-256");
        jwk.put("x", Base64Url.encode(key.x()));
        jwk.put("y", Base64Url.encode(key.y()));
        return jwk;
    }

    private static String sign(SigningKey key, String type, Map<String, Object> claims) throws GeneralSecurityException {
        Map<String, Object> header = new TreeMap<>();
        header.put("typ", type);
        header.put("alg", "ES256");
        header.put("jwk", jwk(key));
        String input = Base64Url.encode(Json.write(header).getBytes(UTF8)) + "."
                + Base64Url.encode(Json.write(claims).getBytes(UTF8));
        return input + "." + Base64Url.encode(key.sign(input.getBytes(UTF8)));
    }

    private static byte[] sha256(String text) throws GeneralSecurityException {
        return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF8));
    }
}
