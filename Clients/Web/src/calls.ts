import { End, Signal } from "./ends";
import { Environment, HTTPAnswer, StoredKey } from "./environment";
import { breakingErrors, errorNameOf, Messages, ProveAuthError } from "./errors";
import { ErrorName } from "./errorTable";
import { dpopProof, uuid } from "./jose";
import { Body, State, stateIn } from "./state";
import { TokenClaims } from "./token";

const repeatSeconds = [0.5, 1, 2, 4];
const longestWaitSeconds = 60;
const callSeconds = 30;
const mostCalls = 40;
const mostFollowed = 5;
const mostClockRepeats = 6;
/** Longer than any session lives. */
const longestMilliseconds = 20 * 60 * 1000;

/** What came of one exchange. */
type Reading =
  | { kind: "ok"; body: Body }
  | { kind: "again"; error: ProveAuthError; afterSeconds?: number }
  | { kind: "refused"; error: ProveAuthError };

/**
 * The calls of one run: signed, repeated where that can help, and the newest state that they have brought.
 *
 * Every method may throw an `End`; a refusal that the run can deal with is thrown as `ProveAuthError`.
 */
export class Calls {
  state?: State;
  /** Known before there is a state only in a page that comes back. */
  isRedeemed = false;
  private calls = 0;
  private followed = 0;
  /** Milliseconds that the true time is ahead of the device's clock, as far as the server's complaints tell. */
  private clockShift = 0;
  private clockRepeats = 0;
  private complaintsInARow = 0;
  /** The stored time at which `elapsed` was 0. */
  private readonly storedStart: number;
  private readonly cancelled = new Signal<never>();

  constructor(
    readonly environment: Environment,
    private readonly token: string,
    readonly claims: TokenClaims,
    readonly key: StoredKey,
    private readonly messages: Messages,
  ) {
    const age = Math.min(Math.max(0, environment.now() - key.madeAt), longestMilliseconds);
    this.storedStart = claims.iat * 1000 + age - environment.elapsed();
  }

  /** Ends whatever is waited for. */
  stop(end: End): void {
    this.cancelled.reject(end);
  }

  error(name: ErrorName, more: { retryAfterSeconds?: number; cause?: unknown; detail?: string } = {}): ProveAuthError {
    return new ProveAuthError(name, { ...more, messages: this.messages });
  }

  giveUp(name: ErrorName, cause?: unknown, detail?: string): End {
    return new End("givenUp", this.error(name, { cause, detail }));
  }

  /** The end of a run whose app has no steps for where the session is. */
  missing(kind: "otp" | "link"): End {
    const builder = kind === "otp" ? "withOtpFallback" : "withInstantLinkFallback";
    return this.giveUp("step_missing", undefined, `It is at ${this.state!.step}, for which there is ${builder}.`);
  }

  /** Whether the server may know of this run. */
  get haveBegun(): boolean {
    return this.calls > 0;
  }

  /** The time that moments in a state go by: the token's, and what has passed since. It is never early. */
  storedNow(): number {
    return this.storedStart + this.environment.elapsed();
  }

  /** No server's word makes a run outlive its token. */
  get endOfToken(): number {
    return this.claims.iat * 1000 + longestMilliseconds;
  }

  get isTokenOver(): boolean {
    return this.storedNow() >= this.endOfToken;
  }

  proofSeconds(): number {
    return Math.floor((this.environment.now() + this.clockShift) / 1000);
  }

  can(action: string): boolean {
    return this.state!.allowed.indexOf(action) >= 0;
  }

  /** Waits for the first of these, or until the run is stopped. */
  first<T>(...promises: Promise<T>[]): Promise<T> {
    return Promise.race([...promises, this.cancelled.promise]);
  }

  async pause(milliseconds: number, ...others: Promise<unknown>[]): Promise<void> {
    const over = new Signal<void>();
    const take = this.environment.timer(milliseconds, () => over.resolve());
    try {
      await this.first<unknown>(over.promise, ...others);
    } finally {
      take();
    }
  }

  /** A step of the protocol. Its body goes out once, and again only if no answer comes. */
  async post(path: string, fields: Body): Promise<Body> {
    if (++this.calls > mostCalls) throw this.giveUp("too_many_steps");
    return this.send("POST", path, { ...fields, requestId: uuid() });
  }

  async read(): Promise<void> {
    await this.send("GET", "/session");
  }

  /** Repeated once at most, and whatever comes of it is no reason to stop. */
  async cancel(reason: string): Promise<void> {
    try {
      await this.send("POST", "/session/cancel", { reason, requestId: uuid() }, 1);
    } catch {
      // The session ends by itself.
    }
  }

  private async send(method: string, path: string, body?: Body, most = repeatSeconds.length): Promise<Body> {
    const isLast = path === "/session/cancel";
    for (let repeats = 0; ; ) {
      const reading = await this.exchange(method, path, { body, isLast });
      if (reading.kind === "ok") return reading.body;
      if (reading.kind === "refused") throw reading.error;
      if (reading.afterSeconds === 0) continue;
      if (repeats >= most) throw new End("broken", reading.error);
      const spread = 1 + this.environment.random() / 2;
      const seconds = reading.afterSeconds || repeatSeconds[repeats] * spread;
      repeats += 1;
      await (isLast ? this.pauseForCancel(seconds) : this.pause(seconds * 1000));
    }
  }

