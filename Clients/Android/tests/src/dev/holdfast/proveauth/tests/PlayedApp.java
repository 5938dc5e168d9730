package dev.holdfast.proveauth.tests;

import dev.holdfast.proveauth.InstantLinkRetryStepCallback;
import dev.holdfast.proveauth.InstantLinkStartInput;
import dev.holdfast.proveauth.InstantLinkStartStepCallback;
import dev.holdfast.proveauth.OperatorTokenInput;
import dev.holdfast.proveauth.OperatorTokenStepCallback;
import dev.holdfast.proveauth.OtpFinishInput;
import dev.holdfast.proveauth.OtpFinishStepCallback;
import dev.holdfast.proveauth.OtpStartInput;
import dev.holdfast.proveauth.OtpStartStepCallback;
import dev.holdfast.proveauth.ProveAuth;
import dev.holdfast.proveauth.ProveAuthException;
import dev.holdfast.proveauth.run.Json;
import java.util.List;
import java.util.Map;

/** The app of a test: hands each step to the script, and what the script gives to the callback. */
final class PlayedApp {
    /** What the app's own finish step throws. */
    static final class AppFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Hears of each step. */
    interface Script {
        void step(String name, Boolean phoneNumberNeeded, ProveAuthException error, Giving giving);

        void finish(String authID);
    }

    /** Answers a step: null, a map with a number or a code, {@code resend}, {@code phone} or {@code reject}. */
    interface Giving {
        void give(Object given);
    }

    private PlayedApp() {}

    static void addSteps(ProveAuth.Builder builder, List<?> steps, Script script) {
        if (steps.contains("finish")) {
            builder.withAuthFinishStep(script::finish);
        }
        if (steps.contains("otpStart")) {
            builder.withOtpFallback(
                    (needed, error, callback) -> script.step("otpStart", needed, error, given -> start(given, callback)),
                    (error, callback) -> script.step("otpFinish", null, error, given -> finish(given, callback)));
        }
        if (steps.contains("operatorToken")) {
            builder.withOperatorToken(
                    callback -> script.step("operatorToken", null, null, given -> token(given, callback)));
        }
        if (steps.contains("linkStart")) {
            builder.withInstantLinkFallback(
                    (needed, error, callback) -> script.step("linkStart", needed, error, given -> start(given, callback)),
                    !steps.contains("linkRetry") ? null
                            : callback -> script.step("linkRetry", null, null, given -> retry(given, callback)));
        }
    }

    private static void token(Object given, OperatorTokenStepCallback callback) {
        if ("reject".equals(given) || given == null) {
            callback.onError();
        } else {
            callback.onSuccess(new OperatorTokenInput(text(given, "operatorToken"), text(given, "plmn")));
        }
    }

    private static void start(Object given, OtpStartStepCallback callback) {
        if ("reject".equals(given)) {
            callback.onError();
        } else {
            callback.onSuccess(given == null ? null : new OtpStartInput(text(given, "phoneNumber")));
        }
    }

    private static void start(Object given, InstantLinkStartStepCallback callback) {
        if ("reject".equals(given)) {
            callback.onError();
        } else {
            callback.onSuccess(given == null ? null : new InstantLinkStartInput(text(given, "phoneNumber")));
        }
    }

    private static void finish(Object given, OtpFinishStepCallback callback) {
        if ("reject".equals(given)) {
            callback.onError();
        } else if ("resend".equals(given)) {
            callback.onOtpResend();
        } else if ("phone".equals(given)) {
            callback.onMobileNumberChange();
        } else {
            callback.onSuccess(new OtpFinishInput(text(given, "otp")));
        }
    }

    private static void retry(Object given, InstantLinkRetryStepCallback callback) {
        if ("reject".equals(given)) {
            callback.onError();
        } else if ("resend".equals(given)) {
            callback.onResend();
        } else {
            Check.equal(given, "phone", "what the retry step gives");
            callback.onMobileNumberChange();
        }
    }

    private static String text(Object given, String name) {
        Map<String, Object> input = Json.map(given);
        Check.that(input != null && input.get(name) instanceof String, "the script gives no " + name);
        return (String) input.get(name);
    }
}
