"""Scenes of Mobile Auth: the chain over the phone's own network, hop by hop, and what becomes of its end."""
import json
import re
from urllib.parse import parse_qs, quote, urlsplit

import scripted
from holdfast import Caller, Key, Phone, expected
from jose import base64url_decoded
from world import BERTIE, INGE, LORANT, PENNY, RIGHT

RETURN_PAGE = "https://app.example/back"


def offered(session, **changes):
    """A client with an open attempt, and the attempt."""
    client = session.client()
    expected(client.to_mobile_auth(**changes), 200, step="mobileAuth")
    return client, expected(client.begin_mobile_auth(), 200)


def the_chain_has_the_published_hops(world):
    session = world.plain.unify(INGE)
    client, attempt = offered(session)
    assert set(attempt.json) == {"attemptId", "authUrl", "network", "mode", "timeoutMs", "expiresAt", "state"}, attempt
    assert (attempt["network"], attempt["mode"]) == ("cellular", "client") and attempt["timeoutMs"] >= 8000, attempt
    assert re.fullmatch(r"[A-Za-z0-9_-]{22}", attempt["attemptId"]), attempt
    assert urlsplit(attempt["authUrl"]).path == "/ma/v1/go/" + attempt["attemptId"], attempt
    state = attempt["state"]
    assert set(state["allowed"]) == {"mobileAuth", "mobileAuth.finish", "otp.start", "cancel"}, state
    arrival = Phone().follow(attempt["authUrl"])
    paths = [urlsplit(url).path for url in arrival.urls]
    assert paths == ["/ma/v1/go/" + attempt["attemptId"], "/sandbox/operator/authorize", "/ma/v1/cb"], paths
    query = {name: value[0] for name, value in parse_qs(urlsplit(arrival.urls[1]).query).items()}
    assert query["response_type"] == "code" and query["code_challenge_method"] == "S256", query
    assert len(query["code_challenge"]) == 43 and query["state"] and query["prompt"] == "none", query
    assert "dpv:" in query["scope"] and query["redirect_uri"].endswith("/ma/v1/cb"), query
    for url in arrival.urls:
        assert session.auth_token not in url and client.auth_id not in url, "a hop tells the session"
    assert arrival.answer.status == 200 and set(arrival.outcome) == {"vfp"}, arrival
    expected(client.current(), 200, status="active", step="mobileAuth")
    expected(client.finish_mobile_auth(attempt["attemptId"], vfp=arrival.vfp), 200, outcome="succeeded")
    session.result("true", INGE, "proveId")
    assert session.timeline() == [
        "created", "redeemed", "mobile_auth_begun", "mobile_auth_sent_to_operator", "mobile_auth_answered",
        "mobile_auth_passed", "succeeded"], session.timeline()


def operator_token(site, number):
    """What the phone with this number gets from its operator over any network."""
    caller = Caller(site.server.base_url)
    answer = caller.call(
        "POST", "/sandbox/operator/operator-token", f"login_hint=tel%3A%2B1{number}".encode(),
        {"Content-Type": "application/x-www-form-urlencoded"})
    caller.close()
    assert expected(answer, 200)["plmn"] == "00101", answer
    return answer["operator_token"]


def a_token_of_the_operator_needs_no_mobile_network(world):
    session = world.plain.unify(INGE)
    client, attempt = offered(session)
    token = operator_token(world.plain, INGE)
    refused = client.hand_in_token(attempt["attemptId"], token, plmn="26299")
    assert expected(refused, 400)["message"] == "field 'plmn' names a network whose tokens are not taken here", refused
    request_id = {"requestId": "token-1"}
    first = expected(client.hand_in_token(attempt["attemptId"], token, **request_id), 200, outcome="succeeded")
    assert client.hand_in_token(attempt["attemptId"], token, **request_id).body == first.body
    session.result("true", INGE, "proveId")
    assert session.timeline() == [
        "created", "redeemed", "mobile_auth_begun", "mobile_auth_sent_to_operator", "mobile_auth_answered",
        "mobile_auth_passed", "succeeded"], session.timeline()
    assert Phone().follow(attempt["authUrl"]).answer.status >= 400
    again, offer = offered(world.plain.unify(INGE))
    expected(again.hand_in_token(offer["attemptId"], token), 200, step="otpStart")
    assert again.state["mobileAuth"]["error"] == "mobile_auth_unavailable", "a token is good once"
    assert token not in world.plain.server.output()


