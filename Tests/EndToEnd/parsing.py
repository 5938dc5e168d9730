"""The rules by which the official server SDKs read an answer, held against every answer of platform and app surface.

Only 200 is success; a member has one type; what is optional is left out when it has no value, never null or empty;
`evaluation` holds objects alone; an error has a message. In a shape, a set is a choice of texts.
"""
import json
import re

# The paths whose answers SDKs read.
READ_BY_SDKS = re.compile(r"/(token|v3/.*|v1/server/.*|unify(-status|-bind)?|initialize|verify|finish)(\?.*)?")


class Map:
    """An object whose member names are data: any, or some of those named."""

    def __init__(self, shape, names=None):
        self.shape, self.names = shape, names


NUMBER = (int, float)
# Required members of a batch's results, for which there may be nothing to say.
MAYBE_EMPTY = "a text that may be empty"
EVALUATION = Map(
    {"result": {"pass", "fail"}, "failureReasons?": Map(str), "ipMatch?": {"success", "failure", "indeterminate"}},
    {"authentication", "identification", "risk", "compliance"})
STEPS = {f"v3-{step}": f"/v3/{step}" for step in ("validate", "challenge", "complete")} | {"done": "done"}
NEXT = Map(set(STEPS.values()), set(STEPS))
PROOF = {"true", "false", "pending", "possession_required"}
VERDICT = {"true", "false"}
ADDRESS = {"address?": str, "extendedAddress?": str, "city?": str, "region?": str, "postalCode?": str}
INDIVIDUAL = {
    "firstName?": str, "lastName?": str, "dob?": str, "ssn?": str, "emailAddresses?": [str], "addresses?": [ADDRESS]}
SOURCE = {
    "cipConfidence?": str, "reasonCodes?": [str],
    "address?": {
        "addressScore?": int, "distance?": NUMBER, "streetNumber?": int, "street?": bool, "city?": bool,
        "region?": bool, "postalCode?": bool},
    "email?": {"emailAddress?": bool},
    "identifiers?": {"dob?": bool, "last4?": bool, "ssn?": bool},
    "name?": {"firstName?": int, "lastName?": int, "nameScore?": int}}
IDV = {"multiCIPConfidence": str, "dataSource1?": SOURCE, "dataSource2?": SOURCE}
KYC = {
    "totalHits": int,
    "amlTypeLists?": [
        {"amlType": str, "listHits": int, "fields?": [{"name": str, "source": str, "value": str}]}]}
UNIFY_RESULT = {
    "success": PROOF, "phoneNumber?": str, "proveId?": str, "deviceId?": str, "clientHumanId?": str, "statement?": str,
    "clientRequestId?": str, "evaluation?": EVALUATION}
COMPLETED = {
    "success": bool, "next": NEXT, "changeDetected": bool, "evaluation?": EVALUATION, "idv?": IDV, "kyc?": KYC}
ERROR = {"message": str, "code?": int, "error?": str, "error_description?": str}

PERSON = {
    "assuranceLevel": str, "reasons": [str], "firstName?": str, "lastName?": str, "dateOfBirth?": str,
    "nationalId?": str, "emails?": [str],
    "addresses?": [
        {"address?": str, "extendedAddress?": str, "city?": str, "region?": str, "zipCode?": str}]}
DONE = {"success": bool}
ENROLLED = {"proveId": str, "identityId": str}
IDENTITY = {
    **ENROLLED, "phoneNumber": str, "active": bool, "clientCustomerId?": str, "clientHumanId?": str, "deviceId?": str,
    "createdAt": int, "creationString": str}
LINKS, REQUESTS = (
    [{"name": str, "pcid": str, "scopes?": [str], verb + "At": int, verb + "String": str}]
    for verb in ("accepted", "requested"))

AUTH_ERROR = {"code": int, "message": str}


def _subject(claim, more):
    """What the older calls tell of a subject: one of the two."""
    return {"success?": {"claim": claim, "createdAt": int, **more}, "error?": AUTH_ERROR}


