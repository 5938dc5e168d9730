/** The claims of an auth token that a client goes by. */
export interface TokenClaims {
  /** The base URL of all calls. */
  aud: string;
  authID: string;
  nonce: string;
  iat: number;
  exp?: number;
}

/** Why a token cannot be used. */
export interface TokenRefusal {
  error: "token_missing" | "token_malformed" | "server_not_expected";
  detail?: string;
}

/**
 * Reads the token, whose signature is the server's matter.
 *
 * @param servers those that the app expects; empty: any.
 */
export function readToken(token: string, servers: readonly string[]): TokenClaims | TokenRefusal {
  if (!token) return { error: "token_missing" };
  try {
    const part = token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/");
    const bytes = Uint8Array.from(atob(part), (character) => character.charCodeAt(0));
    const { aud, sub, nonce, iat, exp } = JSON.parse(new TextDecoder().decode(bytes));
    const isWhole = [aud, sub, nonce].every((claim) => typeof claim === "string" && claim) && typeof iat === "number";
    if (!isWhole) return { error: "token_malformed", detail: "It has no aud, sub, nonce or iat." };
    if (!isSafe(aud)) return { error: "server_not_expected", detail: "Its aud is neither https nor on this machine." };
    if (servers.length && !servers.some((server) => originOf(server) === originOf(aud))) {
      return { error: "server_not_expected", detail: `Its aud is on ${originOf(aud)}, which withServers does not name.` };
    }
    return { aud: aud.replace(/\/$/, ""), authID: sub, nonce, iat, exp };
  } catch {
    return { error: "token_malformed" };
  }
}

/** https, or this machine. */
export function isSafe(url: string): boolean {
  try {
    const { protocol, hostname } = new URL(url);
    return protocol === "https:" || (protocol === "http:" && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname));
  } catch {
    return false;
  }
}

function originOf(url: string): string {
  return new URL(url).origin;
}
