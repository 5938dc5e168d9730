"""The app surface: a run that a page or an app drives by itself, with a cookie or the flow token, and nobody else's."""
import json
import re

from app_api import App, cookie_of
from exchange import json_bytes, raw_request
from holdfast import Client, Key, Phone, expected
from people import AGRETHA, BENJI, CATHEE, MARCIA, OTTOLINE, PEOPLE, name_of
from prefill import DONE, IDENTIFIED, WRONG_DOB, WRONG_NAME, WRONG_SSN, same
from prefill import start as start_at_backend
from volley import volley
from world import RIGHT, STRANGER, TARGET, WRONG

PAGE, SHOP, STRANGE_PAGE = "http://localhost:3000", "https://shop.example", "https://evil.example"
MISSING = {"success": False, "challengeMissing": True}


class Flow(App):
    """A run of the app surface with the client beside it, which proves the number."""

    def __init__(self, site, carries="cookie"):
        super().__init__(site.server.base_url, carries)
        self.site = site
        site.callers.append(self)

    def begin(self, number=None, **fields):
        expected(self.initialize(number, **fields), 200)
        self.site.secrets |= {self.flow_token, self.auth_token}
        self.client = Client(self.site.server.base_url, self.auth_token, device_key=Key())
        self.site.callers.append(self.client)
        return self

    def prove(self):
        expected(self.client.authenticate(RIGHT), 200, outcome="succeeded")
        return self


def begun(site, number=MARCIA, carries="cookie", **fields):
    return Flow(site, carries).begin(number, **fields)


def strict(world):
    """A server that takes no bare `authId`, and lists a page of its own."""
    return world.site("strict", HOLDFAST_APP_ACCEPT_AUTH_ID="false", HOLDFAST_APP_ALLOWED_ORIGINS=SHOP)


def shown(number):
    person = PEOPLE[number]
    return {"success": True, "phoneNumber": number, **name_of(number), "individual": person}


def differs(evaluation):
    return {"success": False, "phoneNumber": MARCIA, "evaluation": evaluation}


def completed(changed=False, **blocks):
    return {"success": True, "next": DONE, "changeDetected": changed, "evaluation": IDENTIFIED, **blocks}


# The run

def a_cookie_carries_a_run_from_start_to_end(world):
    flow = begun(world.plain, ssn="6227")
    for _ in range(3):  # early ones end nothing
        same(flow.verify(), {"success": False, "phoneNumber": MARCIA})
    flow.prove()
    for _ in range(2):  # a page that is loaded again
        same(flow.verify(), shown(MARCIA))
    same(flow.finish(**name_of(MARCIA)), completed())


def so_does_the_flow_token_as_a_bearer_token(world):
    flow = begun(world.plain, carries="bearer").prove()
    same(flow.verify(), MISSING)
    same(flow.verify(), MISSING)
    same(flow.verify(dob="07-19"), shown(MARCIA))
    same(flow.finish(individual=PEOPLE[MARCIA]), completed())


def the_cookie_is_for_the_server_alone(world):
    site = world.plain
    flow = Flow(site)
    cookie = cookie_of(flow.initialize(MARCIA))
    assert cookie.value == flow.flow_token and len(flow.flow_token) == 22, cookie
    attributes = {name: value for name, value in cookie.items() if value}
    secure = {"secure": True} if site.server.over_tls else {}
    assert attributes == {"path": "/", "max-age": "900", "httponly": True, "samesite": "Lax", **secure}, attributes
    for answer in (flow.verify(), flow.finish(ssn="6227"), flow.initialize("12")):
        assert cookie_of(answer) is None, answer.headers
    proxied = Flow(world.scripted).initialize(MARCIA, headers={"X-Forwarded-Proto": "https"})
    assert cookie_of(proxied)["secure"], proxied.headers
    unbelieved = Flow(site).initialize(MARCIA, headers={"X-Forwarded-Proto": "https"})
    assert bool(cookie_of(unbelieved)["secure"]) == site.server.over_tls, unbelieved.headers


def an_empty_call_verifies_as_well(world):
    flow = begun(world.plain, ssn="6227").prove()
    for headers in ({}, {"Content-Type": "application/json"}):
        answer = flow.caller.call("POST", "/verify", None, {**flow.credential(), **headers})
        same(answer, shown(MARCIA))


