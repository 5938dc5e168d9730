import { End, Signal } from "./ends";
import { Run } from "./run";

/** After a look that found the session alive. */
const againSeconds = 30;

/**
 * Runs a step of the app, which may never answer, and looks after the session meanwhile: once when it should be over, and not before.
 *
 * Throws an `End` if the session has moved on without the step.
 */
export async function askInTime<T>(run: Run, step: () => Promise<T> | T): Promise<T> {
  const { calls, environment } = run;
  const at = calls.state!.step;
  const answer = run.answerOf(step).then((result) => ({ result }));
  // One that is no longer waited for may fail as it likes.
  answer.catch(() => undefined);
  let milliseconds = Math.min(endOf(run), calls.endOfToken) + 1000 - calls.storedNow() || 0;
  for (;;) {
    const over = new Signal<undefined>();
    const take = environment.timer(Math.max(0, milliseconds), () => over.resolve(undefined));
    let given;
    try {
      given = await calls.first<{ result: T } | undefined>(answer, over.promise);
    } finally {
      take();
    }
    if (given) return given.result;
    await calls.read();
    if (calls.state!.step !== at || calls.state!.status === "done") throw new End("follow");
    if (calls.isTokenOver) throw new End("done");
    milliseconds = againSeconds * 1000;
  }
}

/** When time itself ends the session, in milliseconds. */
function endOf(run: Run): number {
  const { expiresAt, otp } = run.calls.state!;
  return Date.parse((otp && !otp.sendsLeft && otp.codeExpiresAt) || expiresAt);
}
