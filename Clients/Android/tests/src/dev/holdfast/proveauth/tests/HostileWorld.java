package dev.holdfast.proveauth.tests;

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
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArraySet;

/**
 * A server, an app and a clock that do whatever a seed says: answers that are late, lost, cut, old, of another session or of any
 * status, steps that answer anything or never, a process that ends anywhere. One thread, and time that is handed in.
 */
final class HostileWorld implements Environment, PlayedApp.Script {
    private static final String AUTH_ID = "3b0c4f3e-1f0e-4f4b-9c65-6f6a5f2e5b11";
    private static final long BEGIN = 1_767_261_600_000L;
    /** 40 calls and the cancel, each with four repeats; and one that is repeated for its clock. */
    private static final int MOST_POSTS = 40 * 5 + 2 + 1;
    private static final int MOST_CALLS = 40;
    private static final int MOST_STEPS = 40;
    /** Polls and looks: a run that goes on for longer than this many is endless. */
    private static final int MOST_WAITS = 3_000;
    private static final List<String> STEPS = Arrays.asList("device", "mobileAuth", "otpStart", "otpFinish", "linkStart", "linkWait", "strange");
    private static final List<String> ACTIONS = Arrays.asList("device", "mobileAuth", "mobileAuth.finish", "otp.start", "otp.verify",
            "otp.resend", "otp.phone", "link.start", "link.resend", "link.phone", "cancel");
    private static final List<String> ERRORS = Arrays.asList("invalid_request", "invalid_token", "invalid_dpop_proof",
            "token_already_used", "invalid_state", "session_done", "otp_mismatch", "otp_expired", "sends_exhausted",
            "phone_number_invalid", "phone_change_not_allowed", "sms_failed", "otp_unavailable", "vfp_invalid", "device_proof_invalid",
            "device_number_mismatch", "rate_limited", "internal", "network", "nobody_knows");
    private static final int[] STATUSES = {200, 200, 200, 200, 200, 201, 302, 400, 400, 401, 403, 404, 409, 410, 429, 500, 502, 503};

    /** The process ends. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    private final Random random;
    /** Everything is answered well, and nothing ever ends. */
    private final boolean isEndless;
    private final String token;
    private final KeyStorage keys;
    private final Set<Runnable> wakers = new CopyOnWriteArraySet<>();
    private final List<Runnable> pending = new ArrayList<>();
    private final Map<Object, String> bodyByID = new HashMap<>();
    private final Map<Object, Integer> countByID = new HashMap<>();
    private final Set<Object> jtis = new HashSet<>();
    private final Set<Object> callIDs = new HashSet<>();
    private ProveAuth client;
    private long passed;
    private long rev = 1;
    private int posts;
    private int steps;
    private int waits;
    private int finishes;

    HostileWorld(long seed, String token) {
        random = new Random(seed);
        isEndless = seed % 4 == 0;
        this.token = token;
        keys = new PlayedKeys(random.nextBoolean());
    }

    boolean isEndless() {
        return isEndless;
    }

    /** Runs until there is an end, through kills. @return what the end was */
    String play() {
        for (int runs = 0;; runs += 1) {
            posts = 0;
            callIDs.clear();
            steps = 0;
            waits = 0;
            finishes = 0;
            pending.clear();
            client = client();
            try {
                client.authenticate(token);
                Check.equal(finishes, 1, "how often finish ran in a run that is done");
                return "done";
            } catch (ProveAuthException failure) {
                Check.that(finishes <= 1, "finish ran more than once");
                Check.that(failure.getMessage() != null && !failure.getMessage().contains("200100"), "the message has a number");
                return failure.getError().getName();
            } catch (Killed killed) {
                Check.that(runs < 50, "the process was killed too often for a test");
            }
        }
    }

    private ProveAuth client() {
        ProveAuth.Builder builder = ProveAuth.builder().withEnvironment(this).withTestMode(random.nextInt(4) == 0);
        List<String> given = new ArrayList<>(Collections.singletonList("finish"));
        if (isEndless || random.nextInt(5) > 0) {
            given.addAll(Arrays.asList("otpStart", "otpFinish"));
        }
        if (isEndless || random.nextInt(2) > 0) {
            given.add("linkStart");
        }
        if (random.nextInt(2) > 0) {
            given.add("linkRetry");
        }
        PlayedApp.addSteps(builder, given, this);
        return random.nextInt(4) == 0 ? builder.withRole("secondary").build() : builder.build();
    }

