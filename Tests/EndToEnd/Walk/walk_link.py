"""Scenes of the instant link: the page, the decision, where it leads, and what the desktop learns."""
import re
from datetime import datetime

from holdfast import Key, Phone, expected, target_of
from world import INGE, LANEY, LORANT, RIGHT, TARGET

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def waiting(session, **options):
    """A desktop that waits for the link of this session."""
    client = session.client(**options)
    client.to_link_wait()
    return client


def arrives(answer, asc, client, page=TARGET):
    """The phone is sent to the page, with these two parameters and no others."""
    where, query = target_of(answer)
    assert where == page and query == {"asc": asc, "authId": client.auth_id}, answer.headers["location"]


def is_a_page(answer, status):
    assert answer.status == status and "location" not in answer.headers, f"{answer.status} {answer.headers}"
    assert answer.headers["content-type"] == "text/html; charset=utf-8", answer.headers
    assert answer.headers["cache-control"] == "no-store" and answer.headers["referrer-policy"] == "no-referrer"
    return answer.body.decode()


def the_page_says_who_asks_and_has_two_buttons(world):
    session = world.plain.desktop()
    client = session.client()
    client.start()
    proof_headers = {**client.headers("POST", "/client/v1/session/link"), "User-Agent": FIREFOX}
    expected(client.caller.post("/client/v1/session/link", {}, proof_headers), 200)
    answer = Phone().open(session.newest_link())
    page = is_a_page(answer, 200)
    assert "<bdi>Firefox</bdi> on <bdi>Linux</bdi>" in page, page[-1500:]
    assert 'value="approve"' in page and 'value="deny"' in page and 'method="post"' in page
    assert page.count("<script") == 1 and not re.search(r"""(src|href)=["']?(https?:)?//""", page), "third-party content"
    token = session.newest_link().rsplit("/", 1)[-1]
    assert token not in page and LORANT not in page and session.auth_token not in page, "the page tells too much"
    for name, value in {
        "x-robots-tag": "noindex", "x-frame-options": "DENY", "content-security-policy": "frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
    }.items():
        assert value in answer.headers[name], f"{name}: {answer.headers.get(name)}"


def an_approved_link_ends_the_wait_and_stays_approved(world):
    session = world.plain.desktop()
    client = waiting(session)
    message, = session.messages()
    link = message["link"]
    assert link in message["text"] and "code" not in message, message
    assert re.fullmatch(r"https?://127\.0\.0\.1:\d+/l/[A-Za-z0-9_-]{22}", link), link
    arrives(Phone().approve(link), "true", client)
    expected(client.current(), 200, status="done", outcome="succeeded")
    for answer in (Phone().open(link), Phone().approve(link), Phone().deny(link)):
        arrives(answer, "true", client)
    session.result("true", LORANT, "proveId")
    assert session.timeline()[-2:] == ["link_approved", "succeeded"], session.timeline()


def a_denied_link_fails_for_good(world):
    session = world.plain.desktop()
    client = waiting(session)
    link = session.newest_link()
    arrives(Phone().deny(link), "false", client)
    expected(client.current(), 200, status="done", outcome="failed")
    assert (client.state["link"]["error"], client.state["link"]["code"]) == ("link_denied", 20201), client.state
    for answer in (Phone().open(link), Phone().approve(link), Phone().deny(link)):
        arrives(answer, "false", client)
    expected(client.link_resend(), 410, error="session_done")
    session.result("false", LORANT)


def the_targets_own_query_stays_and_nobody_else_sets_asc(world):
    for given, kept in (
        ("?page=1", {"page": "1"}), ("?asc=true", {}), ("?authId=other", {}), ("?", {}), ("?ascent=2", {"ascent": "2"}),
        (":8443/a/b?x=y:z", {"x": "y:z"}),
    ):
        target = ("https://app.example" if given.startswith(":") else TARGET) + given
        session = world.plain.desktop(finalTargetUrl=target)
        client = waiting(session)
        where, query = target_of(Phone().deny(session.newest_link()))
        assert where == target.split("?")[0], where
        assert query == {**kept, "asc": "false", "authId": client.auth_id}, query


def a_resent_link_supersedes_the_older_one(world):
    session = world.plain.desktop()
    client = waiting(session)
    expected(client.link_resend(), 200, step="linkWait")
    older, newer = session.links()
    assert older != newer
    for answer in (Phone().open(older), Phone().approve(older), Phone().deny(older)):
        is_a_page(answer, 410)
    expected(client.current(), 200, status="active", step="linkWait")
    arrives(Phone().approve(newer), "true", client)
    is_a_page(Phone().open(older), 410)


