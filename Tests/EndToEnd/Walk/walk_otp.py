"""Scenes of the one-time code: from the backend's call to the result."""
import threading
import time

from holdfast import Key, claims_of, expected
from world import BERTIE, BONNIE, LANEY, LORANT, RIGHT, SHORT_TERM, SHORT_TERM_ABROAD, STRANGER, WRONG, is_uuid

APP_HASH, OTHER_HASH = "FA+9qCX9VSu", "AAAAAAAAAAA"


def a_started_session_has_the_members_the_sdks_insist_on(world):
    answer = world.plain.platform.unify(LORANT)
    assert set(answer.json) == {"correlationId", "success", "authToken"}, answer
    assert answer.headers["content-type"].split(";")[0] == "application/json", answer.headers
    claims = claims_of(answer["authToken"])
    assert set(claims) == {"iss", "aud", "sub", "jti", "nonce", "iat", "nbf", "exp"}, sorted(claims)
    assert claims["exp"] - claims["iat"] == 900 and is_uuid(claims["sub"]), claims
    assert claims["aud"].endswith("/client/v1") and claims["sub"] != answer["correlationId"], claims


def lorant_enters_1234_and_is_proven(world):
    session = world.plain.unify(LORANT)
    client = session.client(device_key=Key())
    session.status("pending")
    expected(client.authenticate(RIGHT), 200, status="done", outcome="succeeded")
    result = session.status("true", clientRequestId="mine")
    assert result["phoneNumber"] == LORANT and result["clientRequestId"] == "mine", result
    assert is_uuid(result["proveId"]) and is_uuid(result["deviceId"]), result
    assert session.status("true").body == session.status("true").body, "the result changes when it is read again"


def the_same_number_keeps_its_proveId(world):
    found = set()
    for spelling in (LORANT, "1" + LORANT, "+1" + LORANT):
        session = world.plain.unify(spelling)
        expected(session.client(device_key=Key()).authenticate(RIGHT), 200)
        result = session.status("true")
        assert result["phoneNumber"] == spelling, result
        found.add(result["proveId"])
    assert len(found) == 1, found


def a_client_without_a_device_key_gets_no_deviceId(world):
    session = world.plain.unify(LORANT)
    expected(session.client().authenticate(RIGHT), 200, outcome="succeeded")
    assert session.status("true")["deviceId"] is None


def laney_enters_1111_and_is_not_proven(world):
    session = world.plain.unify(LANEY)
    answer = session.client(device_key=Key()).authenticate(WRONG)
    expected(answer, 400, error="otp_mismatch", code=10001)
    assert answer["state"]["status"] == "done" and answer["state"]["outcome"] == "failed", answer
    result = session.status("false")
    assert result["phoneNumber"] == LANEY and result["proveId"] is None and result["deviceId"] is None, result


def international_users_are_their_exact_digits(world):
    session = world.plain.unify(BERTIE)
    expected(session.client(device_key=Key()).authenticate(RIGHT), 200, outcome="succeeded")
    assert session.status("true")["phoneNumber"] == BERTIE
    session = world.plain.unify(BONNIE)
    expected(session.client().authenticate(WRONG), 400, error="otp_mismatch")
    session.status("false")


def short_term_users_pass_without_any_client(world):
    for number in (SHORT_TERM, SHORT_TERM_ABROAD):
        result = world.plain.unify(number).status("true")
        assert result["deviceId"] is None and is_uuid(result["proveId"]), result


def a_wrong_code_leaves_two_tries_where_retries_are_allowed(world):
    session = world.plain.unify(LORANT, allowOTPRetry=True)
    client = session.client(device_key=Key())
    client.to_code_entry()
    assert client.state["otp"]["attemptsLeft"] == 3, client.state
    expected(client.verify(WRONG), 400, code=10001)
    assert client.state["otp"]["attemptsLeft"] == 2 and client.state["step"] == "otpFinish", client.state
    session.status("pending")
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    session.status("true")


