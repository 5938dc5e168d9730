import { Calls } from "./calls";
import { deviceProve } from "./deviceKey";
import { End } from "./ends";
import { Environment } from "./environment";
import { Messages, numberErrors, ProveAuthError } from "./errors";
import { ErrorName } from "./errorTable";
import { waitForLink } from "./linkWait";
import { makeKey } from "./jose";
import { forgetAway, mobileAuth, Return, takeReturn } from "./mobileAuth";
import { enterCode } from "./otpFinish";
import { askInTime } from "./patience";
import { Body } from "./state";
import { Steps } from "./steps";
import { readToken } from "./token";

export const version = "1.0.0";
const mostSteps = 40;

/** What the builder was told. */
export interface Settings {
  steps: Steps;
  role?: string;
  servers: readonly string[];
  messages: Messages;
  usesDeviceKey: boolean;
  mobileAuthReturnURL?: string;
  testMode: boolean;
}

/** One `authenticate`, from its call to its end (`Clients/PROTOCOL.md`). */
export class Run {
  calls!: Calls;
  /** For the step that is run next. */
  pendingError?: ProveAuthError;
  /** This run does without these. */
  gaveUpDeviceKey = false;
  gaveUpMobileAuth = false;
  private stepsRun = 0;
  private failedMessages = 0;
  private stopped?: End;

  constructor(
    readonly environment: Environment,
    readonly settings: Settings,
    readonly token: string,
  ) {}

  /** The app cancels. */
  cancel(reason?: unknown): void {
    this.stop(new End("givenUp", this.newError("cancelled", reason)));
  }

  async go(): Promise<void> {
    let end: unknown;
    try {
      const arrival = await this.prepare();
      if (this.stopped) throw this.stopped;
      await this.follow(() => (arrival ? arrival.finish(this) : this.redeem()));
      while (this.calls.state!.status !== "done") await this.follow(() => this.advance());
      end = new End("done");
    } catch (reason) {
      end = reason;
    }
    if (end instanceof ProveAuthError) end = endBy(end);
    await this.leave(end instanceof End ? end : new End("broken", this.newError("internal", end)));
  }

  /** Token and session key, before the first call. */
  private async prepare(): Promise<Return | undefined> {
    const { environment, settings, token } = this;
    const claims = readToken(token, settings.servers);
    if ("error" in claims) throw new End("broken", this.newError(claims.error, undefined, claims.detail));
    let key;
    try {
      key = await environment.keys.session(claims.authID, () => makeKey(environment.now()));
    } catch (cause) {
      throw new End("broken", this.newError("key_unavailable", cause));
    }
    this.calls = new Calls(environment, token, claims, key, settings.messages);
    const arrival = takeReturn(environment, token);
    this.calls.isRedeemed = !!arrival;
    return arrival;
  }

  private async redeem(): Promise<void> {
    const { steps, role, usesDeviceKey, mobileAuthReturnURL, testMode } = this.settings;
    const isSecondary = role === "secondary";
    const isMobileAuthPossible = !!mobileAuthReturnURL && !isSecondary;
    const fields: Body = { platform: "web", sdk: "holdfast-web/" + version };
    if (steps.otp || steps.link) fields.fallback = steps.link && (isSecondary || !steps.otp) ? "link" : "otp";
    fields.deviceKey = usesDeviceKey && !isSecondary && (await this.environment.keys.isLasting());
    fields.cellular = isMobileAuthPossible ? "unknown" : "no";
    if (isMobileAuthPossible) fields.mobileAuthReturnUrl = mobileAuthReturnURL;
    if (testMode) fields.testMode = true;
    await this.calls.post("/session", fields);
  }

  /** Does something; where the server says that the session is elsewhere, that is where the run goes on. */
  private async follow(something: () => Promise<void>): Promise<void> {
    try {
      await something();
    } catch (reason) {
      if (!(reason instanceof End) || reason.way !== "follow") throw reason;
    }
  }

  private async advance(): Promise<void> {
    const { calls } = this;
    const { step } = calls.state!;
    switch (step) {
      case "otpStart": return this.start("otp", false);
      case "linkStart": return this.start("link", false);
      case "otpFinish": return enterCode(this);
      case "linkWait": return waitForLink(this);
    }
    if (step === "device" && calls.can("device") && !this.gaveUpDeviceKey) return deviceProve(this);
    if (calls.can("mobileAuth") && !this.gaveUpMobileAuth && this.settings.mobileAuthReturnURL) return mobileAuth(this);
    if (calls.can("otp.start")) return this.start("otp", false);
    if (calls.can("link.start")) return this.start("link", false);
    throw calls.giveUp("no_check_left");
  }

