"""The threats of the client protocol (4.14) to Mobile Auth: foreign pages, phones, states, addresses, fingerprints."""
from urllib.parse import parse_qs, urlsplit

from holdfast import Phone, claims_of, expected
from jose import base64url, compact_json
from world import INGE

VICTIM, ATTACKER = "203.0.113.7", "198.51.100.66"


def offered(session):
    client = session.client()
    expected(client.to_mobile_auth(), 200, step="mobileAuth")
    return client, expected(client.begin_mobile_auth(), 200)


def a_page_cannot_read_a_visitors_fingerprint(world):
    """A page of the attacker lets the visitor's browser fetch the chain: no hop gives it leave to read."""
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1"):
        _, attempt = offered(world.plain.unify(INGE))
        phone, url = Phone(), attempt["authUrl"]
        for _ in range(3):
            answer = phone.call("GET", url, headers={"Origin": origin, "Sec-Fetch-Mode": "cors"})
            allowed = [name for name in answer.headers if name.startswith("access-control-")]
            assert not allowed, f"{origin} may read: {allowed}"
            url = answer.headers.get("location", url)
        assert answer.status == 200 and answer["vfp"], answer
        preflight = phone.call("OPTIONS", url, headers={"Origin": origin, "Access-Control-Request-Method": "GET"})
        assert not [name for name in preflight.headers if name.startswith("access-control-")], preflight.headers


def a_victim_that_follows_the_attackers_chain_proves_nothing(world):
    """Without a number in the session, the victim's connection would give one; but only the victim gets the end."""
    session = world.plain.unify()
    attacker, attempt = offered(session)
    victim = Phone().follow(attempt["authUrl"], INGE)
    assert victim.vfp, victim
    expected(attacker.current(), 200, status="active", step="mobileAuth")
    state = attacker.current().json
    assert state["phone"] == {"needed": True} and "vfp" not in str(state), state
    claims = claims_of("." + victim.vfp.split(".")[1] + ".")
    guesses = ["", "v1", victim.vfp[:-1], victim.vfp.rsplit(".", 1)[0] + "." + base64url(b"\0" * 32),
               "v1." + base64url(compact_json({**claims, "exp": claims["exp"] + 600})) + "." + victim.vfp.split(".")[2],
               "v2" + victim.vfp[2:]]
    for guess in guesses:
        answer = attacker.finish_mobile_auth(attempt["attemptId"], vfp=guess)
        assert answer.status == 400 and answer["error"] in ("vfp_invalid", "invalid_request"), f"{guess}: {answer}"
    session.result("pending", None)


def a_fingerprint_counts_for_its_session_attempt_and_key_alone(world):
    site = world.plain
    session, foreign = site.unify(INGE), site.unify(INGE)
    client, attempt = offered(session)
    other, other_attempt = offered(foreign)
    vfp = Phone().follow(attempt["authUrl"]).vfp
    other_vfp = Phone().follow(other_attempt["authUrl"]).vfp
    expected(other.finish_mobile_auth(other_attempt["attemptId"], vfp=vfp), 400, error="vfp_invalid", code=20301)
    expected(other.finish_mobile_auth(attempt["attemptId"], vfp=vfp), 400, error="vfp_invalid")
    thief = session.client()
    expected(thief.finish_mobile_auth(attempt["attemptId"], vfp=vfp), 401, error="token_already_used")
    newer = expected(client.begin_mobile_auth(), 200)
    for attempt_id in (newer["attemptId"], attempt["attemptId"]):
        expected(client.finish_mobile_auth(attempt_id, vfp=vfp), 400, error="vfp_invalid")
    newest = Phone().follow(newer["authUrl"]).vfp
    expected(client.finish_mobile_auth(newer["attemptId"], vfp=newest), 200, outcome="succeeded")
    expected(client.finish_mobile_auth(newer["attemptId"], vfp=newest), 410, error="session_done")
    expected(other.finish_mobile_auth(other_attempt["attemptId"], vfp=other_vfp), 200, outcome="succeeded")
    assert session.timeline().count("succeeded") == 1 and "fingerprint_refused" in session.timeline()


