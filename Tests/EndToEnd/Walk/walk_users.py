"""One scene for each sandbox user: the published steps, and what is known of the session after each of them."""
from holdfast import Key, Phone, expected, target_of
from world import (
    ALLISSA, AMII, BERTIE, BONNIE, INGE, JESSE, LANEY, LORANT, PENNY, RIGHT, SHORT_TERM, SHORT_TERM_ABROAD, TARGET,
    WENDY, WRONG)

PASS = {"result": "pass"}
GOOD = {"authentication": PASS, "risk": PASS}
INCOMPLETE = {"authentication": {"result": "fail", "failureReasons": {"9100": "possession incomplete"}}}
LOW_TRUST = {"authentication": PASS, "risk": {"result": "fail", "failureReasons": {"9133": "low SIM trust score"}}}


def e164(number):
    return number if number.startswith("+") else "+1" + number


# What several users have in common

def passes_by_code(site, number, **fields):
    """The code proves the number and places a key. The key, and the deviceId."""
    key, session = Key(), site.unify(number, **fields)
    client = session.client(device_key=key)
    session.result("pending", number)
    expected(client.start(), 200, step="device")
    session.result("pending", number)
    expected(client.device(), 200, step="otpStart")
    expected(client.otp(), 200, step="otpFinish")
    session.result("pending", number)
    assert session.messages()[0]["code"] == RIGHT
    expected(client.verify(RIGHT), 200, status="done", outcome="succeeded")
    result = session.result("true", number, "proveId", "deviceId")
    assert session.result("true", number, "proveId", "deviceId") == result
    return key, result["deviceId"], result["proveId"]


def is_known_by_key(site, number, key, device_id, prove_id, possession_type="mobile"):
    session = site.unify(number, possession_type)
    expected(session.client(device_key=key).to_code_entry(), 200, status="done", outcome="succeeded")
    result = session.result("true", number or e164(INGE), "proveId", "deviceId")
    assert (result["deviceId"], result["proveId"]) == (device_id, prove_id), result
    assert session.messages() == []


def another_number_needs_a_rebind(site, number, other, key, device_id):
    refused = site.unify(other)
    client = refused.client(device_key=key)
    client.start()
    expected(client.device(), 403, error="device_number_mismatch")
    refused.result("false", other, evaluation=INCOMPLETE)
    moved = site.unify(other, rebind=True)
    expected(moved.client(device_key=key).authenticate(RIGHT), 200, outcome="succeeded")
    assert moved.result("true", other, "proveId", "deviceId")["deviceId"] == device_id
    former = site.unify(number)
    client = former.client(device_key=key)
    client.start()
    expected(client.device(), 403, error="device_number_mismatch")


def passes_by_link(site, number):
    session = site.desktop(number)
    client = session.client(device_key=Key())
    expected(client.start(), 200, step="linkStart")
    expected(client.link(), 200, step="linkWait")
    session.result("pending", number)
    link, = session.links()
    expected(Phone().open(link), 200)
    session.result("pending", number)
    page, query = target_of(Phone().approve(link))
    assert page == TARGET and query == {"asc": "true", "authId": client.auth_id}, query
    expected(client.current(), 200, outcome="succeeded")
    session.result("true", number, "proveId")


def a_wrong_code_fails(site, number):
    session = site.unify(number)
    expected(session.client(device_key=Key()).authenticate(WRONG), 400, error="otp_mismatch", code=10001)
    session.result("false", number)


def binds_by_force(site, number, other):
    """The customer's own check: wrong numbers, the right one, the same again; then the key alone is enough."""
    key, session = Key(), site.unify(number, "none")
    session.result("pending", number)
    client = session.client(device_key=key)
    expected(client.start(), 200, step="device")
    expected(client.device(), 200, status="done", outcome="possessionRequired")
    session.result("possession_required", number)
    expected(session.bind(other), 200, success="false", phoneNumber=other)
    session.result("possession_required", number)
    answer = expected(session.bind(number), 200, success="true", phoneNumber=number)
    result = session.result("true", number, "proveId", "deviceId")
    assert answer["deviceId"] == result["deviceId"] and answer["proveId"] == result["proveId"]
    for again in (number, other):
        expected(session.bind(again), 403, code=8003)
    session.result("true", number, "proveId", "deviceId")
    is_known_by_key(site, number, key, result["deviceId"], result["proveId"], "none")
    failed = site.unify(number, "none")
    expected(failed.client(device_key=Key()).to_code_entry(), 200, outcome="possessionRequired")
    for _ in range(3):
        expected(failed.bind(other), 200, success="false", phoneNumber=other)
    expected(failed.bind(number), 403, code=8003)
    failed.result("false", number)


