package dev.holdfast.proveauth.run;

import java.text.ParsePosition;
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.Locale;
import java.util.TimeZone;

/** Texts of people and addresses, and what is read out of them. */
public final class Values {
    private static final long NO_WAIT = -1;

    private Values() {}

    /**
     * Reads what a person typed as the server does: without marks that nobody sees, with a blank for any white space, a hyphen
     * for any dash, and 0 to 9 for the digits of any script.
     */
    static String plain(String typed) {
        StringBuilder plain = new StringBuilder();
        int point;
        for (int at = 0; at < typed.length(); at += Character.charCount(point)) {
            point = typed.codePointAt(at);
            int type = Character.getType(point);
            if (type == Character.FORMAT) {
                continue;
            }
            if (Character.isWhitespace(point) || Character.isSpaceChar(point)) {
                plain.append(' ');
            } else if (type == Character.DASH_PUNCTUATION || point == 0x2212) {
                plain.append('-');
            } else if (type == Character.DECIMAL_DIGIT_NUMBER) {
                plain.append(Character.digit(point, 10));
            } else {
                plain.appendCodePoint(point);
            }
        }
        return plain.toString();
    }

    /** What a person typed as a code, without spaces and hyphens; null if it is none. */
    public static String code(String typed) {
        String code = typed == null ? "" : plain(typed).replaceAll("[ -]", "");
        return code.matches("[0-9]{4,10}") ? code : null;
    }

    /** The seconds of a {@code Retry-After}, at least 1; -1: none is told. */
    static long retryAfterSeconds(String header) {
        if (header == null || !header.trim().matches("[0-9]+")) {
            return NO_WAIT;
        }
        String digits = header.trim();
        return digits.length() > 9 ? Long.MAX_VALUE / 1000 : Math.max(1, Long.parseLong(digits));
    }

    /** A moment such as {@code 2026-01-01T10:15:00Z}, in milliseconds since 1970; null: it is none. */
    static Long moment(Object text) {
        return text instanceof String ? date((String) text, "yyyy-MM-dd'T'HH:mm:ss'Z'") : null;
    }

    /** The {@code Date} of an answer, in milliseconds since 1970; null: it is none. */
    static Long httpDate(String text) {
        return text == null ? null : date(text.replace(" GMT", "Z"), "EEE, dd MMM yyyy HH:mm:ss'Z'");
    }

    private static Long date(String text, String pattern) {
        SimpleDateFormat format = new SimpleDateFormat(pattern, Locale.US);
        format.setTimeZone(TimeZone.getTimeZone("UTC"));
        format.setLenient(false);
        // A fraction of a second makes no difference to anybody.
        String whole = text.replaceFirst("\\.[0-9]+Z$", "Z");
        ParsePosition position = new ParsePosition(0);
        Date date = format.parse(whole, position);
        return date == null || position.getIndex() != whole.length() ? null : Long.valueOf(date.getTime());
    }

    /**
     * What {@code finalTargetUrl} says when it opens the app.
     *
     * @return its {@code asc}; null if it is not exactly true or false, or if the URL is of another session
     */
    public static Boolean finalTarget(String url, String authID) {
        String target = url == null ? "" : url;
        int hash = target.indexOf('#');
        target = hash < 0 ? target : target.substring(0, hash);
        int mark = target.indexOf('?');
        if (mark < 0) {
            return null;
        }
        String asc = null;
        String named = null;
        for (String field : target.substring(mark + 1).split("&")) {
            // The first of a name counts.
            if (asc == null && field.startsWith("asc=")) {
                asc = field.substring("asc=".length());
            } else if (named == null && field.startsWith("authId=")) {
                named = field.substring("authId=".length());
            }
        }
        boolean isBoolean = "true".equals(asc) || "false".equals(asc);
        return isBoolean && authID.equals(named) ? Boolean.valueOf(asc) : null;
    }
}
