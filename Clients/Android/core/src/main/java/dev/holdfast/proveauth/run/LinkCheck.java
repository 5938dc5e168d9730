package dev.holdfast.proveauth.run;

import dev.holdfast.proveauth.ProveAuthError;
import dev.holdfast.proveauth.ProveAuthException;
import java.util.Collections;

/** The step at which the link is awaited. */
final class LinkCheck {
    /** A poll that ends sooner without news is followed by a pause. */
    private static final long FULL_MILLISECONDS = 20_000;
    /** So many polls in a row may bring news without a pause after them. */
    private static final int FREE_NEWS = 3;
    private static final int[] PAUSE_SECONDS = {1, 2, 4, 8};

    private LinkCheck() {}

    /** Waits for the other device, with the retry step beside it. Ends when the session moves, or a message was asked for. */
    static void await(Run run) {
        Calls calls = run.calls;
        if (run.settings.linkStart == null) {
            throw calls.missing(true);
        }
        ProveAuthException error = run.takeError();
        Slot<Given> answer = null;
        // After a refusal it is asked again only if it can do something.
        if (run.settings.linkRetry != null && (error == null || calls.can("link.resend"))) {
            run.countStep();
            answer = run.steps.linkRetry();
        }
        Pace pace = new Pace();
        while (!calls.state().isDone && calls.state().step.equals("linkWait")) {
            if (run.takeOpened()) {
                calls.read();
                continue;
            }
            if (answer != null && answer.isSet()) {
                Given given = run.unlessGivenUp(answer.get());
                answer = null;
                boolean isChange = given.kind == Given.Kind.OTHER_NUMBER;
                if (calls.can(isChange ? "link.phone" : "link.resend")) {
                    sendAgain(run, isChange);
                    return;
                }
            }
            checkTime(run);
            long rev = calls.state().rev;
            Slot<Boolean> nudge = run.nudge();
            long pause = poll(run, rev, answer, nudge, pace);
            run.waits.until(run.environment.elapsed() + pause, answer, nudge);
        }
    }

    /** How many polls have ended early since the last one of full length: with a pause after them, and with news. */
    private static final class Pace {
        int pauses;
        int news;
    }

    /** @return the pause after it, in milliseconds; 0: none */
    private static long poll(Run run, long rev, Slot<Given> answer, Slot<Boolean> nudge, Pace pace) {
        Calls.Reading reading;
        long began = run.environment.elapsed();
        try (Calls.Open open =
                run.calls.open("GET", "/session?after=" + rev + "&wait=25", null, Calls.POLL_SECONDS)) {
            run.waits.until(open.deadline, open.reply, answer, nudge);
            if (!open.reply.isSet() && run.environment.elapsed() < open.deadline) {
                return 0;
            }
            reading = open.read();
        }
        boolean hasNews = run.calls.state().rev > rev;
        if (run.calls.state().isDone || reading.isAtOnce && !hasNews) {
            return 0;
        }
        if (reading.error != null && !reading.isWorthRepeating && !hasNews) {
            throw reading.error;
        }
        if (reading.body != null && run.environment.elapsed() - began >= FULL_MILLISECONDS) {
            pace.pauses = 0;
            pace.news = 0;
            return 0;
        }
        pace.news += hasNews ? 1 : 0;
        if (hasNews && pace.news <= FREE_NEWS) {
            return 0;
        }
        pace.pauses += 1;
        long seconds = reading.afterSeconds > 0
                ? reading.afterSeconds : PAUSE_SECONDS[Math.min(pace.pauses, PAUSE_SECONDS.length) - 1];
        return seconds * 1000;
    }

    private static void sendAgain(Run run, boolean isChange) {
        try {
            if (isChange) {
                run.start(true, true);
            } else {
                run.sendMessage("/session/link/resend", Collections.<String, String>emptyMap());
            }
        } catch (ProveAuthException refusal) {
            run.pendingError = refusal;
        }
    }

    private static void checkTime(Run run) {
        State state = run.calls.state();
        boolean isLate = "link_expired".equals(state.linkError) && run.settings.linkRetry == null;
        long end = state.waitUntil == null ? state.expiresAt : state.waitUntil;
        if (isLate || run.calls.isTokenOver() || run.calls.storedNow() >= end) {
            throw run.calls.giveUp(ProveAuthError.LINK_EXPIRED);
        }
    }
}
