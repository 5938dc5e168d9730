#!/usr/bin/env python3
"""Stalls the disk for seconds under load: what cannot be stored in time is refused at once, and the rest goes on.

While each sync hangs, new connections are taken, new sessions are refused at once and before their body has come, reads and
probes are answered, and no thread is added. Afterwards everything that was acknowledged is there. The last line is
"N passed, M failed".
"""
import os
import statistics
import tempfile
import time
from pathlib import Path

from harness import Platform, Promises, Server, Wire, compiled, eventually, expected, metric, options_of, run, unify_request

CALLERS = 100
# Of a loop and of the disk, before a caller is refused: less is waited for.
ACCEPTED_SECONDS = 1.0
# A refusal takes a millisecond; a busy machine takes its time.
REFUSAL_SECONDS = 0.5


def threads(server):
    return len(os.listdir(f"/proc/{server.process.pid}/task"))


def head_of(request):
    """The request without its body."""
    return request.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"


def a_stalled_disk_refuses_at_once_and_keeps_nobody_waiting(options):
    seconds = max(5.0, options.minutes * 60)
    with tempfile.TemporaryDirectory() as directory:
        stall = Path(directory) / "stall"
        environment = {"LD_PRELOAD": compiled("slow_fsync", directory), "SLOW_FSYNC": str(stall)}
        with Server(options.binary, options.config, environment=environment) as server:
            platform = Platform(server.base_url)
            expected(platform.token(), 200)
            known = expected(platform.unify("2001004014"), 200)["correlationId"]
            request = unify_request(server.port, platform.access_token)
            before = threads(server)
            stall.touch()
            try:
                first = [Wire(server.port) for _ in range(CALLERS)]
                for wire in first:
                    wire.send(request)
                time.sleep(ACCEPTED_SECONDS)
                times, most = [], before
                ends = time.monotonic() + seconds
                while time.monotonic() < ends:
                    began = time.monotonic()
                    wire = Wire(server.port)
                    wire.send(head_of(request))
                    status, body = wire.answer()
                    times.append(time.monotonic() - began)
                    wire.close()
                    assert status == 503, (status, body)
                    assert platform.status(known).status == 200, "a read waits for the disk"
                    assert platform.caller.call("GET", "/healthz").status == 200
                    most = max(most, threads(server))
                    time.sleep(0.02)
                shed = metric(server, 'holdfast_http_requests_shed_total{stage="store_wait"}')
            finally:
                stall.unlink()
            began = time.monotonic()
            eventually(lambda: platform.unify("2001004014").status == 200, 5, "a session starts again")
            back = time.monotonic() - began
            promises, refused = Promises(), 0
            for wire in first:
                status, body = wire.answer()
                assert status in (200, 503), body
                if status == 200:
                    promises.take(body)
                else:
                    refused += 1
                wire.close()
            lost = Promises.lost(server, promises.sessions + [known])
            platform.close()
        median = statistics.median(times)
        assert median < REFUSAL_SECONDS, f"a refusal takes {median:.2f} s"
        assert shed >= len(times), f"{shed} of {len(times)} refusals are counted"
        assert most <= (os.cpu_count() or 1) * 4 + 16, f"{most} threads"
        assert lost == 0, f"{lost} sessions are lost"
        return (f"{seconds:.0f} s, {len(times)} refused from their head, median {1000 * median:.1f} ms; of {CALLERS} that came first "
                f"{len(promises.sessions)} stored and {refused} refused; {before} to {most} threads; back after {back:.2f} s")


if __name__ == "__main__":
    run([a_stalled_disk_refuses_at_once_and_keeps_nobody_waiting], options_of(__doc__, 0.1))
