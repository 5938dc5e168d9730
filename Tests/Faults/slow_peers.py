#!/usr/bin/env python3
"""Opens many connections that are slow on purpose, beside a caller that means well, whose every call must be answered.

A quarter each: heads that come a byte a second, nothing at all, bodies that come a byte a second, and callers who got an
answer and say no more. A connection may cost little memory. What is late gets 408 in time, what is silent is closed, and
who is idle may call again. Bodies without credentials are refused before they come. The last line is "N passed, M failed".
"""
import select
import socket
import time

from harness import Prober, Server, Wire, anonymous_bytes, descriptors, eventually, metric, options_of, run
from holdfast import Platform

HEADER_SECONDS, REQUEST_SECONDS = 10, 20
# What a busy machine may add to a time limit.
PATIENCE_SECONDS = 8
MOST_BYTES_EACH = 16 * 1024
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"a" * 100
WITHHELD = (b"POST /v3/unify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1048575\r\n\r\n"
            + b"{" * 4096)


def body(token):
    return (f"POST /v3/unify HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
            "Content-Length: 500\r\n\r\n").encode() + b'{"clientRequestId":"slow",' + b" " * 200


class Peer:
    """A connection, and when and how the server ended it."""

    def __init__(self, port, kind, first, drips):
        self.kind, self.first, self.drips = kind, first, drips
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.began, self.ended, self.received = time.monotonic(), None, b""
        if first:
            self.socket.sendall(first)
        self.socket.setblocking(False)

    def drip(self):
        if self.drips and self.ended is None and not self.received:
            try:
                self.socket.send(b"a" if self.kind == "heads" else b" ")
            except OSError:
                pass  # it is about to be read that it has ended

    def read(self):
        """Whether it is over."""
        try:
            data = self.socket.recv(65536)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        self.received += data
        if not data or self.kind != "idle":
            self.ended = self.ended or time.monotonic()
        return not data


class Crowd:
    def __init__(self, server, count, kinds):
        self.server, self.peers, self.poll = server, {}, select.epoll()
        for number in range(count):
            kind, first, drips = kinds[number % len(kinds)]
            peer = Peer(server.port, kind, first, drips)
            self.peers[peer.socket.fileno()] = peer
            self.poll.register(peer.socket, select.EPOLLIN)
        self.dripped = time.monotonic()

    def live(self, seconds):
        deadline = time.monotonic() + seconds
        while (now := time.monotonic()) < deadline:
            for number, _ in self.poll.poll(0.1):
                if self.peers[number].read():
                    self.poll.unregister(number)
            if now - self.dripped >= 1:
                self.dripped = now
                for peer in self.peers.values():
                    peer.drip()

    def live_until_ended(self, kinds, seconds):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and any(peer.ended is None for kind in kinds for peer in self.of(kind)):
            self.live(0.3)

    def of(self, kind):
        return [peer for peer in self.peers.values() if peer.kind == kind]

    def close(self):
        for peer in self.peers.values():
            peer.socket.close()
        self.poll.close()


def ended_in_time(peers, seconds, status, what):
    """Each has ended with this status, not before its time is up, nor much later. The latest, in seconds."""
    for peer in peers:
        assert peer.ended, f"{what} is not ended after {time.monotonic() - peer.began:.0f} s"
        took = peer.ended - peer.began
        assert seconds - 1.5 <= took <= seconds + PATIENCE_SECONDS, f"{what} ended after {took:.1f} s"
        got = peer.received[:12]
        assert got == (f"HTTP/1.1 {status}".encode() if status else b""), f"{what} got {peer.received[:80]}"
    return max(peer.ended - peer.began for peer in peers)


def slow_peers_cost_little_and_harm_nobody(options):
    until, notes, took = time.monotonic() + options.minutes * 60, [], 0.0
    with Server(options.binary, options.config) as server:
        platform = Platform(server.base_url)
        assert platform.token().status == 200
        platform.close()
        # The first wave's pages and buffers do not count.
        Crowd(server, 200, [("heads", HEAD, False)]).close()
        kinds = [("heads", HEAD, True), ("silent", b"", False), ("bodies", body(platform.access_token), True), ("idle", HEALTH, False)]
        with Prober(server) as prober:
            while not notes or time.monotonic() + took < until:
                began, held, open_before = time.monotonic(), anonymous_bytes(server), descriptors(server)
                crowd = Crowd(server, options.connections, kinds)
                crowd.live(3)
                each = (anonymous_bytes(server) - held) / options.connections
                assert descriptors(server) - open_before >= options.connections * 0.95, "not all are open"
                assert each <= MOST_BYTES_EACH, f"{each / 1024:.1f} KiB a connection"
                crowd.live_until_ended(("heads", "silent", "bodies"), REQUEST_SECONDS + PATIENCE_SECONDS)
                heads = ended_in_time(crowd.of("heads"), HEADER_SECONDS, 408, "a slow head")
                ended_in_time(crowd.of("silent"), HEADER_SECONDS, None, "a silent connection")
                bodies = ended_in_time(crowd.of("bodies"), REQUEST_SECONDS, 408, "a slow body")
                for peer in crowd.of("idle"):
                    assert peer.ended is None and peer.received.startswith(b"HTTP/1.1 200 "), peer.received[:80]
                    peer.received = b""
                    peer.socket.sendall(HEALTH)
                crowd.live(2)
                assert all(peer.received.startswith(b"HTTP/1.1 200 ") for peer in crowd.of("idle")), "an idle caller is not answered"
                crowd.close()
                notes.append(f"{each / 1024:.1f} KiB a connection, 408 after {heads:.1f} and {bodies:.1f} s at the latest")
                eventually(lambda: descriptors(server) <= open_before + 5, 10, "the connections are gone")
                took = time.monotonic() - began
        return f"{len(notes)} waves of {options.connections}: {notes[-1]}; {prober.judged()}"


def bodies_without_credentials_are_refused_before_they_come(options):
    with Server(options.binary, options.config) as server, Prober(server) as prober:
        count, most, held, began = min(700, options.connections), 0, anonymous_bytes(server), time.monotonic()
        for _ in range(5):
            wires = [Wire(server.port) for _ in range(count)]
            for wire in wires:
                wire.send(WITHHELD)
            most = max(most, anonymous_bytes(server) - held)
            statuses = {wire.answer()[0] for wire in wires}
            most = max(most, anonymous_bytes(server) - held)
            assert statuses == {401}, statuses
            for wire in wires:
                wire.close()
        took = time.monotonic() - began
        assert most / count <= 2 * MOST_BYTES_EACH, f"{most / count / 1024:.1f} KiB each"
        eventually(lambda: metric(server, "holdfast_http_buffered_bytes") < 1 << 20, 10, "buffers are given back")
        prober.end()
        return f"5 times {count} refused in {took:.1f} s, {most / count / 1024:.1f} KiB each; {prober.judged()}"


if __name__ == "__main__":
    run([slow_peers_cost_little_and_harm_nobody, bodies_without_credentials_are_refused_before_they_come],
        options_of(__doc__, 0.4, lambda parser: parser.add_argument(
            "--connections", type=int, default=2000, help="of one wave (default %(default)s)")))
