import { Environment } from "./environment";
import { tokenAway } from "./mobileAuth";
import { Run, Settings } from "./run";

/** A promise whose run can be given up. */
export type CancellablePromise<T> = Promise<T> & { cancel(reason?: unknown): void };

/** Proves that the person holds the number. `AuthenticatorBuilder` makes it. */
export class Authenticator {
  private readonly runs = new Map<string, CancellablePromise<void>>();

  constructor(private readonly environment: Environment, private readonly settings: Settings) {}

  /** Whether this is the browser of a phone: what the backend needs to know to choose `mobile` or `desktop`. */
  isMobileWeb(): boolean {
    return this.environment.isPhone;
  }

  /**
   * Runs the checks of one session. The finish step has run when it resolves. It rejects with a `ProveAuthError` when the run was
   * given up or could not go on. With the same token, a run that is under way is joined, and one that broke is taken up.
   */
  authenticate(authToken: string): CancellablePromise<void> {
    const running = this.runs.get(authToken);
    if (running) return running;
    const run = new Run(this.environment, this.settings, typeof authToken === "string" ? authToken : "");
    const going = run.go().then(
      () => this.forget(authToken),
      (error) => {
        this.forget(authToken);
        throw error;
      },
    ) as CancellablePromise<void>;
    going.cancel = (reason) => run.cancel(reason);
    this.runs.set(authToken, going);
    return going;
  }

  /**
   * Goes on with a run whose page left for Mobile Auth. To be called when the page is loaded.
   *
   * @returns `false`, at once, if there is none.
   */
  async resume(): Promise<boolean> {
    const token = tokenAway(this.environment);
    if (token === undefined) return false;
    await this.authenticate(token);
    return true;
  }

  private forget(authToken: string): void {
    this.runs.delete(authToken);
  }
}