def after_the_last_try_the_right_code_fails_too(world):
    for retries, tries in ((True, 3), (False, 1)):
        session = world.plain.unify(LORANT, allowOTPRetry=retries)
        client = session.client()
        client.to_code_entry()
        for _ in range(tries):
            expected(client.verify(WRONG), 400, error="otp_mismatch")
        expected(client.verify(RIGHT), 410, error="session_done", code=20011)
        session.status("false")


def a_resend_voids_the_older_code(world):
    session = world.simulated.unify(STRANGER, allowOTPRetry=True)
    client = session.client()
    client.to_code_entry()
    expected(client.resend(), 200)
    older, newer = [message["code"] for message in session.messages()]
    world.simulated.secrets |= {older, newer} if len(older) > 4 else set()
    if older != newer:
        expected(client.verify(older), 400, error="otp_mismatch")
    expected(client.verify(newer), 200, outcome="succeeded")
    session.status("true")


def a_code_of_another_session_is_a_wrong_code(world):
    sessions = [world.simulated.unify(STRANGER, smsMessage="Code ######", allowOTPRetry=True) for _ in range(2)]
    clients = [session.client() for session in sessions]
    for client in clients:
        client.to_code_entry()
    first, second = [session.messages()[0]["code"] for session in sessions]
    world.simulated.secrets |= {first, second}
    assert len(first) == 6, "the template asks for six digits"
    expected(clients[1].verify(first), 400, error="otp_mismatch")
    expected(clients[1].verify(second), 200, outcome="succeeded")


def three_sends_and_no_more_but_the_live_code_counts(world):
    session = world.plain.unify(LORANT)
    client = session.client()
    client.to_code_entry()
    expected(client.resend(), 200)
    expected(client.resend(), 200)
    assert "otp.resend" not in client.state["allowed"] and client.state["otp"]["sendsLeft"] == 0, client.state
    expected(client.resend(), 403, error="sends_exhausted", code=20102)
    assert len(session.messages()) == 3
    expected(client.verify(RIGHT), 200, outcome="succeeded")


def a_code_lives_119_seconds_and_not_120(world):
    for _ in range(5):
        client = world.plain.unify(LORANT).client()
        expected(client.start(), 200)
        sent_after = time.monotonic()
        expected(client.otp(), 200)
        world.plain.advance(119)
        answer = client.verify(RIGHT)
        if time.monotonic() - sent_after < 1:  # else a busy machine has used up the last second itself
            break
    expected(answer, 200, outcome="succeeded")
    late = world.plain.unify(LORANT)
    client = late.client()
    client.to_code_entry()
    world.plain.advance(120)
    expected(client.verify(RIGHT), 400, error="otp_expired", code=20101)
    assert client.state["otp"]["attemptsLeft"] == 1, "a late code costs no try"
    expected(client.resend(), 200)
    expected(client.verify(RIGHT), 200, outcome="succeeded")


def the_person_may_change_the_number(world):
    session = world.plain.unify(LANEY)
    client = session.client(device_key=Key())
    client.to_code_entry()
    expected(client.phone("not a number"), 400, error="phone_number_invalid", code=20104)
    expected(client.phone(LORANT), 200)
    assert [message["to"] for message in session.messages()] == [LANEY, LORANT]
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    assert session.status("true")["phoneNumber"].endswith(LORANT)


def a_session_without_a_number_asks_the_person_for_one(world):
    session = world.plain.unify()
    client = session.client()
    expected(client.start(), 200)
    assert client.state["phone"]["needed"] is True, client.state
    expected(client.otp(), 400, error="phone_number_required", code=20103)
    expected(client.otp(phoneNumber=LORANT), 200)
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    assert session.status("true")["phoneNumber"] == "+1" + LORANT


