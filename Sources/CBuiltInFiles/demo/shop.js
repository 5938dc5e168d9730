// The shop's page: one screen at a time. A screen that asks gives a promise, which is what the library's steps want.
import { announce, button, byId, element, field, heading } from "./dom.js";

const cancelled = () => new Error("The person cancelled.");

export class Shop {
  #root = byId("shop");

  /** Puts up a screen. The focus goes with it only if it was in the shop, or nowhere. */
  #show(title, ...children) {
    const had = this.#root.contains(document.activeElement);
    const top = heading(title);
    this.#root.replaceChildren(top, ...children.filter(Boolean));
    const first = this.#root.querySelector("[aria-invalid], [data-first]") || top;
    if (had) first.focus();
    else announce(`The shop’s page: ${title}`);
    if (had && first !== top) announce(title);
  }

  signUp({ name, phoneNumber, asksLater, error }, create) {
    const isFirst = !this.#root.firstChild;
    const form = element(
      "form", {
        noValidate: true,
        onsubmit: (event) => {
          event.preventDefault();
          const { name: typed, phoneNumber: number } = form.elements;
          create({ name: typed.value.trim(), phoneNumber: asksLater ? "" : number.value.trim() });
        },
      },
      field("Name", "name", { value: name, autocomplete: "off" }),
      !asksLater && field(
        "Mobile number", "phoneNumber", { type: "tel", value: phoneNumber, autocomplete: "off", required: true }, error),
      asksLater && error && element("p", { class: "error" }, error),
      element("button", { type: "submit", class: "first" }, "Create account"));
    if (isFirst) this.#root.replaceChildren(heading("Create your account"), form);
    else this.#show("Create your account", form);
  }

  working(text, cancel) {
    this.#show(
      text, element("div", { class: "working", "aria-hidden": "true" }, element("span"), element("span"), element("span")),
      cancel && element("div", { class: "more" }, button("Cancel", cancel, "quiet")));
  }

  /** A step that needs a number. */
  askNumber(error) {
    return new Promise((resolve, reject) => {
      const form = element(
        "form", {
          noValidate: true,
          onsubmit: (event) => {
            event.preventDefault();
            const phoneNumber = form.elements.askedNumber.value.trim();
            this.working("One moment …");
            resolve({ phoneNumber });
          },
        },
        field("Mobile number", "askedNumber", { type: "tel", autocomplete: "off", "data-first": "" }, error && error.message),
        element("button", { type: "submit", class: "first" }, "Continue"),
        element("div", { class: "more" }, button("Cancel", () => reject(cancelled()), "quiet")));
      this.#show("Which number is yours?", form);
    });
  }

  /** The step after the code was sent: 0 with a code, 1 for another message, 2 for another number. */
  askCode(error) {
    return new Promise((resolve, reject) => {
      const answer = (result) => {
        this.working("One moment …");
        resolve(result);
      };
      const form = element(
        "form", {
          noValidate: true,
          onsubmit: (event) => {
            event.preventDefault();
            answer({ input: { otp: form.elements.otp.value }, resultType: 0 });
          },
        },
        element("p", {}, "We sent a code to your phone. ", toPhone("Read it on the phone")),
        field(
          "Code", "otp", { inputMode: "numeric", autocomplete: "one-time-code", class: "digits", "data-first": "" },
          error && error.message),
        element("button", { type: "submit", class: "first" }, "Confirm"),
        element(
          "div", { class: "more" },
          button("Send again", () => answer({ resultType: 1 })),
          button("Other number", () => answer({ resultType: 2 })),
          button("Cancel", () => reject(cancelled()), "quiet")));
      this.#show("Enter the code", form);
    });
  }

  /** While the link is on its way: 0 for another message, 1 for another number. The end of the session ends it too. */
  waitForLink(error) {
    return new Promise((resolve, reject) => {
      const answer = (result) => {
        this.working("One moment …");
        resolve(result);
      };
      this.#show(
        "Open the link on your phone",
        element("p", {}, "We sent you a link. This page goes on by itself. ", toPhone("Go to the phone")),
        error && element("p", { class: "error" }, error.message),
        element("div", { class: "working", "aria-hidden": "true" }, element("span"), element("span"), element("span")),
        element(
          "div", { class: "more" },
          button("Send again", () => answer(0)), button("Other number", () => answer(1)),
          button("Cancel", () => reject(cancelled()), "quiet")));
    });
  }

  /** The end: what the backend read. `problem` is a sentence for the person. */
  ended({ result, name, problem }, actions) {
    const isProven = result && result.success === "true";
    const title = isProven ? `Welcome, ${name}` : "We could not confirm your number";
    this.#show(
      title,
      isProven
        ? element("p", { class: "verdict good" }, "Your number is confirmed.")
        : element("p", { class: "verdict bad" }, problem || "Please try again."),
      result && element(
        "dl", {},
        ["success", "phoneNumber", "deviceId"].filter((member) => result[member])
          .map((member) => element("div", {}, element("dt", {}, member), element("dd", {}, result[member])))),
      result && element("p", { class: "note" }, "This is what the backend read. The page itself is not told."),
      element("div", { class: "more" }, ...actions.map(([text, act, kind]) => button(text, act, kind))));
  }
}

/** A way to the phone where it is below the shop. */
function toPhone(text) {
  return element("a", { href: "#phone-part", class: "to-phone" }, text);
}
