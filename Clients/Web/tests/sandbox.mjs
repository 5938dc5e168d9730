// A sandbox server of our own, and what stands around it: the backend, the inbox, the phone.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { ended } from "./children.mjs";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const START_MILLISECONDS = 20_000;

export class Sandbox {
  static async start(binary, environment = {}) {
    const sandbox = new Sandbox();
    sandbox.directory = mkdtempSync(join(tmpdir(), "holdfast-clients-"));
    sandbox.process = spawn(
      binary,
      ["serve", "--config", join(repository, "config/sandbox.json"), "--host", "127.0.0.1", "--port", "0",
        "--data", join(sandbox.directory, "data")],
      { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...environment } });
    sandbox.url = await sandbox.address();
    const answer = await sandbox.form("/token", {
      grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox-secret" });
    sandbox.accessToken = answer.access_token;
    return sandbox;
  }

  /** What it prints first names its port. */
  address() {
    return new Promise((resolve, reject) => {
      let text = "";
      const late = setTimeout(() => reject(new Error(`the server does not start:\n${text}`)), START_MILLISECONDS);
      const read = (chunk) => {
        text = (text + chunk).slice(-20_000);
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text);
        if (!found) return;
        clearTimeout(late);
        resolve(found[0]);
      };
      this.process.stdout.on("data", read);
      this.process.stderr.on("data", read);
      this.process.on("exit", (status) => reject(new Error(`the server ended with ${status}:\n${text}`)));
    });
  }

  async stop() {
    await ended(this.process);
    rmSync(this.directory, { recursive: true, force: true });
  }

  async form(path, fields) {
    const answer = await fetch(this.url + path, { method: "POST", body: new URLSearchParams(fields) });
    return answer.json();
  }

  async post(path, value) {
    const answer = await fetch(this.url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${this.accessToken}` },
      body: JSON.stringify(value),
    });
    const body = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`);
    return body;
  }

  /** A session as the backend begins it: `authToken`, `correlationId`. */
  unify(phoneNumber, fields = {}) {
    return this.post("/v3/unify", { possessionType: "mobile", clientRequestId: randomUUID(), phoneNumber, ...fields });
  }

  desktop(phoneNumber) {
    return this.unify(phoneNumber, { possessionType: "desktop", finalTargetUrl: "https://app.example/done" });
  }

  /** The backend's answer: `pending`, `true`, `false`. */
  async success({ correlationId }) {
    return (await this.post("/v3/unify-status", { correlationId })).success;
  }

  async messages({ correlationId }) {
    const { messages } = await (await fetch(`${this.url}/sandbox/messages`)).json();
    return messages.filter((message) => message.correlationId === correlationId);
  }

  async events({ correlationId }) {
    const session = await (await fetch(`${this.url}/sandbox/sessions/${correlationId}`)).json();
    return (session.events ?? session.timeline).map((event) => event.event);
  }

  advance(seconds) {
    return this.post("/sandbox/clock", { advanceSeconds: seconds });
  }

  resetClock() {
    return this.post("/sandbox/clock", { reset: true });
  }

  /** The phone beside the page presses a button of the newest link. */
  async decide(session, decision) {
    const { link } = (await this.messages(session)).at(-1);
    const body = new URLSearchParams({ decision });
    const answer = await fetch(link, { method: "POST", body, redirect: "manual" });
    if (answer.status !== 303) throw new Error(`the link answered ${answer.status}`);
  }
}
