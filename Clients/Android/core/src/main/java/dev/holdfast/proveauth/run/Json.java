package dev.holdfast.proveauth.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and writes JSON (RFC 8259) as maps, lists, strings, {@code Long}, {@code Double}, {@code Boolean} and null. */
public final class Json {
    private static final int MOST_DEPTH = 32;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException if the text is not JSON, or nested deeper than any answer is */
    public static Object read(String text) {
        Json reader = new Json(text);
        Object value = reader.value(0);
        reader.skipSpace();
        if (reader.at != text.length()) {
            throw reader.wrong();
        }
        return value;
    }

    /** The object in a text; null if it is none. */
    public static Map<String, Object> object(String text) {
        try {
            return map(read(text));
        } catch (IllegalArgumentException notJSON) {
            return null;
        }
    }

    /** The value as an object; null if it is none. */
    @SuppressWarnings("unchecked")
    public static Map<String, Object> map(Object value) {
        // The reader makes no other maps.
        return value instanceof Map ? (Map<String, Object>) value : null;
    }

    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map) {
            String separator = "{";
            for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
                out.append(separator);
                quote(String.valueOf(member.getKey()), out);
                out.append(':');
                write(member.getValue(), out);
                separator = ",";
            }
            out.append(((Map<?, ?>) value).isEmpty() ? "{}" : "}");
        } else if (value instanceof List) {
            String separator = "[";
            for (Object element : (List<?>) value) {
                out.append(separator);
                write(element, out);
                separator = ",";
            }
            out.append(((List<?>) value).isEmpty() ? "[]" : "]");
        } else if (value instanceof String) {
            quote((String) value, out);
        } else {
            out.append(value);
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int index = 0; index < text.length(); index += 1) {
            char character = text.charAt(index);
            if (character == '"' || character == '\\') {
                out.append('\\').append(character);
            } else if (character < ' ' || Character.isSurrogate(character)) {
                out.append("\\u");
                String digits = Integer.toHexString(character);
                for (int zeros = digits.length(); zeros < 4; zeros += 1) {
                    out.append('0');
                }
                out.append(digits);
            } else {
                out.append(character);
            }
        }
        out.append('"');
    }

    private Object value(int depth) {
        if (depth > MOST_DEPTH) {
            throw wrong();
        }
        skipSpace();
        char first = peek();
        switch (first) {
            case '{':
                return members(depth);
            case '[':
                return elements(depth);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> members(int depth) {
        Map<String, Object> members = new LinkedHashMap<>();
        at += 1;
        if (closes('}')) {
            return members;
        }
        do {
            skipSpace();
            if (peek() != '"') {
                throw wrong();
            }
            String name = string();
            skipSpace();
            take(':');
            members.put(name, value(depth + 1));
        } while (goesOn('}'));
        return members;
    }

    private List<Object> elements(int depth) {
        List<Object> elements = new ArrayList<>();
        at += 1;
        if (closes(']')) {
            return elements;
        }
        do {
            elements.add(value(depth + 1));
        } while (goesOn(']'));
        return elements;
    }

    private boolean closes(char end) {
        skipSpace();
        if (peek() != end) {
            return false;
        }
        at += 1;
        return true;
    }

    private boolean goesOn(char end) {
        if (closes(end)) {
            return false;
        }
        take(',');
        return true;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        at += 1;
        for (;;) {
            char character = peek();
            at += 1;
            if (character == '"') {
                return out.toString();
            }
            if (character < ' ') {
                throw wrong();
            }
            out.append(character == '\\' ? escaped() : character);
        }
    }

    private char escaped() {
        char character = peek();
        at += 1;
        switch (character) {
            case '"':
            case '\\':
            case '/':
                return character;
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                return fourDigits();
            default:
                throw wrong();
        }
    }

    private char fourDigits() {
        int code = 0;
        for (int count = 0; count < 4; count += 1) {
            int digit = Character.digit(peek(), 16);
            if (digit < 0) {
                throw wrong();
            }
            code = code * 16 + digit;
            at += 1;
        }
        return (char) code;
    }

    private Object number() {
        int start = at;
        while (at < text.length() && "+-.0123456789Ee".indexOf(text.charAt(at)) >= 0) {
            at += 1;
        }
        String digits = text.substring(start, at);
        if (!digits.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
            throw wrong();
        }
        if (digits.length() <= 18 && digits.matches("-?[0-9]+")) {
            return Long.valueOf(digits);
        }
        return Double.valueOf(digits);
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong();
        }
        at += word.length();
        return value;
    }

    private void take(char expected) {
        if (peek() != expected) {
            throw wrong();
        }
        at += 1;
    }

    private char peek() {
        if (at >= text.length()) {
            throw wrong();
        }
        return text.charAt(at);
    }

    private void skipSpace() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at += 1;
        }
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("not JSON at " + at);
    }
}
