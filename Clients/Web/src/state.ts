/** What the server answers; `docs/clients/protocol.md` describes it. */
export interface State {
  authId: string;
  rev: number;
  status: "created" | "active" | "done";
  outcome?: "succeeded" | "failed" | "cancelled" | "expired" | "possessionRequired";
  step?: "device" | "mobileAuth" | "otpStart" | "otpFinish" | "linkStart" | "linkWait";
  allowed: string[];
  expiresAt: string;
  phone: { needed: boolean; masked?: string };
  device: { status: string; challenge?: string; rotate: boolean };
  otp?: { codeExpiresAt?: string; sendsLeft: number; attemptsLeft: number; phoneEntriesLeft: number };
  link?: { waitUntil?: string; sendsLeft: number; matchCode?: string; error?: string };
}

export type Body = Record<string, unknown>;

/** The state in an answer's body: the body itself, or its member `state`. */
export function stateIn(body: Body | undefined, authID: string): State | undefined {
  const state = (body && "rev" in body ? body : body && body.state) as State | undefined;
  const isOne =
    state && typeof state === "object" && state.authId === authID && typeof state.rev === "number"
    && Array.isArray(state.allowed) && state.phone && state.device;
  return isOne ? state : undefined;
}

/**
 * Reads what a person typed as the server does: without marks that nobody sees, with a blank for any white space, a hyphen for
 * any dash, and 0 to 9 for the digits of any script.
 */
export function plainText(text: string): string {
  return text
    .replace(/\p{Cf}/gu, "")
    .replace(/[\s\p{Z}]/gu, " ")
    .replace(/[\p{Pd}\u2212]/gu, "-")
    .replace(/\p{Nd}/gu, digit);
}

/** The ten digits of a script stand beside each other, 0 first, and no other digit stands before them but of another ten. */
function digit(character: string): string {
  const point = character.codePointAt(0)!;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(point - before - 1))) before++;
  return String(before % 10);
}

/** What a person typed as a code, without spaces and hyphens; nothing if it is none. */
export function codeIn(text: unknown): string | undefined {
  const code = typeof text === "string" ? plainText(text).replace(/[ -]/g, "") : "";
  return /^[0-9]{4,10}$/.test(code) ? code : undefined;
}

/** What the page's address says that Mobile Auth has given. */
export function resultIn(fragment: string): { vfp?: string; error?: string } {
  const match = /^#(vfp|error)=(.+)$/.exec(fragment);
  try {
    return match ? { [match[1]]: decodeURIComponent(match[2]) } : {};
  } catch {
    return {};
  }
}
