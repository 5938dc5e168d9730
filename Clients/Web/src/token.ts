/** The claims of an auth token that a client goes by. */
export interface TokenClaims {
  /** The base URL of all calls. */
  aud: string;
  authID: string;
  nonce: string;
  iat: number;
}

/**
 * Reads the token, whose signature is the server's matter.
 *
 * @param servers those that the app expects; empty: any.
 * @returns nothing for a text that is no token, and for a server that must not be called.
 */
export function readToken(token: string, servers: readonly string[]): TokenClaims | undefined {
  try {
    const part = token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/");
    const bytes = Uint8Array.from(atob(part), (character) => character.charCodeAt(0));
    const { aud, sub, nonce, iat } = JSON.parse(new TextDecoder().decode(bytes));
    if (![aud, sub, nonce].every((claim) => typeof claim === "string" && claim) || typeof iat !== "number") return;
    if (!isSafe(aud) || (servers.length && !servers.some((server) => originOf(server) === originOf(aud)))) return;
    return { aud: aud.replace(/\/$/, ""), authID: sub, nonce, iat };
  } catch {
    return;
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
