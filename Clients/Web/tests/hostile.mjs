// A server that answers anything, and an app that does anything: whatever they do, a run ends, in one way, and soon.
import assert from "node:assert/strict";

import { AuthenticatorBuilder, ProveAuthError } from "../dist/holdfast.js";
import { PlayedKeys, PlayedTab } from "./played.mjs";

const MOST_REQUESTS = 700;
const STEPS = ["device", "mobileAuth", "otpStart", "otpFinish", "linkStart", "linkWait", "done", undefined];
const ACTIONS = [
  "device", "mobileAuth", "mobileAuth.finish", "otp.start", "otp.verify", "otp.resend", "otp.phone", "link.start",
  "link.resend", "link.phone", "cancel"];

/** mulberry32: the same numbers for the same seed. */
export function randomFrom(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Timers that fire as soon as nothing else is to be done; the clock jumps to them. */
class JumpingClock {
  milliseconds = 0;
  timers = new Set();

  constructor(start) {
    this.milliseconds = start * 1000;
  }

  timer(delay, callback) {
    assert.ok(delay >= 0, `a timer of ${delay} ms`);
    const timer = { due: this.milliseconds + delay, callback };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  jump() {
    const [next] = [...this.timers].sort((one, other) => one.due - other.due);
    if (!next) return;
    this.timers.delete(next);
    this.milliseconds = Math.max(this.milliseconds, next.due);
    next.callback();
  }
}

class Hostile {
  requests = 0;
  rev = 0;
  calls = [];

  constructor(random, token, errors) {
    Object.assign(this, { random, token, errors, clock: new JumpingClock(token.now) });
    this.moods = { answers: random() * 0.8 + 0.1, junk: random() * 0.3 };
  }

  pick(list) {
    return list[Math.floor(this.random() * list.length)];
  }

  chance(probability) {
    return this.random() < probability;
  }

  junk() {
    return this.pick([undefined, null, 0, -1, "", "x", [], {}, true, "2026-01-01T10:00:00Z", Number.MAX_SAFE_INTEGER]);
  }

  moment() {
    return this.pick(["2026-01-01T10:15:00Z", "2026-01-01T10:02:00Z", "2000-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "soon"]);
  }

  state() {
    this.rev += this.pick([0, 1, 1, 1, -1]);
    const step = this.pick(STEPS);
    const isDone = step === "done" && this.chance(0.4);
    const state = {
      authId: this.token.authId, rev: this.rev, status: isDone ? "done" : "active", step,
      outcome: isDone ? this.pick(["succeeded", "failed", "expired"]) : undefined,
      allowed: ACTIONS.filter(() => this.chance(0.7)), expiresAt: this.moment(),
      phone: { needed: this.chance(0.3) },
      device: { status: "absent", challenge: this.pick(["AAAA", undefined, "BBBB"]), rotate: this.chance(0.4) },
      otp: { codeExpiresAt: this.moment(), sendsLeft: this.pick([0, 1, 2]), attemptsLeft: 3, phoneEntriesLeft: 1 },
      link: { waitUntil: this.moment(), error: this.pick([undefined, "link_expired"]) },
    };
    if (this.chance(this.moods.junk)) state[this.pick(Object.keys(state))] = this.junk();
    return state;
  }

  async fetch(url, request) {
    this.requests += 1;
    this.calls.push(`${request.method} ${url.slice(url.indexOf("/v1") + 3)}`);
    if (this.chance(0.03)) return new Promise(() => undefined);
    if (this.chance(0.05)) throw new Error("the connection broke");
    const isGood = this.chance(this.moods.answers);
    const error = this.pick(this.errors);
    const status = isGood ? 200 : error.http || 500;
    const body = isGood
      ? { attemptId: "a", authUrl: this.pick(["https://device.example/ma", "javascript:alert(1)", null]), ...this.state() }
      : { code: error.code, error: this.chance(0.9) ? error.error : "strange", state: this.chance(0.8) ? this.state() : this.junk() };
    const headers = { "Retry-After": this.pick(["1", "0", "-5", "soon", "100000", null]), Date: this.pick([null, "x"]) };
    const text = this.chance(0.05) ? this.pick(["", "null", "[]", "{", "<html>", '"text"']) : JSON.stringify(body);
    return { status, header: (name) => headers[name] ?? null, text: async () => text };
  }

  /** What a step does: it answers, gives up, throws, answers junk, or never answers. */
  step(...good) {
    return () => {
      const what = this.random();
      if (what < 0.04) throw new Error("the step throws");
      if (what < 0.08) return Promise.reject(undefined);
      if (what < 0.2) return this.junk();
      if (what < 0.27) return new Promise(() => undefined);
      return Promise.resolve(this.pick(good));
    };
  }

  builder() {
    const { clock } = this;
    const environment = {
      isPhone: true, keys: new PlayedKeys(this.chance(0.7)), tab: new PlayedTab(),
      fetch: (url, request) => this.fetch(url, request), now: () => clock.milliseconds, elapsed: () => clock.milliseconds, random: this.random,
      timer: (delay, callback) => clock.timer(delay, callback), onWake: () => () => undefined,
      navigate: () => undefined, takeFragment: () => "",
    };
    let builder = new AuthenticatorBuilder(environment).withAuthFinishStep(() => (this.finished += 1));
    this.finished = 0;
    if (this.chance(0.9)) {
      builder = builder.withOtpFallback(
        this.step(null, { phoneNumber: "2001004014" }), this.step({ input: { otp: "1234" }, resultType: 0 }, { resultType: 1 }, { resultType: 2 }));
    }
    if (this.chance(0.9)) {
      builder = builder.withInstantLinkFallback(
        this.step(null, { phoneNumber: "2001004014" }), this.chance(0.7) ? this.step(0, 1) : undefined);
    }
    if (this.chance(0.5)) builder = builder.withMobileAuthReturnUrl("https://shop.example/back");
    return builder;
  }
}

/** One run; how it ended. */
export async function hostileRun(random, token, errors) {
  const world = new Hostile(random, token, errors);
  const going = world.builder().build().authenticate(token.token);
  const cancelsAt = world.chance(0.2) ? Math.floor(random() * 10) : Infinity;
  let ending;
  going.then(() => (ending = "done"), (error) => (ending = error));
  for (let turns = 0; ending === undefined; turns += 1) {
    assert.ok(world.requests < MOST_REQUESTS, `${world.requests} requests: ${world.calls.slice(-6)}`);
    assert.ok(turns < 200_000, `it does not end; last: ${world.calls.slice(-6)}`);
    if (world.requests >= cancelsAt) going.cancel();
    await new Promise(setImmediate);
    // The library may be signing, which takes turns of its own.
    if (turns % 8 === 7) world.clock.jump();
  }
  assert.ok(ending === "done" || ending instanceof ProveAuthError, `it fails with ${ending?.stack ?? ending}`);
  assert.ok(!ending.cause || ending.error !== "internal", `a mistake of the library: ${ending.cause?.stack}`);
  assert.ok(world.finished <= 1, `${world.finished} finish steps`);
  assert.ok(ending !== "done" || world.finished === 1, "it is done without its finish step");
  for (let turn = 0; turn < 8; turn += 1) await new Promise(setImmediate);
  assert.equal(world.clock.timers.size, 0, "timers are left");
  return ending.error ?? ending;
}
