#!/usr/bin/env node
// Runs the built library against a sandbox server of its own, in Node and in browsers: server.mjs BINARY [TEXT OF A NAME].
// BROWSERS names those that are wanted, "Chromium WebKit" without it. The seed of random choices is SEED.
// The last line is "N passed, M failed".
import * as adversity from "./adversity.mjs";
import { Chromium } from "./chromium.mjs";
import { randomFrom } from "./hostile.mjs";
import * as pages from "./pages.mjs";
import * as ordinary from "./scenes.mjs";
import { Sandbox } from "./sandbox.mjs";
import { Shop } from "./shop.mjs";
import { WebKit } from "./webkit.mjs";

const [binary, only = ""] = process.argv.slice(2);
const LIMIT_MILLISECONDS = 60_000;
const wanted = (process.env.BROWSERS ?? "Chromium WebKit").split(" ");
const browsers = wanted.map((name) => ({ Chromium, WebKit })[name]);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
let passed = 0;
let failed = 0;
let strayFailure;
process.on("unhandledRejection", (reason) => (strayFailure = reason));

function within(promise) {
  let timer;
  const late = new Promise((resolve, reject) => {
    timer = setTimeout(() => reject(new Error("it does not end")), LIMIT_MILLISECONDS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function perform(name, scene, world, place = "") {
  const sentence = place + name.replaceAll("_", " ");
  if (typeof scene !== "function" || !sentence.includes(only)) return;
  strayFailure = undefined;
  try {
    const note = await within(scene(world));
    await new Promise(setImmediate);
    if (strayFailure) throw new Error(`unhandled rejection: ${strayFailure.stack ?? strayFailure}`);
    passed += 1;
    console.log(`ok ${sentence}${note ? ` (${note})` : ""}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${sentence}\n${error.stack}`);
  }
}

const world = { sandbox: await Sandbox.start(binary), random: randomFrom(seed), seed };
try {
  for (const [name, scene] of [...Object.entries(ordinary), ...Object.entries(adversity)]) {
    await perform(name, scene, world);
  }
  world.shop = await Shop.start(world.sandbox.url);
  for (const Browser of browsers) {
    world.browser = await Browser.start();
    for (const [name, scene] of Object.entries(pages)) await perform(name, scene, world, `${world.browser.name}: `);
    await world.browser.stop();
    world.browser = undefined;
  }
} finally {
  await world.browser?.stop();
  await world.shop?.stop();
  await world.sandbox.stop();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
