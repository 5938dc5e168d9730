"""The threats of the client protocol (4.14): in each scene somebody wants what is not theirs, in vain."""
import json
import re
import uuid
from urllib.parse import urlsplit

import scripted
from holdfast import Caller, Client, Key, Phone, expected, target_of
from jose import device_proof
from volley import volley
from world import BERTIE, INGE, LANEY, LORANT, PENNY, RIGHT, STRANGER, TARGET, WRONG

VICTIM, ATTACKER = "203.0.113.7", "198.51.100.66"
PREVIEWS = 1000


# Tokens and requests

def a_token_stolen_after_its_use_is_worthless(world):
    session = world.plain.unify(LORANT)
    owner, thief = session.client(), session.client()
    owner.to_code_entry()
    for attempt in (thief.start, thief.current, lambda: thief.verify(RIGHT), thief.resend, thief.cancel, thief.link,
                    thief.begin_mobile_auth):
        answer = expected(attempt(), 401, error="token_already_used", code=20003)
        assert answer["state"] is None, f"the thief is told {answer}"
    expected(Client(owner.caller.base_url, session.auth_token, bearer=True).current(), 401, error="token_already_used")
    assert "second_key_refused" in session.timeline()
    expected(owner.verify(RIGHT), 200, outcome="succeeded")


def a_token_stolen_before_its_use_proves_nothing_to_the_backend(world):
    session = world.simulated.unify(STRANGER)
    thief, owner = session.client(), session.client()
    expected(thief.to_code_entry(), 200)  # the code goes to the victim's phone
    expected(owner.start(), 401, error="token_already_used")
    expected(thief.verify("0000" if session.messages()[0]["code"] != "0000" else "1111"), 400, error="otp_mismatch")
    session.result("false", STRANGER)


def a_recorded_request_cannot_be_played_again(world):
    session = world.plain.unify(LORANT, allowOTPRetry=True)
    client = session.client()
    client.to_code_entry()
    recorded = [
        client.raw("POST", "/session/otp/verify", {"code": WRONG}), client.raw("POST", "/session/otp/resend"),
        client.raw("GET", "/session")]
    first = volley(world.plain.server, recorded)
    assert [answer.status for answer in first] == [400, 200, 200], first
    for answer in volley(world.plain.server, recorded):
        expected(answer, 401, error="invalid_dpop_proof")
    expected(client.current(), 200)
    assert client.state["otp"]["attemptsLeft"] == 2 and len(session.messages()) == 2, client.state


# Codes and messages

def guessing_codes_ends_after_three(world):
    session = world.simulated.unify(STRANGER, allowOTPRetry=True)
    client = session.client()
    client.to_code_entry()
    code = session.messages()[0]["code"]
    guesses = [f"{number:04}" for number in range(10)]
    tried = [client.verify(guess).status for guess in guesses if guess != code][:9]
    assert tried == [400] * 3 + [410] * 6, tried
    expected(client.verify(code), 410, error="session_done")
    session.result("false", STRANGER)


def guessing_over_many_sessions_ends_after_ten(world):
    """The eleventh entry in an hour fails whatever it is, and looks like a wrong code."""
    site, entries = world.limited, 0
    for _ in range(4):
        session = site.unify(LANEY, allowOTPRetry=True)
        client = session.client()
        client.to_code_entry()
        while client.state["status"] != "done" and entries < 10:
            expected(client.verify(WRONG), 400, error="otp_mismatch")
            entries += 1
    assert client.state["otp"]["attemptsLeft"] == 2, client.state
    expected(client.verify(RIGHT), 400, error="otp_mismatch", code=10001)
    expected(client.current(), 200, status="done", outcome="failed")
    session.result("false", LANEY)
    expected(site.unify(BERTIE).client().authenticate(RIGHT), 200, outcome="succeeded")
    site.advance(3601)
    expected(site.unify(LANEY).client().authenticate(RIGHT), 200, outcome="succeeded")


def messages_cannot_be_pumped(world):
    site, sent = world.limited, 0
    for _ in range(3):
        client = site.unify(LORANT).client()
        expected(client.start(), 200)
        for send in (client.otp, client.resend, client.resend):
            answer = send()
            sent += answer.status == 200
            if answer.status != 200:
                expected(answer, 429, error="rate_limited", code=20900)
                assert int(answer.headers["retry-after"]) > 0, answer.headers
                break
    assert sent == 5, f"{sent} messages in a quarter of an hour"
    linked = site.desktop(LORANT).client()
    expected(linked.start(), 200)
    expected(linked.link(), 429, error="rate_limited")
    site.advance(901)
    client = site.unify(LORANT).client()
    expected(client.to_code_entry(), 200)


