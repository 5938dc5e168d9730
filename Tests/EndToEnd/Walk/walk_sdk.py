"""The official server SDKs: every operation that they have, in the bytes of each, and every answer as each reads it."""
import socket
import uuid
from urllib.parse import quote, urlencode

from exchange import json_bytes
from holdfast import Client, Key, expected
from parsing import checked
from people import MILO, PEOPLE
from sdk import DOTNET, GO, JAVA, OPERATIONS, TYPESCRIPT
from volley import ANSWER_SECONDS, answer_on
from walk_identity import ELENA, JAIMIE, MERLA, fresh_customers
from walk_parsing import unnamed
from world import LORANT, SHORT_TERM, is_uuid

# A required member that the caller of the SDK gave no value.
UNSET = object()
# There is nothing that makes these a bad request.
NEVER_BAD = {"V3BatchGetIdentities", "V3DomainIDRequest", "V3DomainLinkedRequest"}


class Backend:
    """A customer's backend with one of the SDKs, on one kept connection."""

    def __init__(self, site, customer, sdk, called):
        self.customer, self.sdk, self.called = customer, sdk, called
        self.host = f"127.0.0.1:{site.server.port}"
        self.socket = site.server.connect(ANSWER_SECONDS)
        self.access_token = ""
        self.site = site

    def token(self, **changes):
        form = {
            "grant_type": "client_credentials", "client_id": self.customer.client_id,
            "client_secret": self.customer.secret, **changes}
        body = urlencode(sorted(form.items()) if self.sdk is GO else form).encode()
        self.called.add("V3TokenRequest")
        answer = self._answer("POST", "/token", self.sdk.form_head("/token", self.host, body), body)
        if answer.status == 200:
            self.access_token = answer["access_token"]
            self.site.secrets.add(self.access_token)
        return answer

    def call(self, operation, fields=None, /, query=None, token=None, **path_values):
        """One operation. `fields` become its body; without, there is none."""
        method, path, _ = OPERATIONS[operation]
        self.called.add(operation)
        path = path.format(**{name: self.sdk.spelled(value) for name, value in path_values.items()})
        path += "?" + urlencode(query, quote_via=quote) if query else ""
        body = b"" if fields is None else json_bytes(self._filled(fields))
        head = self.sdk.call_head(method, path, self.host, self.access_token if token is None else token, body)
        return self._answer(method, path, head, body)

    def _filled(self, fields):
        if not isinstance(fields, dict):
            return fields
        unset = self.sdk.unset_request_id
        return {
            name: unset if value is UNSET else value
            for name, value in fields.items() if value is not UNSET or unset is not None}

    def _answer(self, method, path, head, body):
        for part in (head, body) if self.sdk.body_apart else (head + body,):
            self.socket.sendall(part)
        if not self.site.server.over_tls:
            first = self.socket.recv(9, socket.MSG_PEEK)
            assert first == b"HTTP/1.1 ", f"{method} {path} is answered with {first!r}"
        answer = checked(path, answer_on(self.socket), method)
        assert "upgrade" not in answer.headers and answer.headers.get("connection", "") != "close", answer.headers
        return answer

    def succeeds(self, operation, *arguments, **options):
        """Its answer, which must be the one status that is success to an SDK."""
        return expected(self.call(operation, *arguments, **options), 200)

    def follows(self, answer, fields):
        """The step that an answer names as the next one."""
        (step, path), = answer["next"].items()
        operation, = (name for name, call in OPERATIONS.items() if call[1] == path)
        assert step == path[1:].replace("/", "-"), answer
        return self.succeeds(operation, fields)

    def close(self):
        self.socket.close()


def proves_a_number(backend, site):
    """With the client that needs none, and with the customer's own check behind it."""
    order = {"possessionType": "mobile", "phoneNumber": SHORT_TERM, "clientRequestId": UNSET}
    session = backend.succeeds("V3UnifyRequest", order)["correlationId"]
    proven = backend.succeeds("V3UnifyStatusRequest", {"correlationId": session})
    expected(proven, 200, success="true", clientRequestId=backend.sdk.unset_request_id or None)
    answer = backend.succeeds(
        "V3UnifyRequest", {"possessionType": "none", "phoneNumber": LORANT, "clientRequestId": UNSET})
    has_its_own_check(site, answer["authToken"])
    session = {"correlationId": answer["correlationId"]}
    expected(backend.succeeds("V3UnifyStatusRequest", session), 200, success="possession_required")
    bound = backend.succeeds("V3UnifyBindRequest", {**session, "phoneNumber": LORANT})
    device = {"deviceId": bound["deviceId"], "clientRequestId": UNSET}
    expected(backend.succeeds("V3DeviceRevokeRequest", device), 200, success=True)
    expected(backend.call("V3DeviceRevokeRequest", {**device, "deviceId": str(uuid.uuid4())}), 404, code=8010)


