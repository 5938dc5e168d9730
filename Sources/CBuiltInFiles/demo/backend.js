// The backend's part. In a shop, this runs on the shop's own server, which keeps the credentials and the correlation ID to
// itself. The demo does it in the page, with credentials that exist in a sandbox only.

import { unify } from "./snippets.js";

const client = { client_id: "sandbox", client_secret: "sandbox-secret" };

let access;

/** What the server says about itself in its access token. */
export async function serverUrl() {
  return claimsOf(await accessToken()).iss;
}

/** Starts a session. Only `authToken` goes to the page; `correlationId` stays with the backend. */
export function startSession(choice, phoneNumber) {
  const { phoneNumber: _, ...body } = unify(choice);
  return post("/v3/unify", { ...body, clientRequestId: crypto.randomUUID(), ...(phoneNumber ? { phoneNumber } : {}) });
}

/** The result. Nothing else is one: what the page sees is a hint. */
export function readResult(correlationId) {
  return post("/v3/unify-status", { correlationId });
}

async function accessToken() {
  if (access && access.until > Date.now()) return access.token;
  const body = new URLSearchParams({ grant_type: "client_credentials", ...client });
  const answer = await read(await fetch("/token", { method: "POST", body }));
  access = { token: answer.access_token, until: Date.now() + (answer.expires_in - 60) * 1000 };
  return access.token;
}

async function post(path, value) {
  const headers = { Authorization: `Bearer ${await accessToken()}`, "Content-Type": "application/json" };
  return read(await fetch(path, { method: "POST", headers, body: JSON.stringify(value) }));
}

async function read(response) {
  const answer = await response.json();
  if (!response.ok) {
    const text = answer.message || answer.error_description || `The server answered ${response.status}.`;
    throw Object.assign(new Error(text), { code: answer.code });
  }
  return answer;
}

function claimsOf(token) {
  return JSON.parse(atob(token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/")));
}
