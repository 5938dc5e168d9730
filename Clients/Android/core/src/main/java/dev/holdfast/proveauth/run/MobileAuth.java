package dev.holdfast.proveauth.run;

import dev.holdfast.proveauth.OperatorTokenInput;
import dev.holdfast.proveauth.ProveAuthError;
import dev.holdfast.proveauth.ProveAuthException;
import dev.holdfast.proveauth.platform.Answer;
import dev.holdfast.proveauth.platform.Cancellable;
import dev.holdfast.proveauth.platform.Request;
import java.net.MalformedURLException;
import java.net.URL;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/**
 * The step at which the operator names the number: by a chain of redirects over the mobile network, without token and cookies, or
 * by a token that the app got from it.
 */
final class MobileAuth {
    private static final int MOST_REDIRECTS = 10;
    private static final int LONGEST_ERROR = 64;
    private static final long DEFAULT_MILLISECONDS = 8_000;
    private static final long MOST_MILLISECONDS = 60_000;

    private MobileAuth() {}

    static void attempt(Run run) {
        Calls calls = run.calls;
        run.hasGivenUpMobileAuth = true;
        Map<String, Object> attempt = calls.post("/session/mobile-auth", Collections.<String, String>emptyMap());
        Object told = attempt.get("timeoutMs");
        long milliseconds = told instanceof Long ? Math.min((Long) told, MOST_MILLISECONDS) : DEFAULT_MILLISECONDS;
        long deadline = run.environment.elapsed() + milliseconds;
        OperatorTokenInput token = operatorToken(run, deadline);
        if (token != null && handIn(run, token, attempt)) {
            return;
        }
        Map<String, Object> fields = new HashMap<>();
        fields.put("attemptId", attempt.get("attemptId"));
        try {
            fields.putAll(follow(run, attempt, deadline));
        } finally {
            run.environment.endCellular();
        }
        try {
            calls.post("/session/mobile-auth/finish", fields);
        } catch (ProveAuthException refusal) {
            throwUnlessOver(refusal);
            giveBack(calls, attempt);
        }
    }

    /** The attempt is over, or was never this session's. */
    private static void throwUnlessOver(ProveAuthException refusal) {
        ProveAuthError error = refusal.getError();
        if (error != ProveAuthError.VFP_INVALID && error != ProveAuthError.VFP_EXPIRED) {
            throw refusal;
        }
    }

    /** Without a fallback, the session ends only if the attempt is given back. */
    private static void giveBack(Calls calls, Map<String, Object> attempt) {
        if (!calls.can("otp.start") && !calls.can("link.start") && calls.can("mobileAuth.finish")) {
            end(calls, attempt, "refused");
        }
    }

    private static void end(Calls calls, Map<String, Object> attempt, String error) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("attemptId", attempt.get("attemptId"));
        fields.put("error", error);
        calls.post("/session/mobile-auth/finish", fields);
    }

    /** @return null: the app gets none, or not in time */
    private static OperatorTokenInput operatorToken(Run run, long deadline) {
        if (run.settings.operatorToken == null) {
            return null;
        }
        run.countStep();
        Slot<Given> answer = run.steps.operatorToken();
        return run.waits.until(deadline, answer) ? answer.get().token : null;
    }

    /**
     * @return whether the attempt has ended; if not, its URL is still good, because nobody at the server takes tokens of this network
     */
    private static boolean handIn(Run run, OperatorTokenInput token, Map<String, Object> attempt) {
        Calls calls = run.calls;
        Map<String, Object> fields = new HashMap<>();
        fields.put("attemptId", attempt.get("attemptId"));
        fields.put("operatorToken", token.getOperatorToken());
        fields.put("plmn", token.getPlmn());
        try {
            calls.post("/session/mobile-auth/token", fields);
        } catch (End end) {
            if (end.way != End.Way.BROKEN || end.error.getError() != ProveAuthError.INVALID_REQUEST) {
                throw end;
            }
            return false;
        } catch (ProveAuthException refusal) {
            throwUnlessOver(refusal);
            giveBack(calls, attempt);
            return true;
        }
        // A repeat after a lost answer may find the attempt as it was.
        if (calls.can("mobileAuth.finish")) {
            end(calls, attempt, "network");
        }
        return true;
    }

    /** @return {@code vfp} or {@code error} */
    private static Map<String, String> follow(Run run, Map<String, Object> attempt, long deadline) {
        if (run.environment.elapsed() >= deadline) {
            return error("timeout");
        }
        if (!run.canHop()) {
            return error("no_cellular");
        }
        String url = String.valueOf(attempt.get("authUrl"));
        for (int redirects = 0;; redirects += 1) {
            if (redirects > MOST_REDIRECTS) {
                return error("too_many_redirects");
            }
            if (!Token.isSafe(url)) {
                return error("insecure_redirect");
            }
            Answer answer = hop(run, url, deadline);
            if (answer == null) {
                return error("timeout");
            }
            if (answer.status == 0) {
                return error(answer.failure);
            }
            String location = answer.header("Location");
            if (answer.status / 100 != 3 || location == null) {
                return result(answer);
            }
            try {
                url = new URL(new URL(url), location).toString();
            } catch (MalformedURLException notURL) {
                return error("insecure_redirect");
            }
        }
    }

    /** @return null: the time is over */
    private static Answer hop(Run run, String url, long deadline) {
        Slot<Answer> reply = run.waits.slot();
        Map<String, String> headers = Collections.singletonMap("Accept", "application/json");
        Request request = new Request("GET", url, headers, null, !run.settings.isTestMode);
        Cancellable call = run.environment.send(request, reply::set);
        try {
            return run.waits.until(deadline, reply) ? reply.get() : null;
        } finally {
            call.cancel();
        }
    }

    private static Map<String, String> result(Answer answer) {
        Map<String, Object> body = answer.status == 200 ? Json.object(answer.body) : null;
        if (body != null && body.get("vfp") instanceof String) {
            return Collections.singletonMap("vfp", (String) body.get("vfp"));
        }
        if (body != null && body.get("error") instanceof String) {
            return error((String) body.get("error"));
        }
        return error("bad_answer");
    }

    private static Map<String, String> error(String name) {
        return Collections.singletonMap("error", name.substring(0, Math.min(name.length(), LONGEST_ERROR)));
    }
}
