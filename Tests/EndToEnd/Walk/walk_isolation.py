"""One customer tries to read, change and end what another one has, at every call that names something by its id."""
import re

from app_api import App
from holdfast import Key, expected
from people import MILO, PEOPLE, name_of
from prefill import start
from walk_identity import ELENA, JAIMIE, MERLA, STANLY, enrol, fresh_customers
from world import LORANT, SHORT_TERM

# Stands where the id goes, in a body, a query or a path.
ID = "{}"
SESSIONS = ("pending", "bindable", "proven", "started", "validated", "challenged", "of the app")
RUNS = ("started", "validated", "challenged", "of the app")
IDENTITIES = ("identity", "idle identity")
DOMAINS = ("domain", "asked domain", "linked domain")
AUTHS = tuple(f"auth id of {name}" for name in ("pending", "bindable", "started", "validated", "older"))
KEYS = {"authenticators": {"passive": {}}}
CLAIM = {"claim": {"mobileNumber": LORANT}}
ITEM = {"phoneNumber": ELENA, "verificationType": "verifiedUser", "firstName": "Elena", "lastName": "Coldman"}

# What the thief sends, by call: whose ids, and where they go. A name in a path is the id as well.
WEBHOOK_CALLS = ("test", "rotate", "enable", "disable")
TRIES = {
    "POST /v3/unify": [
        (IDENTITIES, {"possessionType": "mobile", "proveId": ID}),
        (IDENTITIES, {"possessionType": "none", "proveId": ID}),
        (("device",), {"possessionType": "mobile", "phoneNumber": LORANT, "deviceId": ID})],
    "POST /v1/server/auth/start": [(("device",), {"subjects": {"device": {"claim": {"deviceId": ID}, **KEYS}}})],
    "POST /v1/server/auth/continue": [(AUTHS, {"authId": ID, "subjects": {"mobile": CLAIM}})],
    "POST /v1/server/auth/finish": [(AUTHS, {"authId": ID})],
    "POST /v3/unify-status": [(SESSIONS, {"correlationId": ID})],
    "POST /v3/unify-bind": [(SESSIONS, {"correlationId": ID, "phoneNumber": LORANT})],
    "POST /v3/validate": [(SESSIONS, {"correlationId": ID})],
    "POST /v3/challenge": [(SESSIONS, {"correlationId": ID, "dob": PEOPLE[MILO]["dob"]})],
    "POST /v3/complete": [(SESSIONS, {"correlationId": ID, "individual": name_of(MILO)})],
    "POST /v3/device/revoke": [(("device",), {"deviceId": ID, "clientRequestId": "r-1"})],
    "POST /v3/verify": [(IDENTITIES, {**ITEM, "proveId": ID})],
    "POST /v3/verify/batch": [(IDENTITIES, {"items": [{**ITEM, "proveId": ID}]})],
    "POST /v3/identity": [(("device",), {"phoneNumber": STANLY, "deviceId": ID})],
    "POST /v3/identity/": [(("device",), {"phoneNumber": STANLY, "deviceId": ID})],
    "POST /v3/identity/batch": [
        (("device",), {"items": [{"phoneNumber": STANLY, "deviceId": ID}]}),
        (("device",), {"identities": [{"phoneNumber": STANLY, "deviceId": ID}]}),
        (IDENTITIES, {"items": [{"clientName": "owner", "identityId": ID, "pcid": "{domain}"}]}),
        (IDENTITIES, {"identities": [{"clientName": "owner", "identityId": ID, "pcid": "{domain}"}]}),
        (DOMAINS, {"items": [{"clientName": "owner", "identityId": "{identity}", "pcid": ID}]}),
        (DOMAINS, {"identities": [{"clientName": "owner", "identityId": "{identity}", "pcid": ID}]})],
    "GET /v3/identity": [(IDENTITIES, {"startKey": ID, "showInactive": "true"})],
    "GET /v3/identity/": [(IDENTITIES, {"startKey": ID, "showInactive": "true"})],
    "GET /v3/identity/{mobileNumber}/lookup": [(("number",), {})],
    "GET /v3/identity/{proveId}": [(IDENTITIES, {})],
    "DELETE /v3/identity/{proveId}": [(IDENTITIES, {})],
    "POST /v3/identity/{proveId}/activate": [(IDENTITIES, {})],
    "POST /v3/identity/{proveId}/deactivate": [(IDENTITIES, {})],
    "POST /v3/identity/{identityId}/cross-domain": [(IDENTITIES, {})],
    # That a domain exists is no secret to those who know its name: asking it for a link is what the name is for.
    "POST /v3/domain/link": [((), {"pcid": ID})],
    "POST /v3/domain/confirm-link": [(DOMAINS, {"pcid": ID})],
    "POST /v3/domain/unlink": [
        (DOMAINS, {"pcidFrom": ID}), (DOMAINS, {"pcidTo": ID}), (DOMAINS, {"pcidFrom": "{domain}", "pcidTo": ID}),
        (DOMAINS, {"pcidFrom": ID, "pcidTo": "{domain}"})],
    "GET /v3/discover": [(IDENTITIES, {"proveId": ID})],
    "GET /v3/fetch": [(IDENTITIES, {"proveId": ID, "attributeId": "tier"})],
    "GET /v1/sessions/{correlationId}/explanation": [(SESSIONS, {})],
    **{f"POST /v1/webhooks/{{webhookId}}/{call}": [(("webhook",), {})] for call in WEBHOOK_CALLS},
    "POST /v1/webhooks/{webhookId}/replay": [(("webhook",), {"eventId": "{event}"}), (("event",), {"eventId": ID})],
    "GET /v1/webhooks/{webhookId}": [(("webhook",), {})],
    "GET /v1/webhooks/{webhookId}/deliveries": [(("webhook",), {})],
    "DELETE /v1/webhooks/{webhookId}": [(("webhook",), {})],
    # On the app surface a flow token is all that opens a flow; `authId` names no flow of another customer.
    "POST /verify": [(AUTHS, {"authId": ID, "dob": PEOPLE[MILO]["dob"]})],
    "POST /finish": [(AUTHS, {"authId": ID, **name_of(MILO)})],
}
for step in ("", "-status", "-bind"):
    TRIES[f"POST /unify{step}"] = TRIES[f"POST /v3/unify{step}"]

