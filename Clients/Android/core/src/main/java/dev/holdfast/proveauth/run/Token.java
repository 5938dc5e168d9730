package dev.holdfast.proveauth.run;

import dev.holdfast.proveauth.ProveAuthError;
import java.net.MalformedURLException;
import java.net.URL;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The claims of an auth token that a client goes by. The signature is the server's matter. */
public final class Token {
    /** The token itself. */
    final String text;
    /** The base URL of all calls. */
    final String aud;
    final String authID;
    final String nonce;
    final long iat;

    private Token(String text, String aud, String authID, String nonce, long iat) {
        this.text = text;
        this.aud = aud;
        this.authID = authID;
        this.nonce = nonce;
        this.iat = iat;
    }

    /** Why a token cannot be used. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        final ProveAuthError error;
        /** What the developer should know besides; null: nothing. */
        final String detail;

        Refused(ProveAuthError error, String detail) {
            this.error = error;
            this.detail = detail;
        }
    }

    /**
     * Reads a token.
     *
     * @param servers those that the app expects; empty: any
     * @throws Refused for a text that is no token, and for a server that must not be called
     */
    public static Token read(String text, List<String> servers) throws Refused {
        if (text == null || text.isEmpty()) {
            throw new Refused(ProveAuthError.TOKEN_MISSING, null);
        }
        String[] parts = text.split("\\.", -1);
        if (parts.length != 3) {
            throw new Refused(ProveAuthError.TOKEN_MALFORMED, null);
        }
        // It goes into a header: it must not bring lines of its own.
        for (String part : parts) {
            if (!part.matches("[A-Za-z0-9_-]+")) {
                throw new Refused(ProveAuthError.TOKEN_MALFORMED, null);
            }
        }
        Map<String, Object> claims;
        try {
            claims = Json.object(new String(Base64Url.decode(parts[1]), Proofs.UTF8));
        } catch (IllegalArgumentException notBase64) {
            claims = null;
        }
        if (claims == null) {
            throw new Refused(ProveAuthError.TOKEN_MALFORMED, null);
        }
        String aud = claim(claims, "aud");
        String sub = claim(claims, "sub");
        String nonce = claim(claims, "nonce");
        if (aud == null || sub == null || nonce == null || !(claims.get("iat") instanceof Long)) {
            throw new Refused(ProveAuthError.TOKEN_MALFORMED, "It has no aud, sub, nonce or iat.");
        }
        if (!isSafe(aud)) {
            throw new Refused(ProveAuthError.SERVER_NOT_EXPECTED, "Its aud is neither https nor on this machine.");
        }
        if (!isExpected(aud, servers)) {
            throw new Refused(ProveAuthError.SERVER_NOT_EXPECTED,
                    "Its aud is on " + origin(aud) + ", which withServers does not name.");
        }
        String base = aud.endsWith("/") ? aud.substring(0, aud.length() - 1) : aud;
        return new Token(text, base, sub, nonce, (Long) claims.get("iat"));
    }

    /** Whether the URL is https, or of this machine. It is read as the connection reads it. */
    static boolean isSafe(String text) {
        URL url = url(text);
        if (url == null || url.getHost().isEmpty()) {
            return false;
        }
        boolean isLoopback = url.getHost().matches("(?i)localhost|127(\\.[0-9]{1,3}){3}|\\[::1\\]");
        return url.getProtocol().equals("https") || url.getProtocol().equals("http") && isLoopback;
    }

    private static boolean isExpected(String aud, List<String> servers) {
        for (String server : servers) {
            if (origin(aud).equals(origin(server))) {
                return true;
            }
        }
        return servers.isEmpty();
    }

    private static String origin(String text) {
        URL url = url(text);
        if (url == null) {
            return "";
        }
        int port = url.getPort() >= 0 ? url.getPort() : url.getDefaultPort();
        return url.getProtocol() + "://" + url.getHost().toLowerCase(Locale.ROOT) + ":" + port;
    }

    private static URL url(String text) {
        try {
            return new URL(text);
        } catch (MalformedURLException notURL) {
            return null;
        }
    }

    private static String claim(Map<String, Object> claims, String name) {
        Object value = claims.get(name);
        return value instanceof String && !((String) value).isEmpty() ? (String) value : null;
    }
}
