"""What schemathesis cannot know: how to get tokens, and names of things that exist."""

import json
import os
import re
import urllib.parse
import urllib.request

import schemathesis

URL = os.environ["SANDBOX_URL"]
NUMBER = "2001004014"
OTHER_NUMBER = "2001004015"
UUID = re.compile("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


def post(path, body, token=None, form=False):
    data = urllib.parse.urlencode(body) if form else json.dumps(body)
    kind = "application/x-www-form-urlencoded" if form else "application/json"
    headers = {"Content-Type": kind} | ({"Authorization": f"Bearer {token}"} if token else {})
    request = urllib.request.Request(URL + path, data.encode(), headers)
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
            body["phoneNumber"] = OTHER_NUMBER
        if context.operation.path.startswith("/v1/server/"):
            map_auth(body)
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


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if path_parameters and is_chosen(str(path_parameters.get("correlationId", ""))):
        path_parameters["correlationId"] = unify()["correlationId"]
    for name in ("proveId", "identityId"):
        if path_parameters and is_chosen(str(path_parameters.get(name, ""))):
            path_parameters[name] = enrol()
    return path_parameters


@schemathesis.hook
def map_query(context, query):
    """Long polls that end soon, and half of the identities are there."""
    if query and is_chosen(str(query.get("proveId", ""))):
        query["proveId"] = enrol()
    if query and str(query.get("wait", "")).isdigit() and 0 < int(query["wait"]) <= 30:
        query["wait"] = 0
    return query
