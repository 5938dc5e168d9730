// Puts the parts together: choice, shop, phone, journal, code.
import { serverUrl } from "./backend.js";
import { Choice } from "./choice.js";
import { Code } from "./code.js";
import { announce, byId, element } from "./dom.js";
import { Journal } from "./journal.js";
import { Phone } from "./phone.js";
import { record } from "./recorder.js";
import { Run } from "./run.js";
import { Shop } from "./shop.js";

const journal = new Journal();
let run;
record((call) => {
  journal.call(call);
  if (run && call.status !== undefined) run.look();
});
const parts = { shop: new Shop(), phone: new Phone(), journal };
const code = new Code();
const choice = new Choice(() => {
  code.show(choice.value);
  signUp();
}, forget);

/** The first screen. After a start that failed it has what was typed, with the error beside that number. */
function signUp(error, typed) {
  const { user, options } = choice.value;
  choice.isFixed = false;
  const { name, phoneNumber } = typed || user;
  parts.shop.signUp({ name, phoneNumber, asksLater: options.asks, error }, start);
}

async function start(typed) {
  if (run) run.stop();
  run = undefined;
  journal.clear();
  choice.isFixed = true;
  parts.shop.working("One moment …", () => run && run.cancel && run.cancel());
  try {
    run = await Run.start(choice.value, typed, parts);
  } catch (error) {
    return signUp(sentenceFor(error), typed);
  }
  await play();
}

/** What the shop's page says to the person. What the server said stands in the steps and the calls. */
function sentenceFor(error) {
  if (error.code === 8007) return "This number belongs to none of the test users. Choose one of them, or type their number.";
  if (/'phoneNumber'/.test(error.message)) return "That is not a phone number. Please check it.";
  return "The account could not be created. The steps below say why.";
}

async function play(isBack) {
  const { result, problem, canGoOn } = await run.go(isBack);
  choice.isFixed = false;
  const { check, user } = run.choice;
  const again = check === "device" ? "Visit again on this device" : "Sign up again";
  parts.shop.ended({ result, name: (run.name || user.name).split(" ")[0], problem }, [
    canGoOn
      ? ["Try again", () => play(true), "first"]
      : [again, () => (check === "device" ? start(run) : signUp()), "first"],
    ["Change something", () => {
      signUp();
      byId("user").focus();
    }, "second"],
  ]);
}

/** What clearing the site's data does to the library's keys: the next visit is a first one. */
function forget() {
  const opening = indexedDB.open("holdfast");
  // There is none yet, and making one is the library's matter.
  opening.onupgradeneeded = () => opening.transaction.abort();
  opening.onerror = (event) => event.preventDefault();
  opening.onsuccess = () => {
    const stores = [...opening.result.objectStoreNames];
    const clearing = opening.result.transaction(stores, "readwrite");
    stores.forEach((store) => clearing.objectStore(store).clear());
    clearing.oncomplete = () => opening.result.close();
  };
  announce("This device is forgotten.");
}

function notice(...text) {
  byId("notice").replaceChildren(...text);
  byId("notice").hidden = false;
}

try {
  await choice.load();
  run = Run.kept(parts);
  if (run) choice.restore(run.choice);
  code.show(choice.value);
  const server = new URL(await serverUrl()).origin;
  if (server !== location.origin) {
    // The library calls the address in the token, and the page's policy lets it call its own origin only.
    notice("Open this page under the server’s own address: ", element("a", { href: `${server}/demo` }, `${server}/demo`));
  } else if (run) {
    choice.isFixed = true;
    await play(true);
  } else {
    journal.clear();
    signUp();
  }
} catch (error) {
  notice(`The demo cannot start: ${error.message}`);
}