def has_its_own_check(site, auth_token):
    """The client side of it: a new key, and no other check."""
    site.secrets.add(auth_token)
    client = Client(site.server.base_url, auth_token, device_key=Key())
    expected(client.to_code_entry(), 200, outcome="possessionRequired")
    client.close()


def authenticates_as_of_old(backend, site):
    """By the calls without a version of their own: the device key, and the customer's own check."""
    claim = {"mobile": {"claim": {"mobileNumber": LORANT}}}
    keys = {"authenticators": {"passive": {}}}
    answer = backend.succeeds(
        "AuthStartRequest", {"requestId": "r-1", "subjects": {"mobile": {**claim["mobile"], **keys}, "device": keys}})
    has_its_own_check(site, answer["authToken"])
    session = {"authId": answer["authId"]}
    vouched = backend.succeeds("AuthContinueRequest", {**session, "requestId": "r-2", "subjects": claim})
    expected(vouched, 200, subjects={"mobile": {"success": True}})
    subjects = backend.succeeds("AuthFinishRequest", session)["subjects"]
    assert subjects["mobile"]["success"]["claim"] == claim["mobile"]["claim"], subjects
    assert is_uuid(subjects["device"]["success"]["claim"]["deviceId"]), subjects
    expected(backend.call("AuthContinueRequest", {**session, "requestId": "r-3", "subjects": claim}), 400, code=8003)


def fills_in_a_person(backend):
    start = backend.succeeds("V3StartRequest", {"flowType": "mobile", "phoneNumber": MILO})
    run = {"correlationId": start["correlationId"]}
    proven = backend.follows(start, run)
    shown = backend.follows(proven, {**run, "ssn": PEOPLE[MILO]["ssn"][-4:]})
    assert shown["individual"] == PEOPLE[MILO], shown
    done = backend.follows(shown, {**run, "individual": shown["individual"]})
    expected(done, 200, success=True, next={"done": "done"})
    expected(backend.call("V3ChallengeRequest", {**run, "ssn": "7227"}), 403, code=8003)


def verifies_people(backend):
    person = {
        "phoneNumber": ELENA, "verificationType": "verifiedUser", "firstName": "Elena", "lastName": "Coldman",
        "clientRequestId": "v-1"}
    expected(backend.succeeds("V3VerifyRequest", person), 200, success="true", clientRequestId="v-1")
    del person["clientRequestId"]
    items = [person, {**person, "phoneNumber": "12", "clientCustomerId": "c-1"}]
    results = backend.succeeds("V3VerifyBatchRequest", {"items": items})["results"]
    assert [result["success"] for result in results] == ["true", "false"] and results[1]["error"], results


def manages_identities(backend):
    tier = [{"attributeType": "tier", "attributeValue": "gold"}]
    enrolled = backend.succeeds(
        "V3EnrollIdentity", {"phoneNumber": "+1" + MERLA, "identityAttributes": tier, "clientCustomerId": "c-1"})
    identity = {"proveId": enrolled["proveId"]}
    results = backend.succeeds(
        "V3BatchEnrollIdentities", {"items": [{"phoneNumber": JAIMIE}, {"phoneNumber": "12"}]})["results"]
    assert is_uuid(results[0]["proveId"]) and results[1]["error"], results
    everybody = {"limit": 1, "clientRequestId": "r+1 2"}
    page = backend.succeeds("V3BatchGetIdentities", query=everybody)
    rest = backend.succeeds("V3BatchGetIdentities", query={**everybody, "startKey": page["lastKey"]})
    assert len(page["results"]) == len(rest["results"]) == 1 and page["results"] != rest["results"], (page, rest)
    for number in ("+1" + MERLA, MERLA):
        found, = backend.succeeds("V3GetIdentitiesByPhoneNumber", mobileNumber=number)["items"]
        assert found["proveId"] == identity["proveId"], found
    expected(backend.succeeds("V3DeactivateIdentity", **identity), 200, success=True)
    expected(backend.succeeds("V3ActivateIdentity", {"clientRequestId": "r-1"}, **identity), 200, success=True)
    expected(backend.succeeds("V3GetIdentity", query={"clientRequestId": "r-1"}, **identity), 200, active=True)
    expected(backend.succeeds("V3DiscoverRequest", query=identity), 200)
    fetched, = backend.succeeds("V3FetchRequest", query={**identity, "attributeId": "tier"})["results"]
    assert fetched["attributeValue"] == "gold", fetched
    return identity["proveId"]


