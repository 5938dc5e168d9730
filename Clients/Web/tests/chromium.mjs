// Debian's Chromium, spoken to over a pipe (Chrome DevTools Protocol): no driver to install.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ended } from "./children.mjs";

const ANSWER_MILLISECONDS = 20_000;

export class Chromium {
  name = "Chromium";
  waiting = new Map();
  listeners = new Set();
  number = 0;
  text = "";

  static async start(executable = "/usr/bin/chromium") {
    const browser = new Chromium();
    browser.directory = mkdtempSync(join(tmpdir(), "holdfast-chromium-"));
    // Containers give Chromium no user namespace for its sandbox; it sees pages of this machine only.
    browser.process = spawn(
      executable,
      ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-dev-shm-usage", "--remote-debugging-pipe", `--user-data-dir=${browser.directory}`, "about:blank"],
      // In a process group of its own: its helpers write to the profile until they are ended too.
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true });
    browser.process.stdio[4].on("data", (chunk) => browser.hear(chunk));
    browser.process.on("exit", () => browser.fail(new Error("Chromium has ended")));
    await browser.send("Target.setDiscoverTargets", { discover: true });
    return browser;
  }

  hear(chunk) {
    const parts = (this.text + chunk).split("\0");
    this.text = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part);
      const waiter = this.waiting.get(message.id);
      if (waiter) {
        this.waiting.delete(message.id);
        if (message.error) waiter.reject(new Error(`${waiter.method}: ${message.error.message}`));
        else waiter.resolve(message.result);
      } else {
        for (const listener of this.listeners) listener(message);
      }
    }
  }

  fail(error) {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  send(method, params = {}, sessionId) {
    this.number += 1;
    const id = this.number;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Error(`${method} is not answered: ${JSON.stringify(params).slice(0, 200)}`));
      }, ANSWER_MILLISECONDS);
      const settled = (settle) => (value) => (clearTimeout(timer), settle(value));
      this.waiting.set(id, { method, resolve: settled(resolve), reject: settled(reject) });
      this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    });
  }

  /** A browser profile of its own: other storage, other cookies. */
  async profile() {
    const { browserContextId } = await this.send("Target.createBrowserContext");
    return {
      open: (options) => Tab.open(this, browserContextId, options),
      close: () => this.send("Target.disposeBrowserContext", { browserContextId }),
    };
  }

  async stop() {
    await ended(this.process, () => process.kill(-this.process.pid, "SIGKILL"));
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 10 });
  }
}

export class Tab {
  /** What a page must not do: errors, refusals of its policy, stray failures. */
  heard = [];
  loads = 0;

  static async open(browser, browserContextId, { url, userAgent }) {
    const tab = new Tab();
    tab.browser = browser;
    const { targetId } = await browser.send("Target.createTarget", { url: "about:blank", browserContextId });
    ({ sessionId: tab.sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true }));
    browser.listeners.add((message) => message.sessionId === tab.sessionId && tab.hear(message));
    for (const domain of ["Page", "Runtime", "Log"]) await tab.send(`${domain}.enable`);
    if (userAgent) await tab.send("Emulation.setUserAgentOverride", { userAgent });
    await tab.go(url);
    return tab;
  }

  send(method, params) {
    return this.browser.send(method, params, this.sessionId);
  }

  hear({ method, params }) {
    if (method === "Page.loadEventFired") this.loads += 1;
    if (method === "Page.javascriptDialogOpening") this.answerDialog(params.message);
    if (method === "Runtime.exceptionThrown") {
      const { text, exception } = params.exceptionDetails;
      this.heard.push(`${text} ${exception?.description ?? ""}`);
    }
    // Chromium notes each answer of 400 and more; it is what the page is meant to have.
    const isStatus = params.entry?.text.startsWith("Failed to load resource: the server responded");
    if (method === "Log.entryAdded" && params.entry.level === "error" && !isStatus) this.heard.push(params.entry.text);
  }

  /** Waits until a page is loaded that was not there before `action`. */
  async loaded(action) {
    const before = this.loads;
    await action();
    await until(() => this.loads > before, "the page is not loaded");
  }

  go(url) {
    return this.loaded(() => this.send("Page.navigate", { url }));
  }

  reload() {
    return this.loaded(() => this.send("Page.reload"));
  }

  async complaints() {
    return this.heard;
  }

  /** How dialogs are answered from now on: told the text, it gives what is typed, or whether it is accepted. */
  onDialog = () => false;

  /** What stands behind the # of the page's address. */
  fragment() {
    return this.evaluate("location.hash.slice(1)");
  }

  /** Waits for something while dialogs are answered. */
  answering(isOver, complaint) {
    return until(isOver, complaint);
  }

  answerDialog(text) {
    let given = false;
    try {
      given = this.onDialog(text);
    } catch (error) {
      this.heard.push(String(error));
    }
    const promptText = typeof given === "string" ? given : undefined;
    this.send("Page.handleJavaScriptDialog", { accept: given !== false, promptText }).catch((error) => this.heard.push(String(error)));
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
}

export async function until(condition, complaint, milliseconds = 15_000) {
  const deadline = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(complaint);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
