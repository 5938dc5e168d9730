#!/usr/bin/env python3
"""What the worst text costs, and whether others are still served beside it.

    worst_input.py --holdfast BINARY [--against BINARY --against-migrations DIR] [--seconds N]

Unicode lets an accent follow a letter any number of times. A server that compares or splits text by its meaning sorts such
a run, in time that grows with the square of its length. Each input is sent twice: with marks, and with as many bytes of
ASCII. A figure is processor time of the server a request. Then four connections send the input without pause, while
another asks for `/healthz` every five milliseconds. All on loopback, each for a few seconds.
"""
import argparse
import base64
import itertools
import socket
import statistics
import threading
import time

from servers import Holdfast, MIGRATIONS

ATTACKERS = 4
PROBE_SECONDS = 0.005
FIELD_BYTES = 28_000
SMALL_BYTES = 3_600
TOKEN_BYTES = 5_400


def marks(size):
    return ("a" + "\u0301\u0323" * (size // 4)).encode()


def ascii_text(size):
    return b"a" * (1 + size // 4 * 4)


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def request(line, fields, body=b""):
    head = [line.encode() + b" HTTP/1.1", b"Host: localhost"]
    head += [name.encode() + b": " + value for name, value in fields]
    if body:
        head.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(head) + b"\r\n\r\n" + body


def token(header, claims):
    return b"Bearer " + encoded(header) + b"." + encoded(claims) + b"." + encoded(b"s" * 64)


JSON = ("Content-Type", b"application/json")
FORM = ("Content-Type", b"application/x-www-form-urlencoded")
MANY = b"{" + b"".join(b'"m%d":1,' % number for number in range(16))
INPUTS = {
    "If-None-Match at /openapi.json": lambda text: request(
        "HEAD /openapi.json", [("If-None-Match", text(FIELD_BYTES))]),
    "X-Forwarded-For at /l": lambda text: request(
        "POST /l/" + "A" * 22, [("X-Forwarded-For", text(FIELD_BYTES)), FORM], b"decision=approve"),
    "Content-Type at /initialize": lambda text: request(
        "POST /initialize", [("Content-Type", b"application/json;" + text(FIELD_BYTES))], b"{}"),
    "Cookie at /verify": lambda text: request("POST /verify", [("Cookie", b"k=" + text(FIELD_BYTES)), JSON], b"{}"),
    "Origin at /initialize": lambda text: request(
        "POST /initialize", [("Origin", b"http://" + text(FIELD_BYTES)), JSON], b"{}"),
    "17th member name at /initialize": lambda text: request(
        "POST /initialize", [JSON], MANY + b'"' + text(SMALL_BYTES) + b'":1}'),
    "two member names that differ at the end": lambda text: request(
        "POST /initialize", [JSON], b'{"%s1":1,"%s2":1}' % (text(SMALL_BYTES // 2), text(SMALL_BYTES // 2))),
    "form name at /token": lambda text: request("POST /token", [FORM], text(SMALL_BYTES) + b"=1&" + text(300) + b"=2"),
    "kid of a token": lambda text: request(
        "GET /v3/identity", [("Authorization", token(
            b'{"typ":"at+jwt","alg":"ES256","kid":"' + text(TOKEN_BYTES) + b'"}', b"{}"))]),
    "17th claim name of a token": lambda text: request(
        "GET /v3/identity", [("Authorization", token(
            b'{"typ":"at+jwt","alg":"ES256","kid":"k"}', MANY + b'"' + text(TOKEN_BYTES) + b'":1}'))]),
    "phone number at /initialize": lambda text: request(
        "POST /initialize", [JSON], b'{"flowType":"mobile","phoneNumber":"' + text(SMALL_BYTES) + b'"}'),
}
BATCH = "member names in a batch of one tenant"


class Kept:
    """One kept connection; opens another when the server closes it."""

    def __init__(self, port):
        self.port, self.socket = port, None

    def exchange(self, data):
        for _ in range(2):
            try:
                if self.socket is None:
                    self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=60)
                self.socket.sendall(data)
                return self.read()
            except (OSError, ValueError):
                self.close()
        return b""

    def read(self):
        received = b""
        while b"\r\n\r\n" not in received:
            received += self.more()
        head, _, rest = received.partition(b"\r\n\r\n")
        fields = head.lower().split(b"\r\n")[1:]
        length = next((int(field[15:]) for field in fields if field.startswith(b"content-length:")), 0)
        if self.expects_body:
            while len(rest) < length:
                rest += self.more()
        if b"connection: close" in fields:
            self.close()
        return head

    expects_body = True

    def more(self):
        data = self.socket.recv(65536)
        if not data:
            raise ValueError("the connection ended")
        return data

    def close(self):
        if self.socket is not None:
            self.socket.close()
        self.socket = None


class HeadOnly(Kept):
    """For HEAD: the length says what GET would have."""

    expects_body = False


def kept(port, data):
    return (HeadOnly if data.startswith(b"HEAD") else Kept)(port)


def cost(server, data, seconds=0.5):
    """Milliseconds of the server's processor time a request."""
    connection, count = kept(server.port, data), 0
    connection.exchange(data)
    began, ends = server.cpu_seconds(), time.monotonic() + seconds
    while time.monotonic() < ends or count < 2:
        connection.exchange(data)
        count += 1
    connection.close()
    return 1000 * (server.cpu_seconds() - began) / count


def beside(server, data, seconds):
    """Milliseconds that `/healthz` takes while four connections send `data`: median, 99th percentile, most."""
    ends = time.monotonic() + seconds

    def attack():
        connection = kept(server.port, data)
        while time.monotonic() < ends:
            connection.exchange(data)
        connection.close()

    attackers = [threading.Thread(target=attack) for _ in range(ATTACKERS)]
    for attacker in attackers:
        attacker.start()
    probe, times = Kept(server.port), []
    while time.monotonic() < ends:
        began = time.monotonic()
        probe.exchange(request("GET /healthz", []))
        times.append(1000 * (time.monotonic() - began))
        time.sleep(PROBE_SECONDS)
    probe.close()
    for attacker in attackers:
        attacker.join()
    times.sort()
    return statistics.median(times), times[min(len(times) - 1, int(len(times) * 0.99))], times[-1]


def batch(server, text):
    body = b'{"items":[{' + MANY[1:] + b'"' + text(96_000) + b'":1}]}'
    return request("POST /v3/verify/batch", [JSON, ("Authorization", b"Bearer " + server.token.encode())], body)


def measured(binary, migrations, label, seconds):
    """Rows of input, milliseconds with marks, with ASCII, and `/healthz` beside the former."""
    Holdfast.binary = binary
    # Behind a proxy of this machine, so that X-Forwarded-For is read.
    settings = {"HOLDFAST_SERVER_TRUSTED_PROXIES": "127.0.0.1", "HOLDFAST_DATA_MIGRATIONS": migrations}
    with Holdfast(label, settings=settings) as server:
        for name, made in itertools.chain(INPUTS.items(), [(BATCH, lambda text: batch(server, text))]):
            worst = made(marks)
            yield name, cost(server, worst), cost(server, made(ascii_text)), beside(server, worst, seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--holdfast", required=True, help="build of the server")
    parser.add_argument("--against", help="another build, in the same run")
    parser.add_argument("--against-migrations", help="its migrations, where they are others")
    parser.add_argument("--seconds", type=float, default=3.0, help="of load an input")
    options = parser.parse_args()
    builds = [("holdfast", options.holdfast, str(MIGRATIONS))]
    if options.against:
        builds.insert(0, ("against", options.against, options.against_migrations or str(MIGRATIONS)))
    for label, binary, migrations in builds:
        print(f"{label}: {binary}\n")
        print("| input | marks, ms | ASCII, ms | ratio | /healthz beside it: median, p99, most, ms |\n| --- | --- | --- | --- | --- |")
        for name, worst, plain, (median, p99, most) in measured(binary, migrations, label, options.seconds):
            ratio = worst / plain if plain else float("nan")
            print(f"| {name} | {worst:.2f} | {plain:.2f} | {ratio:.1f} | {median:.1f}, {p99:.1f}, {most:.1f} |", flush=True)
        print()


if __name__ == "__main__":
    main()