def a_token_of_another_phone_is_a_mismatch(world):
    session = world.plain.unify(INGE)
    client, attempt = offered(session)
    expected(client.hand_in_token(attempt["attemptId"], operator_token(world.plain, PENNY)), 200, step="otpStart")
    assert client.state["mobileAuth"]["error"] == "mobile_auth_mismatch", client.state
    session.status("pending")


def the_fingerprint_names_the_session_and_no_number(world):
    client, attempt = offered(world.plain.unify(INGE))
    vfp = Phone().follow(attempt["authUrl"]).vfp
    version, payload, signature = vfp.split(".")
    claims = json.loads(base64url_decoded(payload))
    assert version == "v1" and set(claims) == {"a", "s", "j", "r", "iat", "exp"}, claims
    assert claims["a"] == attempt["attemptId"] and claims["s"] == client.auth_id, claims
    assert claims["j"] == client.session_key.thumbprint and claims["exp"] - claims["iat"] == 60, claims
    assert len(base64url_decoded(signature)) == 32 and INGE not in json.dumps(claims), claims
    return f"{len(vfp)} characters"


def a_web_page_gets_the_outcome_in_the_fragment(world):
    for number, name in ((INGE, "vfp"), (LORANT, "error")):
        session = world.plain.unify(number)
        client, attempt = offered(session, platform="web", mobileAuthReturnUrl=RETURN_PAGE)
        assert attempt["mode"] == "navigate", attempt
        arrival = Phone().follow(attempt["authUrl"], page=RETURN_PAGE)
        assert arrival.answer.status == 303 and set(arrival.outcome) == {name}, arrival.urls
        assert arrival.urls[-1].startswith(RETURN_PAGE + "#" + name + "="), arrival.urls
        finished = expected(client.finish_mobile_auth(attempt["attemptId"], **arrival.outcome), 200)
        assert finished["outcome"] == ("succeeded" if name == "vfp" else None), finished


def a_web_page_that_nobody_returns_to_has_no_mobile_auth(world):
    client = world.plain.unify(INGE).client()
    expected(client.start(cellular="yes"), 200, step="otpStart")
    assert "mobileAuth" not in client.state and "mobileAuth" not in client.state["allowed"], client.state
    expected(client.begin_mobile_auth(), 409, error="invalid_state")


def another_number_on_the_line_is_a_mismatch(world):
    session = world.plain.unify(PENNY)
    client, attempt = offered(session)
    arrival = Phone().follow(attempt["authUrl"])
    assert set(arrival.outcome) == {"vfp"}, "the phone does not learn how it went"
    expected(client.finish_mobile_auth(attempt["attemptId"], vfp=arrival.vfp), 200, step="otpStart")
    assert client.state["mobileAuth"]["error"] == "mobile_auth_mismatch", client.state
    expected(client.begin_mobile_auth(), 409, error="invalid_state")
    assert "mobile_auth_failed" in session.timeline(), session.timeline()


def no_answer_of_the_operator_is_told_by_the_last_hop(world):
    for number in (scripted.OPERATOR_ERROR, scripted.NO_OPERATOR, BERTIE):
        client, attempt = offered(world.scripted.unify(number))
        arrival = Phone().follow(attempt["authUrl"])
        assert arrival.outcome == {"error": "mobile_auth_unavailable"}, f"{number}: {arrival}"
        answer = client.finish_mobile_auth(attempt["attemptId"], error=arrival.outcome["error"])
        expected(answer, 200, step="otpStart")


def without_a_fallback_a_failure_is_the_end(world):
    for number in (PENNY, LORANT):
        session = world.plain.unify(number)
        client = session.client()
        expected(client.to_mobile_auth(fallback=None), 200, step="mobileAuth")
        expected(client.mobile_auth(Phone()), 200, status="done", outcome="failed")
        session.result("false", number)


def a_client_may_give_up(world):
    session = world.plain.unify(INGE)
    client, attempt = offered(session)
    for fields in ({}, {"error": "e" * 65}, {"error": "x", "vfp": "v1.x.y"}, {"error": 7}):
        expected(client.finish_mobile_auth(attempt["attemptId"], **fields), 400, error="invalid_request", code=1001)
    for attempt_id in ("", "x", "A" * 23):
        expected(client.finish_mobile_auth(attempt_id, error="timeout"), 400, error="invalid_request")
    expected(client.finish_mobile_auth("A" * 22, error="timeout"), 409, error="invalid_state")
    expected(client.finish_mobile_auth(attempt["attemptId"], error="e" * 64), 200, step="otpStart")
    gone = Phone().call("GET", attempt["authUrl"])
    assert gone.status == 410, f"the chain of an attempt that was given up: {gone}"
    expected(client.otp(), 200)
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    session.result("true", INGE, "proveId")


