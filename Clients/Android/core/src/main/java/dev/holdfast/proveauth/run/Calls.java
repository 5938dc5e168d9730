package dev.holdfast.proveauth.run;

import dev.holdfast.proveauth.ProveAuthError;
import dev.holdfast.proveauth.ProveAuthException;
import dev.holdfast.proveauth.platform.Answer;
import dev.holdfast.proveauth.platform.Cancellable;
import dev.holdfast.proveauth.platform.Environment;
import dev.holdfast.proveauth.platform.Request;
import dev.holdfast.proveauth.platform.SigningKey;
import java.security.GeneralSecurityException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The calls of one run: signed, repeated where that can help, and the newest state that they have brought.
 *
 * <p>Every method may throw an {@link End}. A refusal that the run can deal with is thrown as {@link ProveAuthException}.
 */
final class Calls {
    static final int POLL_SECONDS = 40;
    private static final int CALL_SECONDS = 30;
    private static final double[] REPEAT_SECONDS = {0.5, 1, 2, 4};
    private static final int LONGEST_WAIT_SECONDS = 60;
    private static final int MOST_CALLS = 40;
    private static final int MOST_COMPLAINTS = 6;
    /** No session lives longer, whatever its states say. */
    private static final long LONGEST_MILLISECONDS = 20 * 60 * 1000;
    private static final int MOST_FOLLOWED = 5;

    /** No server, no valid token, a mistake in the app or the library: there is nothing to cancel. */
    private static final Set<ProveAuthError> BREAKING = EnumSet.of(
            ProveAuthError.INVALID_REQUEST, ProveAuthError.INVALID_TOKEN, ProveAuthError.INVALID_DPOP_PROOF,
            ProveAuthError.TOKEN_ALREADY_USED, ProveAuthError.ORIGIN_NOT_ALLOWED, ProveAuthError.INVALID_STATE,
            ProveAuthError.REQUEST_ID_REUSED, ProveAuthError.INTERNAL);
    /** Nobody can help. */
    private static final Set<ProveAuthError> HOPELESS =
            EnumSet.of(ProveAuthError.PHONE_NUMBER_NOT_ACCEPTED, ProveAuthError.OTP_UNAVAILABLE);

    final Token token;
    final SigningKey key;
    private final Waits waits;
    private final Environment environment;
    private final Settings settings;
    /** The server's time at {@code beganAt}: the token's, and what had passed since the session key was made. */
    private final long storedAtBegin;
    private final long beganAt;
    /** Null before the first answer. */
    private State state;
    private int calls;
    private int followed;
    /** How often the server has refused a proof, and how often since another answer came. */
    private int complaints;
    private int complaintsInARow;
    /** Milliseconds that the true time is ahead of the device's clock, once the server has complained; null before. */
    private Long clockShift;

    Calls(Waits waits, Settings settings, Token token, SigningKey key) {
        this.waits = waits;
        this.environment = waits.environment;
        this.settings = settings;
        this.token = token;
        this.key = key;
        beganAt = environment.elapsed();
        long age = Math.max(0, Math.min(LONGEST_MILLISECONDS, environment.now() - key.madeAt()));
        storedAtBegin = token.iat * 1000 + age;
    }

    State state() {
        return state;
    }

    boolean can(String action) {
        return state.allows(action);
    }

    /** The time that moments in a state go by. */
    long storedNow() {
        return storedAtBegin + environment.elapsed() - beganAt;
    }

    /** No server's word makes a run outlive its token. */
    long endOfToken() {
        return token.iat * 1000 + LONGEST_MILLISECONDS;
    }

    boolean isTokenOver() {
        return storedNow() >= endOfToken();
    }

    boolean hasCalled() {
        return calls > 0;
    }

    long proofSeconds() {
        return Math.floorDiv(environment.now() + (clockShift == null ? 0 : clockShift), 1000L);
    }

    ProveAuthException error(ProveAuthError error) {
        return settings.error(error, 0, null);
    }

    End giveUp(ProveAuthError error, Throwable cause) {
        return new End(End.Way.GIVEN_UP, settings.error(error, 0, cause));
    }

    End giveUp(ProveAuthError error) {
        return giveUp(error, (Throwable) null);
    }

    /** The app's own mistake ends the run. */
    End giveUp(ProveAuthError error, String detail) {
        return new End(End.Way.GIVEN_UP, settings.error(error, detail));
    }

    /** The end of a run whose app has no steps for where the session is. */
    End missing(boolean isLink) {
        String builder = isLink ? "withInstantLinkFallback" : "withOtpFallback";
        return giveUp(ProveAuthError.STEP_MISSING, "It is at " + state.step + ", for which there is " + builder + ".");
    }

    /** A step of the protocol. Its body goes out once, and again only if no answer comes. */
    Map<String, Object> post(String path, Map<String, ?> fields) {
        calls += 1;
        if (calls > MOST_CALLS) {
            throw giveUp(ProveAuthError.TOO_MANY_STEPS);
        }
        return send("POST", path, withRequestID(fields), REPEAT_SECONDS.length);
    }

    void read() {
        send("GET", "/session", null, REPEAT_SECONDS.length);
    }

