// sign_up.test.mjs
import assert from "node:assert/strict";
import test from "node:test";

const HOLDFAST = process.env.SANDBOX_URL ?? "http://127.0.0.1:8080";
const CLIENT = { grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox-secret" };

async function post(path, token, body = {}) {
  const headers = { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) };
  return (await fetch(HOLDFAST + path, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

async function access() {
  const answer = await fetch(HOLDFAST + "/token", { method: "POST", body: new URLSearchParams(CLIENT) });
  return (await answer.json()).access_token;
}

const backendStarts = async (phoneNumber) => post("/v3/unify", await access(), { possessionType: "mobile", phoneNumber });
const backendAsks = async ({ correlationId }) => (await post("/v3/unify-status", await access(), { correlationId })).success;
const app = (session, path, body) => post("/client/v1/session" + path, session.authToken, body);

// A session whose code is in the inbox, and the code.
async function askedForACode(number) {
  const session = await backendStarts(number);
  await app(session, "", { platform: "ios", sdk: "test", fallback: "otp", cellular: "no" });
  await app(session, "/otp");
  const inbox = await (await fetch(`${HOLDFAST}/sandbox/messages?to=%2B1${number}`)).json();
  const { code } = inbox.messages.find((message) => message.correlationId === session.correlationId);
  return { session, code };
}

test("the code proves the number", async () => {
  const { session, code } = await askedForACode("2001004014");
  assert.equal(await backendAsks(session), "pending");
  assert.equal((await app(session, "/otp/verify", { code })).status, "done");
  assert.equal(await backendAsks(session), "true");
});

test("a late code proves nothing", async (t) => {
  t.after(() => post("/sandbox/clock", null, { reset: true }));
  const { session, code } = await askedForACode("2001004014");
  await post("/sandbox/clock", null, { advanceSeconds: 120 });
  assert.equal((await app(session, "/otp/verify", { code })).error, "otp_expired");
  assert.equal(await backendAsks(session), "pending");
});

test("a user whose codes fail is not proven", async () => {
  const { session, code } = await askedForACode("2001004017"); // Jesse: no code passes
  assert.equal((await app(session, "/otp/verify", { code })).error, "otp_mismatch");
  assert.equal(await backendAsks(session), "false");
});
