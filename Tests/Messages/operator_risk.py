"""A mobile operator on loopback: tokens for assertions that it checks, CAMARA SIM Swap and Number Recycling."""
import json
import time
import urllib.request

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from gateway import Gateway, answer
from jose import base64url_decoded, claims_of

PURPOSE = "dpv:FraudPreventionAndDetection"


class RiskOperator(Gateway):
    """Tells of numbers what a scene has put into `swapped` and `recycled`; of numbers in `foreign`, nothing.

    `disturb` may answer a call in its place, by the path. What a caller does wrong is in `mistakes`.
    """

    def __init__(self, name="played"):
        super().__init__(name, RiskOperator.serve)
        self.swapped, self.recycled, self.foreign, self.mistakes = set(), set(), set(), []
        self.tokens, self.keys_url, self.disturb = {}, None, lambda path: None

    def settings(self, **more):
        """Our entry in `reputation.operators`."""
        return {
            "tokenUrl": self.url + "/token", "clientId": "holdfast-at-" + self.name, "prefixes": ["+1"],
            "simSwapUrl": self.url + "/sim-swap/v2", "numberRecyclingUrl": self.url + "/number-recycling/v0.2", **more}

    def paths(self):
        return [call.path for call in self.calls]

    def serve(self, call):
        disturbed = self.disturb(call.path)
        if disturbed is not None:
            return disturbed() if callable(disturbed) else disturbed
        try:
            return self.token(call) if call.path == "/token" else self.ask(call)
        except AssertionError as mistake:
            self.mistakes.append(str(mistake))
            return answer(400, {"status": 400, "code": "INVALID_ARGUMENT", "message": str(mistake)})

    def token(self, call):
        form = call.form
        grant = form["grant_type"].rsplit(":", 1)[-1]
        subject = None
        if grant == "client_credentials":
            claims, scope = self.checked(form["client_assertion"]), form["scope"]
            assert claims["sub"] == claims["iss"] and "scope" not in claims, claims
            assert form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", form
        else:
            assert grant == "jwt-bearer" and set(form) == {"grant_type", "assertion"}, form
            claims = self.checked(form["assertion"])
            scope, subject = claims["scope"], claims["sub"].removeprefix("tel:")
        assert [part for part in scope.split() if part.startswith("dpv:")] == [PURPOSE], scope
        name = f"token-{len(self.tokens)}"
        self.tokens[name] = (scope.split(), subject)
        return answer(200, {"access_token": name, "token_type": "Bearer", "expires_in": 300})

    def checked(self, assertion):
        """The claims of an assertion that the server's own key has signed."""
        head, body, signature = assertion.split(".")
        header, claims = json.loads(base64url_decoded(head)), claims_of(assertion)
        keys = json.load(urllib.request.urlopen(self.keys_url, timeout=5))["keys"]
        key = next(key for key in keys if key["kid"] == header["kid"])
        point = [int.from_bytes(base64url_decoded(key[axis]), "big") for axis in "xy"]
        public = ec.EllipticCurvePublicNumbers(*point, ec.SECP256R1()).public_key()
        raw = base64url_decoded(signature)
        pair = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        try:
            public.verify(pair, f"{head}.{body}".encode(), ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            raise AssertionError("the assertion is not signed by the server") from None
        assert header["alg"] == "ES256" and claims["aud"] == self.url + "/token", claims
        assert claims["iss"] == "holdfast-at-" + self.name and claims["jti"], claims
        assert abs(claims["iat"] - time.time()) < 60 and 0 < claims["exp"] - claims["iat"] <= 300, claims
        return claims

    def ask(self, call):
        assert call.method == "POST" and call.headers["Content-Type"] == "application/json", call.headers
        assert call.headers.get("x-correlator"), call.headers
        token = call.headers["Authorization"].removeprefix("Bearer ")
        if token not in self.tokens:
            return answer(401, {"status": 401, "code": "UNAUTHENTICATED", "message": "no such token"})
        scopes, subject = self.tokens[token]
        body = call.json
        if subject is None:
            number = body["phoneNumber"]
        else:
            if "phoneNumber" in body:
                return answer(422, {"status": 422, "code": "UNNECESSARY_IDENTIFIER", "message": "m"})
            number = subject
        if number in self.foreign:
            return answer(404, {"status": 404, "code": "IDENTIFIER_NOT_FOUND", "message": "not ours"})
        if call.path == "/number-recycling/v0.2/check":
            assert "number-recycling:check" in scopes, scopes
            time.strptime(body["specifiedDate"], "%Y-%m-%d")
            return answer(200, {"phoneNumberRecycled": number in self.recycled})
        assert call.path == "/sim-swap/v2/check" and "sim-swap:check" in scopes, (call.path, scopes)
        assert 1 <= body["maxAge"] <= 2400, body
        return answer(200, {"swapped": number in self.swapped})
