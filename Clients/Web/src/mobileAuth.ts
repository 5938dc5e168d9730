import { Environment } from "./environment";
import { ProveAuthError } from "./errors";
import { Run } from "./run";
import { Body, resultIn } from "./state";
import { isSafe } from "./token";

/** After which a page that is still here has not left. */
const leaveSeconds = 20;

/** What this tab keeps while the page is away. */
interface Away {
  token: string;
  attemptId: string;
}

/** Leaves the page for the mobile network's; the page that comes back takes up the run. */
export async function mobileAuth(run: Run): Promise<void> {
  const { calls, environment } = run;
  run.gaveUpMobileAuth = true;
  const { attemptId, authUrl } = (await calls.post("/session/mobile-auth", {})) as { attemptId: string; authUrl: string };
  if (!isSafe(authUrl)) return finish(run, attemptId, { error: "insecure_redirect" });
  const away: Away = { token: run.token, attemptId };
  try {
    environment.tab.set(JSON.stringify(away));
  } catch {
    return finish(run, attemptId, { error: "no_storage" });
  }
  environment.navigate(authUrl);
  // What the tab keeps stays: if the page does leave after this, the one that comes back follows the state.
  await calls.pause(leaveSeconds * 1000);
  await finish(run, attemptId, { error: "timeout" });
}

/** The end of Mobile Auth, brought back by the page's address. */
export interface Return {
  finish(run: Run): Promise<void>;
}

/** Takes what was kept, and the result out of the page's address; nothing if this run was not away. */
export function takeReturn(environment: Environment, token: string): Return | undefined {
  const away = awayIn(environment);
  if (!away) return undefined;
  environment.tab.remove();
  const result: { vfp?: string; error?: string } = resultIn(environment.takeFragment());
  if (away.token !== token) return undefined;
  return {
    finish: (run) => {
      run.gaveUpMobileAuth = true;
      return finish(run, away.attemptId, result.vfp || result.error ? result : { error: "returned" });
    },
  };
}

/** The token of the run that left this tab's page. */
export function tokenAway(environment: Environment): string | undefined {
  const away = awayIn(environment);
  return away && away.token;
}

/** The run is over: nothing comes back to it. */
export function forgetAway(environment: Environment, token: string): void {
  if (tokenAway(environment) === token) environment.tab.remove();
}

function awayIn(environment: Environment): Away | undefined {
  try {
    const away = JSON.parse(environment.tab.get() || "null");
    return away && typeof away.token === "string" && typeof away.attemptId === "string" ? away : undefined;
  } catch {
    return undefined;
  }
}

async function finish(run: Run, attemptId: string, result: { vfp?: string; error?: string }): Promise<void> {
  const { calls } = run;
  const fields: Body = { attemptId, ...result };
  if (result.error) fields.error = result.error.slice(0, 64);
  try {
    await calls.post("/session/mobile-auth/finish", fields);
  } catch (reason) {
    if (!(reason instanceof ProveAuthError) || !/^vfp_/.test(reason.error)) throw reason;
    // Without a fallback, the session ends only if the attempt is given back.
    if (calls.state && !calls.can("otp.start") && !calls.can("link.start") && calls.can("mobileAuth.finish")) {
      await calls.post("/session/mobile-auth/finish", { attemptId, error: "refused" });
    }
  }
}
