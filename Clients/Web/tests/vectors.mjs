#!/usr/bin/env node
// Runs the vectors against the built library: no network, time handed in. The last line is "N passed, M failed".
import { readFileSync } from "node:fs";

import * as internals from "../.test/internals.js";
import { hostileRun, randomFrom } from "./hostile.mjs";
import { checkedJWS } from "./proofs.mjs";
import { same, Script } from "./script.mjs";

const folder = new URL("../../vectors/", import.meta.url);
const HOSTILE_RUNS = Number(process.env.RUNS ?? 300);
const only = process.argv[2] ?? "";
const read = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));
const token = read("token");
let passed = 0;
let failed = 0;

// A failure that nobody waits for fails whatever is tried at the moment.
let strayFailure;
process.on("unhandledRejection", (reason) => (strayFailure = reason));

async function attempt(name, play) {
  if (!name.includes(only)) return;
  strayFailure = undefined;
  try {
    await play();
    if (strayFailure) throw new Error(`unhandled rejection: ${strayFailure.stack ?? strayFailure}`);
    passed += 1;
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}\n       ${error.message}`);
  }
}

const scripts = ["otp", "link", "device", "mobile-auth", "repeats", "tokens-and-time", "clock-jumps", "resume"];
for (const file of scripts) {
  for (const vector of read(file).vectors) {
    if (vector.platforms && !vector.platforms.includes("web")) continue;
    const context = { token: token.token, now: token.now, makeKey: internals.makeKey };
    await attempt(`${file}: ${vector.name}`, () => new Script(vector, context).play());
  }
}

const proofs = read("proofs");

/** The key of an example, which the browser's own can never be: one that was imported. */
async function exampleKey(name) {
  const { privateJwk, jwk, thumbprint } = proofs.keys[name];
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const privateKey = await crypto.subtle.importKey("jwk", privateJwk, algorithm, false, ["sign"]);
  const key = await internals.keyOf(privateKey, jwk, 0);
  same(key.thumbprint, thumbprint, "thumbprint");
  return key;
}

async function compare(text, example) {
  for (const jws of [text, example.example]) {
    const { header, claims } = await checkedJWS(jws);
    same(header, example.header, "header");
    same(claims, example.claims, "claims");
  }
}

for (const example of proofs.dpop) {
  await attempt(`proofs: ${example.name}`, async () => {
    const { method, url, iat, jti } = example;
    const call = { method, url, iat, jti, token: token.token, nonce: token.claims.nonce };
    await compare(await internals.dpopProof(await exampleKey(example.key), call), example);
  });
}
for (const example of proofs.device) {
  await attempt(`proofs: device, ${example.name}`, async () => {
    const { challenge, iat, op } = example;
    const session = {
      aud: token.claims.aud, authID: token.authId, challenge, iat, op, thumbprint: proofs.keys.session.thumbprint,
    };
    await compare(await internals.deviceProof(await exampleKey(example.key), session), example);
  });
}
await attempt("proofs: the private key cannot be exported", async () => {
  const key = await internals.makeKey(0);
  same(key.privateKey.extractable, false, "extractable");
  same(await crypto.subtle.exportKey("jwk", key.privateKey).catch(() => "refused"), "refused", "export");
});

const values = read("values");
await attempt("values: codes", async () => {
  for (const { text, code } of values.codes) same(internals.codeIn(text), code ?? undefined, text);
});
await attempt("values: returns", async () => {
  for (const { fragment, ...result } of [...values.returns, { fragment: "#vfp=%" }]) {
    same(internals.resultIn(fragment), result, fragment);
  }
});
await attempt("errors: the table is that of the vectors", async () => {
  const rows = read("errors").errors.map(({ error, code, developer, person }) => [error, [code, developer, person]]);
  same(internals.errorTable, Object.fromEntries(rows), "table");
});

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
await attempt(`hostile: ${HOSTILE_RUNS} runs with a server and an app that do anything (SEED=${seed})`, async () => {
  const endings = {};
  for (let run = 0; run < HOSTILE_RUNS; run += 1) {
    const ending = await hostileRun(randomFrom(seed + run), token, read("errors").errors).catch((error) => {
      throw new Error(`SEED=${seed + run}: ${error.message}`);
    });
    endings[ending] = (endings[ending] ?? 0) + 1;
  }
  console.log(`hostile runs ended: ${Object.entries(endings).map((pair) => pair.join(" ")).join(", ")}`);
});

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
