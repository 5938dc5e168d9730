"""A client of the client surface: what an SDK does, with real keys and real proofs."""
import uuid

from event_stream import EventStream
from exchange import Caller, json_bytes, raw_request
from jose import Key, claims_of, device_proof, dpop_proof

ROOT = "/client/v1"


class Client:
    """One session. The session key is new each time; the device key may live as long as the caller wants."""

    def __init__(self, base_url, auth_token, device_key=None, session_key=None, bearer=False):
        self.caller = Caller(base_url)
        self.auth_token, self.claims = auth_token, claims_of(auth_token)
        self.auth_id = self.claims["sub"]
        self.session_key = session_key or Key()
        self.device_key, self.bearer = device_key, bearer
        self.state = {}

    # Requests

    def proof(self, method, path, **changes):
        return dpop_proof(
            self.session_key, method, self.caller.base_url + path, self.auth_token, self.claims["nonce"], changes)

    def headers(self, method, path, proof=None):
        if self.bearer:
            return {"Authorization": f"Bearer {self.auth_token}"}
        return {"Authorization": f"DPoP {self.auth_token}", "DPoP": proof or self.proof(method, path)}

    def call(self, method, path, value=None, proof=None):
        path = ROOT + path
        headers = self.headers(method, path, proof)
        if method == "GET":
            answer = self.caller.call("GET", path, headers=headers)
        else:
            answer = self.caller.post(path, value or {}, headers)
        self._remember(answer)
        return answer

    def raw(self, method, path, value=None, proof=None):
        """The bytes of a call, with a proof of its own unless one is given."""
        path = ROOT + path
        headers = {**self.headers(method, path, proof), "Content-Type": "application/json"}
        host = f"{self.caller.host}:{self.caller.port}"
        return raw_request(method, path, host, headers, b"" if method == "GET" else json_bytes(value or {}))

    def _remember(self, answer):
        value = answer.json
        state = value.get("state", value if "rev" in value else None)
        if state:
            self.state = state

    # Calls

    def start(self, **changes):
        value = {
            "platform": "web", "sdk": "end-to-end/1", "fallback": "otp", "deviceKey": self.device_key is not None,
            "cellular": "no"}
        return self.call("POST", "/session", {**value, **changes})

    def current(self, after=None, wait=None):
        query = "&".join(f"{name}={value}" for name, value in (("after", after), ("wait", wait)) if value is not None)
        return self.call("GET", "/session" + ("?" + query if query else ""))

    def device(self, operation="authenticate", **changes):
        challenge = self.state["device"]["challenge"]
        proof = device_proof(
            self.device_key, self.claims["aud"], self.auth_id, challenge,
            None if self.bearer else self.session_key.thumbprint, operation)
        return self.call("POST", "/session/device", {"proof": proof, **changes})

    def otp(self, **fields):
        return self.call("POST", "/session/otp", fields)

    def resend(self, **fields):
        return self.call("POST", "/session/otp/resend", {"requestId": str(uuid.uuid4()), **fields})

    def phone(self, phone_number, **fields):
        value = {"phoneNumber": phone_number, "requestId": str(uuid.uuid4()), **fields}
        return self.call("POST", "/session/otp/phone", value)

    def verify(self, code, **fields):
        return self.call("POST", "/session/otp/verify", {"code": code, "requestId": str(uuid.uuid4()), **fields})

    def link(self, **fields):
        return self.call("POST", "/session/link", fields)

    def link_resend(self, **fields):
        return self.call("POST", "/session/link/resend", {"requestId": str(uuid.uuid4()), **fields})

    def link_phone(self, phone_number, **fields):
        value = {"phoneNumber": phone_number, "requestId": str(uuid.uuid4()), **fields}
        return self.call("POST", "/session/link/phone", value)

    def begin_mobile_auth(self, **fields):
        return self.call("POST", "/session/mobile-auth", fields)

    def hand_in_token(self, attempt_id, operator_token, plmn="00101", **fields):
        value = {"attemptId": attempt_id, "operatorToken": operator_token, "plmn": plmn, **fields}
        return self.call("POST", "/session/mobile-auth/token", value)

    def finish_mobile_auth(self, attempt_id, **fields):
        return self.call("POST", "/session/mobile-auth/finish", {"attemptId": attempt_id, **fields})

    def events(self, last_event_id=None, headers=None, **options):
        """The stream of states; the caller closes it."""
        path = ROOT + "/session/events"
        headers = {**self.headers("GET", path), **(headers or {})}
        if last_event_id is not None:
            headers["Last-Event-ID"] = str(last_event_id)
        return EventStream(self.caller.base_url, path, headers, **options)

    def cancel(self, **fields):
        return self.call("POST", "/session/cancel", fields)

    # The whole way

    def to_code_entry(self, **changes):
        """Start, device key where there is one, first send. The last answer; its state may already be done."""
        answer = expected(self.start(**changes), 200)
        if self.state.get("step") == "device":
            answer = expected(self.device(), 200)
        if self.state.get("status") != "done":
            answer = expected(self.otp(), 200)
        return answer

    def authenticate(self, code):
        answer = self.to_code_entry()
        return answer if self.state.get("status") == "done" else self.verify(code)

    def to_mobile_auth(self, **changes):
        """Start on a phone with a cellular connection, device key where there is one."""
        answer = expected(self.start(**{"platform": "ios", "cellular": "yes", **changes}), 200)
        if self.state.get("step") == "device":
            answer = expected(self.device(), 200)
        return answer

    def mobile_auth(self, phone, number=None):
        """One attempt: begun, followed on this phone, and finished with whatever that gave."""
        attempt = expected(self.begin_mobile_auth(), 200)
        arrival = phone.follow(attempt["authUrl"], number)
        return self.finish_mobile_auth(attempt["attemptId"], **arrival.outcome)

    def to_link_wait(self, **changes):
        """Start on a desktop, first link."""
        expected(self.start(**changes), 200)
        return expected(self.link(), 200)

    def close(self):
        self.caller.close()


class Overloaded(AssertionError):
    """The server refused the call because it had too much work: a client calls again."""


def expected(answer, status, /, **members):
    """The answer, when it has this status and these members. A 503 that is not expected raises `Overloaded`."""
    if answer.status != status:
        raise (Overloaded if answer.status == 503 else AssertionError)(f"expected {status}, got {answer}")
    for name, value in members.items():
        assert answer[name] == value, f"expected {name} to be {value!r}, got {answer}"
    return answer