def a_number_is_not_accepted_where_the_backend_gave_one(world):
    client = world.plain.unify(LORANT).client()
    expected(client.start(), 200)
    expected(client.otp(phoneNumber=LANEY), 403, error="phone_number_not_accepted", code=20106)


def the_state_says_what_is_allowed_and_masks_the_number(world):
    client = world.plain.unify(LORANT).client()
    client.to_code_entry()
    state = client.state
    assert set(state["allowed"]) == {"otp.verify", "otp.resend", "otp.phone", "cancel"}, state
    assert "200100" not in str(state["phone"]) and state["otp"]["codeLength"] == 4, state
    assert "null" not in client.current().body.decode(), "answers have no null"
    expected(client.otp(), 409, error="invalid_state", code=20010)


def cancelling_ends_the_session_and_may_be_repeated(world):
    session = world.plain.unify(LORANT)
    client = session.client()
    client.to_code_entry()
    expected(client.cancel(), 200, outcome="cancelled")
    expected(client.cancel(reason="again"), 200, outcome="cancelled")
    expected(client.verify(RIGHT), 410, error="session_done")
    session.status("false")


def a_long_poll_answers_as_soon_as_the_state_changes(world):
    session = world.plain.unify(LORANT)
    client = session.client()
    client.to_code_entry()
    revision, answers = client.state["rev"], []
    poller = threading.Thread(target=lambda: answers.append(client.current(after=revision, wait=10)))
    began = time.monotonic()
    poller.start()
    time.sleep(0.3)
    expected(world.plain.sandbox.complete(session.correlation_id, "success"), 200)
    poller.join(12)
    seconds = time.monotonic() - began
    assert answers and answers[0]["outcome"] == "succeeded" and answers[0]["rev"] > revision, answers
    assert 0.25 < seconds < 5, f"it took {seconds:.2f} s"
    return f"{(seconds - 0.3) * 1000:.0f} ms after the change"


def a_long_poll_without_a_change_ends_at_its_time(world):
    client = world.plain.unify(LORANT).client()
    client.to_code_entry()
    began = time.monotonic()
    answer = expected(client.current(after=client.state["rev"], wait=1), 200, rev=client.state["rev"])
    assert 0.9 < time.monotonic() - began < 3, answer


def text_for(session, **changes):
    client = session.client()
    client.to_code_entry(**changes)
    return session.messages()[0]["text"]


def the_template_gives_text_and_length(world):
    for template, code in (("####", "1234"), ("Code: ##### für Sie", "12345"), ("###### ist der Code", "123456")):
        session = world.plain.unify(LORANT, smsMessage=template)
        client = session.client()
        client.to_code_entry(platform="android")
        message, = session.messages()
        assert message["text"] == template.replace("#" * len(code), code) and message["code"] == code, message
        assert client.state["otp"]["codeLength"] == len(code), client.state
        expected(client.verify(code[:-1] if len(code) > 4 else code + "5"), 400)
        session = world.plain.unify(LORANT, smsMessage=template)
        expected(session.client().authenticate(code), 200, outcome="succeeded")
    for template in ("###", "#######", "no code", "#### and ####", "####\u0007", "x" * 157 + "####", "####\n####",
                     "#### https://evil.example", "#### www.evil.example", "evil.example/x ####"):
        answer = expected(world.plain.platform.unify(LORANT, smsMessage=template), 400, code=8001)
        assert "smsMessage" in answer["message"], answer
    expected(world.plain.platform.unify(LORANT, smsMessage="x" * 156 + "####"), 200)


def the_default_text_warns_and_has_four_digits(world):
    session = world.plain.unify(LORANT)
    text = text_for(session, platform="android")
    assert RIGHT in text and "not share" in text and "\n" not in text, text


