// What stands around the guides' code: the names that it leaves to the app, and a note of each step that is run.
const app = { run: [], ended: undefined, complaints: [] };
addEventListener("error", (event) => app.complaints.push(String(event.message)));
addEventListener("unhandledrejection", (event) => app.complaints.push(String(event.reason)));

const backendUrl = "";

// GUIDE web/initialize
// GUIDE web/authenticate
// GUIDE web/verify
// GUIDE web/send-info

/** The guide has each tab's functions under the same names. */
const steps = {
  "otp-start-no-prompt": (() => {
    // GUIDE web/otp-start-no-prompt
    return otpStartStep;
  })(),
  "otp-start-prompt": (() => {
    // GUIDE web/otp-start-prompt
    return otpStartStep;
  })(),
  "otp-finish": (() => {
    // GUIDE web/otp-finish
    return otpFinishStep;
  })(),
  "otp-finish-resend": (() => {
    // GUIDE web/otp-finish-resend
    return otpFinishStep;
  })(),
  "otp-finish-phone-change": (() => {
    // GUIDE web/otp-finish-phone-change
    return otpFinishStep;
  })(),
  "link-start-no-prompt": (() => {
    // GUIDE web/link-start-no-prompt
    return instantLinkStartStep;
  })(),
  "link-start-prompt": (() => {
    // GUIDE web/link-start-prompt
    return instantLinkStartStep;
  })(),
  "link-retry-resend": (() => {
    // GUIDE web/link-retry-resend
    return instantLinkRetryStep;
  })(),
  "link-retry-phone-change": (() => {
    // GUIDE web/link-retry-phone-change
    return instantLinkRetryStep;
  })(),
};
// The guides for Android and iOS call it so.
steps["otp-finish-no-prompt"] = steps["otp-finish"];

/** A start step, noted as it is run. */
const starting = (name, step) => (needed, error) => {
  app.run.push([name, needed ? "needed" : "", error ? error.error : ""].filter(Boolean).join(" "));
  return step(needed, error);
};

/** A step that gets an error or nothing, noted as it is run. */
const noted = (name, step) => (error) => {
  app.run.push(error ? `${name} ${error.error}` : name);
  return step(error);
};

// The names that the guide's `authenticate` takes.
const otpStart = starting("otpStart", steps["otp-start-no-prompt"]);
const otpFinish = noted("otpFinish", steps["otp-finish"]);
const instantLink = starting("linkStart", steps["link-start-no-prompt"]);

function isMobileBrowser() {
  // GUIDE web/is-mobile
  return isMobile;
}

/** Runs a scene: the builder as the guide has it, with the tab's steps. */
function play({ start, finish, retry }, authToken) {
  const builder = new proveAuth.AuthenticatorBuilder().withDeviceKey(false)
    .withAuthFinishStep(() => void app.run.push("finish"));
  if (finish) builder.withOtpFallback(starting("otpStart", steps[start]), noted("otpFinish", steps[finish]));
  else {
    builder.withInstantLinkFallback(starting("linkStart", steps[start]), retry && noted("linkRetry", steps[retry]))
      .withRole("secondary");
  }
  end(builder.build().authenticate(authToken));
}

/** The guide's way from the backend's token to the form. */
function signUp(isMobileWeb, phoneNumber, ssn) {
  end(initialize(phoneNumber, ssn, isMobileWeb ? "mobile" : "desktop")
    .then((authToken) => authenticate(isMobileWeb, authToken)));
}

/** The address says whether the run has ended: a driver can read it beside a dialog. */
function end(promise) {
  app.ended = undefined;
  history.replaceState(null, "", "#runs");
  promise.then(() => "done", (error) => error.error || String(error)).then((ended) => {
    app.ended = ended;
    history.replaceState(null, "", "#ended");
  });
}
