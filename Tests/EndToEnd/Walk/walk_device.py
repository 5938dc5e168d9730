"""Scenes of the device key: placed, used, refused, moved, revoked."""
from holdfast import Client, Key, expected
from world import LORANT, PENNY, RIGHT, WRONG, is_uuid


def placed_key(site, number=LORANT, platform=None):
    """A device key that is bound to the number, and its deviceId."""
    key = Key()
    session = site.unify(number, platform=platform)
    expected(session.client(device_key=key).authenticate(RIGHT), 200, outcome="succeeded")
    return key, session.status("true")["deviceId"]


def a_known_device_is_proven_without_a_code(world):
    key, device_id = placed_key(world.plain)
    session = world.plain.unify(LORANT)
    client = session.client(device_key=key)
    expected(client.start(), 200, step="device")
    expected(client.device(), 200, status="done", outcome="succeeded")
    assert client.state["device"]["status"] == "recognized", client.state
    result = session.status("true")
    assert result["deviceId"] == device_id and result["phoneNumber"] == LORANT, result
    assert session.messages() == [], "no message is sent to a known device"


def a_failed_session_binds_no_key(world):
    key = Key()
    expected(world.plain.unify(LORANT).client(device_key=key).authenticate(WRONG), 400)
    client = world.plain.unify(LORANT).client(device_key=key)
    client.to_code_entry()
    assert client.state["device"]["status"] == "pending" and client.state["step"] == "otpFinish", client.state


def a_key_of_another_number_fails_the_session(world):
    key, _ = placed_key(world.plain, PENNY)
    session = world.plain.unify(LORANT)
    client = session.client(device_key=key)
    expected(client.start(), 200)
    answer = expected(client.device(), 403, error="device_number_mismatch", code=20402)
    assert answer["state"]["status"] == "done" and answer["state"]["device"]["status"] == "mismatch", answer
    result = session.status("false")
    assert result["evaluation"]["authentication"]["result"] == "fail", result


def rebind_asks_for_possession_and_moves_the_key(world):
    key, device_id = placed_key(world.plain, LORANT)
    session = world.plain.unify(PENNY, rebind=True)
    client = session.client(device_key=key)
    expected(client.start(), 200)
    expected(client.device(), 200, step="otpStart")
    expected(client.otp(), 200)
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    assert session.status("true")["deviceId"] == device_id
    moved = world.plain.unify(PENNY)
    expected(moved.client(device_key=key).to_code_entry(), 200, outcome="succeeded")
    moved.status("true")
    former = world.plain.unify(LORANT)
    client = former.client(device_key=key)
    expected(client.start(), 200)
    expected(client.device(), 403, error="device_number_mismatch")


def a_revoked_key_is_to_be_replaced(world):
    key, device_id = placed_key(world.plain)
    assert expected(world.plain.platform.revoke(device_id), 200)["success"] is True
    assert expected(world.plain.platform.revoke(device_id), 200)["success"] is True
    session = world.plain.unify(LORANT)
    client = session.client(device_key=key)
    expected(client.start(), 200)
    challenge = client.state["device"]["challenge"]
    expected(client.device(), 200)
    device = client.state["device"]
    assert device["rotate"] is True and device["status"] == "revoked", client.state
    assert device["challenge"] != challenge, "a challenge is good for one use"
    client.device_key = Key()
    expected(client.device("register"), 200)
    assert client.state["device"]["status"] == "pending", client.state
    expected(client.otp(), 200)
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    new_id = session.status("true")["deviceId"]
    assert is_uuid(new_id) and new_id != device_id, new_id


def revoking_an_unknown_device_is_not_found(world):
    answer = world.plain.platform.revoke("0197a6e2-0000-7000-8000-000000000000")
    expected(answer, 404, code=8010)


def a_key_means_nothing_to_another_api_client(world):
    key, device_id = placed_key(world.plain)
    other = world.plain.new_platform("sandbox-2")
    session = world.plain.unify(LORANT, platform=other)
    client = session.client(device_key=key)
    expected(client.start(), 200)
    expected(client.device(), 200)
    assert client.state["device"]["status"] == "pending", client.state
    expected(other.revoke(device_id), 404, code=8010)


def a_device_proof_counts_once_and_only_for_its_session(world):
    key, _ = placed_key(world.plain)
    first, second = (world.plain.unify(LORANT).client(device_key=key) for _ in range(2))
    for client in (first, second):
        expected(client.start(), 200)
    first_state = first.state
    first.state = second.state  # a proof over the challenge of another session
    expected(first.device(), 400, error="device_proof_invalid", code=20401)
    first.state = first_state
    expected(second.device(), 200, outcome="succeeded")


def a_key_unused_for_a_year_is_to_be_replaced(world):
    site, year = world.simulated, 365 * 86_400
    key, device_id = placed_key(site)
    for _ in range(2):  # each use restarts the year
        site.advance(year - 60)
        expected(site.unify(LORANT).client(device_key=key).to_code_entry(), 200, outcome="succeeded")
    site.advance(year)
    session = site.unify(LORANT)
    client = session.client(device_key=key)
    expected(client.start(), 200)
    expected(client.device(), 200, status="active", step="device")
    assert client.state["device"]["status"] == "inactive" and client.state["device"]["rotate"] is True, client.state
    client.device_key = Key()
    expected(client.device("register"), 200, step="otpStart")
    assert client.state["device"]["status"] == "pending" and client.state["device"]["rotate"] is False, client.state
    expected(client.otp(), 200)
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    assert session.result("true", LORANT, "proveId", "deviceId")["deviceId"] != device_id