def two_messages_to_a_number_keep_a_time_between_them(world):
    site = world.site(
        "spaced", HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX="true", HOLDFAST_LIMITS_SECONDS_BETWEEN_SENDS="30")
    clients = [site.unify(LORANT).client() for _ in range(4)]
    for client in clients:
        expected(client.start(), 200)
    answers = volley(site.server, [client.raw("POST", "/session/otp") for client in clients])
    assert sorted(answer.status for answer in answers) == [200, 429, 429, 429], answers
    sender = clients[[answer.status for answer in answers].index(200)]
    for wait in (30, 60):
        refused = expected(sender.resend(), 429, error="rate_limited", code=20900)
        assert wait - 2 <= int(refused.headers["retry-after"]) <= wait, refused.headers
        site.advance(int(refused.headers["retry-after"]))
        expected(sender.resend(), 200)
    # Three sends are a session's; the refused ones were not among them.
    expected(sender.resend(), 403, error="sends_exhausted")
    expected(sender.verify(RIGHT), 200, outcome="succeeded")


def a_backend_is_told_why_a_number_did_not_get_through(world):
    site = world.site(
        "spaced", HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX="true", HOLDFAST_LIMITS_SECONDS_BETWEEN_SENDS="30")
    session = site.unify(PENNY)
    path = f"/v1/sessions/{session.correlation_id}/explanation"
    fresh = expected(site.platform.get(path), 200, product="unify", limits=[], messages=[]).json
    assert fresh["correlationId"] == session.correlation_id and "outcome" not in fresh, fresh
    client = session.client()
    expected(client.start(), 200)
    expected(client.otp(), 200)
    expected(client.resend(), 429, error="rate_limited")
    held = expected(site.platform.get(path), 200).json
    limit, = held["limits"]
    assert limit["limit"] == "sends_per_number" and limit["until"].endswith("Z"), held
    told = {"state": "sent", "gateway": "sandbox-sms", "channel": "sms", "carrier": "delivered"}
    assert held["messages"] == [told], held
    events = ["created", "redeemed", "otp_sent", "message_delivered", "send_refused"]
    assert [event["event"] for event in held["events"]] == events, held
    assert held["events"][-1]["limit"] == "messages to this number" and limit["why"] == "pause_after_message", held
    code, = [message["code"] for message in session.messages()]
    text = json.dumps(held["events"]) + json.dumps(held["messages"])
    assert PENNY not in text and code not in text, held
    for unknown in (str(uuid.uuid4()), "none"):
        expected(site.platform.get(f"/v1/sessions/{unknown}/explanation"), 404, code=8010)


def one_address_cannot_flood_the_calls_of_others(world):
    site = world.site(
        "flooded", HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX="true", HOLDFAST_SERVER_TRUSTED_PROXIES="127.0.0.1",
        HOLDFAST_LIMITS_CALLS_PER_ADDRESS_PER_SECOND="5")
    caller = Caller(site.server.base_url)
    calls = [("GET", "/l/none"), ("POST", "/verify"), ("GET", "/ma/v1/cb"), ("GET", "/client/v1/session")]

    def ask(number, address):
        method, path = calls[number % len(calls)]
        return caller.call(method, path, headers={"X-Forwarded-For": address})

    refused = [answer for answer in (ask(number, ATTACKER) for number in range(200)) if answer.status == 429]
    assert len(refused) > 100, f"{len(refused)} of 200 calls refused"
    assert {answer.headers["retry-after"] for answer in refused} == {"1"}
    for number in range(4):
        assert ask(number, VICTIM).status != 429, "another address is held up"
    expected(caller.call("GET", "/healthz", headers={"X-Forwarded-For": ATTACKER}), 200)
    metrics = caller.call("GET", "/metrics").body.decode()
    assert f'holdfast_limit_hits_total{{limit="calls_per_address"}} {len(refused)}\n' in metrics, "hits are counted"


# Links

def previews_and_scanners_decide_nothing(world):
    session = world.plain.desktop()
    client = session.client()
    client.to_link_wait()
    link, timeline = session.newest_link(), session.timeline()
    revision = expected(client.current(), 200)["rev"]
    caller, path = Caller(world.plain.server.base_url), urlsplit(link).path
    for number in range(PREVIEWS):
        method = ("GET", "HEAD")[number % 2]
        answer = caller.call(method, path + ("?decision=approve" if number % 3 == 0 else ""))
        assert answer.status == 200 and (answer.body or method == "HEAD"), answer
    caller.close()
    expected(client.current(), 200, rev=revision, step="linkWait")
    assert session.timeline() == timeline, session.timeline()
    assert target_of(Phone().approve(link))[1]["asc"] == "true"


