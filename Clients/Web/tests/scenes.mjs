// What the library does against a real server, scene by scene. Each is a function named by a sentence.
import assert from "node:assert/strict";

import { App, CHANGE, code, NEVER, RESEND } from "./app.mjs";
import { fragmentAfter, NodeEnvironment } from "./network.mjs";

export const LORANT = "2001004014";
export const LANEY = "2001004015";
export const INGE = "2001004016";
export const PENNY = "2001004041";
const RETURN_PAGE = "https://shop.example/back";
const OTP_PATHS = ["POST /session", "POST /session/otp", "POST /session/otp/verify"];

const right = { otpFinish: [code("1234")] };

export async function a_right_code_takes_one_request_a_step({ sandbox }) {
  const session = await sandbox.unify(LORANT);
  const environment = new NodeEnvironment();
  const app = new App(environment, right);
  assert.equal(await app.authenticate(session), "done");
  assert.deepEqual(environment.paths, OTP_PATHS);
  assert.deepEqual(app.run, ["otpStart", "otpFinish", "finish"]);
  assert.equal(await sandbox.success(session), "true");
  assert.equal(environment.keys.sessions.size, 0, "the session key is kept");
}

export async function three_wrong_codes_end_the_session({ sandbox }) {
  const session = await sandbox.unify(LORANT, { allowOTPRetry: true });
  const environment = new NodeEnvironment();
  const app = new App(environment, { otpFinish: [code("1111")] });
  assert.equal(await app.authenticate(session), "done");
  assert.deepEqual(app.run, ["otpStart", "otpFinish", "otpFinish otp_mismatch", "otpFinish otp_mismatch", "finish"]);
  assert.equal(environment.requests.length, 5);
  assert.equal(await sandbox.success(session), "false");
}

export async function a_code_is_sent_again_at_most_twice({ sandbox }) {
  const session = await sandbox.unify(LORANT);
  const environment = new NodeEnvironment();
  const app = new App(environment, { otpFinish: [RESEND, RESEND, RESEND, code("1234")] });
  assert.equal(await app.authenticate(session), "done");
  assert.deepEqual(app.run, ["otpStart", "otpFinish", "otpFinish", "otpFinish", "otpFinish sends_exhausted", "finish"]);
  assert.equal((await sandbox.messages(session)).length, 3);
  assert.equal(environment.requests.length, 5);
  assert.equal(await sandbox.success(session), "true");
}

export async function the_number_is_asked_for_and_changed({ sandbox }) {
  const session = await sandbox.unify(undefined);
  const app = new App(new NodeEnvironment(), {
    otpStart: [null, { phoneNumber: "12" }, { phoneNumber: LANEY }, { phoneNumber: LORANT }],
    otpFinish: [CHANGE, code("1234")],
  });
  assert.equal(await app.authenticate(session), "done");
  assert.deepEqual(app.run, [
    "otpStart needed", "otpStart needed phone_number_required", "otpStart needed phone_number_invalid", "otpFinish",
    "otpStart needed", "otpFinish", "finish"]);
  const numbers = (await sandbox.messages(session)).map(({ to }) => to.slice(-10));
  assert.deepEqual(numbers, [LANEY, LORANT]);
  assert.equal(await sandbox.success(session), "true");
}

export async function a_link_is_approved_on_another_device({ sandbox }) {
  const session = await sandbox.desktop(LORANT);
  const environment = new NodeEnvironment();
  const approved = async () => {
    await sandbox.decide(session, "approve");
    return NEVER;
  };
  const app = new App(environment, { linkStart: [null], linkRetry: [approved] });
  assert.equal(await app.authenticate(session), "done");
  assert.deepEqual(app.run, ["linkStart", "linkRetry", "finish"]);
  assert.deepEqual(environment.paths, ["POST /session", "POST /session/link", "GET /session"]);
  assert.equal(await sandbox.success(session), "true");
}

export async function a_link_is_sent_again_and_denied({ sandbox }) {
  const session = await sandbox.desktop(LORANT);
  const denied = async () => {
    await sandbox.decide(session, "deny");
    return NEVER;
  };
  const app = new App(new NodeEnvironment(), { linkStart: [null], linkRetry: [0, denied] });
  assert.equal(await app.authenticate(session), "done");
  assert.deepEqual(app.run, ["linkStart", "linkRetry", "linkRetry", "finish"]);
  assert.equal((await sandbox.messages(session)).length, 2);
  assert.equal(await sandbox.success(session), "false");
}

