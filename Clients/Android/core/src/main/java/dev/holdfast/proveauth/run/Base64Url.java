package dev.holdfast.proveauth.run;

import java.io.ByteArrayOutputStream;

/** Base64url without padding (RFC 4648 section 5). {@code java.util.Base64} needs Android 8. */
public final class Base64Url {
    private static final String DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    private Base64Url() {}

    public static String encode(byte[] bytes) {
        StringBuilder out = new StringBuilder();
        int bits = 0;
        int held = 0;
        for (byte next : bytes) {
            held = held << 8 | next & 0xff;
            bits += 8;
            while (bits >= 6) {
                bits -= 6;
                out.append(DIGITS.charAt(held >> bits & 63));
            }
            held &= (1 << bits) - 1;
        }
        if (bits > 0) {
            out.append(DIGITS.charAt(held << 6 - bits & 63));
        }
        return out.toString();
    }

    /** @throws IllegalArgumentException if the text has another character, or an impossible length */
    public static byte[] decode(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int bits = 0;
        int held = 0;
        for (int index = 0; index < text.length(); index += 1) {
            int digit = DIGITS.indexOf(text.charAt(index));
            if (digit < 0) {
                throw new IllegalArgumentException("not base64url at " + index);
            }
            held = held << 6 | digit;
            bits += 6;
            if (bits >= 8) {
                bits -= 8;
                out.write(held >> bits);
                held &= (1 << bits) - 1;
            }
        }
        if (text.length() % 4 == 1) {
            throw new IllegalArgumentException("not base64url: its length");
        }
        return out.toByteArray();
    }
}
