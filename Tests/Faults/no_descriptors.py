#!/usr/bin/env python3
"""Uses up the server's file descriptors, and holds it to what docs/operate/overload.md says of that.

Who is connected is served meanwhile, probes are answered, refusals are told, and once there is room again everybody is
served and nothing is lost. The last line is "N passed, M failed".
"""
import os
import resource
import tempfile
import time
from pathlib import Path

from harness import Lost, Prober, Promises, Server, Wire, descriptors, eventually, metric, options_of, run

LIMIT = 256
CONNECTIONS = 400
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def is_served(server):
    """Whether a new connection gets an answer."""
    try:
        wire = Wire(server.port, 5)
        try:
            return wire.ask([HEALTH])[0][0] == 200
        finally:
            wire.close()
    except Lost:
        return False


def taken(server, count):
    """Connections that stay, as many as the server takes and more."""
    wires = []
    for _ in range(count):
        try:
            wires.append(Wire(server.port, 5))
        except Lost:
            break
    return wires


def holds(server, prober):
    prober.end()
    sentence = prober.judged()
    lost = Promises.lost(server, prober.promises.sessions)
    assert lost == 0, f"{lost} of {len(prober.promises.sessions)} sessions are lost"
    return sentence


def a_low_limit_at_the_start_bounds_the_connections(options):
    with tempfile.TemporaryDirectory(prefix="holdfast-limit-") as directory:
        limited = Path(directory) / "holdfast"
        limited.write_text(f'#!/bin/sh\nulimit -n {LIMIT}\nexec "{Path(options.binary).resolve()}" "$@"\n')
        limited.chmod(0o755)
        with Server(limited, options.config) as server, Prober(server, pause=0.01) as prober:
            rounds, until = 0, time.monotonic() + options.minutes * 30
            while not rounds or time.monotonic() < until:
                time.sleep(0.5)
                wires = taken(server, CONNECTIONS)
                eventually(lambda: descriptors(server) > LIMIT * 0.7, 5, "the connections are open")
                began, calls = time.monotonic(), len(prober.calls)
                # There are places in reserve, which a silent connection keeps for a second.
                eventually(lambda: is_served(server), 6, "a probe is answered while all places are taken")
                probed = time.monotonic() - began
                time.sleep(max(0, 2 - probed))
                assert descriptors(server) <= LIMIT and len(prober.calls) > calls + 20
                for wire in wires:
                    wire.close()
                began = time.monotonic()
                eventually(lambda: is_served(server), 5, "a new connection is served")
                again = time.monotonic() - began
                rounds += 1
            eventually(lambda: "connections were refused" in server.output(), 10, "a line on the refusals")
            return (f"{rounds} times all {LIMIT} were used: a probe is answered after {probed:.1f} s, everybody {again:.2f} s after "
                    f"there is room; {holds(server, prober)}")


def a_process_without_descriptors_goes_on_with_those_it_has(options):
    with Server(options.binary, options.config) as server, Prober(server, pause=0.01) as prober:
        rounds, until = 0, time.monotonic() + options.minutes * 30
        first = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
        while not rounds or time.monotonic() < until:
            time.sleep(0.5)
            # No higher number than is open: the kernel gives no further one, whatever the server reckoned at its start.
            most = max(int(number) for number in os.listdir(f"/proc/{server.process.pid}/fd")) + 1
            resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (most, first[1]))
            wires, calls = taken(server, 50), len(prober.calls)
            time.sleep(2)
            assert server.is_running() and len(prober.calls) > calls + 20, "who was connected is not served"
            refused = metric_of_kept(prober, server, first)
            for wire in wires:
                wire.close()
            began = time.monotonic()
            eventually(lambda: is_served(server), 5, "a new connection is served")
            again = time.monotonic() - began
            rounds += 1
        assert refused > 0
        eventually(lambda: "no file descriptor is left" in server.output(), 10, "a line on the refusals")
        return f"{rounds} times: {refused:.0f} refused, everybody served {again:.2f} s after there is room; {holds(server, prober)}"


def metric_of_kept(prober, server, limits):
    """Refusals for want of a descriptor; asked once there are descriptors again."""
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, limits)
    eventually(lambda: is_served(server), 5, "a new connection is served")
    return metric(server, 'holdfast_http_connections_refused_total{reason="descriptors"}')


if __name__ == "__main__":
    run([a_low_limit_at_the_start_bounds_the_connections, a_process_without_descriptors_goes_on_with_those_it_has],
        options_of(__doc__, 0.15))