def a_ticket_opens_the_chain_once_and_for_60_seconds(world):
    site = world.simulated
    _, attempt = offered(site.unify(INGE))
    wrong = attempt["authUrl"][:-1] + ("A" if attempt["authUrl"][-1] != "A" else "B")
    assert Phone().call("GET", wrong).status == 404
    assert Phone().call("GET", attempt["authUrl"].split("?")[0]).status == 404
    assert Phone().call("GET", attempt["authUrl"]).status == 302
    assert Phone().call("GET", attempt["authUrl"]).status == 410
    for seconds, status in ((58, 302), (60, 410)):
        _, attempt = offered(site.unify(INGE))
        site.advance(seconds)
        assert Phone().call("GET", attempt["authUrl"]).status == status, f"after {seconds} s"


def the_way_through_the_operator_takes_59_seconds_and_not_60(world):
    site = world.simulated
    until = site.server.base_url + "/ma/v1/cb"
    for seconds, status in ((58, 200), (60, 410)):
        _, attempt = offered(site.unify(INGE))
        urls, _ = Phone().hops(attempt["authUrl"], until)
        site.advance(seconds)
        assert Phone().call("GET", urls[-1]).status == status, f"after {seconds} s"


def a_fingerprint_lives_60_seconds(world):
    site = world.simulated
    for seconds in (58, 60):
        session = site.unify(INGE)
        client, attempt = offered(session)
        vfp = Phone().follow(attempt["authUrl"]).vfp
        site.advance(seconds)
        answer = client.finish_mobile_auth(attempt["attemptId"], vfp=vfp)
        if seconds < 60:
            expected(answer, 200, outcome="succeeded")
        else:
            expected(answer, 400, error="vfp_expired", code=20302)
            expected(client.finish_mobile_auth(attempt["attemptId"], error="vfp_expired"), 200, step="otpStart")


def a_newer_attempt_voids_the_older_and_three_are_all(world):
    client, first = offered(world.plain.unify(INGE))
    arrived = Phone().follow(first["authUrl"])
    second = expected(client.begin_mobile_auth(), 200)
    assert second["attemptId"] != first["attemptId"] and Phone().call("GET", first["authUrl"]).status == 410
    expected(client.finish_mobile_auth(first["attemptId"], vfp=arrived.vfp), 400, error="vfp_invalid", code=20301)
    third = expected(client.begin_mobile_auth(), 200)
    assert "mobileAuth" not in third["state"]["allowed"], third
    expected(client.begin_mobile_auth(), 409, error="invalid_state")
    arrival = Phone().follow(third["authUrl"])
    expected(client.finish_mobile_auth(third["attemptId"], vfp=arrival.vfp), 200, outcome="succeeded")


def the_call_decides_over_the_clients_setting(world):
    site = world.scripted
    fixed = site.new_platform("fixed")
    assert fixed.unify().status == 400 and fixed.unify()["code"] == 8001
    assert site.platform.unify(mobileAuthEnabled=False)["code"] == 8001
    for platform, enabled, step in (
        (site.platform, None, "mobileAuth"), (site.platform, False, "otpStart"),
        (fixed, None, "otpStart"), (fixed, True, "mobileAuth"),
    ):
        client = site.unify(INGE, platform=platform, mobileAuthEnabled=enabled).client()
        expected(client.to_mobile_auth(), 200, step=step)
    session = site.unify(platform=fixed, mobileAuthEnabled=True)
    client = session.client()
    client.to_mobile_auth()
    expected(client.mobile_auth(Phone()), 200, outcome="succeeded")


def cellular_and_test_mode_decide_over_the_plan(world):
    for cellular, test_mode, step in (
        ("no", False, "otpStart"), ("no", True, "mobileAuth"), ("unknown", False, "mobileAuth"),
        ("yes", False, "mobileAuth"),
    ):
        client = world.plain.unify(INGE).client()
        expected(client.to_mobile_auth(cellular=cellular, testMode=test_mode), 200, step=step)


def mobile_auth_of_a_none_flow_needs_no_number(world):
    given = world.plain.unify(INGE, "none").client()
    expected(given.to_mobile_auth(), 200, outcome="possessionRequired")
    assert "mobileAuth" not in given.state, given.state
    desktop = world.plain.desktop(INGE).client()
    expected(desktop.to_mobile_auth(), 200, step="linkStart")


