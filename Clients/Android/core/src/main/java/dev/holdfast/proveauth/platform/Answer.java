package dev.holdfast.proveauth.platform;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** What came of a call. */
public final class Answer {
    /** 0: no answer. */
    public final int status;
    public final String body;
    /** Why there is no answer: {@code network} or {@code no_cellular}. */
    public final String failure;
    private final Map<String, String> headers = new HashMap<>();

    private Answer(int status, String body, String failure) {
        this.status = status;
        this.body = body;
        this.failure = failure;
    }

    public Answer(int status, Map<String, String> headers, String body) {
        this(status, body, null);
        for (Map.Entry<String, String> header : headers.entrySet()) {
            this.headers.put(header.getKey().toLowerCase(Locale.ROOT), header.getValue());
        }
    }

    public static Answer none(String failure) {
        return new Answer(0, "", failure);
    }

    /** Null: it is not there. */
    public String header(String name) {
        return headers.get(name.toLowerCase(Locale.ROOT));
    }
}
