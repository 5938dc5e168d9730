import { deviceProof, makeKey } from "./jose";
import { StoredKey } from "./environment";
import { ProveAuthError } from "./errors";
import { Run } from "./run";

const mostProofs = 3;

/** Answers the challenges of the device step, until the server is content or there were enough. */
export async function deviceProve(run: Run): Promise<void> {
  const { calls, environment } = run;
  const { aud, authID } = calls.claims;
  run.gaveUpDeviceKey = true;
  let key: StoredKey | undefined;
  let isNew = false;
  let isRefused = false;
  for (let proofs = 0; proofs < mostProofs; proofs += 1) {
    const { device, step } = calls.state!;
    if (step !== "device" || !calls.can("device") || !device.challenge) return;
    try {
      key = key || (await environment.keys.device(aud));
      if (!key || device.rotate) {
        key = await environment.keys.keepDevice(aud, await makeKey(environment.now()), key);
        isNew = true;
      }
    } catch {
      // Storage that fails costs the device key, and not the session.
      return;
    }
    const proof = await deviceProof(key, {
      aud, authID, challenge: device.challenge, iat: calls.proofSeconds(), op: isNew ? "register" : "authenticate",
      thumbprint: calls.key.thumbprint,
    });
    try {
      await calls.post("/session/device", { proof });
    } catch (reason) {
      if (!(reason instanceof ProveAuthError) || reason.error !== "device_proof_invalid") throw reason;
      if (isRefused) return;
      isRefused = true;
    }
  }
}
