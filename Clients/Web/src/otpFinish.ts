import { ProveAuthError } from "./errors";
import { ErrorName } from "./errorTable";
import { askInTime } from "./patience";
import { Run } from "./run";
import { codeIn } from "./state";
import { OtpFinishResult, OtpFinishResultType } from "./steps";

/** Runs the finish step, and does what the person wants. */
export async function enterCode(run: Run): Promise<void> {
  const { calls } = run;
  const steps = run.settings.steps.otp;
  if (!steps) throw calls.giveUp("step_missing");
  const error = run.takeError();
  const given = await askInTime(run, () => (error ? steps.finish(error) : steps.finish()));
  const { resultType, input } = given || ({} as Partial<OtpFinishResult>);
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

function refusalOfChange(run: Run): ErrorName {
  const { otp } = run.calls.state!;
  if (otp && !otp.sendsLeft) return "sends_exhausted";
  return otp && !otp.phoneEntriesLeft ? "phone_entries_exhausted" : "phone_change_not_allowed";
}