  /**
   * Runs a start step until there is a number to send to, or none is needed, and has the message sent.
   *
   * @param isChange the person wants another number.
   */
  async start(kind: "otp" | "link", isChange: boolean): Promise<void> {
    const { calls } = this;
    const steps = this.settings.steps[kind];
    if (!steps) throw calls.missing(kind);
    const isNeeded = isChange || calls.state!.phone.needed;
    let error = isChange ? undefined : this.takeError();
    let hadNothing = false;
    for (;;) {
      const given = await askInTime(this, () => (error ? steps.start(isNeeded, error) : steps.start(isNeeded)));
      const isObject = !!given && typeof given === "object";
      const number: unknown = isObject ? given.phoneNumber : given;
      const isNothing = number === undefined || number === null;
      const isMistake = !isObject || typeof number !== "string";
      // Nothing, in place of a number, may be a person's mistake: the second time it is the app's.
      if (isNeeded && isMistake && !(isNothing && !hadNothing)) {
        throw calls.giveUp("step_invalid", undefined, `${kind}Start must give {phoneNumber}, a text.`);
      }
      hadNothing = isNothing;
      const phoneNumber = typeof number === "string" ? number.trim() : "";
      if (isNeeded && !phoneNumber) {
        error = calls.error("phone_number_required");
        continue;
      }
      try {
        await this.sendMessage(`/session/${kind}${isChange ? "/phone" : ""}`, isNeeded ? { phoneNumber } : {});
        return;
      } catch (reason) {
        if (!(reason instanceof ProveAuthError)) throw reason;
        const isOfNumber = numberErrors.indexOf(reason.error) >= 0;
        if (isChange && !isOfNumber) {
          this.pendingError = reason;
          return;
        }
        const canHelp = isOfNumber || reason.error === "sms_failed" || reason.error === "rate_limited";
        if (!isNeeded || !canHelp) throw endBy(reason);
        error = reason;
      }
    }
  }

  /** A call that sends a message; one that fails is sent once more. */
  async sendMessage(path: string, fields: Body): Promise<void> {
    try {
      await this.calls.post(path, fields);
    } catch (reason) {
      if (!(reason instanceof ProveAuthError) || reason.error !== "sms_failed") throw reason;
      if (++this.failedMessages > 2) throw new End("givenUp", reason);
      if (this.failedMessages > 1) throw reason;
      await this.calls.pause(1000);
      await this.sendMessage(path, fields);
    }
  }

  /** Runs a step of the app. If it gives up, the run does. */
  async answerOf<T>(step: () => Promise<T> | T): Promise<T> {
    if (++this.stepsRun > mostSteps) throw this.calls.giveUp("too_many_steps");
    try {
      return await step();
    } catch (cause) {
      throw this.calls.giveUp("cancelled", cause);
    }
  }

  takeError(): ProveAuthError | undefined {
    const error = this.pendingError;
    this.pendingError = undefined;
    return error;
  }

  private async leave(end: End): Promise<void> {
    const { calls, environment } = this;
    if (end.way === "broken" || !calls) throw end.error;
    const { authID } = calls.claims;
    if (end.way === "givenUp" && calls.haveBegun && !(calls.state && calls.state.status === "done")) {
      const { error } = end.error!;
      await calls.cancel(error === "cancelled" ? "user" : error);
    }
    const { finish } = this.settings.steps;
    if (finish) await finish({ authId: authID });
    // Not before: a page that is killed, or whose finish step failed, can come here again.
    forgetAway(environment, this.token);
    await environment.keys.forgetSession(authID).catch(() => undefined);
    const hasSucceeded = calls.state && calls.state.outcome === "succeeded";
    if (end.way === "givenUp" && !hasSucceeded) throw end.error;
  }

  private stop(end: End): void {
    this.stopped = end;
    if (this.calls) this.calls.stop(end);
  }

  private newError(name: ErrorName, cause?: unknown, detail?: string): ProveAuthError {
    return new ProveAuthError(name, { messages: this.settings.messages, cause, detail });
  }
}

/** The end that a refusal nobody can deal with comes to. */
function endBy(refusal: ProveAuthError): End {
  return new End(refusal.error === "rate_limited" ? "broken" : "givenUp", refusal);
}