def a_relayed_link_lacks_the_number_on_the_victims_screen(world):
    """The attacker starts on the victim's number and talks them into approving: they cannot see the two digits."""
    site = world.scripted
    for guess in range(3):
        session = site.desktop(platform=site.new_platform("match"))
        attacker = session.client()
        attacker.to_link_wait()
        code = int(attacker.state["link"]["matchCode"])
        answer = Phone(VICTIM).approve(session.newest_link(), matchCode=f"{(code + 1 + guess) % 100:02}")
        assert target_of(answer)[1]["asc"] == "false", answer
        expected(attacker.current(), 200, outcome="failed")
        session.result("false", LORANT)


def a_relayed_link_comes_from_another_address(world):
    site = world.scripted
    session = site.desktop(platform=site.new_platform("address"), ipAddress=ATTACKER)
    attacker = session.client()
    attacker.to_link_wait()
    assert target_of(Phone(VICTIM).approve(session.newest_link()))[1]["asc"] == "false"
    expected(attacker.current(), 200, outcome="failed")
    session.result("false", LORANT, evaluation={"authentication": {
        "result": "fail", "failureReasons": {"9100": "possession incomplete"}, "ipMatch": "failure"}})


def nobody_is_redirected_anywhere_else(world):
    site = world.plain
    strict = site.added_platform(
        "strict", "--mobile-auth", "--final-target-host", "app.example", "--final-target-host", "*.shop.example")
    for target in (
        "https://evil.example/", "https://app.example.evil.example/", "https://evilapp.example/",
        "https://shop.example/", "https://evilshop.example/", "http://app.example/",
        "https://app.example@evil.example/",
        "https://evil.example/https://app.example/", "https://evil.example?app.example", "javascript:alert(1)",
        "//app.example/", "https:app.example", "https:///app.example/", "https://app.example:0/", "app.example",
        "https://app.example./", "https://app.example\\.evil.example/", "https://evil.example#app.example",
        "https://%61pp.example/", "data:text/html,x", "https://app.example/\r\nX: y", "https://127.0.0.1/",
        "http://localhost/",
    ):
        answer = strict.unify(LORANT, "desktop", finalTargetUrl=target)
        assert answer.status == 400 and answer["code"] == 8001, f"{target}: {answer}"
        assert "finalTargetUrl" in answer["message"], answer
        client = site.unify(INGE, platform=strict).client()
        answer = client.start(cellular="yes", mobileAuthReturnUrl=target)
        assert answer.status == 400 and answer["error"] == "invalid_request", f"{target}: {answer}"
    for target in ("https://app.example/x", "https://a.b.shop.example/", "https://APP.example:8443/?a=b"):
        session = site.unify(LORANT, "desktop", platform=strict, finalTargetUrl=target)
        client = session.client()
        client.to_link_wait()
        where, _ = target_of(Phone().approve(session.newest_link() + "?finalTargetUrl=https://evil.example/&url=//x"))
        assert where == target.split("?")[0], where


def the_client_has_no_say_in_where_a_link_leads(world):
    session = world.plain.desktop()
    client = session.client()
    evil = "https://evil.example/"
    expected(client.start(finalTargetUrl=evil), 400, error="invalid_request")
    expected(client.start(), 200)
    expected(client.link(finalTargetUrl=evil), 400, error="invalid_request")
    expected(client.link(), 200)
    expected(client.link_resend(finalTargetUrl=evil), 400, error="invalid_request")
    answer = Phone().decide(session.newest_link(), "approve", finalTargetUrl=evil)
    assert target_of(answer)[0] == TARGET, answer.headers


# Device keys

