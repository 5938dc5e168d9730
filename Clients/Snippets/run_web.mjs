#!/usr/bin/env node
// Plays the scenes of scenes.json, and those that are the web's alone, with the guide's functions, in Chromium and in WebKit:
// run_web.mjs BINARY FILES, where FILES is what `snippets.py fill web` has written.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

import { Chromium, until } from "../Web/tests/chromium.mjs";
import { Sandbox } from "../Web/tests/sandbox.mjs";
import { WebKit } from "../Web/tests/webkit.mjs";

const [binary, files] = process.argv.slice(2);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const SCENES = JSON.parse(readFileSync(here("scenes.json"), "utf8"))
  .filter(({ platforms = ["web"] }) => platforms.includes("web"));
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1";
const LINK_PAGE = /text message/;
let failed = false;

/** The person: what is typed and pressed, by the text of the dialog. What a dialog takes from `acts` is done. */
function person(acts) {
  return (text) => {
    const [act, value] = (acts[0] ?? "").split(" ");
    if (LINK_PAGE.test(text)) {
      if (act === "received" || act === "closes") acts.shift();
      if (act === "closes") return false;
      if (act !== "resend" && act !== "change") return true;
      acts.shift();
      return false;
    }
    const wanted = /phone number/.test(text) ? "number" : "code";
    if (act !== wanted && act !== "nothing") throw new Error(`"${text}", but the person wants ${acts[0]}`);
    acts.shift();
    return act === "nothing" ? false : value;
  };
}

/** The page says so in its address. */
const isEnded = async (tab) => (await tab.fragment()) === "ended";

async function play(scene, { sandbox, tab }) {
  const isLink = !scene.finish;
  const fields = { allowOTPRetry: scene.allowOTPRetry ?? false };
  if (isLink) Object.assign(fields, { possessionType: "desktop", finalTargetUrl: "https://app.example/done" });
  const session = await sandbox.unify(scene.phoneNumber, fields);
  const sentTo = async () => (await sandbox.messages(session)).map(({ to }) => to.slice(-10));
  const acts = [...scene.person];
  tab.onDialog = person(acts);
  await tab.evaluate(`(app.run = [], play(${JSON.stringify(scene)}, "${session.authToken}"))`);
  await tab.answering(async () => {
    if (/^(approves|denies)$/.test(acts[0]) && (await sentTo()).length === scene.sentTo.length) {
      await sandbox.decide(session, acts.shift() === "approves" ? "approve" : "deny");
    }
    return isEnded(tab);
  }, "the run does not end");
  assert.deepEqual(await tab.evaluate("app.run"), scene.steps);
  assert.equal(await tab.evaluate("app.ended"), scene.ends ?? "done");
  assert.deepEqual(acts, [], "the person was not asked");
  assert.deepEqual(await sentTo(), scene.sentTo);
  assert.equal(await sandbox.success(session), scene.success);
}

const ANOTHER = {
  "the whole sign-up, on a phone": {
    userAgent: IPHONE,
    snippets: ["is-mobile", "initialize", "authenticate", "otp-start-no-prompt", "otp-finish", "verify", "send-info"],
    play: (world) => signUp(world, true, ["otpStart", "otpFinish"]),
  },
  "the whole sign-up, on a desktop": {
    snippets: ["is-mobile", "initialize", "authenticate", "link-start-no-prompt", "verify", "send-info"],
    play: (world) => signUp(world, false, ["linkStart"]),
  },
  "no message has come, and the page is opened again": { snippets: ["otp-start-no-prompt", "otp-finish"], play: noMessage },
};

