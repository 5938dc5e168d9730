// What a server checks of a client's signatures.
import { createHash } from "node:crypto";

export function base64URLJSON(text) {
  return JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
}

export function sha256(text) {
  return createHash("sha256").update(text).digest("base64url");
}

export function thumbprintOf({ crv, kty, x, y }) {
  return sha256(JSON.stringify({ crv, kty, x, y }));
}

/** The parts of a JWS whose signature is by the key in its header. */
export async function checkedJWS(text) {
  const [header, claims, signature] = text.split(".");
  const head = base64URLJSON(header);
  if (head.alg !== "ES256") throw new Error(`algorithm ${head.alg}`);
  if (Object.keys(head.jwk).sort().join() !== "crv,kty,x,y") throw new Error("the key has other members than a public one's");
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const key = await crypto.subtle.importKey("jwk", head.jwk, algorithm, false, ["verify"]);
  const input = new TextEncoder().encode(`${header}.${claims}`);
  const isRight = await crypto.subtle.verify(
    { name: "ECDSA", hash: "SHA-256" }, key, Buffer.from(signature, "base64url"), input);
  if (!isRight) throw new Error("the signature does not hold");
  return { header: head, claims: base64URLJSON(claims), thumbprint: thumbprintOf(head.jwk) };
}