def three_links_and_no_more_but_the_live_one_counts(world):
    session = world.plain.desktop()
    client = waiting(session)
    assert client.state["link"]["sendsLeft"] == 2 and client.state["link"]["phoneEntriesLeft"] == 2, client.state
    expected(client.link_resend(), 200)
    expected(client.link_phone(LANEY), 200)
    assert client.state["allowed"] == ["cancel"], client.state
    expected(client.link_resend(), 403, error="sends_exhausted", code=20102)
    expected(client.link_phone(LORANT), 403, error="sends_exhausted")
    assert [message["to"] for message in session.messages()] == [LORANT, LORANT, LANEY]
    arrives(Phone().approve(session.newest_link()), "true", client)
    assert session.status("true")["phoneNumber"] == "+1" + LANEY


def the_person_may_have_the_link_sent_to_another_phone(world):
    session = world.plain.desktop()
    client = waiting(session)
    expected(client.link_phone("12"), 400, error="phone_number_invalid", code=20104)
    expected(client.link_phone(LANEY), 200)
    former, latter = session.links()
    is_a_page(Phone().approve(former), 410)
    arrives(Phone().approve(latter), "true", client)
    session.result("true", "+1" + LANEY, "proveId")
    fixed = world.scripted.desktop(platform=world.scripted.new_platform("fixed"))
    client = waiting(fixed)
    assert client.state["allowed"] == ["link.resend", "cancel"], client.state
    expected(client.link_phone(LANEY), 403, error="phone_change_not_allowed", code=20106)


def a_desktop_session_without_a_number_asks_for_one(world):
    session = world.plain.desktop(None)
    client = session.client()
    expected(client.start(), 200)
    assert client.state["phone"]["needed"] is True
    expected(client.link(), 400, error="phone_number_required", code=20103)
    expected(client.link(phoneNumber=LORANT), 200)
    arrives(Phone().approve(session.newest_link()), "true", client)
    session.result("true", "+1" + LORANT, "proveId")
    given = world.plain.desktop().client()
    given.start()
    expected(given.link(phoneNumber=LORANT), 403, error="phone_number_not_accepted", code=20106)


def a_link_lives_179_seconds_and_not_180(world):
    site = world.simulated
    session = site.desktop()
    client = waiting(session)
    link = session.newest_link()
    site.advance(178)
    is_a_page(Phone().open(link), 200)
    site.advance(2)
    arrives(Phone().open(link), "false", client)
    arrives(Phone().approve(link), "false", client)
    expected(client.current(), 200, status="active", step="linkWait")
    assert (client.state["link"]["error"], client.state["link"]["code"]) == ("link_expired", 20202), client.state
    expected(client.link_resend(), 200)
    assert "error" not in client.state["link"], client.state
    arrives(Phone().approve(session.newest_link()), "true", client)
    assert "link_expired" in session.timeline(), session.timeline()


def after_the_last_link_expires_the_session_has_failed(world):
    site = world.simulated
    session = site.desktop()
    client = waiting(session)
    for _ in range(2):
        expected(client.link_resend(), 200)
    site.advance(180)
    expected(client.current(), 200, status="done", outcome="failed")
    arrives(Phone().approve(session.newest_link()), "false", client)
    session.result("false", LORANT)


def the_wait_and_the_link_have_the_published_times(world):
    client = waiting(world.plain.desktop())
    link, now = client.state["link"], world.plain.sandbox.clock()["now"]
    times = [seconds_of(text) for text in (link["expiresAt"], link["waitUntil"], now)]
    assert times[1] - times[0] == 120 and 0 <= times[2] - (times[0] - 180) < 3, f"{link} at {now}"


def seconds_of(text):
    return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())


def a_mobile_session_may_fall_back_to_a_link_without_a_target(world):
    key, session = Key(), world.plain.unify(LORANT)
    client = session.client(device_key=key)
    expected(client.start(platform="android", fallback="link"), 200, step="device")
    expected(client.device(), 200, step="linkStart")
    expected(client.otp(), 409, error="invalid_state")
    expected(client.link(), 200, step="linkWait")
    link = session.newest_link()
    page = is_a_page(Phone().approve(link), 200)
    assert "<form" not in page, "nothing is left to decide"
    is_a_page(Phone().open(link), 200)
    expected(client.current(), 200, outcome="succeeded")
    session.result("true", LORANT, "proveId", "deviceId")
    expected(world.plain.unify(LORANT).client(device_key=key).to_code_entry(), 200, outcome="succeeded")