def a_code_may_be_asked_for_in_the_middle(world):
    session = world.plain.unify(INGE)
    client, attempt = offered(session)
    phone = Phone()
    urls, _ = phone.hops(attempt["authUrl"], until=world.plain.server.base_url + "/ma/v1/cb")
    expected(client.otp(), 200, step="otpFinish")
    assert phone.call("GET", urls[-1]).status == 410, "the chain ends with its step"
    expected(client.finish_mobile_auth(attempt["attemptId"], error="late"), 409, error="invalid_state")
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    session.result("true", INGE, "proveId")


def mobile_auth_may_skip_the_device_step(world):
    session = world.plain.unify(INGE)
    client = session.client(device_key=Key())
    expected(client.start(platform="ios", cellular="yes"), 200, step="device")
    expected(client.mobile_auth(Phone()), 200, outcome="succeeded")
    session.result("true", INGE, "proveId")


def a_bearer_session_is_walked_like_the_others(world):
    session = world.plain.unify(INGE)
    client = session.client(bearer=True)
    expected(client.to_mobile_auth(), 200, step="mobileAuth")
    expected(client.mobile_auth(Phone()), 200, outcome="succeeded")
    session.result("true", INGE, "proveId")


def a_retry_of_a_mobile_auth_call_gets_the_same_bytes(world):
    session = world.plain.unify(INGE)
    client = session.client()
    client.to_mobile_auth()
    first = expected(client.begin_mobile_auth(requestId="r-1"), 200)
    assert client.begin_mobile_auth(requestId="r-1").body == first.body
    arrival = Phone().follow(first["authUrl"])
    right = {"vfp": arrival.vfp, "requestId": "r-2"}
    last = expected(client.finish_mobile_auth(first["attemptId"], **right), 200, outcome="succeeded")
    assert client.finish_mobile_auth(first["attemptId"], **right).body == last.body
    expected(client.finish_mobile_auth(first["attemptId"], vfp=arrival.vfp), 410, error="session_done")
    assert session.timeline().count("mobile_auth_begun") == 1, session.timeline()


def a_found_number_must_be_of_good_standing_too(world):
    session = world.scripted.unify(checkReputation=True)
    client = session.client()
    client.to_mobile_auth()
    expected(client.mobile_auth(Phone(), scripted.BAD_STANDING), 200, outcome="failed")
    result = session.status("false")
    assert result["evaluation"]["risk"]["failureReasons"] == scripted.REASONS, result


def an_attempt_goes_on_after_a_restart(world):
    site = world.scripted
    session = site.unify(INGE)
    client, attempt = offered(session)
    site.restart()
    client.close()
    arrival = Phone().follow(attempt["authUrl"])
    site.restart()
    client.close()
    expected(client.finish_mobile_auth(attempt["attemptId"], vfp=arrival.vfp), 200, outcome="succeeded")
    site.platform.token()
    session.result("true", INGE, "proveId")


def an_operator_that_refuses_ends_the_attempt(world):
    client, attempt = offered(world.plain.unify(INGE))
    until = world.plain.server.base_url + "/ma/v1/cb"
    urls, _ = Phone().hops(attempt["authUrl"], until)
    state = parse_qs(urlsplit(urls[-1]).query)["state"][0]
    refused = Phone().call("GET", f"{until}?error=login_required&state={quote(state, safe='')}")
    expected(refused, 200, error="mobile_auth_unavailable")
    assert Phone().call("GET", urls[-1]).status == 410, "the code may still be redeemed"
    expected(client.finish_mobile_auth(attempt["attemptId"], error="mobile_auth_unavailable"), 200, step="otpStart")


def a_rebind_takes_mobile_auth_as_possession(world):
    site, key = world.plain, Key()
    first = site.unify(LORANT)
    expected(first.client(device_key=key).authenticate(RIGHT), 200)
    device_id = first.status("true")["deviceId"]
    moved = site.unify(INGE, rebind=True)
    client = moved.client(device_key=key)
    expected(client.to_mobile_auth(), 200, step="mobileAuth")
    expected(client.mobile_auth(Phone()), 200, outcome="succeeded")
    assert moved.result("true", INGE, "proveId", "deviceId")["deviceId"] == device_id
    former = site.unify(LORANT).client(device_key=key)
    former.start()
    expected(former.device(), 403, error="device_number_mismatch")