export async function a_link_goes_to_another_number({ sandbox }) {
  const session = await sandbox.desktop(LORANT);
  const approved = async () => {
    await sandbox.decide(session, "approve");
    return NEVER;
  };
  const app = new App(new NodeEnvironment(), { linkStart: [null, { phoneNumber: LANEY }], linkRetry: [1, approved] });
  assert.equal(await app.authenticate(session), "done");
  assert.deepEqual(app.run, ["linkStart", "linkRetry", "linkStart needed", "linkRetry", "finish"]);
  assert.equal(await sandbox.success(session), "true");
}

export async function a_late_link_without_a_retry_step_is_given_up({ sandbox }) {
  const session = await sandbox.desktop(LORANT);
  const environment = new NodeEnvironment({
    fault: async (request, number, go) => {
      if (number === 3) await sandbox.advance(181);
      return go();
    },
  });
  try {
    const app = new App(environment, { linkStart: [null] });
    assert.equal(await app.authenticate(session), "link_expired");
    assert.deepEqual(app.run, ["linkStart", "finish"]);
    assert.equal(environment.paths.at(-1), "POST /session/cancel");
  } finally {
    await sandbox.resetClock();
  }
}

export async function the_second_visit_needs_no_code({ sandbox }) {
  const first = new NodeEnvironment({ hasDeviceKey: true });
  const session = await sandbox.unify(LORANT);
  assert.equal(await new App(first, right).authenticate(session), "done");
  assert.deepEqual(first.paths, ["POST /session", "POST /session/device", ...OTP_PATHS.slice(1)]);
  const again = await sandbox.unify(LORANT);
  const second = new NodeEnvironment({ keys: first.keys });
  const app = new App(second, right);
  assert.equal(await app.authenticate(again), "done");
  assert.deepEqual(second.paths, ["POST /session", "POST /session/device"]);
  assert.deepEqual(app.run, ["finish"]);
  assert.equal(await sandbox.success(again), "true");
  const strange = await sandbox.unify(LANEY);
  assert.equal(await new App(new NodeEnvironment({ keys: first.keys }), right).authenticate(strange), "done");
  assert.equal(await sandbox.success(strange), "false");
}

export async function a_revoked_key_is_replaced({ sandbox }) {
  const first = new NodeEnvironment({ hasDeviceKey: true });
  const session = await sandbox.unify(LORANT);
  assert.equal(await new App(first, right).authenticate(session), "done");
  const { deviceId } = await sandbox.post("/v3/unify-status", { correlationId: session.correlationId });
  const [{ thumbprint }] = first.keys.devices.values();
  await sandbox.post("/v3/device/revoke", { deviceId, clientRequestId: "revoke" });
  const again = await sandbox.unify(LORANT);
  const second = new NodeEnvironment({ keys: first.keys });
  assert.equal(await new App(second, right).authenticate(again), "done");
  assert.equal(second.paths.filter((path) => path === "POST /session/device").length, 2);
  assert.notEqual([...first.keys.devices.values()][0].thumbprint, thumbprint);
  assert.equal(await sandbox.success(again), "true");
}

/** Leaves for Mobile Auth and comes back as a new page of the same tab. */
async function returned(sandbox, number, { walks = true } = {}) {
  const session = await sandbox.unify(number);
  const configure = (builder) => builder.withMobileAuthReturnUrl(RETURN_PAGE);
  const left = new NodeEnvironment();
  new App(left, right, configure).authenticate(session);
  while (!left.navigations.length) await new Promise(setImmediate);
  left.kill();
  const fragment = walks ? await fragmentAfter(left.navigations[0], RETURN_PAGE) : "";
  const environment = new NodeEnvironment({ keys: left.keys, tab: left.tab, fragment });
  const app = new App(environment, right, configure);
  assert.equal(await app.ending(app.authenticator.resume()), "done");
  assert.equal(left.tab.get(), null, "the token is kept");
  return { session, app, paths: [...left.paths, ...environment.paths] };
}