def the_template_takes_the_link(world):
    session = world.plain.desktop(smsMessage="Weiter: #### · danke")
    waiting(session)
    message, = session.messages()
    assert message["text"] == f"Weiter: {message['link']} · danke", message


def a_cancelled_session_leads_to_asc_false(world):
    session = world.plain.desktop()
    client = waiting(session)
    expected(client.cancel(), 200, outcome="cancelled")
    for answer in (Phone().open(session.newest_link()), Phone().approve(session.newest_link())):
        arrives(answer, "false", client)
    session.result("false", LORANT)


def a_link_of_a_forgotten_session_is_unknown(world):
    site = world.simulated
    session = site.desktop()
    client = waiting(session)
    link = session.newest_link()
    arrives(Phone().approve(link), "true", client)
    site.advance(901)
    for answer in (Phone().open(link), Phone().approve(link)):
        is_a_page(answer, 404)


def unknown_links_are_a_plain_page(world):
    base = world.plain.server.base_url
    texts = set()
    for token in ("A" * 22, "A" * 21, "A" * 23, "%41" * 22, "x", "A" * 2000, "~", "A" * 21 + "="):
        for method, form in (("GET", None), ("POST", {"decision": "approve"})):
            texts.add(is_a_page(Phone().call(method, f"{base}/l/{token}", form), 404))
    assert len(texts) == 1, "unknown links differ"
    for path in ("/l", "/l/", "/l/a/b", "/l/a%2fb", "/l/%00", "/l/.."):
        expected(Phone().call("GET", base + path), 404, code=8001)


def a_form_that_is_none_decides_nothing(world):
    session = world.plain.desktop()
    client = waiting(session)
    link = session.newest_link()
    revision = expected(client.current(), 200)["rev"]
    form = "application/x-www-form-urlencoded"
    for body, media_type, status in (
        (b"", form, 400), (b"decision=", form, 400), (b"decision=yes", form, 400), (b"decision=APPROVE", form, 400),
        (b"decision=approve&decision=deny", form, 400), (b"decision=%zz", form, 400), (b"decision=%ff", form, 400),
        (b"decision", form, 400), (b'{"decision":"approve"}', "application/json", 415),
        (b"decision=approve", "text/plain", 415), (b"decision=approve&" + b"a" * 5000, form, 413),
        (b"&".join(b"a%d=1" % number for number in range(300)) + b"&decision=approve", form, 400),
    ):
        answer = Phone().call("POST", link, body, {"Content-Type": media_type})
        is_a_page(answer, status)
    for method in ("PUT", "DELETE", "PATCH"):
        answer = Phone().call(method, link, b"decision=approve")
        assert answer.status == 405 and "POST" in answer.headers["allow"], answer.headers
    expected(client.current(), 200, rev=revision, step="linkWait")
    arrives(Phone().call("POST", link, b"other=1&decision=approve"), "true", client)


def the_match_code_is_on_the_desktop_alone(world):
    site = world.scripted
    session = site.desktop(platform=site.new_platform("match"))
    client = session.client()
    expected(client.start(), 200)
    assert "matchCode" not in client.state["link"], client.state
    expected(client.link(), 200)
    code = client.state["link"]["matchCode"]
    assert re.fullmatch(r"\d\d", code), client.state
    message, = session.messages()
    page = is_a_page(Phone().open(message["link"]), 200)
    assert 'name="matchCode"' in page and "Example Bank" in page, page[-1500:]
    text = re.sub(r"<style>.*?</style>|<[^>]*>|\d\d?\s\w+\s\d{4}|\d\d:\d\d", " ", page, flags=re.S)
    assert "Example Bank" in text and code not in text, f"the page tells the code {code}: {text}"
    for fields in ({}, {"matchCode": ""}, {"matchCode": "1"}, {"matchCode": "123"}, {"matchCode": "ab"}):
        is_a_page(Phone().approve(message["link"], **fields), 400)
    expected(client.current(), 200, step="linkWait")
    arrives(Phone().approve(message["link"], matchCode=code), "true", client)
    session.result("true", LORANT, "proveId")


