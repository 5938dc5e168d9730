// What an app's TypeScript may write. It is compiled against the declarations, not run.
import {
  Authenticator, AuthenticatorBuilder, ErrorName, InstantLinkResultType, OtpFinishResult, OtpFinishResultType,
  OtpStartInput, ProveAuthError,
} from "../dist/types/index";

function otpStart(phoneNumberNeeded: boolean, phoneValidationError?: ProveAuthError): Promise<OtpStartInput | null> {
  const text: string | undefined = phoneValidationError?.message;
  return Promise.resolve(phoneNumberNeeded ? { phoneNumber: text ?? "2001004014" } : null);
}

const otpFinish = {
  execute(otpError?: ProveAuthError): Promise<OtpFinishResult> {
    const name: ErrorName | undefined = otpError?.error;
    if (name === "otp_expired") return Promise.resolve({ resultType: OtpFinishResultType.OnResendOtp });
    return Promise.resolve({ input: { otp: "1234" }, resultType: 0 });
  },
};

const authenticator: Authenticator = new AuthenticatorBuilder()
  .withAuthFinishStep((input) => fetch(`/verify?${input.authId}`).then(() => null))
  .withOtpFallback(otpStart, otpFinish)
  .withMobileAuthImplementation("fetch")
  .withMobileAuthReturnUrl("https://shop.example/back")
  .withMobileAuthTestMode()
  .withDeviceKey(false)
  .withServers("https://device.example")
  .withMessages({ otp_mismatch: "Der Code stimmt nicht." })
  .build();
const going = authenticator.authenticate("token");
going.cancel("closed");
const isMobile: boolean = authenticator.isMobileWeb();
const resumed: Promise<boolean> = authenticator.resume();

new AuthenticatorBuilder()
  .withInstantLinkFallback(() => null, { execute: async () => InstantLinkResultType.OnResend })
  .withRole("secondary");

// @ts-expect-error a start step gives a number or nothing
new AuthenticatorBuilder().withOtpFallback(() => "2001004014", otpFinish);
// @ts-expect-error no such role
new AuthenticatorBuilder().withRole("tertiary");
// @ts-expect-error no such error
new AuthenticatorBuilder().withMessages({ otp_wrong: "" });

export { isMobile, resumed };
