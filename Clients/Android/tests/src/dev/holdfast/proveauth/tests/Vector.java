package dev.holdfast.proveauth.tests;

import dev.holdfast.proveauth.OtpValidationException;
import dev.holdfast.proveauth.PhoneNumberValidationException;
import dev.holdfast.proveauth.ProveAuth;
import dev.holdfast.proveauth.ProveAuthException;
import dev.holdfast.proveauth.platform.Answer;
import dev.holdfast.proveauth.platform.Bell;
import dev.holdfast.proveauth.platform.Cancellable;
import dev.holdfast.proveauth.platform.Environment;
import dev.holdfast.proveauth.platform.KeyStorage;
import dev.holdfast.proveauth.platform.Reply;
import dev.holdfast.proveauth.platform.Request;
import dev.holdfast.proveauth.run.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArraySet;

/**
 * Plays one vector: the server, the app and the clock. All of it happens on the run's own thread: when the run waits, the next
 * thing of the script happens to it.
 */
final class Vector implements Environment, PlayedApp.Script {
    /** The process ends. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** A call that may get its answer later. */
    private static final class OpenCall {
        Reply reply;
        boolean isCancelled;
    }

    private final Map<String, Object> app;
    private final List<?> script;
    private final String token;
    private final long startMilliseconds;
    private final long clockOffMilliseconds;
    private final VectorCalls calls;
    private final KeyStorage keys;
    private final Set<Runnable> wakers = new CopyOnWriteArraySet<>();
    private final Map<String, OpenCall> openCalls = new HashMap<>();
    private final Map<String, PlayedApp.Giving> openSteps = new HashMap<>();
    /** What is left of the entry {@code together}; null: it was not begun. */
    private List<Object> together;
    private int at;
    private long passedMilliseconds;
    private ProveAuth client;

    Vector(Map<String, Object> vector, String commonToken, long now) throws Exception {
        app = Json.map(vector.get("app"));
        script = (List<?>) vector.get("script");
        token = vector.containsKey("token") ? (String) vector.get("token") : commonToken;
        Object after = vector.get("startsAfter");
        startMilliseconds = (now + (after == null ? 0 : (Long) after)) * 1000;
        Object off = vector.get("deviceClockOff");
        clockOffMilliseconds = off == null ? 0 : (Long) off * 1000;
        calls = new VectorCalls(token);
        keys = new PlayedKeys(app.containsKey("deviceKey"));
        if ("kept".equals(app.get("deviceKey"))) {
            keys.replaceDevice(calls.aud, null, startMilliseconds);
        }
    }

    void play() {
        for (boolean goesOn = true; goesOn;) {
            client = client();
            openSteps.clear();
            try {
                goesOn = goesOnAfter(outcome());
            } catch (Killed killed) {
                openCalls.clear();
            }
        }
        Check.equal(at, script.size(), "the number of entries that happened");
    }

    private ProveAuth client() {
        ProveAuth.Builder builder = ProveAuth.builder().withEnvironment(this);
        PlayedApp.addSteps(builder, (List<?>) app.get("steps"), this);
        if (app.containsKey("role")) {
            builder.withRole((String) app.get("role"));
        }
        if (app.containsKey("servers")) {
            builder.withServers(((List<?>) app.get("servers")).toArray(new String[0]));
        }
        return builder.build();
    }

    private Object outcome() {
        try {
            client.authenticate(token);
            return "done";
        } catch (ProveAuthException failure) {
            return Collections.singletonMap("error", failure.getError().getName());
        } catch (PlayedApp.AppFailure failure) {
            return Collections.singletonMap("error", "$app");
        }
    }

    private boolean goesOnAfter(Object outcome) {
        Check.equal(outcome, take("ends").get("ends"), "the end");
        // A step may answer when nobody waits any more.
        while (at < script.size() && entry().containsKey("from")) {
            openSteps.get(entry().get("from")).give(entry().get("gives"));
            at += 1;
        }
        if (at < script.size() && entry().containsKey("authenticates")) {
            if (entry().containsKey("anew")) {
                calls.expectAnotherSessionKey();
            }
            at += 1;
            return true;
        }
        return false;
    }

    private Map<String, Object> entry() {
        Check.that(at < script.size(), "the script is over");
        return Json.map(script.get(at));
    }

    /** The next entry, of which the client has just done what its member {@code kind} says. */
    private Map<String, Object> take(String kind) {
        Check.that(at < script.size(), "the script is over, but there is a " + kind);
        Map<String, Object> entry = entry();
        if (!entry.containsKey("together")) {
            Check.that(entry.containsKey(kind), "there is a " + kind + ", not " + entry);
            at += 1;
            return entry;
        }
        together = together == null ? new ArrayList<Object>((List<?>) entry.get("together")) : together;
        for (Object one : together) {
            if (Json.map(one).containsKey(kind)) {
                together.remove(one);
                if (together.isEmpty()) {
                    together = null;
                    at += 1;
                }
                return Json.map(one);
            }
        }
        throw new Check.Failure("there is a " + kind + ", not one of " + together);
    }