def passes_by_mobile_auth(site, number):
    """First with the number, then with none: the network tells it."""
    key = Key()
    for sent in (number, None):
        key, session = Key(), site.unify(sent)
        session.result("pending", sent)
        client = session.client(device_key=key)
        expected(client.to_mobile_auth(), 200, step="mobileAuth")
        session.result("pending", sent)
        expected(client.mobile_auth(Phone(), number), 200, status="done", outcome="succeeded")
        told = session.result("true", sent or e164(number), "proveId", "deviceId")
        assert session.messages() == []
        again = site.unify(sent)
        expected(again.client(device_key=key).to_mobile_auth(), 200, outcome="succeeded")
        assert again.result("true", sent or e164(number), "proveId", "deviceId")["deviceId"] == told["deviceId"]
    checked = site.unify(number, checkReputation=True)
    client = checked.client()
    client.to_mobile_auth()
    expected(client.mobile_auth(Phone(), number), 200, outcome="succeeded")
    checked.result("true", number, "proveId", evaluation=GOOD)


def passes_passively(site, number):
    """`none` without a number: Mobile Auth discovers it, and the key is bound without anybody's asking."""
    session = site.unify(None, "none")
    client = session.client(device_key=Key())
    expected(client.to_mobile_auth(fallback=None), 200, step="mobileAuth")
    expected(client.mobile_auth(Phone(), number), 200, outcome="succeeded")
    session.result("true", e164(number), "proveId", "deviceId")
    expected(session.bind(number), 403, code=8003)


def needs_possession_after_a_passive_try(site, number):
    """`none` without a number where Mobile Auth finds nobody: the customer checks, and binds."""
    session = site.unify(None, "none")
    client = session.client(device_key=Key())
    expected(client.to_mobile_auth(fallback=None), 200, step="mobileAuth")
    expected(client.mobile_auth(Phone(), number), 200, status="done", outcome="possessionRequired")
    session.result("possession_required", None)
    expected(session.bind(number), 200, success="true", phoneNumber=number)
    session.result("true", session.status("true")["phoneNumber"], "proveId", "deviceId")


def fails_mobile_auth(session, number, **options):
    client = session.client(device_key=Key(), **options)
    expected(client.to_mobile_auth(), 200, step="mobileAuth")
    expected(client.mobile_auth(Phone(), number), 200, step="otpStart")
    assert client.state["mobileAuth"]["error"] == "mobile_auth_mismatch", client.state
    assert client.state["mobileAuth"]["code"] == 20304, client.state
    session.result("pending", number)
    return client


def fails_at_everything(site, number):
    for code in (RIGHT, WRONG, "0000"):
        session = site.unify(number)
        client = fails_mobile_auth(session, number)
        expected(client.otp(), 200)
        expected(client.verify(code), 400, error="otp_mismatch")
        session.result("false", number)
    shown = site.unify(number, allowOTPRetry=True)
    client = shown.client()
    client.to_code_entry()
    for _ in range(3):
        expected(client.verify(shown.messages()[0]["code"]), 400, error="otp_mismatch")
    shown.result("false", number)
    session = site.desktop(number)
    client = session.client()
    client.to_link_wait()
    _, query = target_of(Phone().approve(session.newest_link()))
    assert query["asc"] == "false", query
    expected(client.current(), 200, outcome="failed")
    assert client.state["link"]["error"] == "link_phone_mismatch" and client.state["link"]["code"] == 20204
    session.result("false", number)


