"""Scenes of people who want what is not theirs: keys that move, tenants that are out, polls of others."""
from holdfast import Key, Platform, expected
from world import LANEY, LORANT, RIGHT


def bound(site, number, key):
    """Binds a key to a number by OTP, and tells the deviceId."""
    session = site.unify(number)
    expected(session.client(device_key=key).authenticate(RIGHT), 200)
    return session.status("true")["deviceId"]


def a_key_that_answered_no_challenge_is_bound_to_nothing(world):
    site = world.plain
    mine, other = Key(), Key()
    device_id = bound(site, LORANT, mine)
    bound(site, LANEY, other)
    session = site.unify(LORANT, rebind=True)
    client = session.client(device_key=mine)
    client.to_code_entry()
    expected(site.platform.revoke(device_id), 200)
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    assert session.status("true")["deviceId"] is None
    # The session is done; another key turns up at its device step.
    client.device_key = other
    client.state["device"]["challenge"] = "AAAA"
    expected(client.device(), 410, error="session_done")
    assert session.status("true")["deviceId"] is None
    late = site.unify(LORANT).client(device_key=other)
    late.start()
    expected(late.device(), 403, error="device_number_mismatch")


def a_key_moves_to_another_number_only_when_the_backend_says_so(world):
    site = world.plain
    key = Key()
    device_id = bound(site, LORANT, key)
    elsewhere = site.unify(LANEY, deviceId=device_id[:-1] + ("0" if device_id[-1] != "0" else "1"))
    expected(elsewhere.client(device_key=key).authenticate(RIGHT), 200, outcome="succeeded")
    assert elsewhere.status("true")["deviceId"] is None
    # Two sessions of one new key, for two numbers: the first to finish has it.
    fresh = Key()
    sessions = [site.unify(number) for number in (LORANT, LANEY)]
    clients = [session.client(device_key=fresh) for session in sessions]
    for client in clients:
        client.to_code_entry()
    for client in clients:
        expected(client.verify(RIGHT), 200, outcome="succeeded")
    assert sessions[0].status("true")["deviceId"] and sessions[1].status("true")["deviceId"] is None
    for number, key_of in ((LORANT, key), (LORANT, fresh)):
        expected(site.unify(number).client(device_key=key_of).to_code_entry(), 200, outcome="succeeded")


def a_stranger_does_not_release_the_poll_of_the_sessions_own_client(world):
    site = world.plain
    session = site.unify(LORANT)
    owner, stranger = session.client(), session.client()
    expected(owner.start(), 200)
    expected(stranger.current(after=999, wait=1), 401, error="token_already_used")
    expected(owner.current(), 200)


def a_revoked_client_stays_out_with_all_its_sessions_over_a_restart(world):
    site = world.plain
    platform = site.new_platform("sandbox-2")
    session = site.unify(LORANT, platform=platform)
    client = session.client()
    expected(client.start(), 200)
    server = site.server
    server.command("clients", "revoke", "sandbox-2")
    expected(client.otp(), 401, error="invalid_token")
    expected(platform.status(session.correlation_id), 401)
    site.restart()
    client.close()
    expected(Platform(server.base_url, "sandbox-2", "sandbox-2-secret").token(), 401)
