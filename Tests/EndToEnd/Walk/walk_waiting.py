"""Scenes of waiting for a change: by long poll and by event stream, woken by people and by the clock."""
import threading
import time

from holdfast import Caller, Key, Lost, Phone, expected
from world import INGE, LORANT, RIGHT

HEARTBEAT_SECONDS = 15
LEAD_SECONDS = 0.2  # how long a waiter is given to settle before the change


def waiting(session):
    client = session.client()
    client.to_link_wait()
    return client


class Later:
    """Does something in a thread of its own a moment from now."""

    def __init__(self, what):
        self.fault = None
        self.thread = threading.Thread(target=self._run, args=(what,))
        self.thread.start()

    def _run(self, what):
        time.sleep(LEAD_SECONDS)
        self.began = time.monotonic()
        try:
            what()
        except Exception as error:  # told by `done`
            self.fault = error

    def done(self, since=None):
        """Milliseconds from the deed to the moment `since`."""
        self.thread.join(20)
        if self.fault:
            raise self.fault
        return ((since or time.monotonic()) - self.began) * 1000


def a_quiet_stream_is_opened(world):
    """Read by the last scene of this module, so that nobody waits for its heartbeat."""
    client = waiting(world.still.desktop())
    stream = client.events(seconds=30)
    stream.state()
    world.quiet_stream = (stream, time.monotonic())


def a_stream_has_the_published_form(world):
    client = waiting(world.plain.desktop())
    stream = client.events()
    assert stream.status == 200 and stream.headers["content-type"].split(";")[0] == "text/event-stream"
    assert "no-store" in stream.headers["cache-control"], stream.headers
    first, second = stream.next(), stream.next()
    assert first.retry == 3000 and first.state is None, first
    assert second.name == "state" and second.id == str(second.state["rev"]), second
    assert second.state == client.current().json, f"{second} and {client.state}"
    stream.close()


def a_stream_tells_every_change_and_ends_with_the_session(world):
    session = world.plain.desktop()
    client = session.client()
    client.start()
    stream = client.events()
    assert stream.state().state["step"] == "linkStart"
    client.link()
    assert stream.state().state["step"] == "linkWait"
    client.link_resend()
    assert stream.state().state["link"]["sendsLeft"] == 1
    approval = Later(lambda: Phone().approve(session.newest_link()))
    last = stream.state()
    milliseconds = approval.done(time.monotonic())
    assert last.state["outcome"] == "succeeded" and last.id == str(last.state["rev"]), last
    assert stream.next() is None, "the stream goes on after the end"
    return f"the approval was told after {milliseconds:.0f} ms"


def a_long_poll_is_woken_by_an_approval(world):
    session = world.plain.desktop()
    client = waiting(session)
    approval = Later(lambda: Phone().approve(session.newest_link()))
    answer = expected(client.current(after=client.state["rev"], wait=20), 200, outcome="succeeded")
    milliseconds = approval.done(time.monotonic())
    assert milliseconds < 3000, f"{answer} after {milliseconds:.0f} ms"
    return f"after {milliseconds:.0f} ms"


def a_denial_wakes_as_well(world):
    session = world.plain.desktop()
    client = waiting(session)
    denial = Later(lambda: Phone().deny(session.newest_link()))
    answer = expected(client.current(after=client.state["rev"], wait=20), 200, outcome="failed")
    assert denial.done() < 3000 and answer["link"]["error"] == "link_denied", answer


def a_long_poll_is_woken_by_the_clock(world):
    site = world.simulated
    session = site.desktop()
    client = waiting(session)
    clock = Later(lambda: site.advance(181))
    began = time.monotonic()
    answer = expected(client.current(after=client.state["rev"], wait=6), 200)
    clock.done()
    assert answer["link"].get("error") == "link_expired", answer
    assert time.monotonic() - began < 5, "the poll slept on while its link expired"


def a_stream_is_woken_by_the_clock(world):
    site = world.simulated
    session = site.desktop()
    client = waiting(session)
    stream = client.events()
    stream.state()
    clock = Later(lambda: site.advance(181))
    event = stream.state(6)
    clock.done()
    assert event.state["link"]["error"] == "link_expired", event
    clock = Later(lambda: site.advance(800))
    assert stream.state(6).state["outcome"] == "expired"
    clock.done()
    assert stream.next() is None


