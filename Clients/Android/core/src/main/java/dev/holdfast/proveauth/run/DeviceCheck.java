package dev.holdfast.proveauth.run;

import dev.holdfast.proveauth.ProveAuthError;
import dev.holdfast.proveauth.ProveAuthException;
import dev.holdfast.proveauth.platform.KeyStorage;
import dev.holdfast.proveauth.platform.SigningKey;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.Collections;

/** The step at which the device key answers challenges. */
final class DeviceCheck {
    private static final int MOST_PROOFS = 3;

    private DeviceCheck() {}

    /** Answers challenges until the server is content, or there were enough. */
    static void prove(Run run) {
        try {
            proveWithKey(run);
        } catch (GeneralSecurityException | IOException unusable) {
            // A key that does not work is no reason to stop: another check can prove the number.
            run.hasGivenUpDeviceKey = true;
        }
    }

    private static void proveWithKey(Run run) throws GeneralSecurityException, IOException {
        Calls calls = run.calls;
        KeyStorage keys = run.environment.keys();
        SigningKey key = keys.device(calls.token.aud);
        boolean isNew = false;
        boolean wasRefused = false;
        for (int proofs = 0; proofs < MOST_PROOFS; proofs += 1) {
            State state = calls.state();
            if (state.isDone || !state.step.equals("device") || !state.allows("device") || state.challenge == null) {
                // Without a challenge there is nothing to answer.
                run.hasGivenUpDeviceKey = run.hasGivenUpDeviceKey || state.challenge == null;
                return;
            }
            if (key == null || state.isRotating) {
                key = keys.replaceDevice(calls.token.aud, key, run.environment.now());
                isNew = true;
            }
            String proof = Proofs.device(
                    key, calls.token, state.challenge, isNew ? "register" : "authenticate", calls.proofSeconds(),
                    Proofs.thumbprint(calls.key));
            try {
                calls.post("/session/device", Collections.singletonMap("proof", proof));
            } catch (ProveAuthException refusal) {
                if (refusal.getError() != ProveAuthError.DEVICE_PROOF_INVALID) {
                    throw refusal;
                }
                if (wasRefused) {
                    break;
                }
                wasRefused = true;
            }
        }
        run.hasGivenUpDeviceKey = true;
    }
}
