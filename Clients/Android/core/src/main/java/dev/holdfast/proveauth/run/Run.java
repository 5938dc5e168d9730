package dev.holdfast.proveauth.run;

import dev.holdfast.proveauth.PhoneNumberValidationException;
import dev.holdfast.proveauth.ProveAuthError;
import dev.holdfast.proveauth.ProveAuthException;
import dev.holdfast.proveauth.platform.Cancellable;
import dev.holdfast.proveauth.platform.Environment;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** One {@code authenticate}, from its call to its end ({@code Clients/PROTOCOL.md}). All of it is done by one thread. */
public final class Run {
    private static final String SDK = "holdfast-android/1.0.0";
    private static final int MOST_STEPS = 40;

    final Environment environment;
    final Settings settings;
    final Waits waits;
    final Steps steps;
    /** Null before the token was read. */
    Calls calls;
    /** For the step that is run next; null: none. */
    ProveAuthException pendingError;
    /** This run does without these. */
    boolean hasGivenUpDeviceKey;
    boolean hasGivenUpMobileAuth;
    /** Set when the device may have slept, or the app was opened by the link's target. */
    private final AtomicReference<Slot<Boolean>> nudge = new AtomicReference<>();
    private volatile boolean isOpened;
    private final String tokenText;
    /** Null: the run ends with {@code refused}. */
    private final Token token;
    private final Token.Refused refused;
    private int stepsRun;
    private int failedMessages;

    public Run(Environment environment, Settings settings, String tokenText) {
        this.environment = environment;
        this.settings = settings;
        this.tokenText = tokenText;
        Token read = null;
        Token.Refused reason = null;
        try {
            read = Token.read(tokenText, settings.servers);
        } catch (Token.Refused notUsable) {
            reason = notUsable;
        }
        token = read;
        refused = reason;
        waits = new Waits(environment, settings);
        steps = new Steps(waits, settings);
        nudge.set(waits.slot());
    }

    public String token() {
        return tokenText;
    }

    /** The app cancels. From any thread. */
    public void cancel() {
        waits.stop(new End(End.Way.GIVEN_UP, settings.error(ProveAuthError.CANCELLED, 0, null)));
    }

    /** The app was opened by this URL. From any thread. @return false: it is not of this run */
    public boolean open(String redirectUrl) {
        if (token == null || Values.finalTarget(redirectUrl, token.authID) == null) {
            return false;
        }
        isOpened = true;
        nudge.get().set(true);
        return true;
    }

    /** Goes through the session to its end. */
    public void go() {
        Cancellable wakes = environment.onWake(() -> nudge.get().set(true));
        End end;
        try {
            prepare();
            waits.throwIfStopped();
            follow(this::redeem);
            while (!calls.state().isDone) {
                follow(this::advance);
            }
            end = new End(End.Way.DONE, null);
        } catch (End early) {
            end = early;
        } catch (ProveAuthException refusal) {
            end = endBy(refusal);
        } finally {
            wakes.cancel();
        }
        leave(end);
    }

    /** What is set at the next nudge from outside. */
    Slot<Boolean> nudge() {
        Slot<Boolean> current = nudge.get();
        if (current.isSet() && !isOpened) {
            nudge.set(waits.slot());
            if (isOpened) {
                nudge.get().set(true);
            }
        }
        return nudge.get();
    }

    /** Whether the link's target has opened the app since this was asked last. */
    boolean takeOpened() {
        boolean wasOpened = isOpened;
        isOpened = false;
        return wasOpened;
    }

    /** Token and session key, before the first call. */
    private void prepare() {
        if (token == null) {
            throw new End(End.Way.BROKEN, settings.error(refused.error, refused.detail));
        }
        try {
            calls = new Calls(waits, settings, token, environment.keys().session(token.authID, environment.now()));
        } catch (GeneralSecurityException | IOException cause) {
            throw new End(End.Way.BROKEN, settings.error(ProveAuthError.KEY_UNAVAILABLE, 0, cause));
        }
    }

    private void redeem() {
        boolean hasLink = settings.linkStart != null;
        boolean hasOtp = settings.otpStart != null;
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("platform", "android");
        fields.put("sdk", SDK);
        if (hasLink || hasOtp) {
            fields.put("fallback", hasLink && (settings.isSecondary || !hasOtp) ? "link" : "otp");
        }
        fields.put("deviceKey", settings.usesDeviceKey && !settings.isSecondary && environment.keys().isLasting());
        fields.put("cellular", cellular());
        if (settings.isTestMode) {
            fields.put("testMode", true);
        }
        if (settings.appHash != null) {
            fields.put("appHash", settings.appHash);
        }
        calls.post("/session", fields);
    }

    /** As the server is told. A token of the operator needs no cellular connection, and "no" would leave Mobile Auth out. */
    private String cellular() {
        if (settings.isSecondary) {
            return "no";
        }
        return environment.hasCellular() ? "yes" : settings.operatorToken != null ? "unknown" : "no";
    }

    /** Whether the hops of Mobile Auth have a network to go over. */
    boolean canHop() {
        return settings.isTestMode || environment.hasCellular();
    }

    /** Does something; where the server says that the session is elsewhere, that is where the run goes on. */
    private void follow(Runnable something) {
        try {
            something.run();
        } catch (End end) {
            if (end.way != End.Way.FOLLOW) {
                throw end;
            }
        }
    }