def only_the_key_the_backend_names_takes_part(world):
    site = world.plain
    key, device_id = placed_key(site)
    named = site.unify(LORANT, deviceId=device_id)
    expected(named.client(device_key=key).to_code_entry(), 200, outcome="succeeded")
    assert named.result("true", LORANT, "proveId", "deviceId")["deviceId"] == device_id
    _, other_id = placed_key(site)
    other = site.unify(LORANT, deviceId=other_id)
    client = other.client(device_key=key)
    expected(client.start(), 200)
    expected(client.device(), 200, step="otpStart")
    assert client.state["device"]["status"] == "absent", client.state
    expected(client.otp(), 200)
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    other.result("true", LORANT, "proveId")
    expected(site.platform.unify(LORANT, deviceId="no-uuid"), 400, code=8001)


def three_challenges_are_all(world):
    session = world.plain.unify(LORANT)
    client = session.client(device_key=Key())
    expected(client.start(), 200)
    seen = set()
    for _ in range(3):
        seen.add(client.state["device"]["challenge"])
        expected(client.call("POST", "/session/device", {"proof": "a.b.c"}), 400, error="device_proof_invalid")
    assert len(seen) == 3 and "challenge" not in client.state["device"], client.state
    client.state["device"]["challenge"] = seen.pop()
    expected(client.device(), 409, error="invalid_state")
    expected(client.otp(), 200)
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    session.result("true", LORANT, "proveId")


def a_challenge_lives_119_seconds_and_not_120(world):
    site = world.plain
    key, _ = placed_key(site)
    for seconds, status in ((118, 200), (120, 400)):
        client = site.unify(LORANT).client(device_key=key)
        expected(client.start(), 200)
        site.advance(seconds)
        answer = client.device()
        assert answer.status == status, f"after {seconds} s: {answer}"
    expected(client.device(), 200, outcome="succeeded")  # by the next challenge


def a_device_step_may_be_skipped(world):
    session = world.plain.unify(LORANT)
    client = session.client(device_key=Key())
    expected(client.start(), 200, step="device")
    assert set(client.state["allowed"]) == {"device", "otp.start", "cancel"}, client.state
    expected(client.otp(), 200)
    assert "challenge" not in client.state["device"], client.state
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    session.result("true", LORANT, "proveId")


def what_a_client_calls_its_key_does_not_matter(world):
    key, device_id = placed_key(world.plain)
    client = world.plain.unify(LORANT).client(device_key=key)
    client.start()
    expected(client.device("register"), 200, outcome="succeeded")
    fresh = world.plain.unify(LORANT).client(device_key=Key())
    fresh.start()
    expected(fresh.device("authenticate"), 200, step="otpStart")
    assert fresh.state["device"]["status"] == "pending", fresh.state


def a_customer_with_its_own_check_binds_the_key_itself(world):
    key = Key()
    session = world.plain.unify(LORANT, "none")
    client = session.client(device_key=key)
    expected(client.start(), 200)
    expected(client.device(), 200, status="done", outcome="possessionRequired")
    session.status("possession_required")
    result = expected(session.bind(LORANT), 200, success="true", phoneNumber=LORANT)
    assert is_uuid(result["deviceId"]) and is_uuid(result["proveId"]), result
    expected(session.bind(LORANT), 403, code=8003)
    session.status("true")
    again = world.plain.unify(LORANT, "none")
    expected(again.client(device_key=key).to_code_entry(), 200, outcome="succeeded")
    assert again.status("true")["deviceId"] == result["deviceId"]


def binding_another_number_fails_three_times_and_then_for_good(world):
    session = world.plain.unify(LORANT, "none")
    expected(session.client(device_key=Key()).to_code_entry(), 200, outcome="possessionRequired")
    for _ in range(3):
        expected(session.bind(PENNY), 200, success="false", phoneNumber=PENNY)
    session.status("false")
    expected(session.bind(LORANT), 403, code=8003)


def one_wrong_number_does_not_end_binding(world):
    session = world.plain.unify(LORANT, "none")
    expected(session.client(device_key=Key()).to_code_entry(), 200)
    expected(session.bind(PENNY), 200, success="false")
    expected(session.bind(LORANT), 200, success="true")


def binding_is_possible_until_the_sessions_end(world):
    site = world.simulated
    early, late = site.unify(LORANT, "none"), site.unify(LORANT, "none")
    for session in (early, late):
        expected(session.client(device_key=Key()).to_code_entry(), 200, outcome="possessionRequired")
    expected(early.bind("12"), 400, code=8001)
    site.advance(898)
    expected(early.bind(LORANT), 200, success="true")
    site.advance(3)
    expected(late.bind(LORANT), 400, code=8008)


def binding_needs_a_session_that_asks_for_it(world):
    expected(world.plain.unify(LORANT, "none").bind(LORANT), 403, code=8003)
    expected(world.plain.unify(LORANT).bind(LORANT), 403, code=8003)


def a_token_serves_the_first_key_and_no_other(world):
    session = world.plain.unify(LORANT)
    first, second = session.client(), session.client()
    expected(first.start(), 200)
    expected(first.start(), 200)
    expected(second.start(), 401, error="token_already_used", code=20003)
    expected(second.current(), 401, error="token_already_used")
    bearer = Client(first.caller.base_url, session.auth_token, bearer=True)
    expected(bearer.current(), 401, error="token_already_used")
    first.to_code_entry()
    expected(first.verify(RIGHT), 200, outcome="succeeded")
