package dev.holdfast.proveauth.run;

import dev.holdfast.proveauth.InstantLinkRetryStepCallback;
import dev.holdfast.proveauth.InstantLinkStartInput;
import dev.holdfast.proveauth.InstantLinkStartStepCallback;
import dev.holdfast.proveauth.OperatorTokenInput;
import dev.holdfast.proveauth.OperatorTokenStepCallback;
import dev.holdfast.proveauth.OtpFinishInput;
import dev.holdfast.proveauth.OtpFinishStepCallback;
import dev.holdfast.proveauth.OtpStartInput;
import dev.holdfast.proveauth.OtpStartStepCallback;
import dev.holdfast.proveauth.ProveAuthException;

/** Runs the steps of the app beside the run, each with a callback that fills a slot. */
final class Steps {
    private final Waits waits;
    private final Settings settings;

    Steps(Waits waits, Settings settings) {
        this.waits = waits;
        this.settings = settings;
    }

    Slot<Given> otpStart(boolean isNeeded, ProveAuthException error) {
        Slot<Given> slot = waits.slot();
        return run(slot, () -> settings.otpStart.execute(isNeeded, error, new OtpStartStepCallback() {
            @Override
            public void onSuccess(OtpStartInput input) {
                slot.set(Given.input(input == null ? null : input.getPhoneNumber()));
            }

            @Override
            public void onError() {
                slot.set(Given.of(Given.Kind.NOTHING));
            }
        }));
    }

    Slot<Given> otpFinish(ProveAuthException error) {
        Slot<Given> slot = waits.slot();
        return run(slot, () -> settings.otpFinish.execute(error, new OtpFinishStepCallback() {
            @Override
            public void onSuccess(OtpFinishInput input) {
                slot.set(Given.input(input == null ? null : input.getOtp()));
            }

            @Override
            public void onError() {
                slot.set(Given.of(Given.Kind.NOTHING));
            }

            @Override
            public void onOtpResend() {
                slot.set(Given.of(Given.Kind.RESEND));
            }

            @Override
            public void onMobileNumberChange() {
                slot.set(Given.of(Given.Kind.OTHER_NUMBER));
            }
        }));
    }

    Slot<Given> linkStart(boolean isNeeded, ProveAuthException error) {
        Slot<Given> slot = waits.slot();
        return run(slot, () -> settings.linkStart.execute(isNeeded, error, new InstantLinkStartStepCallback() {
            @Override
            public void onSuccess(InstantLinkStartInput input) {
                slot.set(Given.input(input == null ? null : input.getPhoneNumber()));
            }

            @Override
            public void onError() {
                slot.set(Given.of(Given.Kind.NOTHING));
            }
        }));
    }

    Slot<Given> linkRetry() {
        Slot<Given> slot = waits.slot();
        return run(slot, () -> settings.linkRetry.execute(new InstantLinkRetryStepCallback() {
            @Override
            public void onResend() {
                slot.set(Given.of(Given.Kind.RESEND));
            }

            @Override
            public void onMobileNumberChange() {
                slot.set(Given.of(Given.Kind.OTHER_NUMBER));
            }

            @Override
            public void onError() {
                slot.set(Given.of(Given.Kind.NOTHING));
            }
        }));
    }

    /** What it is set to has no token where there is none. */
    Slot<Given> operatorToken() {
        Slot<Given> slot = waits.slot();
        return run(slot, () -> settings.operatorToken.execute(new OperatorTokenStepCallback() {
            @Override
            public void onSuccess(OperatorTokenInput input) {
                slot.set(Given.token(input));
            }

            @Override
            public void onError() {
                slot.set(Given.of(Given.Kind.NOTHING));
            }
        }));
    }

    private Slot<Given> run(Slot<Given> slot, Runnable step) {
        waits.environment.run(() -> {
            try {
                step.run();
            } catch (RuntimeException | Error cause) {
                slot.set(Given.failure(cause));
            }
        });
        return slot;
    }
}
