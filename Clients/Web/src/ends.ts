import { ProveAuthError } from "./errors";

/** How a run leaves off in the middle: thrown from wherever it is found out. */
export class End {
  constructor(
    /** `follow`: the run goes on, from the newest state. */
    readonly way: "done" | "givenUp" | "broken" | "follow",
    readonly error?: ProveAuthError,
  ) {}
}

/** A promise, and how it is settled from outside. */
export class Signal<T> {
  readonly promise: Promise<T>;
  resolve!: (value: T) => void;
  reject!: (error: unknown) => void;

  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Whoever waits hears of a failure; if nobody does any more, it is nobody's business.
    this.promise.catch(() => undefined);
  }
}
