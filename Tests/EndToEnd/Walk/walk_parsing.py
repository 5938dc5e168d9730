"""The reader of answers itself: it knows every call that is described, and refuses every answer that breaks a rule."""
import json

from exchange import Answer
from parsing import SHAPES, read

UNIFY = {"correlationId": "c", "success": "pending", "authToken": "t"}
STATUS = {"success": "false", "evaluation": {"risk": {"result": "fail", "failureReasons": {"9133": "low trust"}}}}
VALIDATED = {"success": True, "challengeMissing": False, "next": {"v3-challenge": "/v3/challenge"}}
TOKEN = {"access_token": "t", "token_type": "Bearer", "expires_in": 3600}
BATCH = {"correlationId": "c", "results": [
    {"assuranceLevel": "AL1", "clientCustomerId": "", "phoneNumber": "1", "success": "true"}]}
IDENTITIES = {"results": []}
COMPLETED = {
    "success": True, "next": {"done": "done"}, "changeDetected": False,
    "idv": {"multiCIPConfidence": "high", "dataSource1": {"address": {"addressScore": 1, "distance": 0.5}}}}
LINKED = {"linkedTo": [{"name": "n", "pcid": "p", "acceptedAt": 1, "acceptedString": "s"}]}
FOUND = {"count": 0, "identities": []}
ERROR = {"message": "m", "code": 8001}

GOOD = [
    ("/v3/unify", UNIFY), ("/v3/unify-status", STATUS), ("/unify-status", STATUS), ("/v3/validate", VALIDATED),
    ("/token", TOKEN), ("/v3/verify/batch", BATCH), ("/v3/complete", COMPLETED), ("/finish", COMPLETED),
    ("/v3/identity/1/cross-domain", FOUND)]

# A call, its good answer, and what is wrong with the answer beside it.
BROKEN = [
    ("/v3/unify", UNIFY, "a success that is a boolean", {"success": True}),
    ("/v3/unify", UNIFY, "a success of another call", {"success": "true"}),
    ("/v3/unify", UNIFY, "a null", {"authToken": None}),
    ("/v3/unify", UNIFY, "an optional member that is empty", {"authToken": ""}),
    ("/v3/unify", UNIFY, "a required member that is empty", {"correlationId": ""}),
    ("/v3/unify", UNIFY, "a required member that is missing", {"correlationId": ...}),
    ("/v3/unify", UNIFY, "a member that is not described", {"state": "x"}),
    ("/v3/unify-status", STATUS, "a success that is no word of it", {"success": "success"}),
    ("/v3/unify-status", STATUS, "a number for a text", {"phoneNumber": 2001004014}),
    ("/v3/unify-status", STATUS, "a boolean in evaluation", {"evaluation": {"risk": True}}),
    ("/v3/unify-status", STATUS, "a text in evaluation", {"evaluation": {"risk": "fail"}}),
    ("/v3/unify-status", STATUS, "an evaluation that is empty", {"evaluation": {}}),
    ("/v3/unify-status", STATUS, "an evaluation that is a list", {"evaluation": [{"result": "pass"}]}),
    ("/v3/unify-status", STATUS, "an unknown category", {"evaluation": {"luck": {"result": "pass"}}}),
    ("/v3/unify-status", STATUS, "an unknown verdict", {"evaluation": {"risk": {"result": "maybe"}}}),
    ("/v3/unify-status", STATUS, "a failure without reasons", {"evaluation": {"risk": {"result": "fail"}}}),
    ("/v3/unify-status", STATUS, "a pass with reasons",
     {"evaluation": {"risk": {"result": "pass", "failureReasons": {"9133": "x"}}}}),
    ("/v3/validate", VALIDATED, "a success that is a text", {"success": "true"}),
    ("/v3/validate", VALIDATED, "a missing next", {"next": ...}),
    ("/v3/validate", VALIDATED, "a next that is null", {"next": {"done": None}}),
    ("/v3/validate", VALIDATED, "a step that leads elsewhere", {"next": {"v3-challenge": "/v3/complete"}}),
    ("/v3/validate", VALIDATED, "a step that nobody knows", {"next": {"v3-verify": "/v3/verify"}}),
    ("/token", TOKEN, "seconds with a decimal point", {"expires_in": 3600.0}),
    ("/token", TOKEN, "seconds as a text", {"expires_in": "3600"}),
    ("/token", TOKEN, "a token type in another case", {"token_type": "bearer"}),
    ("/token", TOKEN, "missing seconds", {"expires_in": ...}),
    ("/v3/verify/batch", BATCH, "a result with a boolean success",
     {"results": [{**BATCH["results"][0], "success": True}]}),
    ("/v3/verify/batch", BATCH, "a boolean in a result's evaluation",
     {"results": [{**BATCH["results"][0], "evaluation": {"risk": False}}]}),
    ("/v3/complete", COMPLETED, "a score with a decimal point",
     {"idv": {"multiCIPConfidence": "high", "dataSource1": {"name": {"nameScore": 100.0}}}}),
    ("/v3/complete", COMPLETED, "a list that is empty", {"kyc": {"totalHits": 0, "amlTypeLists": []}}),
    ("/v3/identity/1/cross-domain", FOUND, "a missing required list", {"identities": ...}),
    ("/v3/identity/1/cross-domain", FOUND, "a boolean for a number", {"count": False}),
]