def a_wrong_match_code_fails_at_once(world):
    site = world.scripted
    session = site.desktop(platform=site.new_platform("match"))
    client = waiting(session)
    wrong = f"{(int(client.state['link']['matchCode']) + 1) % 100:02}"
    arrives(Phone().approve(session.newest_link(), matchCode=wrong), "false", client)
    right = client.state["link"]["matchCode"]
    arrives(Phone().approve(session.newest_link(), matchCode=right), "false", client)
    expected(client.current(), 200, outcome="failed")
    session.result("false", LORANT)


def the_address_counts_where_the_client_demands_it(world):
    site = world.scripted
    strict = site.new_platform("address")
    for given, phone, asc in (
        ("203.0.113.7", "203.0.113.7", "true"), ("203.0.113.7", "203.0.113.8", "false"),
        ("2001:db8::1", "2001:0db8:0:0::1", "true"), ("203.0.113.7", "::ffff:203.0.113.7", "true"),
    ):
        session = site.desktop(platform=strict, ipAddress=given)
        client = waiting(session)
        arrives(Phone(phone).approve(session.newest_link()), asc, client)
        expected(client.current(), 200, outcome="succeeded" if asc == "true" else "failed")
        if asc == "false":
            assert client.state["link"]["error"] == "link_ip_mismatch" and client.state["link"]["code"] == 20203
    # Without an address from the backend there is nothing to compare.
    unknown = site.desktop(platform=strict)
    client = waiting(unknown)
    arrives(Phone("203.0.113.7").approve(unknown.newest_link()), "true", client)
    easy = site.desktop(ipAddress="203.0.113.7")
    client = waiting(easy)
    arrives(Phone("203.0.113.8").approve(easy.newest_link()), "true", client)
    denied = site.desktop(platform=strict, ipAddress="203.0.113.7")
    client = waiting(denied)
    arrives(Phone("203.0.113.8").deny(denied.newest_link()), "false", client)
    expected(client.current(), 200)
    assert client.state["link"]["error"] == "link_denied", "anybody who has the link may deny"


def a_retry_of_a_link_call_sends_nothing_twice(world):
    session = world.plain.desktop()
    client = session.client()
    expected(client.start(), 200)
    first = expected(client.link(requestId="r-1"), 200)
    assert client.link(requestId="r-1").body == first.body
    again = expected(client.link_resend(requestId="r-2"), 200)
    assert client.link_resend(requestId="r-2").body == again.body
    other = expected(client.link_phone(LANEY, requestId="r-3"), 200)
    assert client.link_phone(LANEY, requestId="r-3").body == other.body
    expected(client.link_phone(LORANT, requestId="r-3"), 422, error="request_id_reused")
    assert len(session.messages()) == 3, session.messages()
    arrives(Phone().approve(session.newest_link()), "true", client)
    assert session.timeline() == [
        "created", "redeemed", *["link_sent", "message_delivered"] * 3, "link_approved", "succeeded"], session.timeline()


def a_link_outlives_a_restart(world):
    site = world.scripted
    session = site.desktop()
    client = waiting(session)
    link = session.newest_link()
    site.restart()
    client.close()
    is_a_page(Phone().open(link), 200)
    arrives(Phone().approve(link), "true", client)
    site.platform.token()
    session.result("true", LORANT, "proveId")


def the_calls_of_codes_and_links_do_not_mix(world):
    desktop, mobile = world.plain.desktop(), world.plain.unify(LORANT)
    client = waiting(desktop)
    for call in (client.otp, client.resend, lambda: client.phone(LANEY), lambda: client.verify(RIGHT)):
        expected(call(), 409, error="invalid_state", code=20010)
    client = mobile.client()
    client.to_code_entry()
    for call in (client.link, client.link_resend, lambda: client.link_phone(LANEY)):
        expected(call(), 409, error="invalid_state", code=20010)


def before_the_start_nothing_may_be_called(world):
    client = world.plain.unify(INGE).client()
    attempt = {"attemptId": "A" * 22, "error": "x"}
    for path, body in (
        ("link", {}), ("link/resend", {}), ("link/phone", {"phoneNumber": LANEY}), ("mobile-auth", {}),
        ("mobile-auth/finish", attempt), ("otp", {}), ("otp/verify", {"code": RIGHT}),
    ):
        expected(client.call("POST", "/session/" + path, body), 409, error="invalid_state", code=20010)
    expected(client.events().answer, 409, error="invalid_state")
    expected(client.start(), 200)
