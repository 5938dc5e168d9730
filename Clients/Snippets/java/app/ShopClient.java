package app;

import dev.holdfast.proveauth.run.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;

/** Calls the shop's backend ({@code BACKEND_URL}), and keeps its cookie. */
final class ShopClient {
    private static final HttpClient http = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();

    private ShopClient() {}

    static Answer post(String path, String... members) {
        Map<String, Object> body = new HashMap<>();
        for (int index = 0; index < members.length; index += 2) {
            body.put(members[index], members[index + 1]);
        }
        HttpRequest request = HttpRequest.newBuilder(URI.create(System.getenv("BACKEND_URL") + path))
                .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(Json.write(body))).build();
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IllegalStateException(path + " answers " + response.statusCode() + " " + response.body());
            }
            return new Answer(Json.object(response.body()));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException failure) {
            throw new IllegalStateException(failure);
        }
    }

    static final class Answer {
        private final Map<String, Object> members;

        Answer(Map<String, Object> members) {
            this.members = members;
        }

        String text(String name) {
            return (String) members.get(name);
        }

        boolean isTrue(String name) {
            return Boolean.TRUE.equals(members.get(name));
        }
    }
}
