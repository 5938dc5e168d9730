import { PublicJWK, StoredKey } from "./environment";

const algorithm = { name: "ECDSA", namedCurve: "P-256" };

export function base64URL(bytes: ArrayBuffer | Uint8Array): string {
  let text = "";
  new Uint8Array(bytes).forEach((byte) => (text += String.fromCharCode(byte)));
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A random UUID; `crypto.randomUUID` is younger than the oldest browsers that are served. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => (byte + 256).toString(16).slice(1)).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

export async function sha256(text: string): Promise<string> {
  return base64URL(await crypto.subtle.digest("SHA-256", bytesOf(text)));
}

/** A new key pair whose private key never leaves the browser's key store. */
export async function makeKey(madeAt: number): Promise<StoredKey> {
  const pair = (await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"])) as CryptoKeyPair;
  const { x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return keyOf(pair.privateKey, { kty: "EC", crv: "P-256", x: x as string, y: y as string }, madeAt);
}

export async function keyOf(privateKey: CryptoKey, jwk: PublicJWK, madeAt: number): Promise<StoredKey> {
  // RFC 7638: the required members, in alphabetical order.
  const thumbprint = await sha256(JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y }));
  return { privateKey, jwk, thumbprint, madeAt };
}

/** A JWS in compact form; its header names the key that signs. */
export async function sign(key: StoredKey, type: string, claims: object): Promise<string> {
  const header = { typ: type, alg: "ES256", jwk: key.jwk };
  const input = [header, claims].map((part) => base64URL(bytesOf(JSON.stringify(part)))).join(".");
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key.privateKey, bytesOf(input));
  return input + "." + base64URL(signature);
}

/** The DPoP proof of one call (RFC 9449). */
export async function dpopProof(
  key: StoredKey,
  call: { method: string; url: string; iat: number; jti: string; token: string; nonce: string },
): Promise<string> {
  return sign(key, "dpop+jwt", {
    jti: call.jti,
    htm: call.method,
    htu: call.url.split("?")[0],
    iat: call.iat,
    ath: await sha256(call.token),
    nonce: call.nonce,
  });
}

/** What the device key says of this session. */
export async function deviceProof(
  key: StoredKey,
  session: { aud: string; authID: string; challenge: string; iat: number; op: string; thumbprint: string },
): Promise<string> {
  return sign(key, "device-proof+jwt", {
    aud: session.aud,
    sub: session.authID,
    nonce: session.challenge,
    iat: session.iat,
    op: session.op,
    cnf: { jkt: session.thumbprint },
  });
}