    @Override
    public Cancellable send(Request request, Reply reply) {
        boolean isOurs = request.headers.containsKey("Authorization");
        if (isOurs) {
            check(request);
        }
        boolean[] isCancelled = {false};
        Runnable answer = () -> {
            if (!isCancelled[0]) {
                reply.accept(isOurs ? answer() : hop());
            }
        };
        int fate = isEndless ? 19 : random.nextInt(20);
        if (fate == 0) {
            maybeKill();
        } else if (fate < 5) {
            pending.add(answer);
        } else {
            // It may come at once, as from a thread that was faster.
            answer.run();
            if (fate == 5) {
                answer.run();
            }
        }
        return () -> isCancelled[0] = true;
    }

    private void check(Request request) {
        Object jti;
        try {
            jti = new SignedText(request.headers.get("DPoP")).claims.get("jti");
        } catch (Exception failure) {
            throw new Check.Failure("the proof: " + failure);
        }
        Check.that(jtis.add(jti), "a proof was sent twice");
        if (request.method.equals("POST")) {
            posts += 1;
            Check.that(posts <= MOST_POSTS, "there are " + posts + " calls");
            Object id = Json.object(request.body).get("requestId");
            if (!request.url.endsWith("/cancel")) {
                callIDs.add(id);
                Check.that(callIDs.size() <= MOST_CALLS, "there are " + callIDs.size() + " calls that are no repeats");
            }
            String body = request.url + request.body;
            Check.equal(bodyByID.getOrDefault(id, body), body, "the body of a repeat");
            bodyByID.put(id, body);
            // Four repeats, and one with another clock.
            Check.that(countByID.merge(id, 1, Integer::sum) <= 6, "a call came too often");
        }
    }

    private Answer answer() {
        if (isEndless) {
            return new Answer(200, Collections.<String, String>emptyMap(), Json.write(state()));
        }
        int status = STATUSES[random.nextInt(STATUSES.length)];
        if (random.nextInt(10) == 0) {
            return Answer.none("network");
        }
        Map<String, String> headers = new HashMap<>();
        if (random.nextInt(4) == 0) {
            headers.put("retry-after", random.nextInt(3) == 0 ? "900" : String.valueOf(random.nextInt(70)));
        }
        if (random.nextInt(3) == 0) {
            headers.put("Date", "Thu, 01 Jan 2026 11:00:00 GMT");
        }
        Map<String, Object> body = status < 300 ? state() : refusal();
        String text = Json.write(body);
        return new Answer(status, headers, random.nextInt(12) == 0 ? text.substring(0, random.nextInt(text.length())) : text);
    }

    private Map<String, Object> refusal() {
        Map<String, Object> body = new HashMap<>();
        body.put("error", ERRORS.get(random.nextInt(ERRORS.size())));
        if (random.nextInt(3) > 0) {
            body.put("state", state());
        }
        return body;
    }

