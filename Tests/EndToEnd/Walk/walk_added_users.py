"""Scenes of users that were added by editing the users file: an outcome of their own at every step."""
import json
import subprocess

import scripted
from holdfast import Key, Phone, expected
from world import INGE, LORANT, RIGHT

BAD = {
    "authentication": {"result": "pass"}, "risk": {"result": "fail", "failureReasons": scripted.REASONS}}


def an_added_user_has_codes_of_its_own(world):
    site = world.scripted
    for template, right in ((None, "4711"), (None, "0815"), ("Code: ######", "271828")):
        fields = {"smsMessage": template} if template else {}
        session = site.unify(scripted.NEW_CODES, allowOTPRetry=True, **fields)
        client = session.client()
        client.to_code_entry()
        expected(client.verify("123456"[:len(right)]), 400, error="otp_mismatch")
        expected(client.verify(right), 200, outcome="succeeded")
        session.result("true", scripted.NEW_CODES, "proveId")


def an_added_user_that_no_message_reaches_keeps_its_sends(world):
    session = world.scripted.unify(scripted.NO_DELIVERY)
    client = session.client()
    expected(client.start(), 200)
    for _ in range(4):
        answer = expected(client.otp(), 502, error="sms_failed", code=20108)
        assert answer["state"]["otp"]["sendsLeft"] == 3 and answer["state"]["step"] == "otpStart", answer
    assert session.messages() == [] and session.timeline().count("otp_send_failed") == 4
    linked = world.scripted.desktop(scripted.NO_DELIVERY)
    client = linked.client()
    expected(client.start(), 200)
    answer = expected(client.link(), 502, error="sms_failed")
    assert answer["state"]["link"]["sendsLeft"] == 3 and answer["state"]["step"] == "linkStart", answer
    session.result("pending", scripted.NO_DELIVERY)


def an_added_user_whose_messages_are_taken_and_do_not_arrive(world):
    session = world.scripted.unify(scripted.NO_ARRIVAL)
    client = session.client()
    client.to_code_entry()
    assert session.messages() == [] and session.timeline()[-2:] == ["otp_sent", "message_undelivered"], session.timeline()
    # The code waits, and another one may be asked for.
    assert client.state["otp"]["sendsLeft"] == 2, client.state
    expected(client.resend(), 200)
    expected(client.verify(RIGHT), 200, outcome="succeeded")


def an_added_user_whose_messages_take_their_time(world):
    site = world.scripted
    slow, late = site.unify(scripted.SLOW_DELIVERY), site.unify(scripted.LATE_DELIVERY)
    clients = [session.client() for session in (slow, late)]
    for client in clients:
        client.to_code_entry()
    assert slow.messages() == [] and late.messages() == []
    assert slow.timeline()[-1] == late.timeline()[-1] == "otp_sent", slow.timeline()
    site.advance(scripted.SLOW_SECONDS)
    assert slow.timeline()[-1] == "message_delivered" and late.timeline()[-1] == "otp_sent", slow.timeline()
    assert slow.messages()[0]["code"] == RIGHT and late.messages() == []
    expected(clients[0].verify(RIGHT), 200, outcome="succeeded")
    site.advance(scripted.LATE_SECONDS - scripted.SLOW_SECONDS)
    code = late.messages()[0]["code"]
    expected(clients[1].verify(code), 400, error="otp_expired")
    slow.result("true", scripted.SLOW_DELIVERY, "proveId")
    late.result("pending", scripted.LATE_DELIVERY)


def added_users_without_mobile_auth_fall_back_to_a_code(world):
    for number in (scripted.OPERATOR_TIMEOUT, scripted.OPERATOR_ERROR, scripted.NO_OPERATOR):
        session = world.scripted.unify(number)
        client = session.client()
        expected(client.to_mobile_auth(), 200, step="mobileAuth")
        expected(client.mobile_auth(Phone()), 200, step="otpStart")
        assert client.state["mobileAuth"]["error"] == "mobile_auth_unavailable", f"{number}: {client.state}"
        assert client.state["mobileAuth"]["code"] == 20303, client.state
        session.result("pending", number)
        expected(client.otp(), 200)
        expected(client.verify(RIGHT), 200, outcome="succeeded")
        session.result("true", number, "proveId")


def an_added_user_of_bad_standing_has_its_own_reasons(world):
    number = scripted.BAD_STANDING
    session = world.scripted.unify(number, checkReputation=True)
    client = session.client(device_key=Key())
    client.to_mobile_auth()
    expected(client.mobile_auth(Phone()), 200, outcome="failed")
    session.result("false", number, evaluation=BAD)
    bound = world.scripted.unify(number, "none", checkReputation=True)
    expected(bound.client(device_key=Key()).to_code_entry(), 200, outcome="possessionRequired")
    expected(bound.bind(number), 200, success="false")
    bound.result("false", number, evaluation=BAD)
    expected(bound.bind(number), 403, code=8003)


def added_users_answer_links_by_themselves(world):
    for number, outcome, error in (
        (scripted.EAGER, "succeeded", None), (scripted.WARY, "failed", "link_denied"),
    ):
        session = world.scripted.desktop(number)
        client = session.client()
        expected(client.start(), 200)
        expected(client.link(), 200)
        expected(client.current(), 200, status="done", outcome=outcome)
        assert client.state["link"].get("error") == error, client.state
        session.result(*(("true", number, "proveId") if outcome == "succeeded" else ("false", number)))
    session = world.scripted.desktop(scripted.OTHER_PHONE)
    client = session.client()
    client.to_link_wait()
    Phone().approve(session.newest_link())
    expected(client.current(), 200, outcome="failed")
    assert client.state["link"]["error"] == "link_phone_mismatch", client.state
    session.result("false", scripted.OTHER_PHONE)


def the_sandbox_lists_what_each_user_does(world):
    listed = {user["phoneNumber"]: user for user in world.scripted.sandbox.users()["users"]}
    for number, script in scripted.USERS.items():
        for name, value in script.items():
            assert listed[number][name] == value, f"{number}: {name} is {listed[number].get(name)}"
    assert listed[INGE]["mobileAuth"] == "match" and listed[LORANT]["link"] == "open", listed[LORANT]


def a_mistake_in_the_users_file_is_named_before_the_start(world):
    server = world.scripted.server
    wrong = server.directory / "wrong-users.json"
    user = {"number": "2001005099", "name": "Wrong", "region": "NA", "product": "unify"}
    wrong.write_text(json.dumps({"users": [user, {**user, "mobileAuth": "perhaps", "codes": ["12"]}]}))
    result = subprocess.run(
        [server.binary, "serve", "--config", server.config, "--data", str(server.directory / "none"), "--port", "0"],
        capture_output=True, timeout=15, stdin=subprocess.DEVNULL,
        env={**server.environment, "HOLDFAST_SANDBOX_USERS_FILE": str(wrong)})
    text = (result.stdout + result.stderr).decode()
    assert result.returncode == 78, f"{result.returncode}: {text[-500:]}"
    for place in ("users[1].mobileAuth", "users[1].codes", "users[1].number"):
        assert place in text, f"{place} is not named: {text[-500:]}"