# What a 200 holds, by call; `{}` stands for one segment. Names that end in a question mark may be left out. No other
# members are expected, so that nothing goes out that no description knows.
SHAPES = {
    "POST /token": {"access_token": str, "expires_in": int, "token_type": {"Bearer"}},
    "POST /v3/unify": {"correlationId": str, "success": {"pending"}, "authToken?": str},
    "POST /v3/unify-status": UNIFY_RESULT,
    "POST /v3/unify-bind": UNIFY_RESULT,
    "POST /v3/device/revoke": DONE,
    "POST /v3/start": {"authToken": str, "correlationId": str, "next": NEXT},
    "POST /v3/validate": {
        "success": bool, "challengeMissing": bool, "next": NEXT, "phoneNumber?": str, "evaluation?": EVALUATION},
    "POST /v3/challenge": {
        "success": bool, "next": NEXT, "individual?": INDIVIDUAL, "evaluation?": EVALUATION},
    "POST /v3/complete": COMPLETED,
    "POST /v3/verify": {
        "success": VERDICT, "message?": str, "correlationId": str, "phoneNumber": str, "proveId?": str,
        "clientRequestId?": str,
        "clientCustomerId?": str, "clientHumanId?": str, "identity": PERSON, "isEnrolled?": bool,
        "evaluation?": EVALUATION},
    "POST /v3/verify/batch": {
        "correlationId": str, "clientRequestId?": str,
        "results": [{
            "assuranceLevel": str, "clientCustomerId": MAYBE_EMPTY, "phoneNumber": MAYBE_EMPTY, "success": VERDICT,
            "clientHumanId?": str, "proveId?": str, "identity?": PERSON, "evaluation?": EVALUATION, "error?": str}]},
    "GET /v3/discover": {"results": [{"attributeId": str, "issuerId": str}]},
    "GET /v3/fetch": {"results": [{"attributeId": str, "attributeValue": str, "issuerId": str}]},
    "POST /v3/identity": {**ENROLLED, **DONE},
    "POST /v3/identity/": {**ENROLLED, **DONE},
    "POST /v3/identity/batch": {"results": [{"proveId?": str, "identityId?": str, "error?": str}]},
    "GET /v3/identity": {"results": [ENROLLED], "lastKey?": str},
    "GET /v3/identity/{}/lookup": {"items?": [IDENTITY]},
    "GET /v3/identity/{}": IDENTITY,
    "DELETE /v3/identity/{}": {**DONE, "erased": {"identities": int, "deviceKeys": int, "sessions": int}},
    "POST /v3/identity/{}/activate": DONE,
    "POST /v3/identity/{}/deactivate": DONE,
    "POST /v3/identity/{}/cross-domain": {
        "count": int, "identities": [{"clientName": str, "identityId": str, "proveId": str, "pcid": str}]},
    "GET /v3/domain/id": {"pcid": str, "name": str, "issuerId": str},
    "GET /v3/domain/linked": {
        "linkedFrom?": LINKS, "linkedTo?": LINKS, "requestsFrom?": REQUESTS, "requestsTo?": REQUESTS},
    "POST /v3/domain/link": DONE,
    "POST /v3/domain/confirm-link": DONE,
    "POST /v3/domain/unlink": DONE,
    "POST /v1/server/auth/start": {"authId": str, "authToken": str},
    "POST /v1/server/auth/continue": {"subjects": {"mobile": {**DONE, "error?": AUTH_ERROR}}},
    "POST /v1/server/auth/finish": {
        "authId": str, "appNamespace": {"prod", "sandbox"},
        "subjects": {
            "mobile?": _subject({"mobileNumber": str}, {"authenticatorType": str, "extras?": {
                "linkClicked": bool, "ipMatch?": {"success", "failure", "indeterminate"},
                "phoneMatch": {"success", "failure", "indeterminate"}}}),
            "device?": _subject({"deviceId": str}, {"extras": {"deviceType": str}}),
            "user?": _subject({"userId": str}, {"authenticatorType": str})}},
    "POST /initialize": {"authToken": str, "flowToken": str},
    "POST /verify": {
        "success": bool, "challengeMissing?": bool, "phoneNumber?": str, "firstName?": str, "lastName?": str,
        "individual?": INDIVIDUAL, "evaluation?": EVALUATION},
    "POST /finish": COMPLETED,
}


