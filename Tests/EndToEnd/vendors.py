"""Backends of Twilio Verify and of Prelude, by plain HTTP: each call has its bytes before it is made.

    twilio = Twilio(site)
    answer = ask(twilio, twilio.create("+12015550123"))
"""
import base64
import json
import uuid
from urllib.parse import quote, urlencode

from exchange import Caller
from holdfast import expected

# A code that the backend chooses.
OWN = "482915"
BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"


class Twilio:
    """A backend of Twilio Verify. A call is a method, a path, headers and a body."""

    name = "twilio"

    def __init__(self, site, client_id="sandbox", secret=None):
        self.site, self.caller = site, Caller(site.server.base_url)
        credentials = base64.b64encode(f"{client_id}:{secret or client_id + '-secret'}".encode()).decode()
        self.headers = {"Authorization": f"Basic {credentials}", "Content-Type": "application/x-www-form-urlencoded"}
        services = expected(self.caller.call("GET", "/twilio-verify/v2/Services", None, self.headers), 200)
        self.service = "/twilio-verify/v2/Services/" + services["services"][0]["sid"]

    def create(self, number, code=OWN, **more):
        form = {"To": number, "Channel": "sms", **({"CustomCode": code} if code else {}), **more}
        return "POST", self.service + "/Verifications", self.headers, urlencode(form).encode()

    def check(self, number, code):
        form = urlencode({"To": number, "Code": code}).encode()
        return "POST", self.service + "/VerificationCheck", self.headers, form

    def check_of(self, identifier, code):
        form = urlencode({"VerificationSid": identifier, "Code": code}).encode()
        return "POST", self.service + "/VerificationCheck", self.headers, form

    def read(self, identifier):
        return "GET", self.service + "/Verifications/" + quote(identifier, safe=""), self.headers, b""

    def update(self, identifier, status):
        form = urlencode({"Status": status}).encode()
        return "POST", self.service + "/Verifications/" + quote(identifier, safe=""), self.headers, form

    def attempts(self, identifier):
        return "GET", "/twilio-verify/v2/Attempts?VerificationSid=" + identifier, self.headers, b""

    @staticmethod
    def of(correlation_id):
        return "VE" + uuid.UUID(correlation_id).hex

    @staticmethod
    def identifier(answer):
        return answer["sid"]

    @staticmethod
    def outcome(answer):
        """One word for an answer."""
        if answer.status in (200, 201):
            return answer["status"]
        words = {
            60202: "checks used up", 60203: "sends used up", 60212: "overtaken", 20404: "unknown", 20429: "too soon"}
        return words.get(answer["code"], str(answer))

    sent, passed, wrong, over, no_sends, no_checks = (
        "pending", "approved", "pending", "unknown", "sends used up", "checks used up")


class Prelude:
    """A backend of Prelude."""

    name = "prelude"

    def __init__(self, site, client_id="sandbox", key=None):
        self.site, self.caller = site, Caller(site.server.base_url)
        self.headers = {
            "Authorization": f"Bearer {key or 'hf_test_' + client_id}", "Content-Type": "application/json"}

    def create(self, number, code=OWN, repeated=False):
        body = {"target": {"type": "phone_number", "value": number}}
        if code:
            body["options"] = {"custom_code": code}
        headers = self.headers | {"X-Stainless-Retry-Count": "1" if repeated else "0"}
        return "POST", "/prelude/v2/verification", headers, json.dumps(body).encode()

    def check(self, number, code):
        body = {"target": {"type": "phone_number", "value": number}, "code": code}
        return "POST", "/prelude/v2/verification/check", self.headers, json.dumps(body).encode()

    def read(self, identifier):
        return "GET", "/prelude/v2/verification/phone/history/" + identifier, self.headers, b""

    @staticmethod
    def of(correlation_id):
        bits = uuid.UUID(correlation_id).int
        return "vrf_" + "".join(BASE32[bits >> (125 - 5 * place) & 31] for place in range(26))

    @staticmethod
    def identifier(answer):
        return answer["id"]

    @staticmethod
    def outcome(answer):
        """One word for an answer."""
        if answer.status == 200:
            # A check has no method, and what is blocked has one.
            has_sent = answer["method"] == "message" and answer["status"] in ("success", "retry")
            return "sent" if has_sent else answer["status"]
        return answer["code"]

    sent, passed, wrong, over, no_sends, no_checks = (
        "sent", "success", "failure", "expired_or_not_found", "too_many_attempts", "too_many_checks")


def ask(vendor, call):
    method, path, headers, body = call
    return vendor.caller.call(method, path, body or None, headers)


def outcome(vendor, call):
    return vendor.outcome(ask(vendor, call))