def a_stream_resumes_after_its_last_event(world):
    session = world.plain.desktop()
    client = waiting(session)
    stream = client.events()
    seen = stream.state().id
    stream.close()
    resumed = client.events(last_event_id=seen)
    assert resumed.next().retry == 3000
    approval = Later(lambda: Phone().approve(session.newest_link()))
    event = resumed.state()
    approval.done()
    assert event.state["outcome"] == "succeeded" and int(event.id) > int(seen), f"{event} after {seen}"
    assert resumed.next() is None
    late = client.events(last_event_id=seen)
    assert late.state().id == event.id and late.next() is None
    for nonsense in ("x", "-1", "1.5"):
        expected(client.events(last_event_id=nonsense).answer, 400, error="invalid_request")


def a_stream_of_a_finished_session_is_one_state(world):
    session = world.plain.unify(INGE)
    client = session.client()
    client.to_mobile_auth()
    expected(client.mobile_auth(Phone()), 200, outcome="succeeded")
    stream = client.events()
    assert stream.state().state["status"] == "done" and stream.next() is None


def a_newer_watcher_releases_the_older(world):
    client = waiting(world.plain.desktop())
    second = world.plain.desktop()
    stream = client.events()
    stream.state()
    newer = client.events()
    newer.state()
    assert stream.next(3) is None, "the older stream goes on"
    revision = client.state["rev"]
    poll = Later(lambda: client.current(after=revision, wait=1))
    assert newer.next(3) is None, "a poll does not release the stream"
    poll.done()
    other = waiting(second)
    still = other.events()
    still.state()
    expected(client.current(), 200)
    approval = Later(lambda: Phone().approve(second.newest_link()))
    assert still.state().state["outcome"] == "succeeded", "a poll of another session released it"
    approval.done()


def a_stream_is_told_of_codes_too(world):
    session = world.plain.unify(LORANT)
    client = session.client(device_key=Key())
    client.to_code_entry()
    stream = client.events()
    assert stream.state().state["step"] == "otpFinish"
    verify = Later(lambda: client.verify(RIGHT))
    assert stream.state().state["outcome"] == "succeeded"
    verify.done()


def a_stream_needs_token_and_proof(world):
    session = world.plain.desktop()
    client = waiting(session)
    caller = Caller(world.plain.server.base_url)
    path = "/client/v1/session/events"
    expected(caller.call("GET", path), 401, error="invalid_token")
    proof = client.proof("GET", path)
    headers = client.headers("GET", path, proof)
    stream = client.events()
    expected(caller.call("GET", path, headers={**headers, "DPoP": client.proof("GET", "/client/v1/session")}), 401)
    assert caller.call("POST", path, b"{}", headers).status == 405
    stranger = session.client()
    expected(stranger.events().answer, 401, error="token_already_used")
    stream.state()
    Phone().approve(session.newest_link())
    assert stream.state().state["outcome"] == "succeeded", "a stranger has released the stream"
    caller.close()


def a_registered_page_may_read_the_stream_and_resume_it(world):
    caller, path = Caller(world.plain.server.base_url), "/client/v1/session/events"
    client = waiting(world.plain.desktop())
    for origin, may_read in (("http://localhost:3000", True), ("https://evil.example", False), ("null", False)):
        asked = {"Origin": origin, "Access-Control-Request-Method": "GET"}
        preflight = caller.call("OPTIONS", path, headers=asked)
        answer = client.events(headers={"Origin": origin})
        for headers in (preflight.headers, answer.headers):
            assert headers.get("access-control-allow-origin") == (origin if may_read else None), f"{origin}: {headers}"
        if may_read:
            for name in ("authorization", "dpop", "last-event-id"):
                assert name in preflight.headers["access-control-allow-headers"].lower(), preflight.headers
        answer.close()
    caller.close()


def a_quiet_stream_has_a_heartbeat(world):
    if not hasattr(world, "quiet_stream"):
        a_quiet_stream_is_opened(world)
    stream, opened = world.quiet_stream
    try:
        event = stream.next(HEARTBEAT_SECONDS + 3 - min(time.monotonic() - opened, HEARTBEAT_SECONDS))
    except Lost:
        raise AssertionError(f"no heartbeat {time.monotonic() - opened:.1f} s after the state") from None
    assert event is not None and event.comment is not None and event.state is None, event
    stream.close()
