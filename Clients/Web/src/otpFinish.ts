import { End, Signal } from "./ends";
import { ProveAuthError } from "./errors";
import { ErrorName } from "./errorTable";
import { Run } from "./run";
import { codeIn } from "./state";
import { OtpFinishResult, OtpFinishResultType } from "./steps";

/** After a look that found the session alive. */
const againSeconds = 30;

/** Runs the finish step, and does what the person wants. */
export async function enterCode(run: Run): Promise<void> {
  const { calls } = run;
  const steps = run.settings.steps.otp;
  if (!steps) throw calls.giveUp("step_missing");
  const error = run.takeError();
  const given = await answerInTime(run, () => (error ? steps.finish(error) : steps.finish()));
  if (!given) return;
  const { resultType, input } = given.result || ({} as Partial<OtpFinishResult>);
  try {
    if (resultType === OtpFinishResultType.OnResendOtp) {
      if (calls.can("otp.resend")) await run.sendMessage("/session/otp/resend", {});
      else run.pendingError = calls.error("sends_exhausted");
    } else if (resultType === OtpFinishResultType.OnMobileNumberChange) {
      if (calls.can("otp.phone")) await run.start("otp", true);
      else run.pendingError = calls.error(refusalOfChange(run));
    } else {
      const code = codeIn(input && input.otp);
      if (code) await calls.post("/session/otp/verify", { code });
      else run.pendingError = calls.error("otp_mismatch");
    }
  } catch (reason) {
    if (!(reason instanceof ProveAuthError)) throw reason;
    run.pendingError = reason;
  }
}

/** The step's answer; nothing if the session has moved on without it. */
async function answerInTime(
  run: Run, step: () => Promise<OtpFinishResult> | OtpFinishResult,
): Promise<{ result: OtpFinishResult } | undefined> {
  const { calls, environment } = run;
  const answer = run.answerOf(step).then((result) => ({ result }));
  answer.catch(() => undefined);
  let milliseconds = endOf(run) + 1000 - calls.storedNow() || 0;
  for (;;) {
    const over = new Signal<undefined>();
    const take = environment.timer(Math.max(0, milliseconds), () => over.resolve(undefined));
    let given;
    try {
      given = await calls.first<{ result: OtpFinishResult } | undefined>(answer, over.promise);
    } finally {
      take();
    }
    if (given) return given;
    if (calls.isTokenOver) throw new End("done");
    await calls.read();
    if (calls.state!.step !== "otpFinish") return undefined;
    milliseconds = againSeconds * 1000;
  }
}

/** When time itself ends the session, in milliseconds. */
function endOf(run: Run): number {
  const { expiresAt, otp } = run.calls.state!;
  return Date.parse((otp && !otp.sendsLeft && otp.codeExpiresAt) || expiresAt);
}

function refusalOfChange(run: Run): ErrorName {
  const { otp } = run.calls.state!;
  if (otp && !otp.sendsLeft) return "sends_exhausted";
  return otp && !otp.phoneEntriesLeft ? "phone_entries_exhausted" : "phone_change_not_allowed";
}
