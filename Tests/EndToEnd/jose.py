"""ES256 signatures as a client makes them: JWS (RFC 7515), JWK thumbprints (RFC 7638), DPoP proofs (RFC 9449)."""
import base64
import hashlib
import json
import secrets
import time

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def base64url_decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def compact_json(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def claims_of(token):
    """The claims of a JWT, unchecked."""
    return json.loads(base64url_decoded(token.split(".")[1]))


class Key:
    """A P-256 key pair that signs JWS and never leaves the object."""

    def __init__(self, private=None):
        self.private = private or ec.generate_private_key(ec.SECP256R1())
        numbers = self.private.public_key().public_numbers()
        self.jwk = {
            "kty": "EC", "crv": "P-256",
            "x": base64url(numbers.x.to_bytes(32, "big")), "y": base64url(numbers.y.to_bytes(32, "big")),
        }
        self.thumbprint = base64url(hashlib.sha256(compact_json(self.jwk)).digest())

    def jws(self, header, claims):
        header = {"alg": "ES256", "jwk": self.jwk, **header}
        signed = base64url(compact_json(header)) + "." + base64url(compact_json(claims))
        r, s = decode_dss_signature(self.private.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return signed + "." + base64url(r.to_bytes(32, "big") + s.to_bytes(32, "big"))


def dpop_proof(key, method, url, token, nonce, changes=None):
    """A fresh proof for one request. `changes` replace claims, for proofs that must be refused."""
    claims = {
        "jti": secrets.token_urlsafe(16), "htm": method, "htu": url.split("?")[0], "iat": int(time.time()),
        "ath": base64url(hashlib.sha256(token.encode()).digest()), "nonce": nonce,
    }
    return key.jws({"typ": "dpop+jwt"}, {**claims, **(changes or {})})


def device_proof(device_key, audience, auth_id, challenge, session_thumbprint, operation="authenticate"):
    """The device key's statement about this session. A bearer session has no session key to name."""
    claims = {"aud": audience, "sub": auth_id, "nonce": challenge, "iat": int(time.time()), "op": operation}
    if session_thumbprint:
        claims["cnf"] = {"jkt": session_thumbprint}
    return device_key.jws({"typ": "device-proof+jwt"}, claims)