def the_last_line_is_for_the_platform(world):
    site = world.scripted
    hosted = site.new_platform("hosted")
    for platform in ("web", "ios"):
        text = text_for(site.unify(LORANT, platform=hosted), platform=platform)
        assert text.splitlines()[-1] == f"@bank.example #{RIGHT}", text
    app = site.added_platform("app", "--app-hash", APP_HASH, "--message-host", "app.example")
    for hash_, line in ((APP_HASH, APP_HASH), (OTHER_HASH, None), (None, None)):
        changes = {"appHash": hash_} if hash_ else {}
        text = text_for(site.unify(LORANT, platform=app), platform="android", **changes)
        assert text.splitlines()[1:] == ([line] if line else []), text
    text = text_for(site.unify(LORANT, platform=app), platform="web", appHash=APP_HASH)
    assert text.splitlines()[1:] == [f"@app.example #{RIGHT}"], text
    refused = site.unify(LORANT, platform=app).client()
    expected(refused.start(platform="android", appHash=APP_HASH + "x"), 400, error="invalid_request")


def resends_and_other_numbers_share_one_counter(world):
    session = world.plain.unify(LORANT, allowOTPRetry=True)
    client = session.client()
    client.to_code_entry()
    assert (client.state["otp"]["sendsLeft"], client.state["otp"]["phoneEntriesLeft"]) == (2, 2), client.state
    expected(client.verify(WRONG), 400)
    expected(client.phone(LANEY), 200)
    assert (client.state["otp"]["sendsLeft"], client.state["otp"]["phoneEntriesLeft"]) == (1, 1), client.state
    assert client.state["otp"]["attemptsLeft"] == 2, "another number gives no tries back"
    expected(client.resend(), 200)
    assert client.state["allowed"] == ["otp.verify", "cancel"], client.state
    for call in (client.resend, lambda: client.phone(LORANT)):
        expected(call(), 403, error="sends_exhausted", code=20102)
    assert [message["to"] for message in session.messages()] == [LORANT, LANEY, LANEY]
    expected(client.verify(RIGHT), 200, outcome="succeeded")
    session.result("true", "+1" + LANEY, "proveId")
    assert session.timeline() == [
        "created", "redeemed", "otp_sent", "message_delivered", "otp_mismatch", *["otp_sent", "message_delivered"] * 2,
        "otp_passed", "succeeded"], session.timeline()


def after_the_last_send_a_late_code_is_the_end(world):
    session = world.plain.unify(LORANT, allowOTPRetry=True)
    client = session.client()
    client.to_code_entry()
    for _ in range(2):
        expected(client.resend(), 200)
    world.plain.advance(120)
    expected(client.verify(RIGHT), 410, error="session_done")
    session.result("false", LORANT)


def a_number_stays_where_the_client_forbids_to_change_it(world):
    site = world.scripted
    session = site.unify(LORANT, platform=site.new_platform("fixed"))
    client = session.client()
    client.to_code_entry()
    assert client.state["allowed"] == ["otp.verify", "otp.resend", "cancel"], client.state
    expected(client.phone(LANEY), 403, error="phone_change_not_allowed", code=20106)
    expected(client.verify(RIGHT), 200, outcome="succeeded")


def a_lost_answer_burns_neither_send_nor_try(world):
    session = world.plain.unify(LORANT, allowOTPRetry=True)
    client = session.client()
    expected(client.start(), 200)
    for call in (
        lambda: client.otp(requestId="r-1"), lambda: client.verify(WRONG, requestId="r-2"),
        lambda: client.resend(requestId="r-3"), lambda: client.phone(LANEY, requestId="r-4"),
        lambda: client.verify(RIGHT, requestId="r-5"),
    ):
        first, again, third = call(), call(), call()
        assert first.status == again.status == third.status, f"{first}, {again}, {third}"
        assert first.body == again.body == third.body, f"{first}, {again}, {third}"
    assert len(session.messages()) == 3 and client.state["outcome"] == "succeeded", client.state
    assert session.timeline().count("otp_mismatch") == 1, session.timeline()
    expected(client.otp(requestId="x" * 37), 400, error="invalid_request")
