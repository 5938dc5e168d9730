import { Authenticator } from "./authenticator";
import { Browser } from "./browser";
import { Environment } from "./environment";
import { Messages } from "./errors";
import { Settings } from "./run";
import {
  AuthFinishStep, AuthFinishStepFn, functionOf, InstantLinkRetryStep, InstantLinkRetryStepFn, InstantLinkStartStep,
  InstantLinkStartStepFn, OtpFinishStep, OtpFinishStepFn, OtpStartStep, OtpStartStepFn,
} from "./steps";

/** `primary`: the phone's browser. `secondary`: a desktop that waits for the phone. */
export type Role = "primary" | "secondary";

/** How a page does Mobile Auth: by leaving and coming back, or not at all. The vendor's two names are taken as `navigate`. */
export type MobileAuthImplementation = "navigate" | "none" | "fetch" | "pixel";

/** Collects the steps of the app. Every `with` changes this builder and gives it back. */
export class AuthenticatorBuilder {
  private readonly settings: Settings = { steps: {}, servers: [], messages: {}, usesDeviceKey: true, testMode: false };
  private mobileAuth: MobileAuthImplementation = "navigate";

  /** @param environment played by tests; the browser's without one. */
  constructor(private readonly environment: Environment = new Browser()) {}

  /** What is run once when the session is over, however it went: only the backend knows the result. */
  withAuthFinishStep(step: AuthFinishStep | AuthFinishStepFn): this {
    this.settings.steps.finish = functionOf<AuthFinishStepFn>(step);
    return this;
  }

  withOtpFallback(startStep: OtpStartStep | OtpStartStepFn, finishStep: OtpFinishStep | OtpFinishStepFn): this {
    this.settings.steps.otp = {
      start: functionOf<OtpStartStepFn>(startStep), finish: functionOf<OtpFinishStepFn>(finishStep),
    };
    return this;
  }

  withInstantLinkFallback(
    startStep: InstantLinkStartStep | InstantLinkStartStepFn, retryStep?: InstantLinkRetryStep | InstantLinkRetryStepFn,
  ): this {
    this.settings.steps.link = {
      start: functionOf<InstantLinkStartStepFn>(startStep),
      retry: retryStep && functionOf<InstantLinkRetryStepFn>(retryStep),
    };
    return this;
  }

  withRole(role: Role): this {
    this.settings.role = role;
    return this;
  }

  withMobileAuthImplementation(implementation: MobileAuthImplementation): this {
    this.mobileAuth = implementation;
    return this;
  }

  /** The page that Mobile Auth comes back to, registered with the API client. Without it there is no Mobile Auth on the web. */
  withMobileAuthReturnUrl(url: string): this {
    this.settings.mobileAuthReturnURL = url;
    return this;
  }

  /** Sandbox: Mobile Auth without a mobile network. */
  withMobileAuthTestMode(): this {
    this.settings.testMode = true;
    return this;
  }

  /** Whether a key of this browser may stand in for a code at later visits; so unless told otherwise. */
  withDeviceKey(isUsed: boolean): this {
    this.settings.usesDeviceKey = isUsed;
    return this;
  }

  /** The servers that a token may name. Without any, each https server is taken. */
  withServers(...servers: string[]): this {
    this.settings.servers = servers;
    return this;
  }

  /** Sentences for the person in another language, by the error's name. */
  withMessages(messages: Messages): this {
    this.settings.messages = messages;
    return this;
  }

  build(): Authenticator {
    const settings = { ...this.settings, steps: { ...this.settings.steps } };
    if (this.mobileAuth === "none") settings.mobileAuthReturnURL = undefined;
    return new Authenticator(this.environment, settings);
  }
}
