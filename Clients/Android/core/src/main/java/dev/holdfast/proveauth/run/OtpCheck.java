package dev.holdfast.proveauth.run;

import dev.holdfast.proveauth.ProveAuthError;
import dev.holdfast.proveauth.ProveAuthException;
import java.util.Collections;

/** The step at which a code is awaited. */
final class OtpCheck {
    /** After a look that found the session alive. */
    private static final long AGAIN_MILLISECONDS = 30_000;

    private OtpCheck() {}

    /** Runs the finish step, and does what the person wants. */
    static void enterCode(Run run) {
        Calls calls = run.calls;
        if (run.settings.otpFinish == null) {
            throw calls.missing(false);
        }
        ProveAuthException error = run.takeError();
        run.countStep();
        Slot<Given> answer = run.steps.otpFinish(error);
        if (!isAnswered(run, answer)) {
            return;
        }
        Given given = run.unlessGivenUp(answer.get());
        try {
            switch (given.kind) {
                case RESEND:
                    resend(run);
                    break;
                case OTHER_NUMBER:
                    change(run);
                    break;
                default:
                    verify(run, given.text);
                    break;
            }
        } catch (ProveAuthException refusal) {
            run.pendingError = refusal;
        }
    }

    private static void verify(Run run, String typed) {
        if (typed == null) {
            throw run.calls.giveUp(ProveAuthError.STEP_INVALID, "otpFinish: the code must not be null.");
        }
        String code = Values.code(typed);
        if (code == null) {
            throw run.calls.error(ProveAuthError.OTP_MISMATCH);
        }
        run.calls.post("/session/otp/verify", Collections.singletonMap("code", code));
    }

    private static void resend(Run run) {
        if (!run.calls.can("otp.resend")) {
            throw run.calls.error(ProveAuthError.SENDS_EXHAUSTED);
        }
        run.sendMessage("/session/otp/resend", Collections.<String, String>emptyMap());
    }

    private static void change(Run run) {
        State state = run.calls.state();
        if (!state.allows("otp.phone")) {
            throw run.calls.error(!state.hasOtpSends ? ProveAuthError.SENDS_EXHAUSTED
                    : !state.hasPhoneEntries ? ProveAuthError.PHONE_ENTRIES_EXHAUSTED
                    : ProveAuthError.PHONE_CHANGE_NOT_ALLOWED);
        }
        run.start(false, true);
    }

    /** Waits for the step; false if the session has moved on without it. */
    static boolean isAnswered(Run run, Slot<Given> answer) {
        Calls calls = run.calls;
        String step = calls.state().step;
        long milliseconds = Math.max(0, Math.min(endOf(calls.state()), calls.endOfToken()) + 1000 - calls.storedNow());
        while (!run.waits.until(run.environment.elapsed() + milliseconds, answer)) {
            calls.read();
            if (calls.state().isDone || !calls.state().step.equals(step)) {
                return false;
            }
            if (calls.isTokenOver()) {
                throw new End(End.Way.DONE, null);
            }
            milliseconds = AGAIN_MILLISECONDS;
        }
        return true;
    }

    /** When time itself ends the session. */
    private static long endOf(State state) {
        return !state.hasOtpSends && state.codeExpiresAt != null ? state.codeExpiresAt : state.expiresAt;
    }
}
