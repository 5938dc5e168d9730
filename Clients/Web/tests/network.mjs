// The world as Node has it, with a network that can be made to fail, and pauses that nobody has to wait for.
import { PlayedKeys, PlayedTab } from "./played.mjs";

/** Timers up to this are pauses; they fire at once. Longer ones wait for what does not come in these runs. */
const PAUSE_MILLISECONDS = 10_000;

export class NodeEnvironment {
  isPhone = true;
  requests = [];
  wakers = new Set();
  isAlive = true;

  /** @param options.fault `(request, number, go) => answer`: stands between the library and the server. */
  constructor(options = {}) {
    this.keys = options.keys ?? new PlayedKeys(options.hasDeviceKey ?? false);
    this.tab = options.tab ?? new PlayedTab();
    this.fragment = options.fragment ?? "";
    this.fault = options.fault ?? ((request, number, go) => go());
    this.clockOff = options.clockOff ?? 0;
    this.readsDate = options.readsDate ?? true;
    this.hasRealPauses = options.hasRealPauses ?? false;
    this.navigations = [];
  }

  async fetch(url, request) {
    if (!this.isAlive) return new Promise(() => undefined);
    this.requests.push({ path: url.replace(/^.*\/client\/v1/, ""), method: request.method, body: request.body });
    const go = () => this.exchange(url, request);
    const answer = await this.fault(this.requests.at(-1), this.requests.length, go);
    return this.isAlive ? answer : new Promise(() => undefined);
  }

  async exchange(url, { method, headers, body, signal }) {
    const response = await fetch(url, { method, headers, body, signal, redirect: "error" });
    const text = await response.text();
    const header = (name) => (name === "Date" && !this.readsDate ? null : response.headers.get(name));
    return { status: response.status, header, text: async () => text };
  }

  now() {
    return Date.now() + this.clockOff * 1000;
  }

  elapsed() {
    return performance.now();
  }

  random() {
    return 0;
  }

  timer(milliseconds, callback) {
    const wait = milliseconds <= PAUSE_MILLISECONDS && !this.hasRealPauses ? 0 : milliseconds;
    const timer = setTimeout(callback, wait);
    return () => clearTimeout(timer);
  }

  onWake(callback) {
    this.wakers.add(callback);
    return () => this.wakers.delete(callback);
  }

  navigate(url) {
    this.navigations.push(url);
  }

  takeFragment() {
    return this.fragment;
  }

  /** The process ends: nothing goes out any more, nothing comes in. */
  kill() {
    this.isAlive = false;
  }

  get paths() {
    return this.requests.map(({ method, path }) => `${method} ${path.split("?")[0]}`);
  }
}

/** An answer that no server of ours has given. */
export function made(status, value, headers = {}) {
  return {
    status,
    header: (name) => headers[name] ?? null,
    text: async () => (typeof value === "string" ? value : JSON.stringify(value)),
  };
}

/** Follows the redirects of Mobile Auth to where the page comes back; what stands after its `#`. */
export async function fragmentAfter(url, returnURL) {
  for (let hops = 0; hops <= 10; hops += 1) {
    const answer = await fetch(url, { redirect: "manual" });
    const next = answer.headers.get("location");
    if (!next) throw new Error(`the chain ends with ${answer.status}`);
    url = new URL(next, url).href;
    if (url.startsWith(returnURL)) return new URL(url).hash;
  }
  throw new Error("the chain does not end");
}
