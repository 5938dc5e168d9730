package app;

import java.io.IOException;

/** The app's backend as the guide's class calls it. */
public final class MyBackendClient {
    /** What the next {@code authStart} answers. */
    public static String authToken;

    AuthStartResponse authStart(String appName) {
        return new AuthStartResponse(authToken);
    }

    AuthFinishResponse authFinish(String appName, String authId) throws IOException {
        if (authId.isEmpty()) {
            throw new IOException("there is no such session");
        }
        return new AuthFinishResponse(authId);
    }

    static final class AuthStartResponse {
        private final String token;

        AuthStartResponse(String token) {
            this.token = token;
        }

        String getAuthToken() {
            return token;
        }
    }

    /** Of the session with this ID. */
    public static final class AuthFinishResponse {
        public final String authId;

        AuthFinishResponse(String authId) {
            this.authId = authId;
        }
    }
}
