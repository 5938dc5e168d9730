// Plays one vector (vectors/README.md) against the library.
import { isDeepStrictEqual } from "node:util";

import { AuthenticatorBuilder } from "../dist/holdfast.js";
import { PlayedClock, PlayedEnvironment, PlayedKeys, PlayedTab } from "./played.mjs";
import { checkedJWS, sha256 } from "./proofs.mjs";

/** Real time, after which something expected does not come any more. */
const PATIENCE_MILLISECONDS = 3000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export class Script {
  events = [];
  labels = new Map();
  keyLabels = new Map();
  names = new Map();
  proofIDs = new Set();
  tab = new PlayedTab();

  constructor(vector, { token, now, makeKey }) {
    this.vector = vector;
    this.token = vector.token ?? token;
    this.clock = new PlayedClock(now + (vector.startsAfter ?? 0));
    this.keys = new PlayedKeys(Boolean(vector.app.deviceKey));
    this.makeKey = makeKey;
  }

  async play() {
    const { app, script } = this.vector;
    if (app.deviceKey === "kept") {
      this.keys.devices.set("https://device.example/client/v1", await this.makeKey(0));
    }
    this.open();
    this.begin((authenticator) => authenticator.authenticate(this.token));
    for (const [index, entry] of script.entries()) {
      try {
        await this.perform(entry, script[index + 1]);
      } catch (error) {
        throw new Error(`entry ${index + 1}, ${JSON.stringify(entry).slice(0, 160)}: ${error.message}`);
      }
    }
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    if (this.events.length) throw new Error(`after the script: ${describe(this.events[0])}`);
    const isLeftOpen = script.some((entry) => entry.ends === undefined && entry.killed) ? 0 : this.clock.timers.size;
    if (this.tab.text !== null) throw new Error("the tab keeps the token");
    if (isLeftOpen) throw new Error(`${isLeftOpen} timers are left`);
  }

  open(fragment) {
    const { clock, keys, tab } = this;
    this.environment = new PlayedEnvironment({
      clock, keys, tab, fragment, clockOff: this.vector.deviceClockOff ?? 0,
      notice: (event) => this.events.push(event),
    });
    this.authenticator = this.built();
  }

  built() {
    const { steps, role, returnUrl, servers } = this.vector.app;
    let builder = new AuthenticatorBuilder(this.environment);
    const step = (name) => (...inputs) =>
      new Promise((resolve, reject) => this.environment.notice({ kind: "step", name, inputs, resolve, reject }));
    if (steps.includes("finish")) builder = builder.withAuthFinishStep(step("finish"));
    if (steps.includes("otpStart")) builder = builder.withOtpFallback(step("otpStart"), { execute: step("otpFinish") });
    if (steps.includes("linkStart")) {
      builder = builder.withInstantLinkFallback(
        step("linkStart"), steps.includes("linkRetry") ? step("linkRetry") : undefined);
    }
    if (role) builder = builder.withRole(role);
    if (returnUrl) builder = builder.withMobileAuthReturnUrl(returnUrl);
    if (servers) builder = builder.withServers(...servers);
    return builder.build();
  }

  begin(start) {
    this.going = start(this.authenticator);
    const { notice } = this.environment;
    this.going.then(() => notice({ kind: "ends" }), (error) => notice({ kind: "ends", error }));
  }

  // MARK: what happens

  async perform(entry, next) {
    if ("time" in entry) return this.pass(entry.time, Boolean(next && next.answer && next.with));
    if (entry.with) return this.named(entry.answer).answer(entry.with);
    if (entry.from) return settle(this.named(entry.from), entry.gives);
    if (entry.clockJumps) return void (this.environment.clockOff += entry.clockJumps);
    if (entry.wakes) return this.environment.wake();
    if (entry.cancels) return this.going.cancel();
    if (entry.killed) {
      this.environment.kill();
      this.events.length = 0;
      this.open();
    }
    if (entry.anew) {
      this.keyLabels.set("session before", this.keyLabels.get("session"));
      this.keyLabels.delete("session");
    }
    if (entry.killed || entry.authenticates) {
      return this.begin((authenticator) => authenticator.authenticate(this.token));
    }
    if ("returns" in entry) {
      this.environment.kill();
      this.open(entry.returns);
      return this.begin((authenticator) => authenticator.resume());
    }
    if (entry.together) return this.expectTogether(entry.together);
    return this.expect(entry, await this.nextEvent());
  }

  named(name) {
    if (!this.names.has(name)) throw new Error(`nothing has the name ${name}`);
    return this.names.get(name);
  }

  async pass(seconds, hasAnswerNext) {
    const due = this.clock.milliseconds + seconds * 1000;
    // The answer given last is taken up first: its call's own timer is not meant.
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    if (!hasAnswerNext) {
      await this.until(() => Math.abs(this.clock.nextDue - due) < 2 || this.events.length, () => {
        const left = (this.clock.nextDue - this.clock.milliseconds) / 1000;
        return `the next timer is due in ${left} s, not in ${seconds} s`;
      });
    }
    if (this.events.length) throw new Error(`before its time: ${describe(this.events[0])}`);
    this.clock.pass(seconds * 1000);
  }

  // MARK: what the client does

  async until(condition, complaint) {
    const deadline = performance.now() + PATIENCE_MILLISECONDS;
    while (!condition()) {
      if (performance.now() > deadline) throw new Error(complaint());
      await new Promise(setImmediate);
    }
  }

  async nextEvent() {
    await this.until(() => this.events.length, () => "the client does nothing");
    return this.events.shift();
  }

  async expectTogether(entries) {
    const left = [...entries];
    while (left.length) {
      const event = await this.nextEvent();
      const index = left.findIndex((entry) => (entry.call ? "call" : "step") === event.kind);
      if (index < 0) throw new Error(`not ${describe(event)}`);
      await this.expect(left.splice(index, 1)[0], event);
    }
  }

  async expect(entry, event) {
    const kind = ["call", "step", "navigates", "ends"].find((name) => name in entry);
    if (kind !== event.kind) throw new Error(`not ${describe(event)}`);
    if (entry.as) this.names.set(entry.as, event);
    if (kind === "call") await this.expectCall(entry, event);
    if (kind === "step") this.expectStep(entry, event);
    if (kind === "navigates") same(event.url, entry.navigates, "address");
    if (kind === "ends") this.expectEnd(entry.ends, event.error);
  }

  expectEnd(expected, error) {
    if (expected === "done") {
      if (error) throw new Error(`it fails: ${error.error ?? error.stack}`);
    } else if (expected.error === "$app") {
      same(error?.message, "the app's own", "reason");
    } else {
      same(error?.error ?? String(error), expected.error, "error");
      if (!(error instanceof Error) || !error.message || !error.developerMessage) throw new Error("no sentences");
    }
  }

  expectStep(entry, event) {
    same(event.name, entry.step, "step");
    const inputs = [...event.inputs];
    if (entry.step === "finish") same(inputs.shift()?.authId, entry.authId, "authId");
    if ("phoneNumberNeeded" in entry) same(inputs.shift(), entry.phoneNumberNeeded, "phoneNumberNeeded");
    same(inputs.shift()?.error, entry.error, "error");
    same(inputs.length, 0, "number of other inputs");
    if (entry.step === "finish" && !("gives" in entry || "as" in entry)) event.resolve();
    else if ("gives" in entry) settle(event, entry.gives);
  }

  async expectCall(entry, { url, request, answer }) {
    const { aud } = claimsOf(this.token);
    const method = request.method;
    same(`${method} ${url.startsWith(aud) ? url.slice(aud.length) : url}`, entry.call, "call");
    await this.checkProof(url, request, entry.iat);
    const body = request.body === undefined ? undefined : JSON.parse(request.body);
    same(request.headers["Content-Type"], body && "application/json", "Content-Type");
    await this.checkBody(body, entry.body);
    if (entry.answer) answer(entry.answer);
  }

  async checkBody(body, expected) {
    same(Object.keys(body ?? {}).sort().join(), Object.keys(expected ?? {}).sort().join(), "members of the body");
    for (const [name, value] of Object.entries(expected ?? {})) {
      const given = body[name];
      if (value === "$platform") same(given, "web", name);
      else if (value === "$text") same(typeof given, "string", name);
      else if (name === "requestId") this.checkLabel(this.labels, value, given);
      else if (name === "proof") await this.checkDeviceProof(given, value);
      else same(given, value, name);
    }
    if (body && !UUID.test(body.requestId)) throw new Error(`no UUID: ${body.requestId}`);
  }

  /** One label, one value, and the other way round. */
  checkLabel(labels, label, value) {
    if (labels.has(label)) return same(value, labels.get(label), label);
    if ([...labels.values()].includes(value)) throw new Error(`${label} is the one of an earlier label`);
    labels.set(label, value);
  }

  async checkProof(url, { headers, method }, iat) {
    same(headers.Authorization, `DPoP ${this.token}`, "Authorization");
    const { header, claims, thumbprint } = await checkedJWS(headers.DPoP);
    same(header.typ, "dpop+jwt", "type of the proof");
    const { jti, ...others } = claims;
    if (!jti || this.proofIDs.has(jti)) throw new Error("a jti is missing or used twice");
    this.proofIDs.add(jti);
    const time = iat ?? Math.floor(this.clock.milliseconds / 1000);
    const { nonce } = claimsOf(this.token);
    same(others, { htm: method, htu: url.split("?")[0], iat: time, ath: sha256(this.token), nonce }, "proof");
    this.checkLabel(this.keyLabels, "session", thumbprint);
  }

  async checkDeviceProof(text, { op, nonce, key }) {
    const { header, claims, thumbprint } = await checkedJWS(text);
    same(header.typ, "device-proof+jwt", "type of the device proof");
    const { aud, sub } = claimsOf(this.token);
    const iat = Math.floor(this.clock.milliseconds / 1000);
    same(claims, { aud, sub, nonce, iat, op, cnf: { jkt: this.keyLabels.get("session") } }, "device proof");
    this.checkLabel(this.keyLabels, key, thumbprint);
  }
}

function claimsOf(token) {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

function settle({ name, resolve, reject }, gives) {
  if (gives === "reject") reject(new Error("the app's own"));
  else if (gives === "resend") resolve(name === "linkRetry" ? 0 : { resultType: 1 });
  else if (gives === "phone") resolve(name === "linkRetry" ? 1 : { resultType: 2 });
  else if (gives && "raw" in gives) resolve(gives.raw);
  else if (gives && "otp" in gives) resolve({ input: gives, resultType: 0 });
  else resolve(gives);
}

export function same(given, expected, what) {
  if (!isDeepStrictEqual(given, expected)) {
    throw new Error(`${what} is ${JSON.stringify(given)}, not ${JSON.stringify(expected)}`);
  }
}

function describe(event) {
  if (event.kind === "call") return `a call: ${event.request.method} ${event.url} ${event.request.body ?? ""}`;
  if (event.kind === "step") return `the step ${event.name}(${event.inputs.map((input) => input?.error ?? input)})`;
  if (event.kind === "ends") return `the end: ${event.error ? event.error.error ?? event.error.stack : "done"}`;
  return JSON.stringify(event);
}
