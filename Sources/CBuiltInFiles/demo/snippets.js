// The code behind what is played, for four languages.

const server = location.origin;

export const languages = [["web", "Web"], ["swift", "Swift"], ["java", "Java"], ["curl", "curl"]];

export function snippet(language, choice) {
  return makers[language](choice).trim() + "\n";
}

const makers = {
  web: ({ check, options }) => `
import { AuthenticatorBuilder } from "${server}/sdk/holdfast.js";

// Your backend calls /v3/unify and hands the page the auth token only.
const { authToken } = await (await fetch("/start", { method: "POST" })).json();
${check === "link" ? webLink(options) : webCode(check, options)}
`,

  swift: ({ check, options }) => `
import Foundation
import Holdfast

struct Finish: AuthFinishStep {
    // Ask your backend for the result: it calls /v3/unify-status.
    func execute(authId: String) { readResult() }
}
${check === "link" ? swiftLink(options) : swiftCode(check, options)}
DispatchQueue.global().async {
    // The auth token comes from your backend, which calls /v3/unify.
    proveAuth.authenticate(authToken) { error in show(error.localizedDescription) }
}
`,

  java: ({ check, options }) => `
import dev.holdfast.proveauth.*;

// Ask your backend for the result: it calls /v3/unify-status.
AuthFinishStep finish = authId -> readResult();
${check === "link" ? javaLink(options) : javaCode(check, options)}
// The auth token comes from your backend, which calls /v3/unify. Not on the main thread.
proveAuth.authenticate(authToken);
`,

  curl: (choice) => `
H=${server}
JSON='Content-Type: application/json'
post() { curl -sS "$H$1" -H "Authorization: Bearer $2" -H "$JSON" -d "$3"; echo; }

# The backend: an access token, and a session.
ACCESS=$(curl -sS "$H/token" -u sandbox:sandbox-secret -d grant_type=client_credentials | jq -r .access_token)
S=$(post /v3/unify "$ACCESS" '${JSON.stringify(unify(choice))}')
CORRELATION=$(jq -r .correlationId <<<"$S") AUTH=$(jq -r .authToken <<<"$S")

# The app. The sandbox takes the auth token as a plain bearer token; libraries sign each call.
${curlCheck(choice)}
# The backend reads the result.
post /v3/unify-status "$ACCESS" "{\\"correlationId\\":\\"$CORRELATION\\"}"
`,
};

function webCode(check, options) {
  return `
const authenticator = new AuthenticatorBuilder()
  // Your backend calls /v3/unify-status.
  .withAuthFinishStep(() => fetch("/finish", { method: "POST" }))
  .withOtpFallback(
    async (phoneNumberNeeded, error) => ${options.asks ? "({ phoneNumber: prompt(error?.message ?? \"Your number?\") })" : "null"},
    async (error) => ({ input: { otp: prompt(error?.message ?? "The code?") }, resultType: 0 }),
  )${check === "device" ? "" : "\n  .withDeviceKey(false)"}${check === "mobile" ? `
  // This page; registered with your API client.
  .withMobileAuthReturnUrl(location.href)` : ""}
  .build();
${check === "mobile" ? `
// The page leaves for the mobile network, and comes back: then it goes on here.
if (!(await authenticator.resume())) ` : ""}await authenticator.authenticate(authToken);`;
}

function webLink(options) {
  return `
const authenticator = new AuthenticatorBuilder()
  // Your backend calls /v3/unify-status.
  .withAuthFinishStep(() => fetch("/finish", { method: "POST" }))
  .withInstantLinkFallback(async (phoneNumberNeeded, error) =>
    ${options.asks ? "({ phoneNumber: prompt(error?.message ?? \"Your number?\") })" : "null"})
  .withRole("secondary")
  .build();
await authenticator.authenticate(authToken);`;
}

function swiftStart(name, options) {
  return `
struct ${name}Start: ${name}StartStep {
    func execute(phoneNumberNeeded: Bool, phoneValidationError: ProveAuthError?, callback: ${name}StartStepCallback) {
        ${options.asks ? `askForNumber { number in callback.onSuccess(input: ${name}StartInput(phoneNumber: number)) }`
    : "callback.onSuccess(input: nil) // the backend has named the number"}
    }
}`;
}

