"""What schemathesis cannot know: how to get tokens, and names of things that exist."""

import base64
import http.client
import json
import os
import re
import socket
import time
import urllib.parse
import urllib.request
import uuid

import schemathesis
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

URL = os.environ["SANDBOX_URL"]
NUMBER = "2001004014"
OTHER_NUMBER = "2001004015"
UUID = re.compile("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


def post(path, body, token=None, form=False, scheme="Bearer"):
    data = urllib.parse.urlencode(body) if form else json.dumps(body)
    kind = "application/x-www-form-urlencoded" if form else "application/json"
    headers = {"Content-Type": kind} | ({"Authorization": f"{scheme} {token}"} if token else {})
    request = urllib.request.Request(URL + path, data.encode() if body is not None else None, headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def access_token():
    credentials = {"client_id": "sandbox", "client_secret": "sandbox-secret"}
    return post("/token", {"grant_type": "client_credentials"} | credentials, form=True)["access_token"]


ACCESS = access_token()


# A Pre-Fill user that needs no client, and what its record says.
PREFILL_NUMBER = "2001001695"
SSN = "0596"
NAMES = {"firstName": "Milo", "lastName": "Pinson"}


def prefill(path):
    """The correlation id of a run that has come to the step at `path`."""
    start = {"flowType": "mobile", "phoneNumber": PREFILL_NUMBER, "ssn": SSN}
    reference = {"correlationId": post("/v3/start", start, ACCESS)["correlationId"]}
    if path in ("/v3/challenge", "/v3/complete"):
        post("/v3/validate", reference, ACCESS)
    if path == "/v3/complete":
        post("/v3/challenge", reference, ACCESS)
    return reference["correlationId"]


def flow(path):
    """The flow token of a run that has come to the call at `path`."""
    start = {"flowType": "mobile", "phoneNumber": PREFILL_NUMBER, "ssn": SSN}
    token = post("/initialize", start)["flowToken"]
    if path == "/finish":
        post("/verify", {}, token)
    return token


def enrol():
    return post("/v3/identity", {"phoneNumber": NUMBER}, ACCESS)["proveId"]


def unify():
    return post("/v3/unify", {"possessionType": "mobile", "phoneNumber": NUMBER}, ACCESS)


class Bearer:
    def set(self, case, data, context):
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.auth(refresh_interval=None).apply_to(path_regex=r"^/v3/|^/unify|^/v1/server/")
class Backend(Bearer):
    def get(self, case, context):
        return ACCESS


@schemathesis.auth(refresh_interval=None).apply_to(path_regex="^/(verify|finish)$")
class Flow:
    """A run of its own for each request."""

    def get(self, case, context):
        return flow(case.path)

    def set(self, case, data, context):
        case.cookies = (case.cookies or {}) | {"holdfast_flow": data}


@schemathesis.auth(refresh_interval=None).apply_to(path_regex="^/client/")
class Client(Bearer):
    """A session of its own for each request, redeemed unless it is to be redeemed."""

    def get(self, case, context):
        token = unify()["authToken"]
        if (case.path, case.method.upper()) != ("/client/v1/session", "POST"):
            fallback = "link" if "/link" in case.path else "otp"
            post("/client/v1/session", {"platform": "ios", "fallback": fallback}, token)
        if case.path == "/client/v1/session/otp/verify":
            post("/client/v1/session/otp", {}, token)
        if case.path == "/client/v1/session/events":
            # The stream of a session that is done comes to its end.
            post("/client/v1/session/cancel", {}, token)
        return token


# Prelude: the API key of the sandbox's configuration file.
PRELUDE_KEY = "hf_test_sandbox"
PRELUDE_TARGET = {"type": "phone_number", "value": "+1" + NUMBER}


@schemathesis.auth(refresh_interval=None).apply_to(path_regex="^/prelude/v2/")
class PreludeBackend(Bearer):
    def get(self, case, context):
        return PRELUDE_KEY


@schemathesis.auth(refresh_interval=None).apply_to(path_regex="^/prelude/v1/signals$")
class PreludePhone:
    def get(self, case, context):
        return "sdk_sandbox"

    def set(self, case, data, context):
        case.headers = case.headers or {}
        case.headers["X-SDK-Key"] = data


# Twilio Verify: the API client's id and secret are those of its account.
TWILIO_BASIC = base64.b64encode(b"sandbox:sandbox-secret").decode()


def twilio(path, form=None):
    return post("/twilio-verify/v2" + path, form, TWILIO_BASIC, form=form is not None, scheme="Basic")


SERVICE = twilio("/Services")["services"][0]["sid"]


@schemathesis.auth(refresh_interval=None).apply_to(path_regex="^/twilio-verify/v2/")
class TwilioAccount:
    def get(self, case, context):
        return TWILIO_BASIC

    def set(self, case, data, context):
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Basic {data}"


def verification():
    """The SID of a verification that is open. What schemathesis left of its number is over before."""
    post("/sandbox/clock", {"advanceSeconds": 600})
    return twilio(f"/Services/{SERVICE}/Verifications", {"To": "+1" + NUMBER, "Channel": "sms"})["sid"]


def attempt():
    return twilio("/Attempts?VerificationSid=" + verification())["attempts"][0]["sid"]


def window():
    """The ID of a window of Prelude."""
    post("/sandbox/clock", {"advanceSeconds": 600})
    return post("/prelude/v2/verification", {"target": PRELUDE_TARGET}, PRELUDE_KEY)["id"]


# CAMARA: the API client gets a public key, and signs with its other half who it is, or whose phone it asks about.
CAMARA_NUMBER = "+12001004016"
CAMARA_KEY = ec.generate_private_key(ec.SECP256R1())
CAMARA_SCOPES = (
    "dpv:FraudPreventionAndDetection one-time-password-sms:send-validate number-verification:verify "
    "number-verification:device-phone-number:read")


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def order(path, body):
    """An operator's order, over the control socket."""
    connection = http.client.HTTPConnection("localhost")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(os.path.join(os.environ["SANDBOX_DATA"], "control.sock"))
    connection.request("POST", "/control" + path, json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    connection.close()


def give_key():
    point = CAMARA_KEY.public_key().public_numbers()
    x, y = (base64url(value.to_bytes(32, "big")) for value in (point.x, point.y))
    order("/clients/sandbox/update", {"publicKeys": [{"kty": "EC", "crv": "P-256", "x": x, "y": y}]})


def camara_token():
    """A token for every call, about a phone that the simulated operator knows."""
    phone = post("/sandbox/operator/operator-token", {"login_hint": "tel:" + CAMARA_NUMBER}, form=True)["operator_token"]
    audience = shown("/camara/.well-known/openid-configuration")["token_endpoint"]
    now = int(time.time())
    claims = {"iss": "sandbox", "sub": "operatortoken:" + phone, "aud": audience, "iat": now, "exp": now + 120,
              "jti": str(uuid.uuid4()), "scope": CAMARA_SCOPES}
    text = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": "ES256"}, claims))
    r, s = decode_dss_signature(CAMARA_KEY.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    assertion = text + "." + base64url(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
    grant = {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion}
    return post("/camara/token", grant, form=True)["access_token"]


def authentication():
    """The id of a code that was sent."""
    order = {"phoneNumber": CAMARA_NUMBER, "message": "{{code}} is your code"}
    return post("/camara/one-time-password-sms/v1/send-code", order, camara_token())["authenticationId"]


def shown(path):
    with urllib.request.urlopen(URL + path, timeout=10) as answer:
        return json.load(answer)


give_key()


@schemathesis.auth(refresh_interval=None).apply_to(path_regex="^/camara/(one-time|number)")
class CamaraBackend(Bearer):
    def get(self, case, context):
        return camara_token()


# What sends a code. After five of them a number has to wait.
SENDING = {
    "/prelude/app/verify", "/prelude/v2/verification", "/twilio-verify/v2/Services/{ServiceSid}/Verifications",
}


@schemathesis.hook
def before_call(context, case, kwargs):
    """A window of its own for each code."""
    if case.path in SENDING or case.operation.path in SENDING:
        post("/sandbox/clock", {"advanceSeconds": 600})


@schemathesis.hook
def filter_case(context, case):
    """No method that the server does not know: 501 (RFC 9110 section 9.1). No field that every server ignores."""
    return case.method.upper() != "QUERY" and "x-schemathesis-unknown-property" not in (case.headers or {})


def is_chosen(text):
    """Half of the texts that are UUIDs. One that was made wrong on purpose stays wrong."""
    return UUID.fullmatch(text) is not None and text[-1] in "13579bdfBDF"


@schemathesis.hook
def map_body(context, body):
    """Of the texts that could be a correlation id, half are one; the same for phone numbers."""
    if isinstance(body, dict):
        text = body.get("correlationId")
        if isinstance(text, str) and is_chosen(text):
            path = context.operation.path
            steps = ("/v3/validate", "/v3/challenge", "/v3/complete")
            body["correlationId"] = prefill(path) if path in steps else unify()["correlationId"]
        number = body.get("phoneNumber")
        if isinstance(number, str) and len(number) % 2 == 1 and re.fullmatch("[A-Za-z0-9+]{1,20}", number):
            body["phoneNumber"] = CAMARA_NUMBER if context.operation.path.startswith("/camara/") else OTHER_NUMBER
        text = body.get("authenticationId")
        if isinstance(text, str) and len(text) % 2 == 1 and len(text) <= 36:
            body["authenticationId"] = authentication()
        if context.operation.path.startswith("/v1/server/"):
            map_auth(body)
        if context.operation.path.startswith(("/prelude/", "/twilio-verify/")):
            map_vendor(body)
    return body


def map_auth(body):
    """The older calls have the number further in, and a session of their own."""
    text = body.get("authId")
    if isinstance(text, str) and is_chosen(text):
        mobile = {"claim": {"mobileNumber": NUMBER}, "authenticators": {"passive": {}}}
        body["authId"] = post("/v1/server/auth/start", {"subjects": {"mobile": mobile}}, ACCESS)["authId"]
    claim = body
    for name in ("subjects", "mobile", "claim"):
        claim = claim.get(name) if isinstance(claim, dict) else None
    if isinstance(claim, dict) and isinstance(claim.get("mobileNumber"), str) and len(claim["mobileNumber"]) % 2 == 1:
        claim["mobileNumber"] = NUMBER


def is_like_a_number(text):
    """Half of the texts that could be one. One that was made wrong on purpose stays wrong."""
    return isinstance(text, str) and len(text) % 2 == 1 and re.fullmatch("[A-Za-z0-9+]{1,20}", text) is not None


def map_vendor(body):
    """Of the numbers that the vendors' calls name, half are there; the same for verifications."""
    target = body.get("target")
    if isinstance(target, dict) and is_like_a_number(target.get("value")):
        body["target"] = target | PRELUDE_TARGET
    for name in ("To", "phone_number"):
        if is_like_a_number(body.get(name)):
            body[name] = "+1" + NUMBER
    if is_sid(body.get("VerificationSid"), "VE"):
        body["VerificationSid"] = verification()


def is_sid(text, kind):
    """Half of those of the kind."""
    return isinstance(text, str) and re.fullmatch(kind + "[0-9a-fA-F]{31}[13579bdfBDF]", text) is not None


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if path_parameters and is_chosen(str(path_parameters.get("correlationId", ""))):
        path_parameters["correlationId"] = unify()["correlationId"]
    for name in ("proveId", "identityId"):
        if path_parameters and is_chosen(str(path_parameters.get(name, ""))):
            path_parameters[name] = enrol()
    if path_parameters and context.operation.path.startswith(("/prelude/", "/twilio-verify/")):
        map_vendor_path(context.operation, path_parameters)
    return path_parameters


def map_vendor_path(operation, path_parameters):
    service = path_parameters.get("ServiceSid")
    if isinstance(service, str) and re.fullmatch("VA[0-9a-fA-F]{32}", service):
        path_parameters["ServiceSid"] = SERVICE
    sid = path_parameters.get("Sid")
    if is_sid(sid, "VL"):
        path_parameters["Sid"] = attempt()
    elif "/Verifications/" in operation.path and is_like_a_number(sid):
        path_parameters["Sid"] = verification()
    if is_like_a_number(path_parameters.get("phone_number")):
        path_parameters["phone_number"] = "+1" + NUMBER
    if "/history/" in operation.path and is_like_a_number(path_parameters.get("id")):
        path_parameters["id"] = window()


@schemathesis.hook
def map_query(context, query):
    """Calls that end soon, a receiver that does not fail as it is asked, and half of the identities are there."""
    if query and is_chosen(str(query.get("proveId", ""))):
        query["proveId"] = enrol()
    if query and is_sid(query.get("VerificationSid"), "VE"):
        query["VerificationSid"] = verification()
    for name in ("wait", "delay", "failures"):
        if query and str(query.get(name, "")).isdigit() and 0 < int(query[name]) <= 100:
            query[name] = 0
    return query