# Members that name something; but not those by which callers name what is theirs, nor the kinds of things.
NAMING = re.compile(r"(Id|pcid|pcidFrom|pcidTo|startKey|Token)$")
OWN_NAMES = {
    "attributeId", "clientRequestId", "clientCustomerId", "clientHumanId", "requestId", "subscriptionCustomerId",
    "transactionId", "userId"}


class Owner:
    """A customer with one of everything, and all that the server says of it."""

    def __init__(self, world, platform, friend, other_friend):
        self.site, self.platform, self.friends, self.key = world.plain, platform, (friend, other_friend), Key()
        unify = self.site.unify
        self.sessions = {
            "pending": unify(LORANT, platform=platform), "bindable": unify(LORANT, "none", platform=platform),
            "proven": unify(SHORT_TERM, platform=platform)}
        self._prove_device(unify(LORANT, platform=platform))
        expected(self.sessions["bindable"].client(device_key=Key()).to_code_entry(), 200)
        self.sessions["bindable"].status("possession_required")
        older = expected(platform.post("/v1/server/auth/start", {"subjects": {"mobile": {**CLAIM, **KEYS}}}), 200)
        self.older_auth_id = older["authId"]
        self.site.secrets.add(older["authToken"])
        self.runs = {name: start(self.site, MILO, platform=platform) for name in ("started", "validated", "challenged")}
        for name in ("validated", "challenged"):
            expected(self.runs[name].validate(), 200, success=True)
        expected(self.runs["challenged"].challenge(dob=PEOPLE[MILO]["dob"]), 200, success=True)
        attributes = [{"attributeType": "tier", "attributeValue": "gold"}]
        self.identities = [enrol(platform, number, identityAttributes=attributes) for number in (MERLA, JAIMIE)]
        expected(platform.post(f"/v3/identity/{self.identities[1]}/deactivate", {}), 200)
        self.domains = [
            expected(side.get("/v3/domain/id"), 200)["pcid"] for side in (platform, friend, other_friend)]
        for domain in self.domains[1:]:
            expected(platform.post("/v3/domain/link", {"pcid": domain, "scopes": ["kyc"]}), 200)
        expected(other_friend.post("/v3/domain/confirm-link", {"pcid": self.domains[0]}), 200)

        # Disabled, so that what it shows changes by calls only.
        self.webhook = expected(
            platform.post("/v1/webhooks", {"url": "http://127.0.0.1:9/h", "types": ["identity.deleted"]}), 200)["id"]
        self.event = expected(platform.post(f"/v1/webhooks/{self.webhook}/test", {}), 200)["eventId"]
        expected(platform.post(f"/v1/webhooks/{self.webhook}/disable", {}), 200)

    def _prove_device(self, session):
        expected(session.client(device_key=self.key).authenticate("1234"), 200, outcome="succeeded")
        self.device = session.status("true")["deviceId"]

    def ids(self):
        started = {**self.sessions, **self.runs}
        return {
            **{name: session.correlation_id for name, session in started.items()},
            **{f"auth id of {name}": session.client().auth_id for name, session in started.items()},
            **dict(zip(IDENTITIES, self.identities)), **dict(zip(DOMAINS, self.domains)),
            "auth id of older": self.older_auth_id, "device": self.device, "number": "+1" + MERLA,
            "webhook": self.webhook, "event": self.event}

    def state(self):
        """Every answer about what is the owner's, asked for by the owner."""
        get, post = self.platform.get, self.platform.post
        answers = [session.platform.status(session.correlation_id) for session in self.sessions.values()]
        answers.append(self.platform.post("/v1/server/auth/finish", {"authId": self.older_auth_id}))
        answers += [run.validate() for name, run in self.runs.items() if name == "validated"]
        answers += [
            self.site.sandbox.session(session.correlation_id)
            for session in (*self.sessions.values(), *self.runs.values())]
        answers += [get("/v3/identity", showInactive="true"), get(f"/v3/identity/+1{MERLA}/lookup")]
        for identity in self.identities:
            answers += [
                get(f"/v3/identity/{identity}"), get("/v3/discover", proveId=identity),
                get("/v3/fetch", proveId=identity, attributeId="tier"),
                post(f"/v3/identity/{identity}/cross-domain", {})]
        answers += [side.get("/v3/domain/linked") for side in (self.platform, *self.friends)]
        answers += [get("/v1/webhooks"), get(f"/v1/webhooks/{self.webhook}")]
        for answer in answers:
            expected(answer, 200)
        return [answer.json for answer in answers]

    def goes_on(self):
        """Everything that waited for its next step takes it."""
        expected(self.runs["started"].validate(), 200, success=True)
        expected(self.runs["validated"].challenge(dob=PEOPLE[MILO]["dob"]), 200, success=True)
        expected(self.runs["challenged"].complete(**name_of(MILO)), 200, success=True)
        expected(self.sessions["bindable"].bind(LORANT), 200, success="true")
        expected(self.sessions["pending"].client(device_key=self.key).to_code_entry(), 200, outcome="succeeded")
        assert self.sessions["pending"].status("true")["deviceId"] == self.device
        expected(self.friends[0].post("/v3/domain/confirm-link", {"pcid": self.domains[0]}), 200, success=True)
        expected(self.platform.revoke(self.device), 200, success=True)


