// A real server behind a bad network: what must be saved is saved, and nothing goes on for ever.
import assert from "node:assert/strict";

import { App, code, RESEND } from "./app.mjs";
import { made, NodeEnvironment } from "./network.mjs";
import { LORANT } from "./scenes.mjs";

const steps = () => ({ otpFinish: [code("1111"), RESEND, code("1234")] });
const STEPS = 5;
const broken = () => Promise.reject(new Error("the connection broke"));

/** A session in which a wrong code, a resend and a right code were counted once each, whatever happened on the way. */
async function checkCounted(sandbox, session) {
  assert.equal(await sandbox.success(session), "true");
  assert.equal((await sandbox.messages(session)).length, 2, "messages");
  const events = await sandbox.events(session);
  assert.equal(events.filter((event) => event === "otp_mismatch").length, 1, "wrong codes");
}

async function whole(sandbox, fault) {
  const session = await sandbox.unify(LORANT, { allowOTPRetry: true });
  const environment = new NodeEnvironment({ fault });
  const app = new App(environment, steps());
  assert.equal(await app.authenticate(session), "done");
  assert.deepEqual(app.run, ["otpStart", "otpFinish", "otpFinish otp_mismatch", "otpFinish", "finish"]);
  await checkCounted(sandbox, session);
  return environment.requests.length;
}

export async function each_answer_is_lost_once({ sandbox }) {
  const seen = new Set();
  const requests = await whole(sandbox, async ({ path, body }, number, go) => {
    const answer = await go();
    if (seen.has(body)) return answer;
    seen.add(body);
    return broken();
  });
  assert.equal(requests, 2 * STEPS);
}

export async function each_request_is_lost_once({ sandbox }) {
  assert.equal(await whole(sandbox, (request, number, go) => (number % 2 ? broken() : go())), 2 * STEPS);
}

export async function the_server_fails_three_times_a_step({ sandbox }) {
  const failures = [
    made(500, { code: 1000, error: "internal", message: "internal error" }), made(502, "<h1>Bad Gateway</h1>"),
    made(503, { code: 1000, error: "internal", message: "busy" }, { "Retry-After": "1" })];
  const fault = (request, number, go) => (number % 4 ? failures[(number % 4) - 1] : go());
  assert.equal(await whole(sandbox, fault), 4 * STEPS);
}

export async function each_call_is_limited_once({ sandbox }) {
  const limit = made(429, { code: 20900, error: "rate_limited", message: "slow down" }, { "Retry-After": "3" });
  assert.equal(await whole(sandbox, (request, number, go) => (number % 2 ? limit : go())), 2 * STEPS);
}

export async function each_request_is_sent_twice_by_the_network({ sandbox }) {
  const first = await whole(sandbox, async (request, number, go) => {
    const answer = await go();
    await go();
    return answer;
  });
  assert.equal(first, STEPS);
}

export async function an_older_answer_in_place_of_a_newer_changes_nothing({ sandbox }) {
  const session = await sandbox.unify(LORANT, { allowOTPRetry: true });
  let earlier;
  const fault = async (request, number, go) => {
    if (number === 5) return earlier;
    const answer = await go();
    if (number === 2) earlier = answer;
    return answer;
  };
  const app = new App(new NodeEnvironment({ fault }), steps());
  assert.equal(await app.authenticate(session), "done");
  // The right code never reached the server: it is asked for once more, as after any answer that brings nothing new.
  assert.deepEqual(
    app.run, ["otpStart", "otpFinish", "otpFinish otp_mismatch", "otpFinish", "otpFinish", "finish"]);
  await checkCounted(sandbox, session);
}

export async function no_server_ends_the_run_and_leaves_the_session({ sandbox }) {
  const session = await sandbox.unify(LORANT);
  let isDown = false;
  const environment = new NodeEnvironment({ fault: (request, number, go) => (isDown ? broken() : go()) });
  const down = () => ((isDown = true), code("1234"));
  const up = () => ((isDown = false), code("1234"));
  const app = new App(environment, { otpFinish: [down, up] });
  assert.equal(await app.authenticate(session), "network");
  assert.equal(environment.requests.length, 2 + 5);
  assert.deepEqual(app.run, ["otpStart", "otpFinish"], "the finish step was run");
  isDown = false;
  assert.equal(await app.authenticate(session), "done");
  assert.deepEqual(app.run, ["otpStart", "otpFinish", "otpFinish", "finish"]);
  assert.equal(await sandbox.success(session), "true");
}

