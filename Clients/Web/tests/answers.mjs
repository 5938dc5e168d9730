#!/usr/bin/env node
// Holds the answers in the vectors to a real server: answers.mjs BINARY. Vectors that say how a backend begins their session are
// played call by call, and each answer has to be the vector's. The last line is "N passed, M failed".
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";

import * as internals from "../.test/internals.js";
import { same } from "./script.mjs";
import { Sandbox } from "./sandbox.mjs";

const folder = new URL("../../vectors/", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));
/** Times, names and sentences, which differ from run to run. */
const LOOSE = new Set(["expiresAt", "codeExpiresAt", "waitUntil", "challenge", "message", "attemptId", "authUrl", "masked"]);

class Client {
  labels = new Map();
  keys = new Map();

  constructor(sandbox, session) {
    Object.assign(this, { sandbox, session, token: session.authToken });
    this.claims = internals.readToken(this.token, []);
  }

  async key(label) {
    if (!this.keys.has(label)) this.keys.set(label, await internals.makeKey(0));
    return this.keys.get(label);
  }

  /** The vector's body with what only this run knows. */
  async body(expected) {
    const body = { ...expected };
    for (const [name, value] of Object.entries(body)) {
      if (value === "$platform") body[name] = "web";
      if (value === "$text") body[name] = "vectors/1";
      if (name === "requestId") body[name] = this.label(value);
      if (name === "proof") body[name] = await this.proof(value);
    }
    return body;
  }

  label(name) {
    if (!this.labels.has(name)) this.labels.set(name, randomUUID());
    return this.labels.get(name);
  }

  async proof({ op, key }) {
    return internals.deviceProof(await this.key(key), {
      aud: this.claims.aud, authID: this.claims.authID, challenge: this.state.device.challenge, iat: seconds(), op,
      thumbprint: (await this.key("session")).thumbprint,
    });
  }

  async call({ call, body }) {
    const [method, path] = call.split(" ");
    const url = this.claims.aud + path;
    const proof = await internals.dpopProof(await this.key("session"), {
      method, url, iat: seconds(), jti: randomUUID(), token: this.token, nonce: this.claims.nonce,
    });
    const answer = await fetch(url, {
      method,
      headers: { Authorization: `DPoP ${this.token}`, DPoP: proof, ...(body && { "Content-Type": "application/json" }) },
      body: body && JSON.stringify(await this.body(body)),
    });
    const value = await answer.json();
    this.state = value.state ?? value;
    return { status: answer.status, body: value };
  }
}

const seconds = () => Math.floor(Date.now() / 1000);

/** The value with all that is loose replaced by its kind, so that a member too many or too few still shows. */
function firm(value, session) {
  if (Array.isArray(value)) return value.map((item) => firm(item, session));
  if (typeof value !== "object" || value === null) return value === session.authID ? "authId" : value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, LOOSE.has(name) ? typeof item : firm(item, session)]));
}

/** Calls as the vector's client does, in order; before the last answer of a poll, the phone decides. */
async function play(sandbox, { server, script }, token) {
  const { decides, ...fields } = server;
  const isDesktop = fields.possessionType === "desktop";
  const session = await sandbox.unify(undefined, { ...fields, ...(isDesktop && { finalTargetUrl: "https://app.example/done" }) });
  const client = new Client(sandbox, session);
  const polls = new Map();
  const entries = script.flatMap((entry) => entry.together ?? [entry]);
  for (const entry of entries) {
    if (entry.anew) client.keys.delete("session");
    if (entry.as && entry.call) polls.set(entry.as, entry);
    const expected = entry.with ?? entry.answer;
    const { call, body } = entry.with ? polls.get(entry.answer) : entry;
    if (!call || !expected) continue;
    if (decides && entry === entries.findLast((one) => one.with)) await sandbox.decide(session, decides);
    const answer = await client.call({ call, body });
    // What was lost on its way reached the server all the same.
    if (expected === "lost") continue;
    same(answer.status, expected.status, `${call}: status`);
    same(firm(answer.body, client.claims), firm(expected.body, { authID: token.authId }), call);
  }
}

const sandbox = await Sandbox.start(process.argv[2]);
const token = read("token");
let passed = 0;
let failed = 0;
try {
  for (const file of ["otp", "link", "device", "repeats", "resume"]) {
    for (const vector of read(file).vectors.filter((one) => one.server)) {
      try {
        await play(sandbox, vector, token);
        passed += 1;
      } catch (error) {
        failed += 1;
        console.log(`FAILED ${file}: ${vector.name}\n       ${error.message}`);
      }
    }
  }
} finally {
  await sandbox.stop();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