def links_domains(backend, other, identity):
    """What belongs to two customers; in the end the identity is removed."""
    own, theirs = (side.succeeds("V3DomainIDRequest")["pcid"] for side in (backend, other))
    item = {"clientName": "other", "identityId": manages_identities(other), "pcid": theirs}
    expected(backend.succeeds("V3DomainLinkRequest", {"pcid": theirs, "scopes": ["kyc"]}), 200, success=True)
    expected(other.succeeds("V3DomainConfirmLinkRequest", {"pcid": own}), 200, success=True)
    assert backend.succeeds("V3DomainLinkedRequest")["linkedTo"][0]["pcid"] == theirs
    found = backend.succeeds("V3CrossDomainIdentity", identityId=identity)
    assert found["count"] == 1 and found["identities"][0]["pcid"] == theirs, found
    expected(backend.succeeds("V3CrossDomainIdentity", {"clientRequestId": "r-1"}, identityId=identity), 200, count=1)
    assert "error" not in backend.succeeds("V3BatchEnrollIdentities", {"items": [item]})["results"][0]
    expected(backend.succeeds("V3DomainUnlinkRequest", {"pcidTo": theirs}), 200, success=True)
    expected(backend.succeeds("V3DisenrollIdentity", proveId=identity), 200, success=True)
    expected(backend.call("V3GetIdentity", proveId=identity), 404, code=8010)


def is_refused_everything(backend):
    """No token, a wrong one, and a bad request, at every operation; each is an error that the SDK has a type for."""
    for secret, status, code in (("wrong", 401, 8002), ("", 400, 8001)):
        expected(backend.token(client_secret=secret), status, code=code)
    for operation in sorted(backend.called - {"V3TokenRequest"}):
        method, _, typed = OPERATIONS[operation]
        names = {"mobileNumber": "+12", "proveId": "1", "identityId": "1"}
        # A body that is an array is a bad request to every call that reads one.
        fields = [] if method == "POST" else None
        for token in ("", "eyJhbGciOiJFUzI1NiJ9.e30.AA"):
            expected(backend.call(operation, fields, token=token, **names), 401, code=8002)
        if operation not in NEVER_BAD:
            answer = backend.call(operation, fields, **names)
            assert answer.status in typed | {400, 404} and answer["code"] in (8001, 8010), answer


def every_operation_works(world, sdk):
    """The calls of a customer with this SDK, and of another one whose domain it is linked with."""
    called = set()
    backends = [
        Backend(world.plain, customer, sdk, called) for customer in fresh_customers(world, "sdk", "sdk-other")]
    backend, other = backends
    try:
        for side in backends:
            expected(side.token(), 200)
        proves_a_number(backend, world.plain)
        fills_in_a_person(backend)
        verifies_people(backend)
        authenticates_as_of_old(backend, world.plain)
        links_domains(backend, other, manages_identities(backend))
        is_refused_everything(backend)
        forgotten = described(world) - called
        assert not forgotten, forgotten
        return f"{len(called)} operations"
    finally:
        for side in backends:
            side.close()


def described(world):
    """The SDKs' operations that the server's own description has."""
    paths = world.plain.sandbox.caller.call("GET", "/openapi.json").json["paths"]
    there = {(method.upper(), unnamed(path)) for path, operations in paths.items() for method in operations}
    return {name for name, (method, path, _) in OPERATIONS.items() if (method, unnamed(path)) in there}


def every_operation_works_with_the_go_sdk(world):
    return every_operation_works(world, GO)


def every_operation_works_with_the_typescript_sdk(world):
    return every_operation_works(world, TYPESCRIPT)


def every_operation_works_with_the_java_sdk(world):
    return every_operation_works(world, JAVA)


def every_operation_works_with_the_dotnet_sdk(world):
    return every_operation_works(world, DOTNET)


def the_sdks_have_no_operation_that_the_server_lacks(world):
    missing = set(OPERATIONS) - described(world)
    assert not missing, missing