/** The process is killed at each request, before it goes out and after its answer came, and started again. */
export async function killed_at_each_request_and_resumed({ sandbox }) {
  for (const isSent of [false, true]) {
    for (let fatal = 1; fatal <= 4; fatal += 1) {
      const session = await sandbox.unify(LORANT, { allowOTPRetry: true });
      const first = new NodeEnvironment({
        hasDeviceKey: true,
        fault: async (request, number, go) => {
          if (number !== fatal) return go();
          if (isSent) await go();
          first.kill();
          dead();
          return undefined;
        },
      });
      let dead;
      const death = new Promise((resolve) => (dead = resolve));
      new App(first, { otpFinish: [code("1234")] }).authenticate(session);
      await death;
      const second = new NodeEnvironment({ keys: first.keys });
      const app = new App(second, { otpFinish: [code("1234")] });
      assert.equal(await app.authenticate(session), "done", `request ${fatal}, sent ${isSent}`);
      assert.equal(await sandbox.success(session), "true", `request ${fatal}, sent ${isSent}`);
      assert.equal((await sandbox.messages(session)).length, 1, `messages at request ${fatal}, sent ${isSent}`);
    }
  }
}

export async function two_tabs_wait_for_one_link({ sandbox }) {
  const session = await sandbox.desktop(LORANT);
  const first = new NodeEnvironment({ hasRealPauses: true });
  let polls = 0;
  const ready = new Promise((resolve) => {
    first.fault = (request, number, go) => {
      if (request.method === "GET" && (polls += 1) === 2) resolve();
      return go();
    };
  });
  const second = new NodeEnvironment({ hasRealPauses: true, keys: first.keys, fault: first.fault });
  const apps = [first, second].map((environment) => new App(environment, { linkStart: [null] }));
  const endings = [apps[0].authenticate(session)];
  while (first.requests.length < 3) await new Promise(setImmediate);
  endings.push(apps[1].authenticate(session));
  await ready;
  await sandbox.decide(session, "approve");
  assert.deepEqual(await Promise.all(endings), ["done", "done"]);
  assert.ok(polls <= 6, `${polls} polls`);
  assert.equal(await sandbox.success(session), "true");
}

export async function two_calls_of_one_page_are_one_run({ sandbox }) {
  const session = await sandbox.unify(LORANT);
  const environment = new NodeEnvironment();
  const app = new App(environment, { otpFinish: [code("1234")] });
  const endings = await Promise.all([app.authenticate(session), app.authenticate(session)]);
  assert.deepEqual(endings, ["done", "done"]);
  assert.equal(environment.requests.length, 3);
  assert.deepEqual(app.run, ["otpStart", "otpFinish", "finish"]);
}

/** Whatever a third of the answers is, a session comes to its end, or can be taken up. */
export async function forty_runs_over_a_bad_network({ sandbox, random, seed }) {
  let breaks = 0;
  for (let run = 0; run < 40; run += 1) {
    const faults = [
      broken, (go) => go().then(broken), () => made(500, { code: 1000, error: "internal", message: "x" }),
      () => made(200, "<html>portal</html>"), () => made(429, { code: 20900, error: "rate_limited" }, { "Retry-After": "2" }),
      (go) => go().then((answer) => go().then(() => answer)), (go) => go().then(() => go()),
      () => made(200, { rev: "x", status: 7 }), () => made(502, ""),
    ];
    const fault = (request, number, go) =>
      random() < 0.33 ? faults[Math.floor(random() * faults.length)](go) : go();
    const session = await sandbox.unify(LORANT, { allowOTPRetry: true });
    const environment = new NodeEnvironment({ fault, hasDeviceKey: random() < 0.5 });
    const app = new App(environment, steps());
    let ending;
    for (let tries = 0; tries < 5; tries += 1) {
      ending = await app.authenticate(session);
      if (ending === "done") break;
      breaks += 1;
      assert.ok(["network", "internal", "rate_limited", "invalid_dpop_proof"].includes(ending), `${ending}, seed ${seed}`);
      if (tries === 3) environment.fault = (request, number, go) => go();
    }
    assert.equal(ending, "done", `run ${run}, seed ${seed}`);
    assert.equal(await sandbox.success(session), "true", `run ${run}, seed ${seed}`);
    assert.ok(environment.requests.length < 120, `${environment.requests.length} requests, seed ${seed}`);
    assert.equal(app.run.filter((step) => step === "finish").length, 1, `finish steps, seed ${seed}`);
  }
  return `${breaks} broken and taken up`;
}