function swiftCode(check, options) {
  return `${swiftStart("Otp", options)}

struct OtpFinish: OtpFinishStep {
    // After a wrong code it runs again, with the error.
    func execute(otpError: ProveAuthError?, callback: OtpFinishStepCallback) {
        askForCode { code in callback.onSuccess(input: OtpFinishInput(otp: code)) }
    }
}

let proveAuth = ProveAuth.builder(authFinish: Finish())
    .withOtpFallback(otpStart: OtpStart(), otpFinish: OtpFinish())${check === "mobile" ? `
    .withMobileAuthTestMode() // sandbox: without a mobile network` : ""}
    .build()
`;
}

function swiftLink(options) {
  return `${swiftStart("InstantLink", options)}

let proveAuth = ProveAuth.builder(authFinish: Finish())
    .withInstantLinkFallback(startStep: InstantLinkStart(), retryStep: nil)
    .build()
// When the app is opened by finalTargetUrl:
// proveAuth.finishInstantLink(redirectUrl: url) { error in show(error.localizedDescription) }
`;
}

function javaStart(name, options) {
  return `
${name}StartStep start = (phoneNumberNeeded, error, callback) ->
    ${options.asks ? `askForNumber(number -> callback.onSuccess(new ${name}StartInput(number)));`
    : "callback.onSuccess(null); // the backend has named the number"}`;
}

function javaCode(check, options) {
  return `${javaStart("Otp", options)}
// After a wrong code it runs again, with the error.
OtpFinishStep code = (error, callback) ->
    askForCode(typed -> callback.onSuccess(new OtpFinishInput(typed)));

ProveAuth proveAuth = ProveAuth.builder()
    .withAuthFinishStep(finish)
    .withOtpFallback(start, code)${check === "mobile" ? `
    .withTestMode(true) // sandbox: without a mobile network` : ""}
    .withContext(context)
    .build();
`;
}

function javaLink(options) {
  return `${javaStart("InstantLink", options)}

ProveAuth proveAuth = ProveAuth.builder()
    .withAuthFinishStep(finish)
    .withInstantLinkFallback(start, null)
    .withContext(context)
    .build();
`;
}

/** What the backend asks for. */
export function unify({ check, user, options }) {
  return {
    possessionType: check === "link" ? "desktop" : "mobile",
    clientRequestId: "demo",
    ...(options.asks || !user ? {} : { phoneNumber: user.phoneNumber }),
    ...(check === "link" ? { finalTargetUrl: `${server}/demo?phone` } : { allowOTPRetry: options.retry }),
    ...(check === "device" && options.rebind ? { rebind: true } : {}),
    ...(options.reputation ? { checkReputation: true } : {}),
  };
}

function curlCheck({ check, user, options }) {
  const number = user ? user.phoneNumber : "";
  const start = options.asks ? `{"phoneNumber":"${number}"}` : "{}";
  const newest = (member) => `$(curl -sS -G "$H/sandbox/messages" --data-urlencode 'to=${number}' | jq -r '.messages[-1].${member}')`;
  const code = `post /client/v1/session/otp "$AUTH" '${start}'
CODE=${newest("code")}
post /client/v1/session/otp/verify "$AUTH" "{\\"code\\":\\"$CODE\\"}"
`;
  const redeem = (more) => `post /client/v1/session "$AUTH" '{"platform":"ios","sdk":"curl",${more}}'\n`;
  if (check === "link") {
    return `${redeem('"fallback":"link"')}post /client/v1/session/link "$AUTH" '${start}'
LINK=${newest("link")}
curl -sS -o /dev/null -w '%{http_code}\\n' -d decision=approve "$LINK" # the person taps Approve
`;
  }
  if (check === "mobile") {
    return `${redeem('"fallback":"otp","cellular":"yes"')}OFFER=$(post /client/v1/session/mobile-auth "$AUTH" '{}')
ARRIVED=$(curl -sSL "$(jq -r .authUrl <<<"$OFFER")")
RESULT=$(jq -c --argjson offer "$OFFER" '{attemptId: $offer.attemptId} + .' <<<"$ARRIVED")
post /client/v1/session/mobile-auth/finish "$AUTH" "$RESULT"
`;
  }
  const note = check === "device" ? "# A device key has to sign, which curl cannot: this is the first visit.\n" : "";
  return `${note}${redeem('"fallback":"otp","cellular":"no"')}${code}`;
}
