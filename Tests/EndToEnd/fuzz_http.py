#!/usr/bin/env python3
"""Sends randomly damaged request streams: the server must stay up and answer in well-formed HTTP, without a 5xx.

Each stream begins as valid requests and is then cut, flipped, doubled and spliced. With h11 installed, a stream that
the server takes for a sound request and h11 does not is reported too. The last line is "N passed, M failed",
counting streams; a damaged stream can be replayed from the printed seed and its number.
"""
import argparse
import contextlib
import random
import socket
import sys
import threading
import time

import scenes
from holdfast import Caller, Lost, REPOSITORY, Platform, Server, add_server_arguments, checked_arguments

sys.path.insert(0, str(REPOSITORY / "Tests" / "Conformance"))
from responses import ResponseReader, Violation  # noqa: E402

try:
    import h11
except ImportError:
    h11 = None

CLOSE_SECONDS = 6.0  # how long a half-closed connection may stay
ALIVE_EVERY = 100  # streams between two looks at /healthz
REFUSED_STATUSES = {500, 502, 503, 504}
SHOWN_FAULTS = 10
BODY = b'{"clientRequestId":"fuzz","phoneNumber":"2001004014","possessionType":"mobile"}'
WORDS = [
    b"\r\n", b"\n", b"\r", b"\0", b" ", b"\t", b":", b",", b";", b"\r\n\r\n", b"0\r\n\r\n", b"HTTP/1.1", b"HTTP/1.0",
    b"Content-Length: 5\r\n", b"Content-Length: 99999999999999999999\r\n", b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: x\r\n", b"Host: localhost\r\n", b"Connection: close\r\n", b"Expect: 100-continue\r\n",
    b"ffffffffffffffff",
    b"-1", b"0x10", b"%00", b"%", b"../", b"\xff\xfe", b"\x80", b"[", b"{" * 40, b"A" * 5000, b"X-A: b\r\n" * 120,
]


class Streams:
    """The damaged streams of one seed: the same number is the same stream."""

    def __init__(self, seed, token):
        self.seed, self.token = seed, token.encode()
        self.valid = self._valid()

    def _valid(self):
        head = (b"POST /v3/unify HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + self.token
                + b"\r\nContent-Type: application/json\r\n")
        length = b"Content-Length: %d\r\n" % len(BODY)
        chunks = b"%x\r\n%s\r\n%x;a=b\r\n%s\r\n0\r\nX-T: 1\r\n\r\n" % (20, BODY[:20], len(BODY) - 20, BODY[20:])
        form = b"grant_type=client_credentials&client_id=sandbox&client_secret=wrong"
        return [
            head + length + b"\r\n" + BODY,
            head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks,
            head + b"Expect: 100-continue\r\n" + length + b"\r\n" + BODY,
            head.replace(b"1.1\r\n", b"1.0\r\n", 1) + length + b"\r\n" + BODY,
            b"GET /healthz HTTP/1.1\r\nHost: [::1]:80\r\nX-Request-Id: r\r\n\r\n",
            b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET http://127.0.0.1/healthz?x=%20 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: keep-alive, x\r\n\r\n",
            b"GET /sandbox/sessions/x HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d"
            b"\r\n\r\n%s" % (len(form), form),
            b"POST /client/v1/session HTTP/1.1\r\nHost: localhost\r\nAuthorization: DPoP x.y.z\r\nDPoP: x.y.z\r\n"
            b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
            b"POST /l/AAAAAAAAAAAAAAAAAAAAAA HTTP/1.1\r\nHost: localhost\r\nContent-Length: 29\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\n\r\ndecision=approve&matchCode=12",
            b"GET /ma/v1/go/AAAAAAAAAAAAAAAAAAAAAA?t=AAAAAAAAAAAAAAAAAAAAAA&phoneNumber=%2B1 HTTP/1.1\r\n"
            b"Host: localhost\r\n\r\n",
            b"GET /ma/v1/cb?code=a&state=b.c HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 1.2.3.4, ::1\r\n\r\n",
            b"GET /client/v1/session/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: DPoP x.y.z\r\nDPoP: x.y.z\r\n"
            b"Last-Event-ID: 1\r\n\r\n",
        ]

    def stream(self, number):
        """The bytes, and the sizes of the pieces they are sent in."""
        chance = random.Random(f"{self.seed}/{number}")
        if chance.random() < 0.03:
            data = chance.randbytes(512)
        else:
            data = b"".join(chance.choice(self.valid) for _ in range(chance.choice((1, 1, 1, 2, 3))))
            for _ in range(chance.choice((0, 1, 1, 1, 2, 3, 6))):
                data = self._damaged(data, chance)
        sizes = [len(data)] if chance.random() < 0.7 else [chance.randint(1, 200) for _ in range(60)]
        return data, sizes

    def _damaged(self, data, chance):
        if not data:
            return data
        at = chance.randrange(len(data))
        end = min(len(data), at + chance.choice((1, 1, 2, 4, 16, 100)))
        way = chance.randrange(8)
        if way == 0:
            return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1:]
        if way == 1:
            return data[:at] + bytes([chance.randrange(256)]) + data[at + 1:]
        if way == 2:
            return data[:at] + data[end:]
        if way == 3:
            return data[:end] + data[at:]
        if way == 4:
            return data[:at] + chance.choice(WORDS) + data[at:]
        if way == 5:
            return data[:at] + chance.choice(WORDS) + data[end:]
        if way == 6:
            return data[:at]
        other = chance.choice(self.valid)
        return data[:at] + other[chance.randrange(len(other)):]