    /** Repeated once at most, and whatever comes of it is no reason to stop. */
    void cancel(String reason) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("reason", reason);
        try {
            send("POST", "/session/cancel", withRequestID(fields), 1);
        } catch (End | ProveAuthException ignored) {
            // The session ends by itself.
        }
    }

    private String withRequestID(Map<String, ?> fields) {
        Map<String, Object> body = new LinkedHashMap<>(fields);
        body.put("requestId", environment.uuid());
        return Json.write(body);
    }

    private Map<String, Object> send(String method, String path, String body, int most) {
        for (int repeats = 0;;) {
            Reading reading;
            try (Open open = open(method, path, body, CALL_SECONDS)) {
                waits.until(open.deadline, open.reply);
                reading = open.read();
            }
            if (reading.body != null) {
                return reading.body;
            }
            if (!reading.isWorthRepeating) {
                throw reading.error;
            }
            if (reading.isAtOnce) {
                continue;
            }
            if (repeats >= most) {
                throw new End(End.Way.BROKEN, reading.error);
            }
            double spread = 1 + environment.random() / 2;
            double seconds = reading.afterSeconds > 0 ? reading.afterSeconds : REPEAT_SECONDS[repeats] * spread;
            repeats += 1;
            waits.pause((long) (seconds * 1000));
        }
    }

    /** Starts a call; whoever has started it waits for its reply, and closes it. */
    Open open(String method, String path, String body, int seconds) {
        String url = token.aud + path;
        Map<String, String> headers = new HashMap<>();
        headers.put("Authorization", "DPoP " + token.text);
        headers.put("Accept", "application/json");
        if (body != null) {
            headers.put("Content-Type", "application/json");
        }
        try {
            headers.put("DPoP", Proofs.dpop(
                    key, method, url, proofSeconds(), environment.uuid(), token.text, token.nonce));
        } catch (GeneralSecurityException cause) {
            throw new End(End.Way.BROKEN, settings.error(ProveAuthError.KEY_UNAVAILABLE, 0, cause));
        }
        return new Open(new Request(method, url, headers, body, false), seconds);
    }

    /** A call under way. */
    final class Open implements AutoCloseable {
        final Slot<Answer> reply = waits.slot();
        final long deadline;
        private final Cancellable call;

        Open(Request request, int seconds) {
            deadline = environment.elapsed() + seconds * 1000L;
            call = environment.send(request, reply::set);
        }

        /** What its answer means, if there is one by now. The state in it is kept. */
        Reading read() {
            return interpret(reply.get());
        }

        @Override
        public void close() {
            call.cancel();
        }
    }

    /** What came of one exchange. */
    static final class Reading {
        /** Null: none that is good. */
        final Map<String, Object> body;
        final ProveAuthException error;
        final boolean isWorthRepeating;
        /** With a new proof, which cannot happen twice. */
        final boolean isAtOnce;
        /** 0: not told. */
        final long afterSeconds;

        private Reading(
                Map<String, Object> body, ProveAuthException error, boolean isWorthRepeating, boolean isAtOnce,
                long afterSeconds) {
            this.body = body;
            this.error = error;
            this.isWorthRepeating = isWorthRepeating;
            this.isAtOnce = isAtOnce;
            this.afterSeconds = afterSeconds;
        }

        private static Reading again(ProveAuthException error, long afterSeconds) {
            return new Reading(null, error, true, false, afterSeconds);
        }
    }

    private Reading interpret(Answer answer) {
        Map<String, Object> body = answer == null || answer.status == 0 ? null : Json.object(answer.body);
        if (body == null) {
            boolean isFault = answer != null && answer.status >= 500;
            return Reading.again(error(isFault ? ProveAuthError.INTERNAL : ProveAuthError.NETWORK), 0);
        }
        if (!"invalid_dpop_proof".equals(body.get("error"))) {
            complaintsInARow = 0;
        }
        State answered = State.in(body, token.authID);
        if (answered != null && (state == null || answered.rev >= state.rev)) {
            state = answered;
        }
        if (answer.status >= 200 && answer.status < 300) {
            return answered == null
                    ? Reading.again(error(ProveAuthError.NETWORK), 0)
                    : new Reading(body, null, false, false, 0);
        }
        return refusal(ProveAuthError.of(answer.status, body.get("error")), answer, answered != null);
    }

    private Reading refusal(ProveAuthError name, Answer answer, boolean hasState) {
        long told = Values.retryAfterSeconds(answer.header("Retry-After"));
        ProveAuthException error = settings.error(name, Math.max(0, told), null);
        boolean isOver = name == ProveAuthError.INVALID_TOKEN && state != null
                || name == ProveAuthError.DEVICE_NUMBER_MISMATCH;
        if (isOver || state != null && state.isDone) {
            throw new End(End.Way.DONE, null);
        }
        if (name == ProveAuthError.INVALID_DPOP_PROOF && complaintsInARow == 0 && complaints < MOST_COMPLAINTS) {
            complaintsInARow += 1;
            complaints += 1;
            Long date = Values.httpDate(answer.header("Date"));
            clockShift = (date == null ? storedNow() : date) - environment.now();
            return new Reading(null, error, true, true, 0);
        }
        if (name == ProveAuthError.RATE_LIMITED || answer.status >= 500 && name != ProveAuthError.SMS_FAILED) {
            if (told <= LONGEST_WAIT_SECONDS) {
                return Reading.again(error, Math.max(0, told));
            }
            if (name != ProveAuthError.RATE_LIMITED) {
                throw new End(End.Way.BROKEN, error);
            }
        }
        boolean isElsewhere = name == ProveAuthError.INVALID_STATE || name == ProveAuthError.SESSION_DONE;
        if (hasState && isElsewhere) {
            followed += 1;
            if (followed <= MOST_FOLLOWED) {
                throw new End(End.Way.FOLLOW, null);
            }
        }
        if (name == ProveAuthError.SESSION_DONE) {
            throw new End(End.Way.DONE, null);
        }
        if (BREAKING.contains(name)) {
            throw new End(End.Way.BROKEN, error);
        }
        if (HOPELESS.contains(name)) {
            throw new End(End.Way.GIVEN_UP, error);
        }
        return new Reading(null, error, false, false, 0);
    }
}
