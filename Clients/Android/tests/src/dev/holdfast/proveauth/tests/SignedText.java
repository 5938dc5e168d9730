package dev.holdfast.proveauth.tests;

import dev.holdfast.proveauth.run.Json;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.util.Base64;
import java.util.Map;

/** A JWS that is checked by the key in its header, with what Java brings and nothing of the library but its JSON. */
final class SignedText {
    final Map<String, Object> header;
    final Map<String, Object> claims;

    SignedText(String text) throws Exception {
        String[] parts = text.split("\\.");
        Check.equal(parts.length, 3, "the number of parts");
        Base64.Decoder decoder = Base64.getUrlDecoder();
        header = Json.object(new String(decoder.decode(parts[0]), StandardCharsets.UTF_8));
        claims = Json.object(new String(decoder.decode(parts[1]), StandardCharsets.UTF_8));
        Check.equal(header.get("alg"), "ES256", "alg");
        Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initVerify(publicKey(Json.map(header.get("jwk"))));
        signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
        Check.that(signature.verify(decoder.decode(parts[2])), "the signature does not fit");
    }

    Object jwk() {
        return header.get("jwk");
    }

    static ECParameterSpec curve() throws Exception {
        AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec("secp256r1"));
        return parameters.getParameterSpec(ECParameterSpec.class);
    }

    static ECPublicKey publicKey(Map<String, Object> jwk) throws Exception {
        ECPoint point = new ECPoint(number(jwk.get("x")), number(jwk.get("y")));
        return (ECPublicKey) KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, curve()));
    }

    static BigInteger number(Object base64url) {
        return new BigInteger(1, Base64.getUrlDecoder().decode((String) base64url));
    }
}