def answers_to(port, data, sizes):
    """The final responses to a stream that is sent and then half-closed. Raises Violation or OSError."""
    reader = ResponseReader(lambda number: "POST")
    with contextlib.closing(socket.create_connection(("127.0.0.1", port), timeout=CLOSE_SECONDS)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            at = 0
            for size in sizes:
                connection.sendall(data[at:at + size])
                at += size
            connection.sendall(data[at:])
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the server has closed already; what it said can still be read
        while True:
            try:
                received = connection.recv(65536)
            except TimeoutError:
                raise Violation(f"the connection stays open {CLOSE_SECONDS:g} s after the end of the stream") from None
            except OSError:
                received = b""
            if not received:
                reader.end(0)
                break
            reader.feed(received, 0)
    if reader.rest:
        raise Violation(f"a cut response: {reader.rest[:80]!r}")
    return reader.finals


def is_accepted(responses):
    """Whether the first request was sound to the server: it answered as an application and went on."""
    return bool(responses) and responses[0].status in (200, 401, 404, 405, 415) \
        and "close" not in responses[0].tokens("connection")


def h11_refuses(data):
    if data.startswith(b"\r\n"):
        return None  # an empty line before a request is skipped here (RFC 9112 section 2.2), and refused by h11
    connection = h11.Connection(h11.SERVER)
    try:
        connection.receive_data(data)
        while True:
            event = connection.next_event()
            if isinstance(event, h11.EndOfMessage):
                return None
            if event in (h11.NEED_DATA, h11.PAUSED) or isinstance(event, h11.ConnectionClosed):
                return None
    except h11.RemoteProtocolError as error:
        return str(error)


class Fuzzing:
    def __init__(self, server, streams, options):
        self.server, self.streams, self.options = server, streams, options
        self.deadline = time.monotonic() + options.seconds
        self.lock, self.next, self.done, self.faults, self.differences = threading.Lock(), options.first, 0, [], []
        self.statuses = {}

    def run(self):
        threads = [threading.Thread(target=self._work) for _ in range(self.options.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _work(self):
        while time.monotonic() < self.deadline and len(self.faults) < SHOWN_FAULTS:
            with self.lock:
                number, self.next = self.next, self.next + 1
            if self.options.last is not None and number > self.options.last:
                return
            self._try(number)
            if number % ALIVE_EVERY == 0 and not self.is_alive():
                self._fault(number, "the server does not answer /healthz any more", b"")
                return

    def _try(self, number):
        data, sizes = self.streams.stream(number)
        try:
            responses = answers_to(self.server.port, data, sizes)
        except (Violation, OSError) as error:
            self._fault(number, f"{type(error).__name__}: {error}", data)
            return
        statuses = [response.status for response in responses]
        if REFUSED_STATUSES & set(statuses):
            self._fault(number, f"statuses {statuses}", data)
            return
        refusal = h11_refuses(data) if h11 and is_accepted(responses) else None
        with self.lock:
            self.done += 1
            for status in statuses or ["close"]:
                self.statuses[status] = self.statuses.get(status, 0) + 1
            if refusal:
                self.differences.append((number, refusal, statuses))

    def _fault(self, number, text, data):
        with self.lock:
            self.faults.append(text)
            print(f"FAIL stream {number}: {text}\n     {data[:300]!r}", flush=True)

    def is_alive(self):
        caller = Caller(self.server.base_url, timeout=5)
        try:
            return self.server.is_running() and caller.call("GET", "/healthz").status == 200
        except Lost:
            return False
        finally:
            caller.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to send (default %(default)g)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--threads", type=int, default=4, help="default %(default)s")
    parser.add_argument("--first", type=int, default=1, metavar="N", help="number of the first stream")
    parser.add_argument("--last", type=int, metavar="N", help="number of the last stream (default: until time is up)")
    options = checked_arguments(parser)
    print(f"seed {options.seed}" + ("" if h11 else ", no h11 to compare with"), flush=True)
    with Server(options.binary, options.config) as server:
        platform = Platform(server.base_url)
        platform.token()
        fuzzing = Fuzzing(server, Streams(options.seed, platform.access_token), options)
        before = server.resident_bytes()
        fuzzing.run()
        alive = fuzzing.is_alive()
        grown = server.resident_bytes() - before if server.is_running() else 0
    counts = ", ".join(f"{status}: {count}" for status, count in sorted(fuzzing.statuses.items(), key=str))
    print(f"{counts}; memory grew by {grown / 2**20:.1f} MiB")
    for number, refusal, statuses in fuzzing.differences[:SHOWN_FAULTS]:
        print(f"difference in stream {number}: {statuses}, h11 says {refusal}")
    if h11:
        print(f"{len(fuzzing.differences)} streams accepted here and refused by h11")
    failed = len(fuzzing.faults) + (not alive and not fuzzing.faults)
    scenes.finish(fuzzing.done, failed)


if __name__ == "__main__":
    main()
