// An app that notes how its steps are run, and answers as it is told.
import { AuthenticatorBuilder } from "../dist/holdfast.js";

export const NEVER = Symbol("never");

export class App {
  /** What was run, in order: `otpStart`, `otpFinish otp_mismatch`, `finish`. */
  run = [];

  /** @param answers by step: what it gives each time it is run; the last one counts from then on. */
  constructor(environment, answers = {}, configure = (builder) => builder) {
    this.answers = answers;
    let builder = new AuthenticatorBuilder(environment).withAuthFinishStep(({ authId }) => {
      this.authID = authId;
      return this.note("finish");
    });
    if (answers.linkStart !== undefined) {
      const retry = answers.linkRetry && ((error) => this.note("linkRetry", error));
      builder = builder.withRole("secondary")
        .withInstantLinkFallback((needed, error) => this.note("linkStart", error, needed), retry);
    } else {
      builder = builder.withOtpFallback(
        (needed, error) => this.note("otpStart", error, needed), (error) => this.note("otpFinish", error));
    }
    this.authenticator = configure(builder).build();
  }

  async note(name, error, needed) {
    this.run.push([name, needed ? "needed" : "", error?.error ?? ""].filter(Boolean).join(" "));
    const answers = this.answers[name] ?? [null];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    const value = typeof answer === "function" ? await answer() : answer;
    if (value === NEVER) return new Promise(() => undefined);
    if (value instanceof Error) throw value;
    return value;
  }

  /** How the run ended: `done`, or the name of the error. */
  async authenticate({ authToken }) {
    return this.ending(this.authenticator.authenticate(authToken));
  }

  ending(promise) {
    return promise.then(() => "done", (error) => error.error ?? String(error.stack));
  }
}

export const code = (otp) => ({ input: { otp }, resultType: 0 });
export const RESEND = { resultType: 1 };
export const CHANGE = { resultType: 2 };
