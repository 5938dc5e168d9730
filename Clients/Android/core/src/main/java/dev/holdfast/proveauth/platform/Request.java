package dev.holdfast.proveauth.platform;

import java.util.Collections;
import java.util.Map;

/** One HTTP call. A redirect is an answer, and is not followed. */
public final class Request {
    public final String method;
    public final String url;
    public final Map<String, String> headers;
    /** Null: none. */
    public final String body;
    /** Over the mobile network, whatever else the device is connected by. */
    public final boolean isCellular;

    public Request(String method, String url, Map<String, String> headers, String body, boolean isCellular) {
        this.method = method;
        this.url = url;
        this.headers = Collections.unmodifiableMap(headers);
        this.body = body;
        this.isCellular = isCellular;
    }
}