class Thief:
    """Another customer, who has somehow learnt every id, with a flow of the app surface that is nobody else's."""

    def __init__(self, world, platform):
        self.site, self.platform = world.plain, platform
        enrol(platform, STANLY)
        self.flow = App(self.site.server.base_url, carries="bearer")
        expected(self.flow.initialize(MILO), 200)
        self.site.callers.append(self.flow)
        self.site.secrets |= {self.flow.flow_token, self.flow.auth_token}

    def answers(self, call, fields):
        """What the call answers: on the app surface without and with a flow of one's own; with a session that it
        starts, what comes of that."""
        method, path = call.split()
        if path in ("/verify", "/finish"):
            return [
                self.flow.caller.post(path, fields, credential)
                for credential in ({}, self.flow.credential())]
        if method == "POST":
            answer = self.platform.post(path, fields)
        else:
            answer = self.platform.get(path, **fields) if method == "GET" else self.platform.delete(path)
        if answer["authToken"]:
            self.site.secrets.add(answer["authToken"])
        if answer["correlationId"] and "/unify" in path:
            return [answer, self.platform.status(answer["correlationId"])]
        if answer["authId"] and path.endswith("/start"):
            return [answer, self.platform.post("/v1/server/auth/finish", {"authId": answer["authId"]})]
        return [answer]


