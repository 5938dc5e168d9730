#!/usr/bin/env python3
"""Opens and closes connections as fast as a few threads can, in every way, beside a caller whose calls must be answered.

A connection asks once and reads, asks and resets, says nothing, or leaves in the middle of a request. Afterwards the server
has the descriptors it had, and little more memory. The last line is "N passed, M failed".
"""
import random
import socket
import struct
import threading
import time

from harness import Prober, Server, anonymous_bytes, descriptors, eventually, options_of, run

THREADS = 4
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
MOST_BYTES_MORE = 64 << 20
# So that a long run does not use up the ports of loopback.
MOST_A_SECOND = 3000


class Churn:
    def __init__(self, server, seed):
        self.server, self.is_over = server, threading.Event()
        self.opened, self.answered, self.bad = [0] * THREADS, [0] * THREADS, []
        self.threads = [threading.Thread(target=self._run, args=(number, random.Random(f"{seed}/{number}"))) for number in range(THREADS)]
        for thread in self.threads:
            thread.start()

    def _run(self, number, chance):
        began = time.monotonic()
        while not self.is_over.is_set():
            try:
                self._once(number, chance)
            except OSError as error:
                self.bad.append(repr(error))
            ahead = self.opened[number] * THREADS / MOST_A_SECOND - (time.monotonic() - began)
            if ahead > 0:
                time.sleep(ahead)

    def _once(self, number, chance):
        way = chance.randrange(4)
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=20) as connection:
            self.opened[number] += 1
            if way == 0:
                connection.sendall(HEALTH)
                answer = b""
                while chunk := connection.recv(4096):
                    answer += chunk
                if answer.startswith(b"HTTP/1.1 200 "):
                    self.answered[number] += 1
                else:
                    self.bad.append(f"answered {answer[:60]}")
            elif way == 1:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.sendall(HEALTH)
            elif way == 2:
                connection.sendall(HEALTH[:chance.randrange(1, len(HEALTH))])

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join(30)


def connections_come_and_go(options):
    with Server(options.binary, options.config) as server:
        warm = Churn(server, "warm")
        time.sleep(1)
        warm.end()
        time.sleep(0.5)
        before, held = descriptors(server), anonymous_bytes(server)
        with Prober(server) as prober:
            churn = Churn(server, options.seed)
            began = time.monotonic()
            time.sleep(options.minutes * 60)
            churn.end()
            opened, seconds = sum(churn.opened), time.monotonic() - began
        assert not churn.bad, f"{len(churn.bad)} of {opened} failed: {churn.bad[:3]}"
        eventually(lambda: descriptors(server) <= before + 5, 15, f"from {descriptors(server)} back to {before} descriptors")
        more = anonymous_bytes(server) - held
        assert more <= MOST_BYTES_MORE, f"{more >> 20} MiB more"
        return (f"{opened} connections, {opened / seconds:,.0f} a second, {sum(churn.answered)} of them answered, "
                f"{more / (1 << 20):+.1f} MiB; {prober.judged()}")


if __name__ == "__main__":
    run([connections_come_and_go],
        options_of(__doc__, 0.13, lambda parser: parser.add_argument(
            "--seed", type=int, default=random.randrange(10**6), help="replays the choices of a run")))