    @Override
    public Cancellable send(Request request, Reply reply) {
        boolean isHop = request.isCellular;
        Map<String, Object> entry = take(isHop ? "hop" : "call");
        OpenCall call = new OpenCall();
        call.reply = reply;
        if (isHop) {
            Check.equal(request.url, entry.get("hop"), "the hop");
            Check.equal(request.method, "GET", "its method");
            Check.that(!request.headers.containsKey("Authorization"), "the token must not go along");
        } else {
            Object iat = entry.get("iat");
            long trueSeconds = (startMilliseconds + passedMilliseconds) / 1000;
            calls.check(request, entry, iat == null ? trueSeconds : (Long) iat);
        }
        if (entry.containsKey("as")) {
            openCalls.put((String) entry.get("as"), call);
        } else {
            answer(call, entry.get("answer"));
        }
        return () -> call.isCancelled = true;
    }

    private static void answer(OpenCall call, Object with) {
        if (call.isCancelled || "stalls".equals(with)) {
            return;
        }
        if ("lost".equals(with)) {
            call.reply.accept(Answer.none("network"));
            return;
        }
        Map<String, Object> answer = Json.map(with);
        Map<String, String> headers = new HashMap<>();
        if (answer.containsKey("headers")) {
            for (Map.Entry<String, Object> header : Json.map(answer.get("headers")).entrySet()) {
                headers.put(header.getKey(), (String) header.getValue());
            }
        }
        String text = answer.containsKey("text") ? (String) answer.get("text")
                : answer.containsKey("body") ? Json.write(answer.get("body")) : "";
        call.reply.accept(new Answer(((Long) answer.get("status")).intValue(), headers, text));
    }

    @Override
    public void step(String name, Boolean phoneNumberNeeded, ProveAuthException error, PlayedApp.Giving giving) {
        Map<String, Object> entry = take("step");
        Check.equal(name, entry.get("step"), "the step");
        Check.equal(phoneNumberNeeded, entry.get("phoneNumberNeeded"), "phoneNumberNeeded");
        // The retry step of Android gets no error.
        if (!name.equals("linkRetry")) {
            Check.equal(error == null ? null : error.getError().getName(), entry.get("error"), "the step's error");
        }
        String named = error == null ? "" : error.getError().getName();
        Check.equal(error instanceof PhoneNumberValidationException,
                named.matches("phone_number_(required|invalid|not_allowed)"), "whether the number is to blame");
        Check.equal(error instanceof OtpValidationException, named.matches("otp_(mismatch|expired)"),
                "whether the code is to blame");
        if (entry.containsKey("as")) {
            openSteps.put((String) entry.get("as"), giving);
        } else if (entry.containsKey("gives")) {
            giving.give(entry.get("gives"));
        }
    }

    @Override
    public void finish(String authID) {
        Map<String, Object> entry = take("step");
        Check.equal("finish", entry.get("step"), "the step");
        Check.equal(authID, entry.get("authId"), "authId");
        if (entry.containsKey("as") && entry().containsKey("killed")) {
            at += 1;
            throw new Killed();
        }
        if ("reject".equals(entry.get("gives"))) {
            throw new PlayedApp.AppFailure();
        }
    }

    /** The run waits: the next thing happens to it. */
    @Override
    public void await(Bell bell, long milliseconds) throws InterruptedException {
        Map<String, Object> entry = entry();
        at += 1;
        if (entry.containsKey("answer") && !entry.containsKey("call")) {
            answer(openCalls.get(entry.get("answer")), entry.get("with"));
        } else if (entry.containsKey("gives") && entry.containsKey("from")) {
            openSteps.get(entry.get("from")).give(entry.get("gives"));
        } else if (entry.containsKey("time")) {
            pass(((Number) entry.get("time")).doubleValue(), milliseconds);
        } else if (entry.containsKey("wakes")) {
            for (Runnable waker : wakers) {
                waker.run();
            }
        } else if (entry.containsKey("cancels")) {
            client.cancel();
        } else if (entry.containsKey("opened")) {
            Check.equal(isTaken((String) entry.get("opened")), entry.get("accepts"), "whether the URL is taken");
        } else if (entry.containsKey("killed")) {
            throw new Killed();
        } else {
            throw new Check.Failure("the run waits for " + milliseconds + " ms, but does not do " + entry);
        }
    }

    private void pass(double seconds, long timer) {
        long milliseconds = (long) (seconds * 1000);
        Map<String, Object> next = at < script.size() ? entry() : Collections.<String, Object>emptyMap();
        boolean isAnswered = next.containsKey("answer") && !next.containsKey("call");
        Check.that(milliseconds == timer || isAnswered && milliseconds < timer,
                "the next timer is due after " + timer + " ms, not " + milliseconds);
        passedMilliseconds += milliseconds;
    }

    private boolean isTaken(String url) {
        try {
            client.finishInstantLink(url);
            return true;
        } catch (ProveAuthException refused) {
            return false;
        }
    }

    @Override
    public long now() {
        return startMilliseconds + clockOffMilliseconds + passedMilliseconds;
    }

    @Override
    public long elapsed() {
        return passedMilliseconds;
    }

    @Override
    public double random() {
        return 0;
    }

    @Override
    public String uuid() {
        return UUID.randomUUID().toString();
    }

    @Override
    public void run(Runnable step) {
        step.run();
    }

    @Override
    public KeyStorage keys() {
        return keys;
    }

    @Override
    public boolean hasCellular() {
        return Boolean.TRUE.equals(app.get("mobileAuth"));
    }

    @Override
    public void endCellular() {}

    @Override
    public Cancellable onWake(Runnable callback) {
        wakers.add(callback);
        return () -> wakers.remove(callback);
    }
}
