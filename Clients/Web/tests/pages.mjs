// The library in a real browser, on a page of another origin. Each scene is a function named by a sentence.
import assert from "node:assert/strict";

import { until } from "./chromium.mjs";
import { INGE, LORANT, PENNY } from "./scenes.mjs";

const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1";
const right = { otpFinish: [{ input: { otp: "1234" }, resultType: 0 }] };

/** A profile with one page; in the end nothing has gone wrong in any page of it. */
async function visit({ browser, shop }, play, { path = "/", url = shop.url + path, userAgent } = {}) {
  const profile = await browser.profile();
  const tabs = [];
  const open = async () => {
    tabs.push(await profile.open({ url, userAgent }));
    return tabs.at(-1);
  };
  try {
    await play(await open(), open);
    for (const tab of tabs) assert.deepEqual(await tab.complaints(), []);
  } finally {
    await profile.close();
  }
}

function start(tab, session, answers, { library = "proveAuth", isDesktop = false, more = "" } = {}) {
  return tab.evaluate(`app.answers = ${JSON.stringify(answers)},
    ending(builder(${library}, ${isDesktop})${more}.build().authenticate("${session.authToken}")), undefined`);
}

const ended = (tab) => until(() => tab.evaluate("app.ended !== undefined"), "the run does not end");
const run = (tab) => tab.evaluate("app.run");

async function check(tab, session, steps, success, { sandbox }) {
  await ended(tab);
  assert.equal(await tab.evaluate("app.ended"), "done");
  assert.deepEqual(await run(tab), steps);
  assert.equal(await sandbox.success(session), success);
}

export async function the_plain_script_proves_a_number_under_a_strict_policy(world) {
  await visit(world, async (tab) => {
    const session = await world.sandbox.unify(LORANT);
    await start(tab, session, right);
    await check(tab, session, ["otpStart", "otpFinish", "finish"], "true", world);
    assert.deepEqual(await tab.evaluate("keptKeys()"), { sessions: 0, devices: 1, showing: 0 });
    assert.equal(await tab.evaluate("sessionStorage.length + localStorage.length"), 0);
  });
}

export async function the_module_does_the_same(world) {
  await visit(world, async (tab) => {
    const session = await world.sandbox.unify(LORANT);
    await start(tab, session, right, { library: "library" });
    await check(tab, session, ["otpStart", "otpFinish", "finish"], "true", world);
  }, { path: "/module" });
}

export async function the_servers_copy_has_the_digest_that_the_server_names(world) {
  await visit(world, async (tab) => {
    const session = await world.sandbox.unify(LORANT);
    await start(tab, session, right);
    await check(tab, session, ["otpStart", "otpFinish", "finish"], "true", world);
  }, { path: "/served" });
}

export async function the_second_visit_needs_no_code(world) {
  await visit(world, async (tab) => {
    const first = await world.sandbox.unify(LORANT);
    await start(tab, first, right);
    await ended(tab);
    await tab.reload();
    const second = await world.sandbox.unify(LORANT);
    await start(tab, second, right);
    await check(tab, second, ["finish"], "true", world);
  });
}

export async function a_page_that_is_reloaded_goes_on(world) {
  await visit(world, async (tab) => {
    const session = await world.sandbox.unify(LORANT);
    await start(tab, session, { otpFinish: ["never"] });
    await until(async () => (await run(tab)).includes("otpFinish"), "no code is asked for");
    assert.deepEqual(await tab.evaluate("keptKeys()"), { sessions: 1, devices: 1, showing: 0 });
    await tab.reload();
    await start(tab, session, right);
    await check(tab, session, ["otpFinish", "finish"], "true", world);
    assert.equal((await world.sandbox.messages(session)).length, 1);
  });
}