export async function mobile_auth_leaves_the_page_and_comes_back({ sandbox }) {
  const { session, app, paths } = await returned(sandbox, INGE);
  assert.deepEqual(app.run, ["finish"]);
  assert.deepEqual(paths, ["POST /session", "POST /session/mobile-auth", "POST /session/mobile-auth/finish"]);
  assert.equal(await sandbox.success(session), "true");
  assert.equal(await app.authenticator.resume(), false);
}

export async function another_number_on_the_line_leads_to_a_code({ sandbox }) {
  const { session, app } = await returned(sandbox, PENNY);
  assert.deepEqual(app.run, ["otpStart", "otpFinish", "finish"]);
  assert.equal(await sandbox.success(session), "true");
}

export async function who_goes_back_from_mobile_auth_gets_a_code({ sandbox }) {
  const { session, app } = await returned(sandbox, INGE, { walks: false });
  assert.deepEqual(app.run, ["otpStart", "otpFinish", "finish"]);
  assert.equal(await sandbox.success(session), "true");
}

export async function a_step_gives_up({ sandbox }) {
  for (const answers of [{ otpStart: [new Error("no")] }, { otpFinish: [new Error("no")] }]) {
    const session = await sandbox.unify(LORANT);
    const app = new App(new NodeEnvironment(), answers);
    assert.equal(await app.authenticate(session), "cancelled");
    assert.equal(app.run.at(-1), "finish");
    assert.equal(await sandbox.success(session), "false");
    assert.ok((await sandbox.events(session)).includes("cancelled"));
  }
}

export async function the_app_cancels({ sandbox }) {
  const session = await sandbox.unify(LORANT);
  let going;
  const app = new App(new NodeEnvironment(), { otpFinish: [() => (going.cancel("closed"), NEVER)] });
  going = app.authenticator.authenticate(session.authToken);
  assert.equal(await app.ending(going), "cancelled");
  assert.deepEqual(app.run, ["otpStart", "otpFinish", "finish"]);
  assert.equal(await sandbox.success(session), "false");
}

export async function a_token_serves_one_client({ sandbox }) {
  const session = await sandbox.unify(LORANT);
  let other;
  const app = new App(new NodeEnvironment(), {
    otpFinish: [async () => {
      other = await new App(new NodeEnvironment(), right).authenticate(session);
      return code("1234");
    }],
  });
  assert.equal(await app.authenticate(session), "done");
  assert.equal(other, "token_already_used");
  assert.equal(await sandbox.success(session), "true");
}

export async function a_token_that_expires_in_the_middle_ends_the_session({ sandbox }) {
  const session = await sandbox.unify(LORANT);
  try {
    const late = async () => {
      await sandbox.advance(901);
      return code("1234");
    };
    const app = new App(new NodeEnvironment(), { otpFinish: [late] });
    assert.equal(await app.authenticate(session), "done");
    assert.deepEqual(app.run, ["otpStart", "otpFinish", "finish"]);
    // Of one that was never redeemed, nothing is known once its token is over.
    const expired = await sandbox.unify(LORANT);
    await sandbox.advance(960);
    const second = new App(new NodeEnvironment(), right);
    assert.equal(await second.authenticate(expired), "invalid_token");
    assert.deepEqual(second.run, []);
  } finally {
    await sandbox.resetClock();
  }
}

export async function a_late_code_is_told_and_a_new_one_passes({ sandbox }) {
  const session = await sandbox.unify(LORANT);
  try {
    const late = async () => {
      await sandbox.advance(121);
      return code("1234");
    };
    const app = new App(new NodeEnvironment(), { otpFinish: [late, RESEND, code("1234")] });
    assert.equal(await app.authenticate(session), "done");
    assert.deepEqual(app.run, ["otpStart", "otpFinish", "otpFinish otp_expired", "otpFinish", "finish"]);
  } finally {
    await sandbox.resetClock();
  }
}

export async function a_clock_that_is_an_hour_off_is_set_once({ sandbox }) {
  for (const clockOff of [3600, -3600]) {
    for (const readsDate of [true, false]) {
      const session = await sandbox.unify(LORANT);
      const environment = new NodeEnvironment({ clockOff, readsDate, hasDeviceKey: true });
      const app = new App(environment, right);
      assert.equal(await app.authenticate(session), "done", `${clockOff} s, date ${readsDate}`);
      assert.equal(environment.requests.length, 5, "one request more than with the right time");
      assert.equal(await sandbox.success(session), "true");
    }
  }
}