def fails_by_reputation_alone(site, number):
    session = site.unify(number)
    client = fails_mobile_auth(session, number)
    expected(client.otp(), 200)
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    session.result("true", number, "proveId", "deviceId")
    key, checked = Key(), site.unify(number, checkReputation=True)
    client = checked.client(device_key=key)
    client.to_code_entry()
    checked.result("pending", number)
    client.verify(RIGHT)
    expected(client.current(), 200, status="done", outcome="failed")
    checked.result("false", number, evaluation=LOW_TRUST)
    unbound = site.unify(number).client(device_key=key)
    unbound.to_code_entry()
    assert unbound.state["device"]["status"] == "pending", "a failed session binds no key"
    wrong = site.unify(number, checkReputation=True)
    expected(wrong.client().authenticate(WRONG), 400)
    wrong.result("false", number, evaluation=INCOMPLETE)


def needs_no_client(site, number):
    for possession_type, fields in (("mobile", {}), ("desktop", {"finalTargetUrl": TARGET}), ("none", {})):
        session = site.unify(number, possession_type, **fields)
        result = session.result("true", number, "proveId")
        assert session.result("true", number, "proveId") == result
        assert session.messages() == []


# The users

def barbaraanne_passes_without_a_client(world):
    needs_no_client(world.plain, SHORT_TERM)


def janos_passes_without_a_client(world):
    needs_no_client(world.plain, SHORT_TERM_ABROAD)


def lorant_passes_by_code_by_key_by_link_and_by_bind(world):
    site = world.plain
    known = passes_by_code(site, LORANT)
    is_known_by_key(site, LORANT, *known)
    another_number_needs_a_rebind(site, LORANT, LANEY, *known[:2])
    passes_by_link(site, LORANT)
    binds_by_force(site, LORANT, LANEY)
    a_wrong_code_fails(site, LORANT)


def laney_fails_on_1111_and_binds_by_force(world):
    a_wrong_code_fails(world.plain, LANEY)
    passes_by_code(world.plain, LANEY)
    binds_by_force(world.plain, LANEY, LORANT)


def inge_passes_by_mobile_auth_with_and_without_a_number(world):
    passes_by_mobile_auth(world.plain, INGE)
    passes_passively(world.plain, INGE)
    session = world.plain.unify()
    client = session.client()
    client.to_mobile_auth()
    expected(client.mobile_auth(Phone()), 200, outcome="succeeded")  # nobody named: the sandbox takes her
    session.result("true", e164(INGE), "proveId")


def jesse_fails_at_everything(world):
    fails_at_everything(world.plain, JESSE)
    needs_possession_after_a_passive_try(world.plain, JESSE)


def penny_fails_by_reputation_alone(world):
    fails_by_reputation_alone(world.plain, PENNY)
    needs_possession_after_a_passive_try(world.plain, PENNY)


def bertie_passes_by_code_by_key_by_link_and_by_bind(world):
    site = world.plain
    known = passes_by_code(site, BERTIE)
    is_known_by_key(site, BERTIE, *known)
    another_number_needs_a_rebind(site, BERTIE, BONNIE, *known[:2])
    passes_by_link(site, BERTIE)
    binds_by_force(site, BERTIE, BONNIE)
    a_wrong_code_fails(site, BERTIE)


def bonnie_fails_on_1111_and_binds_by_force(world):
    a_wrong_code_fails(world.plain, BONNIE)
    passes_by_code(world.plain, BONNIE)
    binds_by_force(world.plain, BONNIE, BERTIE)


def allissa_passes_by_mobile_auth_with_and_without_a_number(world):
    passes_by_mobile_auth(world.plain, ALLISSA)
    passes_passively(world.plain, ALLISSA)


def wendy_fails_at_everything(world):
    fails_at_everything(world.plain, WENDY)
    needs_possession_after_a_passive_try(world.plain, WENDY)


def amii_fails_by_reputation_alone(world):
    fails_by_reputation_alone(world.plain, AMII)
    needs_possession_after_a_passive_try(world.plain, AMII)


def without_a_client_everybody_else_stays_unproven(world):
    site = world.simulated
    sessions = [
        (number, site.unify(number))
        for number in (LORANT, LANEY, INGE, JESSE, PENNY, BERTIE, BONNIE, ALLISSA, WENDY, AMII)]
    for number, session in sessions:
        session.result("pending", number)
    site.advance(900)
    for number, session in sessions:
        session.result("false", number)
