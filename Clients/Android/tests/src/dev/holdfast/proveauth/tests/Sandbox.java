package dev.holdfast.proveauth.tests;

import dev.holdfast.proveauth.run.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The app's backend, the person's phone and the clock of a sandbox server. */
final class Sandbox {
    /** A session that the backend has started. */
    static final class Session {
        final String authToken;
        final String correlationID;

        Session(Map<String, Object> answer) {
            authToken = (String) answer.get("authToken");
            correlationID = (String) answer.get("correlationId");
        }
    }

    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;
    private final String access;

    Sandbox(String url) throws Exception {
        this.url = url;
        HttpRequest.Builder request = request("/token").header("Content-Type", "application/x-www-form-urlencoded");
        String form = "grant_type=client_credentials&client_id=sandbox&client_secret=sandbox-secret";
        access = (String) send(request.POST(HttpRequest.BodyPublishers.ofString(form))).get("access_token");
    }

    Session unify(String phoneNumber, Object... more) throws Exception {
        Map<String, Object> fields = new HashMap<>();
        fields.put("possessionType", "mobile");
        fields.put("clientRequestId", UUID.randomUUID().toString());
        if (phoneNumber != null) {
            fields.put("phoneNumber", phoneNumber);
        }
        for (int index = 0; index < more.length; index += 2) {
            fields.put((String) more[index], more[index + 1]);
        }
        return new Session(post("/v3/unify", fields));
    }

    /** What the backend learns of the session's end. */
    boolean success(Session session) throws Exception {
        Map<String, Object> fields = new HashMap<>();
        fields.put("correlationId", session.correlationID);
        return "true".equals(post("/v3/unify-status", fields).get("success"));
    }

    /** {@code code} or {@code link} of the newest message of a session. */
    String message(Session session, String what) throws Exception {
        return (String) messages(session).get(messages(session).size() - 1).get(what);
    }

    int messageCount(Session session) throws Exception {
        return messages(session).size();
    }

    /** The numbers that a session's messages have gone to, as a person writes them. */
    List<String> sentTo(Session session) throws Exception {
        List<String> numbers = new ArrayList<>();
        for (Map<String, Object> message : allMessages(session)) {
            String number = (String) message.get("to");
            numbers.add(number.substring(number.length() - 10));
        }
        return numbers;
    }

    private List<Map<String, Object>> messages(Session session) throws Exception {
        List<Map<String, Object>> own = allMessages(session);
        Check.that(!own.isEmpty(), "the session has no message");
        return own;
    }

    private List<Map<String, Object>> allMessages(Session session) throws Exception {
        List<Map<String, Object>> own = new ArrayList<>();
        for (Object one : (List<?>) send(request("/sandbox/messages").GET()).get("messages")) {
            if (session.correlationID.equals(Json.map(one).get("correlationId"))) {
                own.add(Json.map(one));
            }
        }
        return own;
    }

    /** What the phone of this number gets from its operator, as a step gives it. */
    Map<String, Object> operatorToken(String phoneNumber) throws Exception {
        HttpRequest.Builder request = request("/sandbox/operator/operator-token")
                .header("Content-Type", "application/x-www-form-urlencoded");
        String form = "login_hint=tel:%2B1" + phoneNumber;
        Map<String, Object> answer = send(request.POST(HttpRequest.BodyPublishers.ofString(form)));
        Map<String, Object> given = new HashMap<>();
        given.put("operatorToken", answer.get("operator_token"));
        given.put("plmn", answer.get("plmn"));
        return given;
    }

    /** The person taps the link and decides. @return where the phone goes to */
    String decide(String link, String decision) throws Exception {
        String path = URI.create(link).getRawPath();
        HttpRequest request = request(path).header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString("decision=" + decision)).build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        Check.equal(answer.statusCode(), 303, "the status of the decision");
        return answer.headers().firstValue("Location").orElse("");
    }

    void advance(int seconds) throws Exception {
        Map<String, Object> fields = new HashMap<>();
        fields.put("advanceSeconds", (long) seconds);
        post("/sandbox/clock", fields);
    }

    void resetClock() throws Exception {
        Map<String, Object> fields = new HashMap<>();
        fields.put("reset", true);
        post("/sandbox/clock", fields);
    }

    private Map<String, Object> post(String path, Map<String, Object> fields) throws Exception {
        HttpRequest.Builder request = request(path).header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + access);
        return send(request.POST(HttpRequest.BodyPublishers.ofString(Json.write(fields))));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path));
    }

    private Map<String, Object> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        Check.equal(answer.statusCode() / 100, 2, "the status of " + answer.uri().getPath() + ": " + answer.body());
        return Json.object(answer.body());
    }
}
