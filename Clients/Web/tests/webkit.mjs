// Debian's WebKitGTK, spoken to by its WebDriver, on a display that nobody sees (Xvfb). Each profile is a browser of its own,
// which the driver starts; it has the members of the one in chromium.mjs.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { existsSync } from "node:fs";

import { ended } from "./children.mjs";
import { until } from "./chromium.mjs";

const BROWSERS = ["4.1", "6.0", "4.0"].map((version) => `/usr/lib/${debianArchitecture()}/webkit2gtk-${version}/MiniBrowser`);
const ANSWER_MILLISECONDS = 20_000;

function debianArchitecture() {
  return { x64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" }[process.arch];
}

export class WebKit {
  name = "WebKit";
  profiles = new Set();

  static async start() {
    const webKit = new WebKit();
    webKit.executable = BROWSERS.find(existsSync);
    if (!webKit.executable) throw new Error(`there is no browser at ${BROWSERS.join(", ")}`);
    webKit.screen = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"], {
      stdio: ["ignore", "ignore", "ignore", "pipe"] });
    let complaint;
    webKit.screen.stdio[3].once("data", (number) => (webKit.display = `:${String(number).trim()}`));
    webKit.screen.once("error", (error) => (complaint = error));
    webKit.screen.once("exit", (status, signal) => (complaint = new Error(`Xvfb ended with ${status ?? signal}`)));
    try {
      await until(() => {
        if (complaint) throw complaint;
        return webKit.display;
      }, "Xvfb does not name its display");
    } catch (error) {
      if (!complaint) await ended(webKit.screen);
      throw error;
    }
    return webKit;
  }

  async profile() {
    const profile = new Profile(this);
    this.profiles.add(profile);
    return profile;
  }

  async stop() {
    for (const profile of this.profiles) await profile.close();
    await ended(this.screen);
  }
}

/** One driver, and the browser that it starts with the first page. */
class Profile {
  /** Commands wait for each other: a session has one window at a time. */
  last = Promise.resolve();

  constructor(webKit) {
    this.webKit = webKit;
  }

  async open({ url, userAgent }) {
    const isFirst = !this.session;
    if (isFirst) await this.start(userAgent);
    const tab = new Tab();
    tab.profile = this;
    tab.handle = isFirst
      ? await this.command("GET", "/window")
      : (await this.command("POST", "/window/new", { type: "window" })).handle;
    await tab.go(url);
    return tab;
  }

  /** On a busy machine a browser may not find its driver; then both are started anew. */
  async start(userAgent) {
    for (let tries = 1; !this.session; tries += 1) {
      try {
        await this.startOnce(userAgent);
      } catch (error) {
        await ended(this.driver);
        if (error.name !== "TimeoutError" || tries === 3) throw error;
      }
    }
  }

  async startOnce(userAgent) {
    const port = await freePort();
    this.driver = spawn("WebKitWebDriver", [`--port=${port}`, "--host=127.0.0.1"], {
      stdio: "ignore",
      // Nobody needs its bus of accessibility, and a machine without a graphics card draws on its own.
      env: { ...process.env, DISPLAY: this.webKit.display, GDK_BACKEND: "x11", NO_AT_BRIDGE: "1", LIBGL_ALWAYS_SOFTWARE: "1" },
    });
    this.url = `http://127.0.0.1:${port}`;
    let complaint;
    const args = ["--automation", ...(userAgent ? [`--user-agent=${userAgent}`] : [])];
    const alwaysMatch = {
      unhandledPromptBehavior: "ignore",
      "webkitgtk:browserOptions": { binary: this.webKit.executable, args },
    };
    await until(async () => {
      try {
        const { sessionId } = await this.request("POST", "/session", { capabilities: { alwaysMatch } });
        this.session = sessionId;
      } catch (error) {
        complaint = error;
        if (error.cause?.code !== "ECONNREFUSED") throw error;
      }
      return this.session;
    }, `the driver does not listen: ${complaint}`);
  }

  async request(method, path, body) {
    const response = await fetch(this.url + path, {
      method, body: body && JSON.stringify(body), signal: AbortSignal.timeout(ANSWER_MILLISECONDS) });
    const { value } = await response.json();
    if (!response.ok) throw Object.assign(new Error(`${path}: ${value.error}: ${value.message}`), { code: value.error });
    return value;
  }

  command(method, path, body) {
    return this.request(method, `/session/${this.session}${path}`, body);
  }

  /** Runs `work` when all before it is done, with the tab's window at hand. */
  with(tab, work) {
    const result = this.last.then(async () => {
      if (this.shown !== tab.handle) await this.command("POST", "/window", { handle: tab.handle });
      this.shown = tab.handle;
      return work();
    });
    this.last = result.catch(() => undefined);
    return result;
  }

  async close() {
    this.webKit.profiles.delete(this);
    if (this.session) await this.command("DELETE", "").catch(() => undefined);
    if (this.driver) await ended(this.driver);
  }
}

class Tab {
  /** What a page must not do; it notes that itself (`app.complaints`), since the driver tells nothing of it. */
  kept = [];

  command(method, path, body) {
    return this.profile.with(this, () => this.profile.command(method, path, body));
  }

  /** Waits until a page is loaded that was not there before `action`. */
  async loaded(action) {
    await this.keepComplaints();
    await this.evaluate("window.isOld = true");
    await action();
    await until(() => this.evaluate("!window.isOld && document.readyState === 'complete'").catch(() => false), "the page is not loaded");
  }

  async go(url) {
    await this.keepComplaints();
    await this.command("POST", "/url", { url });
  }

  reload() {
    return this.loaded(() => this.command("POST", "/refresh", {}));
  }

  async keepComplaints() {
    this.kept.push(...(await this.evaluate("typeof app === 'object' ? app.complaints.splice(0) : []").catch(() => [])));
  }

  async complaints() {
    await this.keepComplaints();
    return this.kept;
  }

  async evaluate(expression) {
    const script = `const answer = arguments[0];
      (async () => (${expression}))().then(
        (value) => answer({ value: value === undefined ? null : value }), (error) => answer({ error: String(error) }));`;
    const { value, error } = await this.command("POST", "/execute/async", { script, args: [] });
    if (error) throw new Error(error);
    return value;
  }

  /** How dialogs are answered from now on: told the text, it gives what is typed, or whether it is accepted. */
  onDialog = () => false;

  /** What stands behind the # of the page's address. It is read without a script, which would hang behind a dialog. */
  async fragment() {
    return new URL(await this.command("GET", "/url")).hash.slice(1);
  }

  /** Waits for something while dialogs are answered. `isOver` must run no script in the page. */
  answering(isOver, complaint) {
    return until(async () => {
      try {
        return await isOver();
      } catch (error) {
        if (error.code !== "unexpected alert open") throw error;
      }
      const given = this.onDialog(await this.command("GET", "/alert/text"));
      if (typeof given === "string") await this.command("POST", "/alert/text", { text: given });
      await this.command("POST", given === false ? "/alert/dismiss" : "/alert/accept", {});
      return false;
    }, complaint);
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
