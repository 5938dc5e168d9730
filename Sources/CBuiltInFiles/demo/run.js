// One session, from the shop's button to the result: the page's part of it, in the library's own words.
import { AuthenticatorBuilder } from "/sdk/holdfast.js";

import { readResult, startSession } from "./backend.js";

const key = "holdfast.demo";
const pollMilliseconds = 3000;

export class Run {
  #timers = [];

  constructor({ choice, session, name, phoneNumber }, { shop, phone, journal }) {
    Object.assign(this, { choice, session, name, phoneNumber, shop, phone, journal });
  }

  /** Lets the backend start a session. */
  static async start(choice, { name, phoneNumber }, parts) {
    const noted = parts.journal.begin("start", "the backend");
    try {
      const session = await startSession(choice, phoneNumber);
      noted.end(session.authToken ? "the page gets the auth token" : "no app is needed");
      return new Run({ choice, session, name, phoneNumber }, parts);
    } catch (error) {
      noted.end(error.message, true);
      throw error;
    }
  }

  /** The run that this tab's page has left, for Mobile Auth or by a reload. */
  static kept(parts) {
    try {
      const kept = JSON.parse(sessionStorage.getItem(key));
      if (!kept) return undefined;
      parts.journal.restore(kept.journal);
      return new Run(kept, parts);
    } catch {
      return undefined;
    } finally {
      sessionStorage.removeItem(key);
    }
  }

  #keep() {
    const { choice, session, name, phoneNumber, journal } = this;
    sessionStorage.setItem(key, JSON.stringify({ choice, session, name, phoneNumber, journal: journal.kept() }));
  }

  /** Goes to the end. `result` is what the backend read, `problem` a sentence for the person. */
  async go(isBack = false) {
    const leave = () => this.#keep();
    window.addEventListener("pagehide", leave);
    this.phone.listen(this.session.correlationId);
    this.#timers.push(setInterval(() => this.look(), pollMilliseconds));
    try {
      if (!this.session.authToken) return { result: await this.#read() };
      await this.#authenticate(isBack);
      return { result: this.result };
    } catch (error) {
      this.journal.note("authenticate", `failed: ${error.error || error.message}. ${error.developerMessage || ""}`, true);
      return { result: this.result, problem: error.message, canGoOn: !this.result };
    } finally {
      window.removeEventListener("pagehide", leave);
      this.#timers.forEach(clearInterval);
      this.journal.close();
      await this.look();
    }
  }

  /** Another run takes its place: nothing of this one is shown any more. */
  stop() {
    this.isStopped = true;
    this.phone.stop();
  }

  async #authenticate(isBack) {
    const authenticator = this.#builder().build();
    this.cancel = () => this.running && this.running.cancel();
    if (isBack) {
      this.journal.note("resume", "the page is back");
      this.shop.working("One moment …", this.cancel);
    } else {
      this.journal.note("authenticate", "the library takes over");
    }
    // A page that comes back from the mobile network calls `resume`; after a reload, the same token goes on.
    if (isBack && (await authenticator.resume())) return;
    this.running = authenticator.authenticate(this.session.authToken);
    await this.running;
  }

  #builder() {
    const { check, options } = this.choice;
    const builder = new AuthenticatorBuilder().withAuthFinishStep(this.#step("finish", () => this.#read()));
    const ask = (needed, error) => (needed ? this.shop.askNumber(error) : null);
    if (check === "link") {
      return builder
        .withInstantLinkFallback(
          this.#step("linkStart", ask), this.#step("linkRetry", (error) => this.shop.waitForLink(error)))
        .withRole("secondary");
    }
    builder
      .withOtpFallback(this.#step("otpStart", ask), this.#step("otpFinish", (error) => this.shop.askCode(error)))
      .withDeviceKey(check === "device");
    return check === "mobile" ? builder.withMobileAuthReturnUrl(`${location.origin}/demo`) : builder;
  }

  /** A step that is noted when it runs and when it has answered. */
  #step(name, act) {
    return async (...inputs) => {
      const noted = this.journal.begin(name, describeInputs(name, inputs));
      try {
        const answer = await act(...inputs);
        noted.end(describeAnswer(name, answer));
        return answer;
      } catch (error) {
        noted.end("given up", true);
        throw error;
      }
    };
  }

  async #read() {
    this.result = await readResult(this.session.correlationId);
    return this.result;
  }

  /** Looks at the session in the sandbox, for the timeline. */
  async look() {
    if (this.isLooking) return (this.looksAgain = true);
    this.isLooking = true;
    try {
      const response = await fetch(`/sandbox/sessions/${this.session.correlationId}`);
      const session = response.ok && (await response.json());
      if (session && !this.isStopped) this.journal.session(session);
    } catch {
      // The next look may succeed.
    }
    this.isLooking = false;
    if (this.looksAgain) {
      this.looksAgain = false;
      return this.look();
    }
  }
}

function describeInputs(name, inputs) {
  const error = inputs.find((input) => input && input.error);
  const needed = /Start$/.test(name) ? `phoneNumberNeeded: ${inputs[0]}` : "";
  return [needed, error && `error: ${error.error}`].filter(Boolean).join(", ");
}

function describeAnswer(name, answer) {
  if (name === "finish") return `the backend read success: ${answer.success}`;
  if (/Start$/.test(name)) return answer ? "a number" : "no number needed";
  const wishes = name === "otpFinish" ? ["a code", "send again", "another number"] : ["send again", "another number"];
  return wishes[name === "otpFinish" ? answer.resultType : answer];
}
