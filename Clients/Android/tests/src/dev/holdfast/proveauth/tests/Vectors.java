package dev.holdfast.proveauth.tests;

import dev.holdfast.proveauth.ProveAuthError;
import dev.holdfast.proveauth.platform.SigningKey;
import dev.holdfast.proveauth.run.Json;
import dev.holdfast.proveauth.run.Proofs;
import dev.holdfast.proveauth.run.Token;
import dev.holdfast.proveauth.run.Values;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.KeyFactory;
import java.security.spec.ECPrivateKeySpec;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Runs all vectors of {@code Clients/vectors}. */
final class Vectors {
    private static final String[] SCRIPTS = {
        "otp", "link", "device", "mobile-auth", "repeats", "tokens-and-time", "resume"
    };

    private final Path directory;
    private final Check check;
    private final String token;
    private final String authID;
    private final long now;

    Vectors(String directory, Check check) throws Exception {
        this.directory = Paths.get(directory);
        this.check = check;
        Map<String, Object> common = file("token");
        token = (String) common.get("token");
        authID = (String) common.get("authId");
        now = (Long) common.get("now");
    }

    /** The token of all vectors that name no other. */
    String token() {
        return token;
    }

    void run() throws Exception {
        for (String name : SCRIPTS) {
            for (Object one : (List<?>) file(name).get("vectors")) {
                Map<String, Object> vector = Json.map(one);
                Object platforms = vector.get("platforms");
                if (platforms == null || ((List<?>) platforms).contains("android")) {
                    check.test(name + ": " + vector.get("name"), () -> new Vector(vector, token, now).play());
                }
            }
        }
        proofs(file("proofs"));
        values(file("values"));
        errors((List<?>) file("errors").get("errors"));
    }

    private Map<String, Object> file(String name) throws Exception {
        byte[] bytes = Files.readAllBytes(directory.resolve(name + ".json"));
        return Json.map(Json.read(new String(bytes, StandardCharsets.UTF_8)));
    }

    private void proofs(Map<String, Object> file) throws Exception {
        Map<String, SigningKey> keys = new HashMap<>();
        for (Map.Entry<String, Object> entry : Json.map(file.get("keys")).entrySet()) {
            Map<String, Object> key = Json.map(entry.getValue());
            keys.put(entry.getKey(), signingKey(Json.map(key.get("privateJwk"))));
            check.test("proofs: thumbprint of " + entry.getKey(),
                    () -> Check.equal(Proofs.thumbprint(keys.get(entry.getKey())), key.get("thumbprint"), "it"));
        }
        Token read = Token.read(token, Collections.<String>emptyList());
        for (Object one : (List<?>) file.get("dpop")) {
            Map<String, Object> wanted = Json.map(one);
            check.test("proofs: " + wanted.get("name"), () -> compare(wanted, Proofs.dpop(
                    keys.get(wanted.get("key")), (String) wanted.get("method"), (String) wanted.get("url"),
                    (Long) wanted.get("iat"), (String) wanted.get("jti"), token,
                    (String) Json.map(wanted.get("claims")).get("nonce"))));
        }
        for (Object one : (List<?>) file.get("device")) {
            Map<String, Object> wanted = Json.map(one);
            check.test("proofs: " + wanted.get("name"), () -> compare(wanted, Proofs.device(
                    keys.get(wanted.get("key")), read, (String) wanted.get("challenge"), (String) wanted.get("op"),
                    (Long) wanted.get("iat"), Proofs.thumbprint(keys.get("session")))));
        }
    }

    private static void compare(Map<String, Object> wanted, String made) throws Exception {
        for (String text : Arrays.asList(made, (String) wanted.get("example"))) {
            SignedText proof = new SignedText(text);
            Check.equal(proof.header, wanted.get("header"), "the header");
            Check.equal(proof.claims, wanted.get("claims"), "the claims");
        }
    }

    private static SigningKey signingKey(Map<String, Object> jwk) throws Exception {
        ECPrivateKeySpec secret = new ECPrivateKeySpec(SignedText.number(jwk.get("d")), SignedText.curve());
        return new SigningKey(KeyFactory.getInstance("EC").generatePrivate(secret), SignedText.publicKey(jwk), 0);
    }

    private void values(Map<String, Object> file) {
        for (Object one : (List<?>) file.get("codes")) {
            Map<String, Object> value = Json.map(one);
            check.test("values: code " + value.get("text"),
                    () -> Check.equal(Values.code((String) value.get("text")), value.get("code"), "it"));
        }
        for (Object one : (List<?>) file.get("finalTargets")) {
            Map<String, Object> value = Json.map(one);
            check.test("values: target " + value.get("url"),
                    () -> Check.equal(Values.finalTarget((String) value.get("url"), authID), value.get("asc"), "asc"));
        }
        for (Object one : (List<?>) file.get("retryAfter")) {
            Map<String, Object> value = Json.map(one);
            check.test("values: Retry-After " + value.get("text"),
                    () -> new Vector(limited((String) value.get("text"), value.get("seconds")), token, now).play());
        }
    }

    /** A run whose first call is limited, and which is over with the second. */
    private Map<String, Object> limited(String retryAfter, Object seconds) {
        String call = "{\"call\":\"POST /session\",\"body\":{\"platform\":\"android\",\"sdk\":\"$text\",\"deviceKey\":false,"
                + "\"cellular\":\"no\",\"requestId\":\"r1\"},\"answer\":";
        String refused = call + "{\"status\":429,\"headers\":{\"Retry-After\":\"" + retryAfter + "\"},\"body\":{}}}";
        String rest = seconds == null ? "{\"ends\":{\"error\":\"rate_limited\"}}"
                : "{\"time\":" + seconds + "}," + call + "{\"status\":200,\"body\":{\"authId\":\"" + authID
                + "\",\"rev\":1,\"status\":\"done\",\"outcome\":\"succeeded\",\"allowed\":[],"
                + "\"expiresAt\":\"2026-01-01T10:15:00Z\",\"phone\":{},\"device\":{}}}},{\"ends\":\"done\"}";
        return Json.object("{\"app\":{\"steps\":[]},\"script\":[" + refused + "," + rest + "]}");
    }

    private void errors(List<?> table) {
        for (Object one : table) {
            Map<String, Object> row = Json.map(one);
            check.test("errors: " + row.get("error"), () -> {
                ProveAuthError error = ProveAuthError.valueOf(((String) row.get("error")).toUpperCase(Locale.ROOT));
                Check.equal((long) error.getCode(), row.get("code"), "code");
                Check.equal(error.getDeveloperMessage(), row.get("developer"), "the developer's sentence");
                Check.equal(error.getMessage(), row.get("person"), "the person's sentence");
                // 0: the client's own errors, which no answer can name.
                int status = ((Long) row.get("http")).intValue();
                ProveAuthError named = status == 0 ? ProveAuthError.INVALID_REQUEST : error;
                Check.equal(ProveAuthError.of(status, row.get("error")), named, "the error of its name");
            });
        }
        check.test("errors: no other", () -> Check.equal(ProveAuthError.values().length, table.size(), "their number"));
    }
}
