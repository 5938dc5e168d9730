import { Signal } from "./ends";
import { ProveAuthError } from "./errors";
import { Run } from "./run";
import { InstantLinkResultType } from "./steps";

const pollSeconds = 40;
/** A poll that ends sooner without news is followed by a pause. */
const fullSeconds = 20;
const pauseSeconds = [1, 2, 4, 8];
/** So many polls may bring news early, one after the other, before there are pauses as well. */
const freeNews = 3;

/** Waits for the other device, with the retry step beside it. Ends when the session is done, or the link was sent again. */
export async function waitForLink(run: Run): Promise<void> {
  const { calls } = run;
  const { link: steps } = run.settings.steps;
  if (!steps) throw calls.missing("link");
  const retry = steps.retry;
  const error = run.takeError();
  // After a refusal it is asked again only if it can do something.
  let answer =
    retry && (!error || calls.can("link.resend"))
      ? run.answerOf(() => (error ? retry(error) : retry())).then((result) => ({ result }))
      : undefined;
  if (answer) answer.catch(() => undefined);
  const pace: Pace = { pauses: 0, news: 0 };
  for (;;) {
    if (calls.state!.step !== "linkWait") return;
    const abort = new Signal<void>();
    const news = watch(run, pace, abort.promise).then(() => undefined);
    news.catch(() => undefined);
    let given;
    try {
      given = await calls.first<{ result: InstantLinkResultType } | undefined>(...(answer ? [answer, news] : [news]));
    } finally {
      abort.resolve();
    }
    if (!given) continue;
    answer = undefined;
    const isChange = given.result === InstantLinkResultType.OnMobileNumberChange;
    if (!isChange && given.result !== InstantLinkResultType.OnResend) continue;
    if (!calls.can(isChange ? "link.phone" : "link.resend")) continue;
    return sendAgain(run, isChange);
  }
}

async function sendAgain(run: Run, isChange: boolean): Promise<void> {
  try {
    if (isChange) await run.start("link", true);
    else await run.sendMessage("/session/link/resend", {});
  } catch (reason) {
    if (!(reason instanceof ProveAuthError)) throw reason;
    run.pendingError = reason;
  }
}

/** How many polls in a row have ended early: without news, and with. */
interface Pace {
  pauses: number;
  news: number;
}

/** Polls until there is a newer state. */
async function watch(run: Run, pace: Pace, abort: Promise<void>): Promise<void> {
  const { calls, environment } = run;
  const { rev } = calls.state!;
  let isAborted = false;
  abort.then(() => (isAborted = true));
  let woken = new Signal<void>();
  const take = environment.onWake(() => woken.resolve());
  try {
    while (!isAborted) {
      checkTime(run);
      const began = environment.elapsed();
      const reading = await calls.exchange("GET", `/session?after=${rev}&wait=25`, {
        seconds: pollSeconds, abort: Promise.race([abort, woken.promise]),
      });
      if (isAborted || calls.state!.status === "done") return;
      if (reading.kind === "refused") throw reading.error;
      const isFull = reading.kind === "ok" && environment.elapsed() - began >= fullSeconds * 1000;
      if (isFull) pace.pauses = pace.news = 0;
      if (calls.state!.rev > rev && (isFull || ++pace.news <= freeNews)) return;
      const isAtOnce = isFull || (reading.kind === "again" && reading.afterSeconds === 0);
      if (!isAtOnce) {
        pace.pauses += 1;
        const isToldAgain = reading.kind === "again" && reading.afterSeconds;
        const seconds = isToldAgain || pauseSeconds[Math.min(pace.pauses, pauseSeconds.length) - 1];
        // One that was woken in its poll does not pause.
        await calls.pause(seconds * 1000, abort, woken.promise);
      }
      if (calls.state!.rev > rev) return;
      woken = new Signal<void>();
    }
  } finally {
    take();
  }
}

function checkTime(run: Run): void {
  const { calls, settings } = run;
  const { link, expiresAt } = calls.state!;
  const isLate = link && link.error === "link_expired" && !settings.steps.link!.retry;
  if (isLate || calls.isTokenOver || calls.storedNow() >= Date.parse((link && link.waitUntil) || expiresAt)) {
    throw calls.giveUp("link_expired");
  }
}
