// The phone: its messages, and the page that a link opens.
import { announce, button, byId, element, field, heading, timeOf } from "./dom.js";

const waitSeconds = 25;

export class Phone {
  #root = byId("phone");
  #messages = [];
  #ending;

  constructor() {
    this.#showMessages();
    const tick = () => (byId("phone-clock").textContent = timeOf(Date.now()).slice(0, 5));
    tick();
    setInterval(tick, 10_000);
  }

  /** Waits for the messages of one session, until `stop`. */
  async listen(correlationId) {
    this.stop();
    const ending = (this.#ending = new AbortController());
    this.#messages = [];
    this.#showMessages();
    let query = "";
    while (!ending.signal.aborted) {
      try {
        const response = await fetch(`/sandbox/messages${query}`, { signal: ending.signal });
        if (!response.ok) throw new Error(`The sandbox answered ${response.status}.`);
        const { messages } = await response.json();
        if (messages.length) query = `?after=${encodeURIComponent(messages.at(-1).id)}&wait=${waitSeconds}`;
        else if (!query) query = `?wait=${waitSeconds}`;
        messages.filter((message) => message.correlationId === correlationId).forEach((message) => this.#arrived(message));
      } catch {
        // After a while the server may be back.
        if (!ending.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 2000));
      }
    }
  }

  stop() {
    if (this.#ending) this.#ending.abort();
  }

  #arrived(message) {
    if (this.#messages.some(({ id }) => id === message.id)) return;
    this.#messages.push(message);
    announce(`A message on the phone: ${message.text}`);
    if (!this.#isBrowsing) this.#showMessages();
  }

  get #isBrowsing() {
    return !!this.#root.querySelector(".browser");
  }

  #put(...children) {
    const had = this.#root.contains(document.activeElement);
    this.#root.replaceChildren(...children);
    if (had) this.#root.querySelector("h3").focus();
  }

  #showMessages() {
    this.#put(
      heading("Messages"),
      this.#messages.length
        ? element("ol", { class: "messages" }, this.#messages.map((message) => this.#bubble(message)))
        : element("p", { class: "empty" }, "No messages yet."));
  }

  /** A message as text; the link in it can be tapped. */
  #bubble({ text, link, sentAt }) {
    const [before, after] = link ? text.split(link) : [text, ""];
    return element(
      "li", {},
      element(
        "p", { class: "bubble" }, before,
        link && element("button", { type: "button", class: "link", onclick: () => this.#open(link) }, link), after),
      element("time", { class: "soft", dateTime: sentAt }, timeOf(sentAt).slice(0, 5)));
  }

  /** Opens a link as the phone's browser does. */
  async #open(link, options) {
    const url = new URL(link);
    try {
      const response = await fetch(url.pathname, options);
      const final = new URL(response.url);
      if (final.searchParams.has("asc")) return this.#showBack(final);
      // Its style is not for this page, whose policy would refuse it with a complaint.
      const text = (await response.text()).replace(/<style[^]*?<\/style>/gi, "");
      this.#showPage(url, new DOMParser().parseFromString(text, "text/html"));
    } catch {
      this.#browse(url.host + url.pathname, heading("The page does not open"));
    }
  }

  /** The server's page in the phone's own look: only its text is taken over. */
  #showPage(url, page) {
    const textOf = (node) => node.textContent.replace(/\s+/g, " ").trim();
    const form = page.querySelector("form");
    const code = form && form.querySelector("input");
    const decide = (decision) => () => {
      const body = new URLSearchParams({ decision });
      const typed = byId("phone-code");
      if (typed) body.set(code.name, typed.value);
      this.#open(url.href, { method: "POST", body });
    };
    this.#browse(
      url.host + url.pathname,
      heading(textOf(page.querySelector("h1"))),
      ...[...page.querySelectorAll("dl")].map((list) => element(
        "dl", {}, [...list.children].map((row) => element(
          "div", {}, [...row.children].map((cell) => element(cell.matches("dt") ? "dt" : "dd", {}, textOf(cell))))))),
      ...[...page.querySelectorAll("main > p")].map((paragraph) => element(
        "p", { class: paragraph.matches(".warning") ? "warning" : "" }, textOf(paragraph))),
      code && field(textOf(form.querySelector("label")), "phone-code", { inputMode: "numeric", class: "digits" }),
      ...(form ? [...form.querySelectorAll("button")].map((control) => button(
        textOf(control), decide(control.value), control.value === "approve" ? "first" : "second")) : []));
  }

  #showBack(url) {
    const isApproved = url.searchParams.get("asc") === "true";
    this.#browse(
      url.host + url.pathname, heading("Back at the shop"),
      element("p", {}, isApproved
        ? "Thank you. You can go on in the other window." : "This was not confirmed. You can close this page."),
      element("p", { class: "soft" }, `asc=${url.searchParams.get("asc")}`));
  }

  #browse(address, ...children) {
    this.#put(element(
      "div", { class: "browser" },
      element(
        "div", { class: "address" }, button("Messages", () => this.#showMessages(), "quiet"),
        element("span", {}, address)),
      element("div", { class: "page" }, ...children.filter(Boolean))));
  }
}