def a_bearer_thief_does_not_take_over_a_fingerprint(world):
    """A session of a stolen token, redeemed by bearer: its fingerprint names no key, and serves no session with one."""
    site = world.plain
    session = site.unify(INGE)
    client, attempt = offered(session)
    bearer = site.unify(INGE).client(bearer=True)
    bearer.to_mobile_auth()
    own = expected(bearer.begin_mobile_auth(), 200)
    vfp = Phone().follow(own["authUrl"]).vfp
    expected(client.finish_mobile_auth(attempt["attemptId"], vfp=vfp), 400, error="vfp_invalid")
    expected(bearer.finish_mobile_auth(own["attemptId"], vfp=vfp), 200, outcome="succeeded")


def arrived_at(site, session=None):
    """A client whose phone has come as far as the last hop; the attempt, the hop, and its code and state."""
    client, attempt = offered(session or site.unify(INGE))
    urls, _ = Phone().hops(attempt["authUrl"], site.server.base_url + "/ma/v1/cb")
    query = parse_qs(urlsplit(urls[-1]).query)
    return client, attempt, urls[-1], query["code"][0], query["state"][0]


def the_return_hop_takes_no_state_but_its_own(world):
    site = world.plain
    base = site.server.base_url + "/ma/v1/cb?"
    client, attempt, back, code, state = arrived_at(site)
    forged = [
        f"code={code}", f"state={state}", "", f"code={code}&state=", f"code=&state={state}", "code=%00&state=x",
        f"code={code}&state={state[:-1]}", f"code={code}&state={state}x", f"code={code}&state={attempt['attemptId']}",
        f"code={code}&state={attempt['attemptId']}.{base64url(bytes(32))}",
        f"code={code}&state={state.swapcase()}", f"code={'A' * 2049}&state={state}"]
    for query in forged:
        answer = Phone().call("GET", base + query)
        assert answer.status in (400, 404) and "vfp" not in answer.json, f"{query[:60]}: {answer}"
    arrived = expected(Phone().call("GET", back), 200)
    for replay in (back, back):
        again = Phone().call("GET", replay)
        assert again.status == 410 and "vfp" not in again.json, f"a replay gets {again}"
    expected(client.finish_mobile_auth(attempt["attemptId"], vfp=arrived["vfp"]), 200, outcome="succeeded")
    late = Phone().call("GET", back)
    assert late.status == 410 and "vfp" not in late.json, late


def a_code_of_another_chain_does_not_fit(world):
    """The attacker puts the code of the victim's chain under a state of their own: PKCE gives it away."""
    site = world.plain
    attacker, attempt, _, _, state = arrived_at(site)
    _, _, back, code, _ = arrived_at(site)
    injected = Phone().call("GET", f"{site.server.base_url}/ma/v1/cb?code={code}&state={state}")
    expected(injected, 200, error="mobile_auth_unavailable")
    assert "vfp" not in injected.json, injected
    expected(attacker.finish_mobile_auth(attempt["attemptId"], error="unavailable"), 200, step="otpStart")
    spent = Phone().call("GET", back)  # the operator takes a code once, whoever brings it
    assert "vfp" not in spent.json, spent


def the_way_back_must_come_from_the_same_address(world):
    site = world.scripted
    until = site.server.base_url + "/ma/v1/cb"
    for stranger in (Phone(ATTACKER), Phone(), Phone(VICTIM + ", " + ATTACKER)):
        client, attempt = offered(site.unify(INGE))
        urls, _ = Phone(VICTIM).hops(attempt["authUrl"], until)
        refused = stranger.call("GET", urls[-1])
        assert refused.status == 403 and "vfp" not in refused.json, f"{stranger.address}: {refused}"
        arrived = expected(Phone(VICTIM).call("GET", urls[-1]), 200)
        answer = client.finish_mobile_auth(attempt["attemptId"], vfp=arrived["vfp"])
        expected(answer, 200, outcome="succeeded")
    # Without a proxy to trust, the header is just a word.
    back = arrived_at(world.plain)[2]
    expected(Phone(ATTACKER).call("GET", back), 200)