def answered(value, status=200, media_type="application/json"):
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Answer(status, {"content-type": media_type} if media_type else {}, body)


def changed(value, change):
    return {name: member for name, member in {**value, **change}.items() if member is not ...}


def is_readable(path, answer, method="POST"):
    try:
        read(method, path, answer)
    except AssertionError:
        return False
    return True


def what_is_right_is_readable(world):
    for path, value in GOOD:
        assert is_readable(path, answered(value)), path
        assert is_readable(path, answered(value, media_type="application/json; charset=utf-8")), path
    assert is_readable("/v3/identity?limit=1", answered(IDENTITIES), "GET")
    assert is_readable("/v3/domain/linked", answered(LINKED), "GET")
    for status in (400, 401, 403, 404, 429, 500):
        assert is_readable("/v3/unify", answered(ERROR, status)) and is_readable("/v3/x", answered(ERROR, status))


def what_is_wrong_is_not(world):
    for path, value, name, change in BROKEN:
        assert not is_readable(path, answered(changed(value, change))), f"{path}: {name}"
    text = json.dumps(UNIFY).encode()
    for name, answer in {
            "another success": answered(UNIFY, 201), "no content": answered(b"", 204), "moved": answered(UNIFY, 302),
            "an empty body": answered(b""), "a list": answered([UNIFY]), "no JSON": answered(text[:-1]),
            "more behind it": answered(text + b"{}"), "NaN": answered(text.replace(b'"c"', b"NaN")),
            "a member twice": answered(text[:-1] + b', "success": "pending"}'),
            "no type": answered(UNIFY, media_type=""), "capitals": answered(UNIFY, media_type="Application/JSON"),
            "a problem": answered(UNIFY, media_type="application/problem+json"),
            "a problem as error": answered(ERROR, 400, "application/problem+json"),
            "an error without a message": answered({"error": "invalid_client", "code": 8002}, 401),
            "an error with an empty message": answered({"message": ""}, 400),
            "an error whose code is a text": answered({"message": "m", "code": "8001"}, 400),
            "an error in HTML": answered(b"<p>not found</p>", 404, "text/html")}.items():
        assert not is_readable("/v3/unify", answer), name
    assert not is_readable("/v3/other", answered(UNIFY)), "a call without a shape"


def what_no_sdk_reads_may_be_anything(world):
    for path in ("/healthz", "/client/v1/session", "/sandbox/users", "/.well-known/jwks.json"):
        assert is_readable(path, answered([None])), path
    assert is_readable("/verify", answered(b"", 204), "OPTIONS")


def every_call_that_is_described_has_a_shape_and_no_other(world):
    paths = world.plain.sandbox.caller.call("GET", "/openapi.json").json["paths"]
    aliases = {f"POST /unify{step}" for step in ("", "-status", "-bind")} | {"GET /v3/identity/"}
    described = {
        f"{method.upper()} {path}" for path, operations in paths.items() for method, operation in operations.items()
        if method != "options" and operation["tags"][0] in ("Platform", "App")
        # Ours: no SDK reads them.
        and not path.startswith(("/v1/webhooks", "/v1/sessions"))}
    assert aliases <= described, aliases - described
    described = {unnamed(call) for call in described - aliases}
    assert described == set(SHAPES), described ^ set(SHAPES)


def unnamed(path):
    """With `{}` for each parameter."""
    return "/".join("{}" if part.startswith("{") else part for part in path.split("/"))