def identity_users_get_their_names_alone(world):
    flow = begun(world.plain, BENJI)
    same(flow.verify(), {"success": False, "phoneNumber": BENJI})
    flow.prove()
    for _ in range(2):
        same(flow.verify(), {"success": True, "phoneNumber": BENJI, **name_of(BENJI)})
    same(flow.finish(**PEOPLE[BENJI]), completed())
    known = begun(world.plain, OTTOLINE)
    same(known.verify(), {"success": True, "phoneNumber": OTTOLINE, **name_of(OTTOLINE)})
    answer = expected(known.finish(**name_of(OTTOLINE)), 200, success=True)
    assert answer["idv"]["multiCIPConfidence"] == "LOW" and answer["kyc"]["totalHits"] == 4, answer


def link_and_mobile_auth_prove_a_number_too(world):
    site = world.plain
    flow = begun(site, MARCIA, flow_type="desktop", finalTargetUrl=TARGET, dob="1982-07-19")
    flow.client.to_link_wait()
    link = site.sandbox.messages(to="+1" + MARCIA)[-1]["link"]
    site.secrets.add(link.rsplit("/", 1)[-1])
    assert Phone().approve(link).status == 303
    same(flow.verify(), shown(MARCIA))
    found = begun(site, None)
    found.client.device_key = None
    expected(found.client.to_mobile_auth(), 200)
    expected(found.client.mobile_auth(Phone(), CATHEE), 200, outcome="succeeded")
    same(found.verify(ssn="0999"), {**shown(CATHEE), "phoneNumber": "+1" + CATHEE})


def a_number_that_is_not_proven_has_no_person(world):
    site = world.plain
    wrong, cancelled, distrusted = begun(site, ssn="6227"), begun(site, ssn="6227"), begun(site, AGRETHA, ssn="6933")
    expected(wrong.client.authenticate(WRONG), 400)
    expected(cancelled.client.start(), 200)
    expected(cancelled.client.cancel(), 200)
    expected(distrusted.client.authenticate(RIGHT), 200, outcome="failed")
    for flow in (wrong, cancelled, distrusted):
        for _ in range(2):
            answer = expected(flow.verify(), 200, success=False)
            assert set(answer.json) == {"success", "phoneNumber", "evaluation"}, answer
        expected(flow.finish(**name_of(MARCIA)), 403, code=8003)


# The person

def three_wrong_challenges_end_the_run(world):
    site = world.plain
    flow, careful = begun(site).prove(), begun(site).prove()
    for count, (claim, evaluation) in enumerate((
            ({"dob": "1982-07-18"}, WRONG_DOB), ({"ssn": "6228"}, WRONG_SSN), ({"dob": "01-01"}, WRONG_DOB))):
        same(flow.verify(**claim), differs(evaluation))
        if count < 2:
            same(careful.verify(**claim), differs(evaluation))
    expected(flow.verify(dob="1982-07-19"), 403, code=8003)
    expected(flow.finish(**name_of(MARCIA)), 403, code=8003)
    same(careful.verify(), MISSING)
    same(careful.verify(dob="1982-07-19"), shown(MARCIA))


def a_birth_date_cannot_be_guessed_by_many_calls_at_one_moment(world):
    site = world.plain
    flow = begun(site).prove()
    expected(flow.verify(), 200)
    headers = {**flow.credential(), "Content-Type": "application/json"}
    host = f"127.0.0.1:{site.server.port}"
    requests = [
        raw_request("POST", "/verify", host, headers, json_bytes({"dob": f"1982-{month:02}"}))
        for month in range(1, 13) if month != 7]
    statuses = sorted(answer.status for answer in volley(site.server, requests))
    assert statuses == [200] * 3 + [403] * 8, statuses
    expected(flow.verify(dob="1982-07"), 403, code=8003)


def a_wrong_claim_at_the_start_may_be_mended(world):
    flow = begun(world.plain, ssn="6228").prove()
    same(flow.verify(), differs(WRONG_SSN))
    same(flow.verify(ssn="6227"), shown(MARCIA))
    same(flow.verify(ssn="0000"), shown(MARCIA))  # it has passed


