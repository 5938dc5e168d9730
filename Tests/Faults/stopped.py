#!/usr/bin/env python3
"""Stops the process for seconds under load (SIGSTOP), as a paused container or a moved virtual machine does, and goes on.

Calls that were on their way are answered, by 200 or by a refusal, and none is cut off; new ones succeed at once; everything
that was acknowledged is there. The last line is "N passed, M failed".
"""
import os
import signal
import time

from harness import Prober, Promises, Server, Wire, eventually, expected, options_of, ready, run, unify_request
from holdfast import Platform

CALLERS = 12
# Of new connections while the process is stopped: the kernel takes them.
WAITING = 50


def a_stop_for_seconds_loses_nothing(options):
    # The second is longer than what a connection has for the head of a request.
    stops = [max(3.0, options.minutes * 60 / 4), max(11.0, options.minutes * 60 / 3)]
    with Server(options.binary, options.config) as server:
        platform = Platform(server.base_url)
        expected(platform.token(), 200)
        platform.close()
        request = unify_request(server.port, platform.access_token)
        probers = [Prober(server, pause=0.01, seconds=max(stops) + 30) for _ in range(CALLERS)]
        for prober in probers:
            prober.__enter__()
        after = []
        waited = Promises()
        for seconds in stops:
            time.sleep(1)
            os.kill(server.process.pid, signal.SIGSTOP)
            wires = [Wire(server.port) for _ in range(WAITING)]
            for wire in wires:
                wire.send(request)
            time.sleep(seconds)
            os.kill(server.process.pid, signal.SIGCONT)
            began = time.monotonic()
            for wire in wires:
                status, body = wire.answer()
                assert status in (200, 503), body
                if status == 200:
                    waited.take(body)
                wire.close()
            eventually(lambda: ready(server)[0] == 200, 5, "ready again")
            after.append(time.monotonic() - began)
            time.sleep(1)
            tail = [status for prober in probers for at, status, _ in prober.calls if at > began + 0.5]
            assert len(tail) > CALLERS and set(tail) == {200}, f"half a second after it went on: {set(tail)}"
        for prober in probers:
            prober.end()
        calls = [status for prober in probers for status in (call[1] for call in prober.calls)]
        odd = [status for status in calls if status not in (200, 503)]
        assert not odd, f"{len(odd)} of {len(calls)} calls were cut off: {odd[:3]}"
        refused = calls.count(503)
        assert refused <= len(stops) * CALLERS, f"{refused} calls were refused, more than were on their way"
        sessions = [session for prober in probers for session in prober.promises.sessions] + waited.sessions
        lost = Promises.lost(server, sessions)
        assert lost == 0, f"{lost} of {len(sessions)} sessions are lost"
        return (f"stops of {stops[0]:.0f} and {stops[1]:.0f} s, served again within {max(after):.2f} s, {len(calls)} calls, {refused} refused, "
                f"{len(stops) * WAITING} came meanwhile, {len(sessions)} promises, 0 lost")


if __name__ == "__main__":
    run([a_stop_for_seconds_loses_nothing], options_of(__doc__, 0.3))