def read(method, path, answer):
    """The answer of any call; one of platform or app surface only when the SDKs can read it."""
    if answer is None or method == "OPTIONS" or not READ_BY_SDKS.fullmatch(path):
        return answer
    return checked(path, answer, method)


def checked(path, answer, method="POST"):
    """The answer of this call, when the SDKs can read it."""
    try:
        _check(answer, ERROR if answer.status != 200 else _shape(method, path.split("?")[0]))
    except (AssertionError, ValueError) as error:
        raise AssertionError(f"{method} {path} answers what SDKs cannot read: {error}; {answer}") from None
    return answer


def _shape(method, path):
    segments = path.strip("/").split("/")
    if segments[0] in ("unify", "unify-status", "unify-bind"):
        segments.insert(0, "v3")
    for name, shape in SHAPES.items():
        verb, pattern = name.split()
        parts = pattern.strip("/").split("/")
        if verb == method and len(parts) == len(segments) and all(
                part in ("{}", segment) for part, segment in zip(parts, segments)):
            return shape
    raise AssertionError("no shape is written down for this call")


def _check(answer, shape):
    assert answer.status == 200 or answer.status >= 400, f"status {answer.status}"
    media_type = answer.headers.get("content-type", "").split(";")[0]
    assert media_type == "application/json", f"Content-Type {media_type!r}"
    value = json.loads(answer.body, object_pairs_hook=_members, parse_constant=_refuse)
    _fit(value, shape, "")


def _members(pairs):
    assert len({name for name, _ in pairs}) == len(pairs), "a member comes twice"
    return dict(pairs)


def _refuse(text):
    raise AssertionError(f"{text} is no JSON")


def _fit(value, shape, place):
    if isinstance(shape, dict):
        assert type(value) is dict, f"{place or 'the body'} is no object"
        known = {name.rstrip("?") for name in shape}
        assert set(value) <= known, f"{place}: {set(value) - known} is not described"
        for name, member in shape.items():
            plain = name.rstrip("?")
            if plain not in value:
                assert name != plain, f"{place}.{plain} is missing"
                continue
            assert name == plain or value[plain] not in ("", [], {}), f"{place}.{plain} is empty"
            _fit(value[plain], member, f"{place}.{plain}")
    elif isinstance(shape, Map):
        assert type(value) is dict, f"{place} is no object"
        for name, member in value.items():
            assert shape.names is None or name in shape.names, f"{place}.{name} is not described"
            _fit(member, shape.shape, f"{place}.{name}")
            if shape is EVALUATION:
                assert (member["result"] == "fail") == ("failureReasons" in member), f"{place}.{name} has no reasons"
            if shape is NEXT:
                assert STEPS[name] == member, f"{place}.{name} leads to {member}"
    elif isinstance(shape, list):
        assert type(value) is list, f"{place} is no array"
        for index, member in enumerate(value):
            _fit(member, shape[0], f"{place}[{index}]")
    elif isinstance(shape, set):
        assert type(value) is str and value in shape, f"{place} is {value!r}, not one of {sorted(shape)}"
    elif shape == MAYBE_EMPTY:
        assert type(value) is str, f"{place} is {type(value).__name__}, not str"
    else:
        types = shape if isinstance(shape, tuple) else (shape,)
        assert type(value) in types, f"{place} is {type(value).__name__}, not {types[0].__name__}"
        assert value != "", f"{place} is empty"