def what_a_person_changed_is_detected(world):
    site, name = world.plain, name_of(MARCIA)
    address = PEOPLE[MARCIA]["addresses"][1]
    for individual, changed in (
            (name, False), ({**name, "addresses": [address]}, False), ({"individual": name}, False),
            ({"individual": {"lastName": "LONGO"}, "firstName": "marcia"}, False), ({"last4SSN": "6227"}, False),
            ({**name, "addresses": [{**address, "city": "Nashville"}]}, True),
            ({**name, "individual": {"emailAddresses": ["new@example.com"]}}, True)):
        flow = begun(site, ssn="6227").prove()
        expected(flow.verify(), 200, success=True)
        same(flow.finish(**individual), completed(changed))
    flow = begun(site, ssn="6227").prove()
    expected(flow.verify(), 200, success=True)
    same(flow.finish(firstName="Marcia", lastName="Short"), {
        "success": False, "next": DONE, "changeDetected": True, "evaluation": WRONG_NAME})


def steps_come_in_order_and_once(world):
    flow = begun(world.plain, ssn="6227")
    expected(flow.finish(**name_of(MARCIA)), 403, code=8003)
    flow.prove()
    expected(flow.finish(**name_of(MARCIA)), 403, code=8003)
    same(flow.verify(), shown(MARCIA))
    for fields in ({}, {"firstName": "Marcia"}, {"individual": {}}, {**name_of(MARCIA), "dob": "yesterday"}):
        expected(flow.finish(**fields), 400, code=8001)
    same(flow.finish(**name_of(MARCIA)), completed())
    expected(flow.finish(**name_of(MARCIA)), 403, code=8003)
    expected(flow.verify(), 403, code=8003)


def what_cannot_be_started_sets_no_cookie(world):
    site = world.plain
    for number, fields, code in (
            (STRANGER, {}, 8007), ("12_34", {}, 8001), (MARCIA, {"flow_type": "none"}, 8001),
            (MARCIA, {"flow_type": "desktop"}, 8001), (MARCIA, {"ssn": "62"}, 8001), (MARCIA, {"dob": "x"}, 8001)):
        answer = expected(Flow(site).initialize(number, **fields), 400, code=code)
        assert cookie_of(answer) is None, answer.headers


# Whose run it is

def without_its_flow_a_call_is_nobodys(world):
    site = world.plain
    flow = begun(site, ssn="6227").prove()
    token = flow.flow_token
    unused = Flow(site)
    for headers in (
            {}, {"Cookie": ""}, {"Cookie": "holdfast_flow="}, {"Cookie": f"other={token}"},
            {"Cookie": f"holdfast_flow={token[:-1]}"}, {"Authorization": f"Bearer {'A' * 22}"},
            {"Authorization": f"Basic {token}"}, {"Authorization": f"DPoP {token}"},
            {"Authorization": f"Bearer {flow.auth_token}"}, {"Authorization": f"Bearer {site.platform.access_token}"},
            # A bad Authorization is not mended by a good cookie.
            {"Authorization": f"Bearer {'A' * 22}", "Cookie": f"holdfast_flow={token}"}):
        for path, value in (("/verify", {}), ("/finish", name_of(MARCIA))):
            answer = unused.post(path, value, headers)
            assert answer.status == 401 and answer["code"] == 8002, f"{headers}: {answer}"
    same(flow.verify(), shown(MARCIA))


def another_runs_token_opens_that_run_alone(world):
    site = world.plain
    mine, other = begun(site, ssn="6227").prove(), begun(site, BENJI)
    same(other.verify(), {"success": False, "phoneNumber": BENJI})
    same(mine.verify(authId=mine.client.auth_id), shown(MARCIA))
    for auth_id in (other.client.auth_id, "0197a6e2-0000-7000-8000-000000000000", "no-uuid"):
        expected(mine.verify(authId=auth_id), 401, code=8002)
        expected(mine.finish(authId=auth_id, **name_of(MARCIA)), 401, code=8002)
    same(mine.finish(authId=mine.client.auth_id, **name_of(MARCIA)), completed())


def an_auth_id_alone_opens_a_run_only_where_that_is_set(world):
    flow = begun(world.plain, carries="nothing", ssn="6227").prove()
    auth_id = flow.client.auth_id
    expected(flow.verify(), 401)
    same(flow.verify(authId=auth_id), shown(MARCIA))
    same(flow.finish(authId=auth_id, **name_of(MARCIA)), completed())
    careful = begun(strict(world), carries="nothing", ssn="6227").prove()
    expected(careful.verify(authId=careful.client.auth_id), 401, code=8002)
    careful.carries = "bearer"
    same(careful.verify(authId=careful.client.auth_id), shown(MARCIA))