  /** A cancelled run still has its cancel to send. */
  private pauseForCancel(seconds: number): Promise<void> {
    return new Promise((resolve) => this.environment.timer(seconds * 1000, resolve));
  }

  /**
   * One call and what its answer means; the state in it is kept.
   *
   * @param options `abort`: gives up waiting for the answer.
   */
  async exchange(
    method: string,
    path: string,
    options: { body?: Body; isLast?: boolean; seconds?: number; abort?: Promise<unknown> } = {},
  ): Promise<Reading> {
    const { environment } = this;
    const url = this.claims.aud + path;
    const headers: Record<string, string> = {
      Authorization: "DPoP " + this.token,
      DPoP: await dpopProof(this.key, {
        method, url, iat: this.proofSeconds(), jti: uuid(), token: this.token, nonce: this.claims.nonce,
      }),
    };
    if (options.body) headers["Content-Type"] = "application/json";
    const controller = new AbortController();
    const late = new Signal<undefined>();
    const take = environment.timer((options.seconds || callSeconds) * 1000, () => late.resolve(undefined));
    const answer = environment
      .fetch(url, {
        method, headers, body: options.body && JSON.stringify(options.body), signal: controller.signal,
      })
      .then(readAnswer)
      .catch(() => undefined);
    const waits: Promise<Answer | undefined>[] = [answer, late.promise];
    if (options.abort) waits.push(options.abort.then(() => undefined));
    try {
      return this.interpret(await (options.isLast ? Promise.race(waits) : this.first(...waits)));
    } finally {
      take();
      controller.abort();
    }
  }

  private interpret(answer: Answer | undefined): Reading {
    if (!answer || !answer.body) return { kind: "again", error: this.error("network") };
    const { status, body } = answer;
    if (body.error !== "invalid_dpop_proof") this.complaintsInARow = 0;
    const state = stateIn(body, this.claims.authID);
    this.keep(state);
    if (status >= 200 && status < 300) {
      return state ? { kind: "ok", body } : { kind: "again", error: this.error("network") };
    }
    return this.refusal(errorNameOf(status, body.error), answer, !!state);
  }

  private refusal(name: ErrorName, { status, retryAfter, date }: Answer, hasState: boolean): Reading {
    const detail = name === "invalid_token" ? this.ageOfToken() : undefined;
    const error = this.error(name, { retryAfterSeconds: retryAfter, detail });
    const isRedeemed = this.isRedeemed || !!this.state;
    if ((name === "invalid_token" && isRedeemed) || (this.state && this.state.status === "done")) throw new End("done");
    if (name === "invalid_dpop_proof" && this.setsClock(date)) return { kind: "again", error, afterSeconds: 0 };
    if (name === "rate_limited" || (status >= 500 && name !== "sms_failed")) {
      if (!retryAfter || retryAfter <= longestWaitSeconds) return { kind: "again", error, afterSeconds: retryAfter };
      if (name === "internal") throw new End("broken", error);
    }
    if (hasState && (name === "invalid_state" || name === "session_done") && ++this.followed <= mostFollowed) {
      throw new End("follow");
    }
    if (name === "session_done") throw new End("done");
    if (name !== "rate_limited" && breakingErrors.indexOf(name) >= 0) throw new End("broken", error);
    return { kind: "refused", error };
  }

  /** What this device's clock, which may be wrong, says of a token that was refused. */
  private ageOfToken(): string | undefined {
    const { exp } = this.claims;
    if (typeof exp !== "number") return;
    const left = Math.round(exp - this.environment.now() / 1000);
    return `By this device's clock it ${left > 0 ? "is good for" : "expired"} ${Math.abs(left)} s${left > 0 ? "" : " ago"}.`;
  }

  /**
   * Sets the clock that proofs go by.
   *
   * @param date the server's, where the page may read it.
   * @returns `false` if that has been tried.
   */
  private setsClock(date: number | undefined): boolean {
    this.complaintsInARow += 1;
    this.clockRepeats += 1;
    if (this.clockRepeats > mostClockRepeats || this.complaintsInARow > (date ? 1 : 2)) return false;
    const now = this.environment.now();
    // Without a date, a clock that may be right is given a second chance: the call may have come twice.
    const mayBeRight = this.complaintsInARow === 1 && Math.abs(now - this.storedNow()) < longestMilliseconds;
    if (date) this.clockShift = date - now;
    else if (!mayBeRight) this.clockShift = this.storedNow() - now;
    return true;
  }

  private keep(state: State | undefined): void {
    if (state && (!this.state || state.rev >= this.state.rev)) this.state = state;
  }
}

interface Answer {
  status: number;
  body?: Body;
  retryAfter?: number;
  date?: number;
}

async function readAnswer(answer: HTTPAnswer): Promise<Answer> {
  const text = await answer.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // A captive portal, or a gateway.
  }
  const seconds = answer.header("Retry-After") || "";
  return {
    status: answer.status,
    body: body && typeof body === "object" ? (body as Body) : undefined,
    retryAfter: /^\d+$/.test(seconds) ? Math.max(1, +seconds) : undefined,
    date: Date.parse(answer.header("Date") || "") || undefined,
  };
}