def filled(value, ids, own_id):
    """With the id in its place, and ids that are named by what they are the id of."""
    if isinstance(value, dict):
        return {name: filled(member, ids, own_id) for name, member in value.items()}
    if isinstance(value, list):
        return [filled(member, ids, own_id) for member in value]
    return own_id if value == ID else ids.get(value.strip("{}"), value) if value.startswith("{") else value


def unknown_like(text):
    """An id of the same form, next to it in any order, that nobody has; another sandbox user's number."""
    if text.startswith("+"):
        return "+1" + LORANT
    return text[:-1] + ("1" if text[-1] != "1" else "2")


def seen(answer, own_id):
    """What tells one answer from another: all but what is made up anew for each."""
    body = answer.body.decode().replace(own_id, "ID")
    body = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID", body)
    return answer.status, sorted(answer.headers), re.sub(r"eyJ[\w.-]+", "JWT", body)


def nothing_of_another_customer_can_be_read_changed_or_ended(world):
    friend, other_friend, mine, thiefs = fresh_customers(world, "friend", "friend-2", "owner", "thief")
    owner, thief = Owner(world, mine, friend, other_friend), Thief(world, thiefs)
    ids = owner.ids()
    flow = App(world.plain.server.base_url, carries="bearer")
    before = [session["correlationId"] for session in world.plain.sandbox.sessions()["sessions"]]
    expected(flow.initialize(MILO), 200)
    ids["of the app"], = {
        session["correlationId"] for session in world.plain.sandbox.sessions()["sessions"]} - set(before)
    state, count = owner.state(), 0
    for call, tries in TRIES.items():
        for names, fields in tries:
            for name in names:
                theirs, nobodys = (
                    [
                        seen(answer, own_id)
                        for answer in thief.answers(re.sub(r"\{\w+\}", own_id, call), filled(fields, ids, own_id))]
                    for own_id in (ids[name], unknown_like(ids[name])))
                count += 1
                assert theirs == nobodys, f"{call}, {name}: {theirs} is not as for an unknown one, {nobodys}"
        assert owner.state() == state, f"{call} has changed what is another customer's"
    owner.goes_on()
    return f"{count} ids tried at {len(TRIES)} calls"


def every_call_and_member_that_names_something_is_tried(world):
    document = world.plain.sandbox.caller.call("GET", "/openapi.json").json
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if method == "options" or operation["tags"][0] not in ("Platform", "App"):
                continue
            call = f"{method.upper()} {path}"
            named = {name for name in members(operation, document) if NAMING.search(name)} - OWN_NAMES
            tried = set(re.findall(r"\{(\w+)\}", path))
            assert not tried or call in TRIES, f"nobody tries {call}"
            for _, fields in TRIES.get(call, []):
                tried |= places(fields)
            assert named <= tried, f"{call} names {named - tried}, which nobody tries with what is another's"


def members(value, document):
    """The names of parameters and of members of the body, however deep."""
    if isinstance(value, list):
        return set().union(*(members(item, document) for item in value))
    if not isinstance(value, dict):
        return set()
    names = {value["name"]} if "in" in value and "name" in value else set()
    if "$ref" in value:
        part = document
        for step in value["$ref"].split("/")[1:]:
            part = part[step]
        names |= members(part, document)
    names |= set(value.get("properties", {})) if isinstance(value.get("properties"), dict) else set()
    inside = (item for name, item in value.items() if name not in ("responses", "example"))
    return names.union(*(members(item, document) for item in inside))


def places(fields):
    """The members that hold the id."""
    if isinstance(fields, list):
        return set().union(*(places(item) for item in fields))
    if not isinstance(fields, dict):
        return set()
    return {name for name, value in fields.items() if value == ID}.union(*(places(value) for value in fields.values()))