def runs_of_a_backend_are_not_a_pages_and_the_other_way_round(world):
    site = world.plain
    run = start_at_backend(site, MARCIA, ssn="6227").prove()
    stranger = Flow(site, "nothing")
    for name in (run.client().auth_id, run.correlation_id):
        expected(stranger.verify(authId=name), 401, code=8002)
        expected(stranger.post("/verify", {}, {"Authorization": f"Bearer {name}"}), 401, code=8002)
    flow = begun(site, ssn="6227").prove()
    seen = [Flow(site).initialize(MARCIA), flow.verify(), flow.finish(**name_of(MARCIA))]
    ids = re.findall(r'"correlationId": *"([^"]+)', json.dumps(site.sandbox.sessions()))
    assert run.correlation_id in ids, ids
    for answer in seen:
        assert not any(name in answer.body.decode() for name in ids), answer
    expected(site.platform.validate(flow.client.auth_id), 400, code=8008)
    expected(site.platform.status(flow.client.auth_id), 400, code=8008)
    expected(flow.caller.post("/v3/validate", {"correlationId": run.correlation_id}, flow.credential()), 401)


def a_run_ends_after_fifteen_minutes(world):
    site = world.simulated
    early, late, slow, failed = (begun(site, ssn="6227") for _ in range(4))
    early.prove()
    site.advance(600)
    same(slow.prove().verify(), shown(MARCIA))
    expected(failed.client.authenticate(WRONG), 400)
    site.advance(290)
    same(early.verify(), shown(MARCIA))
    same(late.verify(), {"success": False, "phoneNumber": MARCIA})
    site.advance(12)
    for flow in (early, late, slow, failed):
        expected(flow.verify(), 401, code=8002)
        expected(flow.finish(**name_of(MARCIA)), 401, code=8002)


def a_run_survives_a_restart(world):
    site = world.plain
    flow = begun(site, ssn="6227").prove()
    site.restart()
    same(flow.verify(), shown(MARCIA))


def the_runs_of_a_revoked_api_client_are_over(world):
    site = world.site("revoked")
    flow = begun(site, ssn="6227").prove()
    same(flow.verify(), shown(MARCIA))
    site.server.command("clients", "revoke", "sandbox")
    expected(flow.verify(), 503, code=8000)
    expected(flow.finish(**name_of(MARCIA)), 503, code=8000)
    expected(Flow(site).initialize(MARCIA), 503, code=8000)


# Pages

def only_listed_pages_may_call(world):
    other = strict(world)
    for site, origin, may in (
            (world.plain, PAGE, True), (world.plain, "http://127.0.0.1:1", True), (world.plain, STRANGE_PAGE, False),
            (world.plain, "null", False), (world.plain, "http://localhost.evil.example", False),
            (other, SHOP, True), (other, SHOP + ".evil.example", False),
            (other, "http://shop.example", False), (other, "https://SHOP.example", False)):
        flow = begun(site, ssn="6227").prove()
        asked = {
            "Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
        preflight = flow.caller.call("OPTIONS", "/verify", headers=asked)
        assert preflight.status == (204 if may else 403), f"{origin}: {preflight.status}"
        named = {"Origin": origin}
        answers = (
            Flow(site).initialize(MARCIA, headers=named), flow.post("/verify", {}, named),
            flow.post("/finish", name_of(MARCIA), named))
        for answer in answers:
            assert answer.status == (200 if may else 403), f"{origin}: {answer}"
            assert may or cookie_of(answer) is None, answer.headers
        for answer in (preflight, *answers):
            permission = [answer.headers.get(f"access-control-allow-{name}") for name in ("origin", "credentials")]
            assert permission == ([origin, "true"] if may else [None, None]), f"{origin}: {answer.headers}"
            assert answer.headers["vary"] == "Origin", answer.headers
        if may:
            allowed = preflight.headers["access-control-allow-headers"].lower()
            assert "content-type" in allowed and "authorization" in allowed, preflight.headers
            assert preflight.headers["access-control-allow-methods"] == "POST", preflight.headers
        else:
            same(flow.verify(), shown(MARCIA))  # the refused calls changed nothing


def a_refusal_can_be_read_by_the_page(world):
    for path, value, status in (("/verify", {}, 401), ("/initialize", {}, 400), ("/finish", {"ssn": "6227"}, 401)):
        # With a token that opens nothing: without any the page would mean its newest run.
        stranger = {"Origin": PAGE, "Authorization": "Bearer AAAAAAAAAAAAAAAAAAAAAA"}
        answer = expected(Flow(world.plain).post(path, value, stranger), status)
        assert answer.headers["access-control-allow-origin"] == PAGE, answer.headers
