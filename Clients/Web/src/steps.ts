import { ProveAuthError } from "./errors";

/** What an OTP finish step wants; the numbers are those of `resultType`. */
export enum OtpFinishResultType {
  OnSuccess = 0,
  OnResendOtp = 1,
  OnMobileNumberChange = 2,
}

/** What an instant link's retry step wants. */
export enum InstantLinkResultType {
  OnResend = 0,
  OnMobileNumberChange = 1,
}

export interface AuthFinishInput {
  authId: string;
}
export type AuthFinishStepFn = (input: AuthFinishInput) => unknown;
export interface AuthFinishStep {
  execute: AuthFinishStepFn;
}

export interface OtpStartInput {
  phoneNumber: string;
}
export type OtpStartStepFn = (
  phoneNumberNeeded: boolean,
  phoneValidationError?: ProveAuthError,
) => Promise<OtpStartInput | null> | OtpStartInput | null;
export interface OtpStartStep {
  execute: OtpStartStepFn;
}

export interface OtpFinishInput {
  otp: string;
}
export interface OtpFinishResult {
  input?: OtpFinishInput;
  resultType: OtpFinishResultType;
}
export type OtpFinishStepFn = (otpError?: ProveAuthError) => Promise<OtpFinishResult> | OtpFinishResult;
export interface OtpFinishStep {
  execute: OtpFinishStepFn;
}

export interface InstantLinkStartInput {
  phoneNumber: string;
}
export type InstantLinkStartStepFn = (
  phoneNumberNeeded: boolean,
  phoneValidationError?: ProveAuthError,
) => Promise<InstantLinkStartInput | null> | InstantLinkStartInput | null;
export interface InstantLinkStartStep {
  execute: InstantLinkStartStepFn;
}

/** May never answer. It gets the reason if the last resend was refused. */
export type InstantLinkRetryStepFn = (error?: ProveAuthError) => Promise<InstantLinkResultType> | InstantLinkResultType;
export interface InstantLinkRetryStep {
  execute: InstantLinkRetryStepFn;
}

type Anything = (...inputs: never[]) => unknown;

/** A step as a function, whichever form the app gave. */
export function functionOf<F extends Anything>(step: F | { execute: F }): F {
  return typeof step === "function" ? step : (step.execute.bind(step) as F);
}

/** The steps that the app gave. */
export interface Steps {
  finish?: AuthFinishStepFn;
  otp?: { start: OtpStartStepFn; finish: OtpFinishStepFn };
  link?: { start: InstantLinkStartStepFn; retry?: InstantLinkRetryStepFn };
}
