import { errorTable, ErrorName } from "./errorTable";

/** Sentences for the person, by name of the error: what a translation replaces. */
export type Messages = Partial<Record<ErrorName, string>>;

/** Why a step is run again, or why a run failed. It has no number and no token in it. */
export class ProveAuthError extends Error {
  /** The name of the error, such as `otp_mismatch`. */
  readonly error: ErrorName;
  readonly code: number;
  /** What the developer should know; `message` is for the person. */
  readonly developerMessage: string;
  /** After which to come back, where a limit was hit. */
  readonly retryAfterSeconds?: number;
  /** What the app's own step gave as its reason. */
  readonly cause?: unknown;

  constructor(name: ErrorName, more: { messages?: Messages; retryAfterSeconds?: number; cause?: unknown; detail?: string } = {}) {
    const [code, developer, person] = errorTable[name];
    super((more.messages && more.messages[name]) || person);
    // For classes that were made older JavaScript of.
    Object.setPrototypeOf(this, ProveAuthError.prototype);
    this.name = "ProveAuthError";
    this.error = name;
    this.code = code;
    this.developerMessage = developer + (more.detail ? " " + more.detail : "");
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.cause = more.cause;
  }
}

/** The error that an answer stands for; one with a strange name is taken by its status. */
export function errorNameOf(status: number, name: unknown): ErrorName {
  if (typeof name === "string" && Object.prototype.hasOwnProperty.call(errorTable, name)) return name as ErrorName;
  if (status === 429) return "rate_limited";
  return status >= 500 ? "internal" : "invalid_request";
}

/** The errors that a number can be the reason of: they lead back to the start step. */
export const numberErrors: readonly ErrorName[] = [
  "phone_number_required", "phone_number_invalid", "phone_number_not_allowed",
];

/** The errors that end a run without a cancel: no server, no valid token, a mistake in the app or the library. */
export const breakingErrors: readonly ErrorName[] = [
  "invalid_request", "invalid_token", "invalid_dpop_proof", "token_already_used", "origin_not_allowed", "invalid_state",
  "request_id_reused", "rate_limited", "internal", "network", "key_unavailable", "token_missing", "token_malformed",
  "server_not_expected",
];
