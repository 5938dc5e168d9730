package dev.holdfast.proveauth.tests;

import dev.holdfast.proveauth.platform.Request;
import dev.holdfast.proveauth.run.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Checks each call of one vector: where it goes, what it says, and its proofs. */
final class VectorCalls {
    private static final String UUID_FORM = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

    final String aud;
    private final String token;
    private final Map<String, Object> claims;
    private final Set<Object> usedJtis = new HashSet<>();
    private final Map<Object, Object> textByLabel = new HashMap<>();
    private final Map<Object, Object> keyByLabel = new HashMap<>();
    private Object sessionJwk;
    private Object sessionJwkBefore;

    VectorCalls(String token) {
        this.token = token;
        String[] parts = token.split("\\.");
        Map<String, Object> read = null;
        try {
            read = Json.object(new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8));
        } catch (RuntimeException noToken) {
            // Some vectors have a text that is none.
        }
        claims = read == null ? new HashMap<>() : read;
        aud = String.valueOf(claims.get("aud"));
    }

    void check(Request request, Map<String, Object> entry, long iat) {
        Check.that(request.url.startsWith(aud), "the call leaves the token's server: " + request.url);
        Check.equal(request.method + " " + request.url.substring(aud.length()), entry.get("call"), "the call");
        try {
            checkProof(request, iat);
            Map<String, Object> wanted = Json.map(entry.get("body"));
            if (wanted == null) {
                Check.equal(request.body, null, "the body");
            } else {
                Check.equal(request.headers.get("Content-Type"), "application/json", "the type");
                checkBody(Json.object(request.body), wanted, iat);
            }
        } catch (Check.Failure failure) {
            throw new Check.Failure(entry.get("call") + ": " + failure.getMessage());
        } catch (Exception failure) {
            throw new Check.Failure(entry.get("call") + ": " + failure);
        }
    }

    /** That of the run before is gone. */
    void expectAnotherSessionKey() {
        sessionJwkBefore = sessionJwk;
        sessionJwk = null;
    }

    private void checkProof(Request request, long iat) throws Exception {
        Check.equal(request.headers.get("Authorization"), "DPoP " + token, "Authorization");
        SignedText proof = new SignedText(request.headers.get("DPoP"));
        Check.equal(proof.header.get("typ"), "dpop+jwt", "typ");
        Check.equal(proof.claims.get("htm"), request.method, "htm");
        Check.equal(proof.claims.get("htu"), request.url.replaceFirst("\\?.*", ""), "htu");
        Check.equal(proof.claims.get("ath"), digest(token), "ath");
        Check.equal(proof.claims.get("nonce"), claims.get("nonce"), "nonce");
        Check.equal(proof.claims.get("iat"), iat, "iat");
        Check.that(usedJtis.add(proof.claims.get("jti")), "the jti was used before");
        sessionJwk = sessionJwk == null ? proof.jwk() : sessionJwk;
        Check.equal(proof.jwk(), sessionJwk, "the session key");
        Check.that(!sessionJwk.equals(sessionJwkBefore), "the session key is still the one before");
    }

    private void checkBody(Map<String, Object> got, Map<String, Object> wanted, long iat) throws Exception {
        Check.equal(got.keySet(), wanted.keySet(), "the members of the body");
        for (Map.Entry<String, Object> member : wanted.entrySet()) {
            String name = member.getKey();
            Object value = got.get(name);
            if (name.equals("requestId")) {
                checkRequestID(value, member.getValue());
            } else if (name.equals("proof")) {
                checkDeviceProof(new SignedText((String) value), Json.map(member.getValue()), iat);
            } else if ("$platform".equals(member.getValue())) {
                Check.equal(value, "android", name);
            } else if ("$text".equals(member.getValue())) {
                Check.that(value instanceof String && !((String) value).isEmpty(), name + " is no text");
            } else {
                Check.equal(value, member.getValue(), name);
            }
        }
    }

    private void checkRequestID(Object value, Object label) {
        Check.that(String.valueOf(value).matches(UUID_FORM), "the requestId is no UUID");
        Object known = textByLabel.get(label);
        Check.that(known == null ? !textByLabel.containsValue(value) : known.equals(value),
                "the requestId " + label + " is not the one of this label");
        textByLabel.put(label, value);
    }

    private void checkDeviceProof(SignedText proof, Map<String, Object> wanted, long iat) throws Exception {
        Check.equal(proof.header.get("typ"), "device-proof+jwt", "typ");
        for (String name : new String[] {"op", "nonce"}) {
            Check.equal(proof.claims.get(name), wanted.get(name), name);
        }
        Check.equal(proof.claims.get("aud"), aud, "aud");
        Check.equal(proof.claims.get("sub"), claims.get("sub"), "sub");
        Check.equal(proof.claims.get("iat"), iat, "iat");
        String thumbprint = digest(Json.write(new TreeMap<>(Json.map(sessionJwk))));
        Check.equal(Json.map(proof.claims.get("cnf")).get("jkt"), thumbprint, "jkt");
        Object label = wanted.get("key");
        Object known = keyByLabel.get(label);
        Check.that(known == null ? !keyByLabel.containsValue(proof.jwk()) : known.equals(proof.jwk()),
                "the device key is not the one of " + label);
        Check.that(!proof.jwk().equals(sessionJwk), "the device key is used for the session");
        keyByLabel.put(label, proof.jwk());
    }

    static String digest(String text) throws Exception {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
    }
}
