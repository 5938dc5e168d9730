"""The rules by which the official server SDKs read an answer, held against every answer of platform and app surface.

Only 200 is success; a member has one type; what is optional is left out when it has no value, never null or empty;
`evaluation` holds objects alone; an error has a message.
"""
import json


class Map:
    """An object whose member names are data."""

    def __init__(self, shape):
        self.shape = shape


NUMBER = (int, float)
EVALUATION = Map({"result": str, "failureReasons?": Map(str)})
CATEGORIES = {"authentication", "identification", "risk", "compliance"}
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
    "success": str, "phoneNumber?": str, "proveId?": str, "deviceId?": str, "clientHumanId?": str,
    "clientRequestId?": str, "evaluation?": EVALUATION}
COMPLETED = {
    "success": bool, "next": Map(str), "changeDetected": bool, "evaluation?": EVALUATION, "idv?": IDV, "kyc?": KYC}
ERROR = {"message": str, "code?": int, "error?": str}

# What a 200 holds, by path; names that end in a question mark may be left out. No other members are expected, so that
# nothing goes out that no description knows.
SHAPES = {
    "/token": {"access_token": str, "expires_in": int, "token_type": str},
    "/v3/unify": {"correlationId": str, "success": str, "authToken?": str},
    "/v3/unify-status": UNIFY_RESULT,
    "/v3/unify-bind": UNIFY_RESULT,
    "/v3/device/revoke": {"success": bool},
    "/v3/start": {"authToken": str, "correlationId": str, "next": Map(str)},
    "/v3/validate": {
        "success": bool, "challengeMissing": bool, "next": Map(str), "phoneNumber?": str, "evaluation?": EVALUATION},
    "/v3/challenge": {
        "success": bool, "next": Map(str), "individual?": INDIVIDUAL, "evaluation?": EVALUATION},
    "/v3/complete": COMPLETED,
    "/initialize": {"authToken": str, "flowToken": str},
    "/verify": {
        "success": bool, "challengeMissing?": bool, "phoneNumber?": str, "firstName?": str, "lastName?": str,
        "individual?": INDIVIDUAL, "evaluation?": EVALUATION},
    "/finish": COMPLETED,
}


def checked(path, answer):
    """The answer of this path, when the SDKs can read it."""
    try:
        _check(path.split("?")[0], answer)
    except AssertionError as error:
        raise AssertionError(f"{path} answers what SDKs cannot read: {error}; {answer}") from None
    return answer


def _check(path, answer):
    assert answer.status == 200 or answer.status >= 400, f"status {answer.status}"
    media_type = answer.headers.get("content-type", "").split(";")[0]
    assert media_type == "application/json", f"Content-Type {media_type!r}"
    value = json.loads(answer.body, object_pairs_hook=_members, parse_constant=_refuse)
    shape = ERROR if answer.status != 200 else SHAPES.get(path, SHAPES.get("/v3" + path))
    assert shape is not None, "no shape is written down for this path"
    _fit(value, shape, "")
    for category, verdict in value.get("evaluation", {}).items():
        assert category in CATEGORIES and verdict["result"] in ("pass", "fail"), f"evaluation.{category}"
        assert (verdict["result"] == "fail") == ("failureReasons" in verdict), f"evaluation.{category}"


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
            _fit(member, shape.shape, f"{place}.{name}")
    elif isinstance(shape, list):
        assert type(value) is list, f"{place} is no array"
        for index, member in enumerate(value):
            _fit(member, shape[0], f"{place}[{index}]")
    else:
        types = shape if isinstance(shape, tuple) else (shape,)
        assert type(value) in types, f"{place} is {type(value).__name__}, not {types[0].__name__}"
        assert value != "", f"{place} is empty"