/** The guide's step then never answers: the run waits, and goes on in the page that is opened next. */
async function noMessage({ sandbox, tab }) {
  const session = await sandbox.unify("2001004014");
  const snippets = { start: "otp-start-no-prompt", finish: "otp-finish" };
  const begin = () => tab.evaluate(`play(${JSON.stringify(snippets)}, "${session.authToken}")`);
  const acts = ["closes"];
  tab.onDialog = person(acts);
  await begin();
  await tab.answering(async () => (await tab.fragment()) === "runs" && !acts.length, "nothing is asked");
  assert.deepEqual(await tab.evaluate("app.run"), ["otpStart", "otpFinish"]);
  assert.equal(await tab.evaluate("app.ended === undefined"), true);
  assert.equal(await sandbox.success(session), "pending");
  await tab.reload();
  tab.onDialog = person(["code 1234"]);
  await begin();
  await tab.answering(() => isEnded(tab), "the run does not end");
  assert.deepEqual(await tab.evaluate("app.run"), ["otpFinish", "finish"]);
  assert.equal(await sandbox.success(session), "true");
}

async function signUp({ sandbox, tab }, isMobile, steps) {
  assert.equal(await tab.evaluate("isMobileBrowser()"), isMobile);
  const known = new Set((await everyMessage(sandbox)).map(({ link }) => link));
  tab.onDialog = person(["code 1234"]);
  await tab.evaluate(`signUp(isMobileBrowser(), "2001001693", "6227")`);
  await tab.answering(async () => {
    const link = !isMobile && (await everyMessage(sandbox)).map((message) => message.link).find((one) => one && !known.has(one));
    if (link) {
      known.add(link);
      await fetch(link, { method: "POST", body: new URLSearchParams({ decision: "approve" }), redirect: "manual" });
    }
    return isEnded(tab);
  }, "the run does not end");
  assert.equal(await tab.evaluate("app.ended"), "done");
  assert.deepEqual(await tab.evaluate("app.run"), steps);
  assert.deepEqual(await tab.evaluate("[firstNameInput.value, lastNameInput.value]"), ["Marcia", "Longo"]);
  assert.deepEqual(JSON.parse(await tab.evaluate(`sendInfo("Marcia", "Longo")`)), { success: true });
}

async function everyMessage(sandbox) {
  return (await (await fetch(`${sandbox.url}/sandbox/messages`)).json()).messages;
}

async function perform(browser, name, snippets, scene, world) {
  const names = snippets.map((one) => `web/${one}`).join(" ");
  try {
    await scene(world);
    assert.deepEqual(await world.tab.complaints(), []);
    console.log(`ok ${browser.name} | ${name} | ${names}`);
  } catch (error) {
    failed = true;
    console.log(`FAILED ${browser.name} | ${name} | ${names}\n${error.stack}`);
  }
}

/** Another name than in the other guides. */
const ownName = (name) => (name === "otp-finish-no-prompt" ? "otp-finish" : name);

async function playAll(browser, world) {
  const profile = await browser.profile();
  try {
    world.tab = await profile.open({ url: world.url });
    for (const scene of SCENES) {
      const snippets = [scene.start, scene.finish ?? scene.retry].filter(Boolean).map(ownName);
      await perform(browser, scene.name, snippets, () => play(scene, world), world);
    }
  } finally {
    await profile.close();
  }
  for (const [name, { userAgent, snippets, play: scene }] of Object.entries(ANOTHER)) {
    const own = await browser.profile();
    try {
      world.tab = await own.open({ url: world.url, userAgent });
      await perform(browser, name, snippets, scene, world);
    } finally {
      await own.close();
    }
  }
}

async function startBackend(sandbox) {
  const port = await new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(address.port));
    });
  });
  const backend = spawn("python3", [here("backend.py"), String(port), files], {
    stdio: "inherit", env: { ...process.env, HOLDFAST: sandbox.url } });
  const url = `http://127.0.0.1:${port}/`;
  await until(() => fetch(url).then(({ ok }) => ok, () => false), "the backend does not start");
  return { backend, url };
}

const sandbox = await Sandbox.start(binary);
// Also where an error of this script ends it.
process.on("exit", () => sandbox.process.kill());
const { backend, url } = await startBackend(sandbox);
process.on("exit", () => backend.kill());
try {
  for (const Browser of [Chromium, WebKit]) {
    const browser = await Browser.start();
    await playAll(browser, { sandbox, url }).finally(() => browser.stop());
  }
} finally {
  backend.kill();
  await sandbox.stop();
}
process.exit(failed ? 1 : 0);