def a_device_proof_cannot_be_relayed(world):
    """The attacker lets the victim's device sign for a session of the attacker's."""
    site, key = world.plain, Key()
    expected(site.unify(LORANT).client(device_key=key).authenticate(RIGHT), 200)
    attacker = site.unify(LORANT).client()
    victim = site.unify(LORANT).client(device_key=key)
    for client in (attacker, victim):
        expected(client.start(deviceKey=True), 200, step="device")
    challenge = attacker.state["device"]["challenge"]
    relayed = {
        "the victim's session key": (victim.auth_id, victim.session_key.thumbprint),
        "no session key": (attacker.auth_id, None),
        "the victim's key in the attacker's session": (attacker.auth_id, victim.session_key.thumbprint),
    }
    for name, (auth_id, thumbprint) in relayed.items():
        proof = device_proof(key, attacker.claims["aud"], auth_id, challenge, thumbprint)
        answer = attacker.call("POST", "/session/device", {"proof": proof})
        expected(answer, 400, error="device_proof_invalid")
        assert answer["state"]["device"].get("challenge") != challenge, f"{name}: the challenge can be used again"
        challenge = answer["state"]["device"].get("challenge")
    assert challenge is None and attacker.state["step"] == "otpStart", "three challenges are all"
    elsewhere = site.unify(LORANT).client(device_key=key)
    elsewhere.start()
    elsewhere.claims = {**elsewhere.claims, "aud": "https://evil.example/client/v1"}
    expected(elsewhere.device(), 400, error="device_proof_invalid")
    expected(victim.device(), 200, outcome="succeeded")


def a_cloned_key_is_out_once_it_is_revoked(world):
    site, key = world.plain, Key()
    session = site.unify(LORANT)
    expected(session.client(device_key=key).authenticate(RIGHT), 200)
    device_id = session.status("true")["deviceId"]
    clone = Key(key.private)
    in_flight = site.unify(LORANT).client(device_key=clone)
    expected(in_flight.start(), 200)
    expected(site.platform.revoke(device_id), 200)
    for client in (in_flight, site.unify(LORANT).client(device_key=clone)):
        if client is not in_flight:
            expected(client.start(), 200)
        expected(client.device(), 200, status="active")
        assert client.state["device"]["status"] == "revoked" and client.state["device"]["rotate"] is True, client.state
    # Possession proves the number again, and does not bring the old key back to life.
    client.device()
    if client.state["step"] == "device":
        client.device()
    expected(client.otp(), 200)
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    expected(site.unify(LORANT).client(device_key=clone).start(), 200)
    again = site.unify(LORANT).client(device_key=clone)
    again.start()
    expected(again.device(), 200)
    assert again.state["device"]["status"] == "revoked", again.state


def a_key_does_not_prove_a_number_that_fell_into_bad_standing(world):
    """A SIM swap after the binding: the standing is asked for at each use."""
    site, key = world.plain, Key()
    session = site.unify(PENNY)
    expected(session.client(device_key=key).authenticate(RIGHT), 200)
    session.result("true", PENNY, "proveId", "deviceId")
    later = site.unify(PENNY, checkReputation=True)
    expected(later.client(device_key=key).to_code_entry(), 200, status="done", outcome="failed")
    result = later.status("false").json
    assert result["evaluation"]["risk"]["result"] == "fail", result
    assert "deviceId" not in result and "proveId" not in result, result


# Questions that must not be answered

def numbers_cannot_be_found_out(world):
    """Whether a number is known, proven, denied or of bad standing, its client learns nothing of it."""
    site = world.simulated
    shapes = set()
    for number in (LORANT, LANEY, STRANGER, "2065550199"):
        client = site.unify(number).client()
        client.to_code_entry()
        text = client.current().body.decode()
        assert number not in text and number[:6] not in text, text
        assert re.fullmatch(r"\+1\*{6}" + number[-4:], client.state["phone"]["masked"]), client.state
        shapes.add(shape(client.state))
    assert len(shapes) == 1, f"the states differ: {shapes}"
    good, bad = (world.scripted.unify(number, checkReputation=True) for number in (LORANT, scripted.BAD_STANDING))
    states = []
    for session in (good, bad):
        client = session.client()
        client.to_code_entry()
        states.append(shape(client.state))
        client.verify(RIGHT)
        client.current()
        text = shape(client.state)
        assert not any(reason in text for reason in scripted.REASONS) and "reputation" not in text, text
    assert states[0] == states[1], states


def shape(state):
    """A state without what differs in every session."""
    text = re.sub(r'"\+1\*+\d{4}"|\d{4}-\d\d-\d\dT[\d:.]+Z', "-", str(sorted(state.items())).replace("'", '"'))
    return text.replace(state["authId"], "-")


def a_foreign_device_looks_like_none(world):
    site = world.simulated
    other = site.new_platform("sandbox-2")
    session = site.unify(LORANT)
    expected(session.client(device_key=Key()).authenticate(RIGHT), 200)
    device_id = session.status("true")["deviceId"]
    foreign, unknown = other.revoke(device_id), other.revoke(device_id[:-4] + "0000")
    assert (foreign.status, foreign.body) == (unknown.status, unknown.body), f"{foreign} and {unknown}"
