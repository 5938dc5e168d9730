// The world of a vector: server, app, clock and storage, played by a script.

/** Keys as IndexedDB keeps them: for as long as the vector, whatever is killed. */
export class PlayedKeys {
  sessions = new Map();
  devices = new Map();

  constructor(lasts) {
    this.lasts = lasts;
  }

  async isLasting() {
    return this.lasts;
  }

  async session(authID, make) {
    if (!this.sessions.has(authID)) {
      const key = await make();
      if (!this.sessions.has(authID)) this.sessions.set(authID, key);
    }
    return this.sessions.get(authID);
  }

  async forgetSession(authID) {
    this.sessions.delete(authID);
  }

  async device(server) {
    return this.devices.get(server);
  }

  async keepDevice(server, key) {
    this.devices.set(server, key);
    return key;
  }
}

export class PlayedTab {
  text = null;
  get() {
    return this.text;
  }
  set(text) {
    this.text = text;
  }
  remove() {
    this.text = null;
  }
}

/** Time that passes only when it is told to. */
export class PlayedClock {
  timers = new Set();

  constructor(seconds) {
    this.milliseconds = seconds * 1000;
  }

  timer(milliseconds, callback) {
    const timer = { due: this.milliseconds + milliseconds, callback };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  get nextDue() {
    return Math.min(...[...this.timers].map((timer) => timer.due));
  }

  pass(milliseconds) {
    this.milliseconds += milliseconds;
    for (const timer of [...this.timers].sort((one, other) => one.due - other.due)) {
      if (timer.due <= this.milliseconds && this.timers.delete(timer)) timer.callback();
    }
  }
}

/** One process or page: what it does goes to `notice`. A killed one is deaf and dumb. */
export class PlayedEnvironment {
  isAlive = true;
  isPhone = true;
  wakers = new Set();

  constructor({ clock, keys, tab, clockOff, fragment = "", notice }) {
    Object.assign(this, { clock, keys, tab, clockOff, fragment });
    this.notice = (event) => {
      if (this.isAlive) notice(event);
    };
  }

  fetch(url, request) {
    return new Promise((resolve, reject) => {
      request.signal.addEventListener("abort", () => reject(new Error("aborted")));
      const answer = (value) => {
        if (value === "stalls" || !this.isAlive) return;
        if (value === "lost") return reject(new Error("the connection broke"));
        const headers = new Map(Object.entries(value.headers ?? {}).map(([name, text]) => [name.toLowerCase(), text]));
        resolve({
          status: value.status,
          header: (name) => headers.get(name.toLowerCase()) ?? null,
          text: async () => value.text ?? JSON.stringify(value.body),
        });
      };
      this.notice({ kind: "call", url, request, answer });
    });
  }

  now() {
    return this.clock.milliseconds + this.clockOff * 1000;
  }

  elapsed() {
    return this.clock.milliseconds;
  }

  random() {
    return 0;
  }

  timer(milliseconds, callback) {
    return this.clock.timer(milliseconds, callback);
  }

  onWake(callback) {
    this.wakers.add(callback);
    return () => this.wakers.delete(callback);
  }

  wake() {
    for (const callback of [...this.wakers]) callback();
  }

  navigate(url) {
    this.notice({ kind: "navigates", url });
  }

  takeFragment() {
    return this.fragment;
  }

  kill() {
    this.isAlive = false;
    this.clock.timers.clear();
  }
}
