#!/usr/bin/env python3
"""Fails what the database needs, one time after the other: the first, the second, and so on until a run has no more.

A run starts the server on a copy of the same data, calls it, and ends it: sessions start and end, people are enrolled and
removed, a device is revoked that is none. Each call on a file fails once, and then for good, with an I/O error and with a
full disk, and for good as on a file system that has become read-only. Then memory that the database asks for is refused,
once and for good, at so many places of a run. However a run goes: the server ends by itself or serves, it never crashes,
and a server without faults on the same files keeps every promise that was made, and finds them sound. The last line is
"N passed, M failed".
"""
import argparse
import errno
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

from harness import Lost, Platform, Server, compiled
from holdfast import Sandbox, add_server_arguments, checked_arguments

# Users of the shipped file; identities are theirs.
NUMBERS = ["2001004014", "2001004053"]
SESSIONS = 3
PATIENCE_SECONDS = 20


class Promises:
    """What was said to callers of one run."""

    def __init__(self):
        # Correlation id: what its status says from now on; `None`: nobody was told.
        self.sessions = {}
        # Of a person: whether it is enrolled; `None`: nobody was told.
        self.people = {}

    def make(self, url):
        platform, sandbox = Platform(url), Sandbox(url)
        platform.caller.timeout = sandbox.caller.timeout = PATIENCE_SECONDS
        for outcome in ("success", "failure", None)[:SESSIONS]:
            started = self.ask(lambda: platform.unify(NUMBERS[0]))
            if started is None:
                continue
            session = started["correlationId"]
            self.sessions[session] = "pending"
            if outcome:
                ended = self.ask(lambda: sandbox.complete(session, outcome))
                self.sessions[session] = {"success": "true", "failure": "false"}[outcome] if ended else None
            self.ask(lambda: platform.status(session))
        for number in NUMBERS:
            enrolled = self.ask(lambda: platform.post("/v3/identity", {"phoneNumber": number}))
            if enrolled:
                self.people[enrolled["proveId"]] = True
            if enrolled and number == NUMBERS[1]:
                # All that belongs to the number goes with the person.
                gone = self.ask(lambda: platform.delete(f"/v3/identity/{enrolled['proveId']}"))
                self.people[enrolled["proveId"]] = False if gone else None
        self.ask(lambda: platform.revoke(str(uuid.UUID(int=7))))

    @staticmethod
    def ask(call):
        """The answer where it is 200; `None` where it is another, or the server has ended, or gives no token."""
        try:
            answer = call()
        except (Lost, AssertionError):
            return None
        return answer if answer.status == 200 else None

    def broken(self, platform):
        """The first that is not kept, in words; `None`: all are."""
        for session, expected in self.sessions.items():
            answer = platform.status(session)
            if answer.status != 200:
                return f"an acknowledged session is gone: {answer}"
            if expected not in (None, answer["success"]):
                return f"a session is {answer['success']} that was {expected}"
        for person, is_enrolled in self.people.items():
            status = platform.get(f"/v3/identity/{person}").status
            if is_enrolled is not None and status != (200 if is_enrolled else 404):
                return f"a person whose enrolment was {is_enrolled} gives {status}"
        return None

    def __bool__(self):
        return bool(self.sessions or self.people)

    @property
    def are_all_made(self):
        """Whether each call was answered as it is without a fault."""
        return list(self.sessions.values()) == ["true", "false", "pending"] and list(self.people.values()) == [True, False]


class Run:
    """One start on a copy of the data, with one call that fails."""

    def __init__(self, options, template, shim, directory):
        self.options, self.template, self.shim, self.directory = options, template, shim, directory
        self.count = directory / "count"
        # How many chances to fail there were: in all, and before the server listened.
        self.calls = self.calls_of_start = 0
        self.promises = None

    def play(self, call, error=0, for_good=False):
        """What went wrong, in words; `None`: nothing."""
        data = self.directory / "data"
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(self.template, data)
        self.count.unlink(missing_ok=True)
        environment = {
            **os.environ, "LD_PRELOAD": self.shim, "FAILING_CALL": str(call), "FAILING_ERROR": str(error),
            "FAILING_COUNT": str(self.count), "HOLDFAST_SERVER_DRAIN_NOTICE_SECONDS": "0"}
        if for_good:
            environment["FAILING_FOR_GOOD"] = "1"
        process = subprocess.Popen(
            [self.options.binary, "serve", "--config", str(self.options.config), "--port", "0", "--data", str(data)],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=open(self.directory / "log", "wb"))
        promises = self.promises = Promises()
        try:
            line = process.stdout.readline().decode()
            if line.startswith("holdfast listens on http://"):
                self.calls_of_start = self.counted()
                promises.make(line.split()[3].rstrip(","))
                process.send_signal(signal.SIGTERM)
            status = process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return "it did not end"
        finally:
            process.stdout.close()
        self.calls = self.counted()
        if status < 0:
            return f"it ended by signal {-status}"
        return self.look(data, promises)

    def play_soundly(self):
        """Without a fault everything is answered, and kept: how many calls there are."""
        fault = self.play(0)
        assert fault is None, fault
        assert self.promises.are_all_made, "without a fault not every call was answered as it should be"
        return self.calls

    def spread(self, places):
        """So many calls of a run like the last one: half of them before it listened. 0: all."""
        if not places:
            return range(1, self.calls + 1)
        parts = ((0, self.calls_of_start), (self.calls_of_start, self.calls - self.calls_of_start))
        return sorted({1 + first + place * count // (places // 2) for first, count in parts for place in range(places // 2)})

    def counted(self):
        return int(self.count.read_text()) if self.count.exists() else 0

    def look(self, data, promises):
        connection = sqlite3.connect(data / "holdfast.db")
        try:
            if connection.execute("PRAGMA quick_check").fetchall() != [("ok",)]:
                return "the database is damaged"
        finally:
            connection.close()
        if not promises:
            return None
        with Server(self.options.binary, self.options.config, data=data) as server:
            return promises.broken(Platform(server.base_url))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--every", type=int, default=1, help="of the calls, only each so many")
    parser.add_argument("--refusals", type=int, default=60, help="of memory, spread over a run; 0: each one")
    options = checked_arguments(parser)
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="holdfast-calls-") as name:
        directory = Path(name)
        template = directory / "template"
        with Server(options.binary, options.config, data=template) as server:
            assert Platform(server.base_url).unify(NUMBERS[0]).status == 200
            assert server.stop() == 0
        run = Run(options, template, compiled("failing_calls", directory), directory)
        total = run.play_soundly()
        assert total > 10, f"only {total} calls on the database: the shim is not asked"
        for for_good, errors in ((False, (errno.EIO, errno.ENOSPC)), (True, (errno.EIO, errno.ENOSPC, errno.EROFS))):
            for error in errors:
                for call in range(1, total + 1, options.every):
                    fault = run.play(call, error, for_good)
                    passed += fault is None
                    failed += fault is not None
                    if fault:
                        how = "for good" if for_good else "once"
                        print(f"FAIL call {call} of {total} fails {how} with {errno.errorcode[error]}: {fault}", flush=True)
        run = Run(options, template, compiled("failing_memory", directory), directory)
        total = run.play_soundly()
        assert total > 1000, f"only {total} times the database asked for memory: the shim is not asked"
        places = run.spread(options.refusals)
        for for_good in (False, True):
            for call in places:
                fault = run.play(call, for_good=for_good)
                passed += fault is None
                failed += fault is not None
                if fault:
                    how = "for good" if for_good else "once"
                    print(f"FAIL memory is refused {how} from time {call} of {total} on: {fault}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