    private void advance() {
        switch (calls.state().step) {
            case "otpStart":
                start(false, false);
                return;
            case "linkStart":
                start(true, false);
                return;
            case "otpFinish":
                OtpCheck.enterCode(this);
                return;
            case "linkWait":
                LinkCheck.await(this);
                return;
            case "device":
                if (calls.can("device") && !hasGivenUpDeviceKey) {
                    DeviceCheck.prove(this);
                    return;
                }
                break;
            default:
                break;
        }
        boolean canMobileAuth = canHop() || settings.operatorToken != null;
        if (calls.can("mobileAuth") && !hasGivenUpMobileAuth && canMobileAuth && !settings.isSecondary) {
            MobileAuth.attempt(this);
        } else if (calls.can("otp.start")) {
            start(false, false);
        } else if (calls.can("link.start")) {
            start(true, false);
        } else {
            throw calls.giveUp(ProveAuthError.NO_CHECK_LEFT);
        }
    }

    /**
     * Runs a start step until there is a number to send to, or none is needed, and has the message sent.
     *
     * @param isChange the person wants another number
     */
    void start(boolean isLink, boolean isChange) {
        if (isLink ? settings.linkStart == null : settings.otpStart == null) {
            throw calls.missing(isLink);
        }
        boolean isNeeded = isChange || calls.state().isPhoneNeeded;
        ProveAuthException error = isChange ? null : takeError();
        boolean hadNothing = false;
        for (;;) {
            countStep();
            Slot<Given> answer = isLink ? steps.linkStart(isNeeded, error) : steps.otpStart(isNeeded, error);
            if (!OtpCheck.isAnswered(this, answer)) {
                return;
            }
            Given given = unlessGivenUp(answer.get());
            // Nothing, in place of a number, may be a person's mistake: the second time it is the app's.
            if (isNeeded && given.text == null && hadNothing) {
                throw calls.giveUp(ProveAuthError.STEP_INVALID, (isLink ? "link" : "otp") + "Start must give a number.");
            }
            hadNothing = given.text == null;
            String phoneNumber = given.text == null ? "" : given.text.trim();
            if (isNeeded && phoneNumber.isEmpty()) {
                error = calls.error(ProveAuthError.PHONE_NUMBER_REQUIRED);
                continue;
            }
            Map<String, String> fields = isNeeded
                    ? Collections.singletonMap("phoneNumber", phoneNumber) : Collections.<String, String>emptyMap();
            try {
                sendMessage("/session/" + (isLink ? "link" : "otp") + (isChange ? "/phone" : ""), fields);
                return;
            } catch (ProveAuthException refusal) {
                if (isChange && !isOfNumber(refusal)) {
                    pendingError = refusal;
                    return;
                }
                if (!isNeeded || !canStartAgain(refusal)) {
                    throw endBy(refusal);
                }
                error = refusal;
            }
        }
    }

    /** A call that sends a message; one that fails is sent once more. */
    void sendMessage(String path, Map<String, String> fields) {
        try {
            calls.post(path, fields);
        } catch (ProveAuthException refusal) {
            if (refusal.getError() != ProveAuthError.SMS_FAILED) {
                throw refusal;
            }
            failedMessages += 1;
            if (failedMessages > 2) {
                throw new End(End.Way.GIVEN_UP, refusal);
            }
            if (failedMessages > 1) {
                throw refusal;
            }
            waits.pause(1000);
            sendMessage(path, fields);
        }
    }

    /** To be called before each step of the app but {@code finish}. */
    void countStep() {
        stepsRun += 1;
        if (stepsRun > MOST_STEPS) {
            throw calls.giveUp(ProveAuthError.TOO_MANY_STEPS);
        }
    }

    Given unlessGivenUp(Given given) {
        if (given.kind == Given.Kind.NOTHING) {
            throw calls.giveUp(ProveAuthError.CANCELLED, given.cause);
        }
        return given;
    }

    ProveAuthException takeError() {
        ProveAuthException error = pendingError;
        pendingError = null;
        return error;
    }

    private void leave(End end) {
        if (end.way == End.Way.BROKEN || calls == null) {
            throw end.error;
        }
        waits.leave();
        if (end.way == End.Way.GIVEN_UP && !isDone() && calls.hasCalled()) {
            ProveAuthError error = end.error.getError();
            calls.cancel(error == ProveAuthError.CANCELLED ? "user" : error.getName());
        }
        if (settings.finish != null) {
            settings.finish.execute(token.authID);
        }
        // Only now: a finish step that fails, or whose process is killed, can be run again.
        environment.keys().forgetSession(token.authID);
        if (end.way == End.Way.GIVEN_UP && !(isDone() && calls.state().hasSucceeded())) {
            throw end.error;
        }
    }

    private boolean isDone() {
        return calls.state() != null && calls.state().isDone;
    }

    /** The end that a refusal nobody can deal with comes to. */
    private static End endBy(ProveAuthException refusal) {
        boolean isLimit = refusal.getError() == ProveAuthError.RATE_LIMITED;
        return new End(isLimit ? End.Way.BROKEN : End.Way.GIVEN_UP, refusal);
    }

    private static boolean isOfNumber(ProveAuthException refusal) {
        return refusal instanceof PhoneNumberValidationException;
    }

    private static boolean canStartAgain(ProveAuthException refusal) {
        ProveAuthError error = refusal.getError();
        return isOfNumber(refusal) || error == ProveAuthError.SMS_FAILED || error == ProveAuthError.RATE_LIMITED;
    }
}
