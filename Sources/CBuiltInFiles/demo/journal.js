// What has happened: the steps of the page, the calls, and the session's timeline.
import { byId, element, timeOf } from "./dom.js";
import { explain } from "./events.js";

const mostCalls = 80;

export class Journal {
  steps = [];
  calls = [];
  timeline = [];
  #rows = new Map();
  #clearedAt = 0;

  clear() {
    this.steps = [];
    this.calls = [];
    this.timeline = [];
    this.#rows.clear();
    this.#clearedAt = Date.now();
    for (const id of ["steps", "calls", "timeline"]) byId(id).replaceChildren();
  }

  /** What a page that comes back needs to show it all again. */
  kept() {
    return { steps: this.steps, calls: this.calls.slice(-mostCalls) };
  }

  restore({ steps, calls }) {
    this.clear();
    this.#clearedAt = 0;
    for (const step of steps) this.#showStep(Object.assign(step, { isOpen: false }));
    for (const call of calls) this.call(call);
  }

  /** Notes that a step begins. */
  begin(title, detail = "") {
    const step = { id: crypto.randomUUID(), at: Date.now(), title, detail, isOpen: true };
    this.#showStep(step);
    return {
      end: (outcome, isFailed = false) => this.#showStep(Object.assign(step, { outcome, isFailed, isOpen: false })),
    };
  }

  /** A step that nobody waits for any more will never answer. */
  close() {
    for (const step of this.steps.filter(({ isOpen }) => isOpen)) {
      this.#showStep(Object.assign(step, { outcome: "no longer needed", isOpen: false }));
    }
  }

  note(title, outcome, isFailed) {
    this.begin(title).end(outcome, isFailed);
  }

  #showStep(step) {
    if (!this.steps.includes(step)) this.steps.push(step);
    const state = step.isOpen ? "open" : step.isFailed ? "failed" : "ended";
    this.#row("steps", step.id, (row) => {
      row.className = state;
      row.replaceChildren(
        element("span", { class: "mark", "aria-hidden": "true" }),
        element(
          "div", {},
          element("code", {}, step.title), step.detail && element("span", { class: "soft" }, ` ${step.detail}`),
          element("p", { class: "outcome" }, step.isOpen ? "waits" : step.outcome)),
        element("time", {}, timeOf(step.at)));
    });
  }

  /** Shows a call, or what has become of it. */
  call(call) {
    if (call.at < this.#clearedAt) return;
    if (!this.calls.includes(call)) this.calls.push(call);
    const isBad = typeof call.status === "string" ? call.status === "no answer" : call.status >= 400;
    this.#row("calls", call.id, (row) => {
      const wasOpen = row.querySelector("details")?.open;
      const hadFocus = row.contains(document.activeElement);
      row.className = isBad ? "failed" : "";
      row.replaceChildren(element(
        "details", { open: wasOpen },
        element(
          "summary", {},
          element("span", { class: `maker by-${call.maker}` }, call.maker),
          element("span", { class: "path" }, `${call.method} ${call.path}`),
          element("span", { class: "status" }, call.status === undefined ? "waits" : String(call.status)),
          element("span", { class: "soft took" }, call.milliseconds === undefined ? "" : `${call.milliseconds} ms`)),
        part("Sent", call.sent), part("Received", call.received)));
      if (hadFocus) row.querySelector("summary").focus();
    });
  }

  /** Shows the session as the server has it. */
  session({ events }) {
    events.slice(this.timeline.length).forEach((event) => {
      this.timeline.push(event);
      this.#row("timeline", `event-${this.timeline.length}`, (row) => row.replaceChildren(
        element("span", { class: "mark", "aria-hidden": "true" }),
        element(
          "div", {}, element("code", {}, event.event), event.detail && element("span", { class: "soft" }, ` ${event.detail}`),
          element("p", { class: "outcome" }, explain(event.event))),
        element("time", { dateTime: event.at }, timeOf(event.at))));
    });
  }

  #row(list, id, fill) {
    let row = this.#rows.get(id);
    if (!row) {
      row = element("li");
      this.#rows.set(id, row);
      byId(list).append(row);
    }
    fill(row);
  }
}

function part(title, text) {
  return text && element("div", {}, element("p", { class: "soft" }, title), element("pre", {}, text));
}
