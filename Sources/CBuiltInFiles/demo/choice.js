// What is played: the test user, the check, the settings.
import { byId, element } from "./dom.js";

const checks = [
  ["otp", "Code by SMS", "The phone gets a code; the person types it."],
  ["link", "Instant link", "A desktop waits; the person taps a link on the phone."],
  ["mobile", "Mobile Auth", "The mobile network confirms the number. Nothing to type."],
  ["device", "Device key", "The first visit needs a code, the second one nothing."],
];

const options = [
  ["asks", "The shop’s page asks for the number, not its backend"],
  ["retry", "Three tries at a code (allowOTPRetry)", true],
  ["rebind", "Device key: it may move to this number (rebind)"],
  ["reputation", "The number’s standing counts (checkReputation)"],
];

export class Choice {
  users = [];
  #form = byId("choice");

  /** Calls `changed` when something else is chosen, and `forget` to forget the device. */
  constructor(changed, forget) {
    this.#form.addEventListener("submit", (event) => event.preventDefault());
    this.#form.addEventListener("change", () => {
      // Before the users are there, there is nobody to play: what is chosen counts once they are.
      if (this.users.length === 0) return;
      this.#explain();
      changed();
    });
    byId("checks").append(...checks.map(([name, title, text], index) => element(
      "label", { class: "check" },
      element("input", { type: "radio", name: "check", value: name, checked: index === 0 }),
      element("span", {}, element("b", {}, title), element("span", { class: "soft" }, text)))));
    byId("options").append(
      ...options.map(([name, text, isSet]) => element(
        "label", {}, element("input", { type: "checkbox", name, checked: !!isSet }), element("span", {}, text))),
      element("button", { type: "button", class: "second", id: "forget", onclick: forget }, "Forget this device"));
  }

  async load() {
    const response = await fetch("/sandbox/users");
    if (!response.ok) throw new Error(`The sandbox answered ${response.status}.`);
    this.users = (await response.json()).users;
    const group = (label, users) => element(
      "optgroup", { label },
      users.map(({ phoneNumber, name }) => element("option", { value: phoneNumber }, `${name}, ${phoneNumber}`)));
    byId("user").replaceChildren(
      group("Proven by an app", this.users.filter((user) => !user.withoutClient)),
      group("Proven without an app", this.users.filter((user) => user.withoutClient)));
    this.#explain();
  }

  get value() {
    const elements = this.#form.elements;
    return {
      check: elements.check.value, user: this.user,
      options: Object.fromEntries(options.map(([name]) => [name, elements[name].checked])),
    };
  }

  get user() {
    return this.users.find(({ phoneNumber }) => phoneNumber === byId("user").value);
  }

  restore({ check, user, options: kept }) {
    const elements = this.#form.elements;
    byId("user").value = user.phoneNumber;
    elements.check.value = check;
    for (const [name, isSet] of Object.entries(kept)) elements[name].checked = isSet;
    this.#explain();
  }

  /** While a session runs, the choice stands. */
  set isFixed(isFixed) {
    for (const control of this.#form.elements) control.disabled = isFixed;
  }

  #explain() {
    const { check, user } = this.value;
    byId("user-note").textContent = user ? [user.note, outlook(check, user)].filter(Boolean).join(" ") : "";
  }
}

/** What this check will find with this user. */
function outlook(check, { otp, mobileAuth, link, withoutClient }) {
  if (withoutClient) return "The page has nothing to do.";
  if (check === "mobile") {
    if (mobileAuth === "match") return "Here: the network confirms the number.";
    return mobileAuth === "unavailable"
      ? "Here: no network answers, so a code follows." : "Here: the network does not confirm, so a code follows.";
  }
  if (check === "link") return link === "mismatch" ? "Here: an approval fails." : "Here: approve or deny on the phone.";
  return otp === "fail" ? "Here: no code is right." : "";
}
