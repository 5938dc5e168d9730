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
  if (!steps) throw calls.missing("otp");
  const error = run.takeError();
  const given = await askInTime(run, () => (error ? steps.finish(error) : steps.finish()));
  const mistake = mistakeIn(given);
  if (mistake) throw calls.giveUp("step_invalid", undefined, "otpFinish: " + mistake);
  const { resultType, input } = given;
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

/** What is wrong with the form of an answer; a code of the wrong form is the person's mistake, and none of these. */
function mistakeIn(given: OtpFinishResult | null | undefined): string | undefined {
  if (!given || typeof given !== "object") return "it must give {input: {otp}, resultType}.";
  const { resultType, input } = given;
  if (resultType === OtpFinishResultType.OnResendOtp || resultType === OtpFinishResultType.OnMobileNumberChange) return;
  if (resultType !== undefined && resultType !== OtpFinishResultType.OnSuccess) return "resultType must be 0, 1 or 2.";
  return input && typeof input.otp === "string" ? undefined : "input.otp must be text.";
}

function refusalOfChange(run: Run): ErrorName {
  const { otp } = run.calls.state!;
  if (otp && !otp.sendsLeft) return "sends_exhausted";
  return otp && !otp.phoneEntriesLeft ? "phone_entries_exhausted" : "phone_change_not_allowed";
}