/** Leaves for the sandbox's operator and comes back. */
async function mobileAuth(world, number, steps) {
  await visit(world, async (tab) => {
    const session = await world.sandbox.unify(number);
    const page = world.shop.url + "/";
    await tab.loaded(() => start(tab, session, right, { more: `.withMobileAuthReturnUrl("${page}")` }).catch(() => undefined));
    await until(() => tab.evaluate(`location.href.startsWith("${page}") && document.readyState === "complete"`), "it does not return");
    assert.match(await tab.evaluate("location.hash"), /^#vfp=/);
    await tab.evaluate(`app.answers = ${JSON.stringify(right)},
      ending(builder(proveAuth, false).withMobileAuthReturnUrl("${page}").build().resume()), undefined`);
    await check(tab, session, steps, "true", world);
    assert.equal(await tab.evaluate("location.hash + sessionStorage.length"), "0");
  });
}

export async function mobile_auth_leaves_and_comes_back(world) {
  await mobileAuth(world, INGE, ["finish"]);
}

export async function mobile_auth_of_another_number_leads_to_a_code(world) {
  await mobileAuth(world, PENNY, ["otpStart", "otpFinish", "finish"]);
}

export async function a_link_is_approved_while_two_tabs_wait(world) {
  await visit(world, async (tab, open) => {
    const session = await world.sandbox.desktop(LORANT);
    const answers = { linkRetry: ["never"] };
    await start(tab, session, answers, { isDesktop: true });
    await until(async () => (await run(tab)).includes("linkRetry"), "the link is not waited for");
    const other = await open();
    await start(other, session, answers, { isDesktop: true });
    await until(async () => (await run(other)).includes("linkRetry"), "the other tab does not wait");
    await world.sandbox.decide(session, "approve");
    await check(tab, session, ["linkStart", "linkRetry", "finish"], "true", world);
    await check(other, session, ["linkRetry", "finish"], "true", world);
  });
}

export async function two_tabs_that_begin_at_one_moment_are_one_client(world) {
  await visit(world, async (tab, open) => {
    const other = await open();
    for (let round = 0; round < 5; round += 1) {
      const session = await world.sandbox.unify(LORANT);
      const answers = { otpFinish: ["later"] };
      const begin = (page) => page.evaluate("app.run = []").then(() => start(page, session, answers, { more: ".withDeviceKey(false)" }));
      await Promise.all([begin(tab), begin(other)]);
      // One that begins when the other is done finds its key gone.
      for (const page of [tab, other]) await until(async () => (await run(page)).includes("otpFinish"), "no code is asked for");
      for (const page of [tab, other]) await page.evaluate(`app.give(${JSON.stringify(right.otpFinish[0])})`);
      for (const page of [tab, other]) {
        await ended(page);
        assert.equal(await page.evaluate("app.ended"), "done");
        assert.equal((await run(page)).at(-1), "finish");
      }
      assert.equal(await world.sandbox.success(session), "true");
      assert.equal((await world.sandbox.messages(session)).length, 1);
    }
  });
}

export async function a_page_that_was_hidden_polls_again(world) {
  await visit(world, async (tab) => {
    await tab.evaluate(`(app.polls = 0, app.fetch = fetch, window.fetch = (url, request) => {
      if (/after=/.test(url)) app.polls += 1;
      return app.fetch.call(window, url, request);
    }, undefined)`);
    const session = await world.sandbox.desktop(LORANT);
    await start(tab, session, { linkRetry: ["never"] }, { isDesktop: true });
    await until(async () => (await run(tab)).includes("linkRetry"), "the link is not waited for");
    await until(() => tab.evaluate("app.polls === 1"), "the session is not read");
    await tab.evaluate("document.dispatchEvent(new Event('visibilitychange')), window.dispatchEvent(new Event('online'))");
    await until(() => tab.evaluate("app.polls > 1"), "the poll that hangs is not repeated");
    await world.sandbox.decide(session, "approve");
    await check(tab, session, ["linkStart", "linkRetry", "finish"], "true", world);
  });
}

export async function a_run_without_storage_still_proves_the_number(world) {
  await visit(world, async (tab) => {
    await tab.evaluate("Object.defineProperty(window, 'indexedDB', { get() { throw new Error('closed'); } }), undefined");
    const session = await world.sandbox.unify(LORANT);
    await start(tab, session, { otpFinish: ["never"] });
    await until(async () => (await run(tab)).includes("otpFinish"), "no code is asked for");
    await start(tab, session, right);
    await check(tab, session, ["otpStart", "otpFinish", "otpFinish", "finish"], "true", world);
  });
}

export async function a_phone_is_known(world) {
  const isMobile = "new proveAuth.AuthenticatorBuilder().build().isMobileWeb()";
  await visit(world, async (tab) => assert.equal(await tab.evaluate(isMobile), false));
  await visit(world, async (tab) => assert.equal(await tab.evaluate(isMobile), true), { userAgent: IPHONE });
}

/** What a person presses in a part of the demo: `shop`, `phone`. */
const press = (tab, part, name) => until(() => tab.evaluate(`(() => {
  const button = [...document.querySelectorAll("#${part} button")].find((one) => one.innerText.trim() === "${name}");
  if (button) button.click();
  return !!button;
})()`), `there is no button ${name}`);
const shows = (tab, part, text) => until(
  () => tab.evaluate(`document.querySelector("#${part}").innerText.includes("${text}")`), `the ${part} does not show: ${text}`);

async function demo({ browser, shop, sandbox }, check, play) {
  await visit({ browser, shop }, async (tab) => {
    await until(() => tab.evaluate(`!!document.querySelector("#checks input[value=${check}]")`), "the demo does not load");
    await tab.evaluate(`(document.querySelector("#checks input[value=${check}]").click(), undefined)`);
    await press(tab, "shop", "Create account");
    await play(tab);
    await shows(tab, "shop", "Welcome, Lorant");
  }, { url: sandbox.url + "/demo" });
}

export async function the_demo_plays_a_code(world) {
  await demo(world, "otp", async (tab) => {
    await shows(tab, "shop", "Enter the code");
    await shows(tab, "phone", "1234");
    await tab.evaluate(`(() => {
      const input = document.querySelector("#shop input");
      input.value = "1234";
      input.dispatchEvent(new Event("input", { bubbles: true }));
    })()`);
    await press(tab, "shop", "Confirm");
  });
}

export async function the_demo_plays_a_link(world) {
  await demo(world, "link", async (tab) => {
    await until(() => tab.evaluate(`(() => {
      const link = document.querySelector("#phone .bubble button");
      if (link) link.click();
      return !!link;
    })()`), "the phone has no link");
    await press(tab, "phone", "Approve");
  });
}
