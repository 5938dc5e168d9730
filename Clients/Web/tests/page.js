// The app's page in the browser scenes. Its policy lets it run its own files and call the server, and nothing else.
"use strict";

const app = { run: [], answers: {}, ended: undefined, complaints: [] };

// For browsers whose driver does not tell.
addEventListener("error", (event) => app.complaints.push(String(event.message || event.target.src)), true);
addEventListener("unhandledrejection", (event) => app.complaints.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => app.complaints.push(`${event.violatedDirective} ${event.blockedURI}`));

/** Notes that a step is run, and answers as `app.answers` says; `never` is no answer, `later` what `app.give` is called with. */
function step(name) {
  return (...inputs) => {
    const words = [name, inputs[0] === true ? "needed" : "", inputs.find((input) => input && input.error)];
    app.run.push(words.map((word) => (word && word.error) || word).filter(Boolean).join(" "));
    const answers = app.answers[name] || [null];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === "later") return new Promise((resolve) => (app.give = resolve));
    return answer === "never" ? new Promise(() => undefined) : Promise.resolve(answer);
  };
}

function builder(library, isDesktop) {
  const made = new library.AuthenticatorBuilder().withAuthFinishStep(step("finish"));
  return isDesktop
    ? made.withInstantLinkFallback(step("linkStart"), step("linkRetry")).withRole("secondary")
    : made.withOtpFallback(step("otpStart"), step("otpFinish"));
}

function ending(promise) {
  app.ended = undefined;
  return promise.then(
    () => (app.ended = "done"),
    (error) => (app.ended = error.error || String(error)),
  );
}

/** What IndexedDB keeps: how many session keys and device keys, and whether any shows its private part. */
async function keptKeys() {
  const database = await new Promise((resolve) => {
    const opening = indexedDB.open("holdfast", 1);
    opening.onsuccess = () => resolve(opening.result);
  });
  const all = (name) =>
    new Promise((resolve) => {
      const reading = database.transaction(name).objectStore(name).getAll();
      reading.onsuccess = () => resolve(reading.result);
    });
  const [sessions, devices] = [await all("sessions"), await all("devices")];
  database.close();
  const showing = [...sessions, ...devices].filter((key) => key.privateKey.extractable || key.jwk.d).length;
  return { sessions: sessions.length, devices: devices.length, showing };
}
