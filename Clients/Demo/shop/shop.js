// The page of the web guide: a token from the backend, the library's steps, the result from the backend.
"use strict";

const byId = (id) => document.getElementById(id);
const say = (text) => (byId("status").textContent = text);

async function call(path, body) {
  const response = await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

function show(id) {
  for (const form of document.forms) form.hidden = form.id !== id;
  const first = id && byId(id).querySelector("input");
  if (first) first.focus();
}

/** The backend names the number, so no prompt is needed. */
async function otpStart() {
  return null;
}

/** Runs again, with the error, after a wrong code. */
function otpFinish(error) {
  return new Promise((resolve) => {
    say(error ? error.message : "");
    show("otp");
    byId("otp").onsubmit = (event) => {
      event.preventDefault();
      const otp = byId("otp").elements.code.value;
      resolve({ input: { otp }, resultType: 0 });
    };
    byId("resend").onclick = () => resolve({ resultType: 1 });
  });
}

async function instantLink() {
  say("Open the link that we sent to your phone.");
  return null;
}

/** Runs when the checks are over, however they went: only the backend knows the result. */
async function verify() {
  const result = await call("/verify", {});
  if (!result.success) {
    show();
    return say("We could not confirm your number.");
  }
  byId("firstNameInput").value = result.firstName;
  byId("lastNameInput").value = result.lastName;
  say("Your number is confirmed. Are these your names?");
  show("person");
}

async function authenticate(isMobileWeb, authToken) {
  let builder = new proveAuth.AuthenticatorBuilder().withAuthFinishStep(verify);
  builder = isMobileWeb
    ? builder.withOtpFallback(otpStart, otpFinish)
    : builder.withInstantLinkFallback(instantLink).withRole("secondary");
  await builder.build().authenticate(authToken);
}

byId("start").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { phoneNumber, ssn } = event.target.elements;
  // ?flow=mobile plays the phone's browser on a desktop.
  const isMobileWeb = new URLSearchParams(location.search).get("flow") === "mobile"
    || new proveAuth.AuthenticatorBuilder().build().isMobileWeb();
  try {
    const { authToken } = await call("/initialize", {
      phoneNumber: phoneNumber.value, flowType: isMobileWeb ? "mobile" : "desktop", ssn: ssn.value });
    show();
    await authenticate(isMobileWeb, authToken);
  } catch (error) {
    say(error.message);
  }
});

byId("person").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const { success } = await call("/finish", {
      firstName: byId("firstNameInput").value, lastName: byId("lastNameInput").value });
    show();
    say(success ? "Thank you, you have signed up." : "These names do not fit.");
  } catch (error) {
    say(error.message);
  }
});
