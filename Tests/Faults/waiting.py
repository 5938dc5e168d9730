#!/usr/bin/env python3
"""Holds thousands of long polls and of event streams open at once, beside a caller whose every call must be answered.

Each may cost little memory. A change of its session reaches the one that waits for it, and nobody else; a poll without
a change is answered when its time is over. The last line is "N passed, M failed".
"""
import re
import socket
import struct
import time

from harness import Prober, Server, Wire, anonymous_bytes, descriptors, eventually, options_of, run, unify_request
from holdfast import Client, Platform

POLL_SECONDS = 12
MOST_BYTES_OF_A_POLL, MOST_BYTES_OF_A_STREAM = 128 * 1024, 128 * 1024
CHANGED = 100  # sessions that change while they are waited for
PATIENCE_SECONDS = 10
START = {"platform": "web", "sdk": "fault-run/1", "fallback": "otp", "deviceKey": False, "cellular": "no"}
TOKEN = re.compile(rb'"authToken":"([^"]+)"')
REVISION = re.compile(rb'"rev":(\d+)')


class Waiter:
    """One session whose client waits on a connection of its own."""

    def __init__(self, server, token):
        self.server, self.client, self.wire, self.revision = server, Client(server.base_url, token.decode()), None, 0

    def wait(self, path, accept=None):
        self.wire = Wire(self.server.port)
        request = self.client.raw("GET", path)
        self.wire.send(request.replace(b"\r\n\r\n", b"\r\nAccept: text/event-stream\r\n\r\n", 1) if accept else request)

    def hang_up(self):
        # By a reset: one who only shuts his side may still read, so a stream goes on until its next heartbeat.
        self.wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.wire.close()


def started(server, count):
    """Sessions whose clients have started."""
    platform = Platform(server.base_url)
    assert platform.token().status == 200
    platform.close()
    wire = Wire(server.port)
    answers = wire.ask([unify_request(server.port, platform.access_token)] * count)
    assert all(status == 200 for status, _ in answers), {status for status, _ in answers}
    waiters = [Waiter(server, TOKEN.search(body)[1]) for _, body in answers]
    for begin in range(0, count, 50):
        part = waiters[begin:begin + 50]
        for waiter, (status, body) in zip(part, wire.ask([waiter.client.raw("POST", "/session", START) for waiter in part])):
            assert status == 200, body
            waiter.revision = int(REVISION.search(body)[1])
    wire.close()
    return waiters


def cancel(server, waiters):
    wire = Wire(server.port)
    answers = wire.ask([waiter.client.raw("POST", "/session/cancel") for waiter in waiters])
    wire.close()
    assert all(status == 200 for status, _ in answers), {status for status, _ in answers}


def all_wait(server, waiters, path, accept=None):
    """Lets them wait, no faster than the server takes them: a call that is answered has all before it in its loop begun."""
    for number, waiter in enumerate(waiters):
        waiter.wait(path(waiter), accept)
        if number % 25 == 24:
            for _ in range(2):
                wire = Wire(server.port)
                status, body = wire.ask([waiter.client.raw("GET", "/session")])[0]
                assert status == 200, body
                wire.close()


def polls(server, waiters):
    """A sentence on long polls; the sessions of those that were not woken live on."""
    held = anonymous_bytes(server)
    began = time.monotonic()
    all_wait(server, waiters, lambda waiter: f"/session?after={waiter.revision}&wait={POLL_SECONDS}")
    last = time.monotonic()
    assert last - began < POLL_SECONDS - 1, f"opening them took {last - began:.0f} s; take fewer with --waiting"
    each = (anonymous_bytes(server) - held) / len(waiters)
    assert each <= MOST_BYTES_OF_A_POLL, f"{each / 1024:.1f} KiB a poll"
    changed, others = waiters[-CHANGED:], waiters[:-CHANGED]
    cancel(server, changed)
    at = time.monotonic()
    for waiter in changed:
        status, body = waiter.wire.answer()
        assert status == 200 and b'"outcome":"cancelled"' in body, body
    woken = time.monotonic() - at
    assert woken < PATIENCE_SECONDS, f"they were told after {woken:.1f} s"
    for waiter in others:
        status, body = waiter.wire.answer()
        assert status == 200 and REVISION.search(body)[1] == str(waiter.revision).encode(), body
    took = time.monotonic() - last
    assert took < POLL_SECONDS + PATIENCE_SECONDS, f"the last was answered after {took:.1f} s"
    for waiter in waiters:
        waiter.hang_up()
    return f"{len(waiters)} polls of {max(0.0, each) / 1024:.1f} KiB, changes told within {woken * 1000:.0f} ms", others


def event(wire):
    """The next event of a stream that has a state, as bytes; `None` at its end."""
    while True:
        found = re.search(rb"data: ?(\{.*?\})\r?\n", wire.received)
        if found:
            wire.received = wire.received[found.end():]
            return found[1]
        chunk = wire.socket.recv(1 << 16)
        if not chunk:
            return None
        wire.received += chunk


def streams(server, waiters):
    held = anonymous_bytes(server)
    all_wait(server, waiters, lambda _: "/session/events", accept=True)
    for waiter in waiters:
        assert event(waiter.wire), "a stream ends at once"
    each = (anonymous_bytes(server) - held) / len(waiters)
    assert each <= MOST_BYTES_OF_A_STREAM, f"{each / 1024:.1f} KiB a stream"
    changed, others = waiters[-CHANGED:], waiters[:-CHANGED]
    cancel(server, changed)
    at = time.monotonic()
    for waiter in changed:
        told = event(waiter.wire)
        assert told and b'"outcome":"cancelled"' in told, told
    woken = time.monotonic() - at
    assert woken < PATIENCE_SECONDS, f"they were told after {woken:.1f} s"
    for waiter in others:
        waiter.wire.socket.setblocking(False)
        try:
            more = waiter.wire.socket.recv(65536)
        except BlockingIOError:
            continue
        assert more and b"data:" not in more, f"a stream whose session did not change has {more[:100]}"
    for waiter in waiters:
        waiter.hang_up()
    return f"{len(waiters)} streams of {max(0.0, each) / 1024:.1f} KiB, changes told within {woken * 1000:.0f} ms"


def thousands_wait_at_once(options):
    until, notes, took = time.monotonic() + options.minutes * 60, [], 0.0
    environment = {"HOLDFAST_LIMITS_CALLS_PER_ADDRESS_PER_SECOND": "0"}
    with Server(options.binary, options.config, environment=environment) as server, Prober(server) as prober:
        while not notes or time.monotonic() + took < until:
            began, before = time.monotonic(), descriptors(server)
            told, waiters = polls(server, started(server, options.waiting + CHANGED))
            notes = [told, streams(server, waiters)]
            eventually(lambda: descriptors(server) <= before + 5, 10, "the connections are gone")
            took = time.monotonic() - began
        prober.end()
        return f"{'; '.join(notes)}; {prober.judged()}"


if __name__ == "__main__":
    run([thousands_wait_at_once],
        options_of(__doc__, 0.4, lambda parser: parser.add_argument(
            "--waiting", type=int, default=2000, help="at a time (default %(default)s)")))