    private Map<String, Object> state() {
        rev += random.nextInt(4) - 1;
        rev = isEndless ? rev + 2 : rev;
        boolean isDone = !isEndless && random.nextInt(25) == 0;
        List<Object> allowed = new ArrayList<>();
        for (String action : ACTIONS) {
            if (isEndless || random.nextInt(3) > 0) {
                allowed.add(action);
            }
        }
        Map<String, Object> device = new HashMap<>();
        device.put("rotate", random.nextInt(3) == 0);
        if (random.nextInt(4) > 0) {
            device.put("challenge", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8");
        }
        Map<String, Object> phone = new HashMap<>();
        phone.put("needed", random.nextBoolean());
        Map<String, Object> otp = new HashMap<>();
        otp.put("sendsLeft", (long) random.nextInt(3));
        otp.put("codeExpiresAt", random.nextBoolean() ? "2026-01-01T10:02:00Z" : "soon");
        Map<String, Object> link = new HashMap<>();
        link.put("waitUntil", random.nextInt(4) > 0 ? "2026-01-01T10:05:00Z" : Long.valueOf(7));
        if (random.nextInt(6) == 0) {
            link.put("error", "link_expired");
        }
        Map<String, Object> state = new HashMap<>();
        state.put("authId", !isEndless && random.nextInt(30) == 0 ? "another" : AUTH_ID);
        state.put("rev", !isEndless && random.nextInt(40) == 0 ? "high" : (Object) rev);
        state.put("status", isDone ? "done" : "active");
        state.put("outcome", isDone && random.nextBoolean() ? "succeeded" : "failed");
        state.put("step", STEPS.get(random.nextInt(STEPS.size())));
        state.put("allowed", allowed);
        state.put("expiresAt", !isEndless && random.nextInt(30) == 0 ? "never" : "2026-01-01T10:15:00Z");
        state.put("device", device);
        state.put("phone", phone);
        state.put("otp", otp);
        state.put("link", random.nextInt(10) == 0 ? "broken" : (Object) link);
        state.put("attemptId", random.nextInt(5) == 0 ? null : "b7w0");
        state.put("authUrl", random.nextInt(5) == 0 ? "http://evil.example/" : "https://device.example/ma");
        state.put("timeoutMs", random.nextInt(5) == 0 ? Long.valueOf(-5) : Long.valueOf(9000));
        return state;
    }

    private Answer hop() {
        int kind = random.nextInt(6);
        if (kind == 0) {
            return Answer.none(random.nextBoolean() ? "network" : "no_cellular");
        }
        if (kind < 3) {
            String[] targets = {"https://device.example/next", "/next?a=%zz", "http://evil.example/", "::::", "javascript:0"};
            return new Answer(302, Collections.singletonMap("Location", targets[random.nextInt(targets.length)]), "");
        }
        return new Answer(200, Collections.<String, String>emptyMap(),
                kind == 3 ? "<html>" : kind == 4 ? "{\"vfp\":\"v1\"}" : "{\"error\":7}");
    }

    @Override
    public void step(String name, Boolean phoneNumberNeeded, ProveAuthException error, PlayedApp.Giving giving) {
        steps += 1;
        Check.that(steps <= MOST_STEPS, "there are " + steps + " steps");
        Object[] gifts = name.equals("otpFinish")
                ? new Object[] {Person.code("1234"), Person.code("12 34"), Person.code("x"), "resend", "phone", "reject"}
                : name.equals("linkRetry") ? new Object[] {"resend", "phone", "reject"}
                : new Object[] {null, Person.number("2001004014"), Person.number(" "), Person.number("+12001004014"), "reject"};
        // Who gives up is the last of them, and rare.
        Object gift = gifts[!isEndless && random.nextInt(10) == 0 ? gifts.length - 1 : random.nextInt(gifts.length - 1)];
        int fate = isEndless ? 10 : random.nextInt(12);
        if (fate == 0) {
            throw new IllegalStateException("the step is broken");
        } else if (fate < 4) {
            pending.add(() -> giving.give(gift));
        } else if (fate > 4) {
            giving.give(gift);
            if (fate == 11) {
                giving.give("reject");
            }
        }
    }

    @Override
    public void finish(String authID) {
        Check.equal(authID, AUTH_ID, "authId");
        finishes += 1;
    }

    @Override
    public void await(Bell bell, long milliseconds) {
        waits += 1;
        Check.that(waits <= MOST_WAITS, "the run does not end");
        Check.that(milliseconds > 0, "a wait of no time");
        int fate = random.nextInt(40);
        if (fate == 0) {
            maybeKill();
        } else if (fate == 1) {
            for (Runnable waker : wakers) {
                waker.run();
            }
        } else if (fate == 2) {
            passed += 1;
        } else if (!pending.isEmpty() && fate < 25) {
            pending.remove(random.nextInt(pending.size())).run();
        } else if (milliseconds < 24 * 3_600_000L) {
            passed += milliseconds;
        } else if (pending.isEmpty()) {
            // A step that never answers: the person closes the app, or opens it again by some link.
            if (random.nextBoolean()) {
                client.cancel();
            } else {
                throw new Killed();
            }
        }
    }

    private void maybeKill() {
        if (random.nextInt(4) == 0) {
            throw new Killed();
        }
    }

    @Override
    public long now() {
        return BEGIN + passed;
    }

    @Override
    public long elapsed() {
        return passed;
    }

    @Override
    public double random() {
        return random.nextDouble();
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
        return random.nextBoolean();
    }

    @Override
    public void endCellular() {}

    @Override
    public Cancellable onWake(Runnable callback) {
        wakers.add(callback);
        return () -> wakers.remove(callback);
    }
}
