#!/usr/bin/env python3
"""Fails the calls on the files of the database one after the other: the first, the second, and so on until a run has no more.

A run starts the server on a copy of the same data, starts sessions, and ends it. Each call fails once, and then for good,
with an I/O error and with a full disk. However a run goes: the server ends by itself or serves, it never crashes, every
session that was acknowledged is in the database, and the database is sound. The last line is "N passed, M failed".
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

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "EndToEnd"))
from holdfast import Lost, Platform, Server, add_server_arguments, checked_arguments  # noqa: E402

NUMBER = "2001004014"
SESSIONS = 3
PATIENCE_SECONDS = 20
SHIM = Path(__file__).with_name("failing_calls.c")


class Run:
    """One start on a copy of the data, with one call that fails."""

    def __init__(self, options, template, shim, directory):
        self.options, self.template, self.shim, self.directory = options, template, shim, directory
        self.count = directory / "count"

    def play(self, call, error, for_good):
        """What went wrong, in words; `None`: nothing. How many calls there were is left in `calls`."""
        data = self.directory / "data"
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(self.template, data)
        self.count.unlink(missing_ok=True)
        environment = {
            **os.environ, "LD_PRELOAD": str(self.shim), "FAILING_CALL": str(call), "FAILING_ERROR": str(error),
            "FAILING_COUNT": str(self.count), "HOLDFAST_SERVER_DRAIN_NOTICE_SECONDS": "0"}
        if for_good:
            environment["FAILING_FOR_GOOD"] = "1"
        process = subprocess.Popen(
            [self.options.binary, "serve", "--config", str(self.options.config), "--port", "0", "--data", str(data)],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=open(self.directory / "log", "wb"))
        acknowledged = []
        try:
            line = process.stdout.readline().decode()
            if line.startswith("holdfast listens on http://"):
                acknowledged = self.serve(line.split()[3].rstrip(","))
                process.send_signal(signal.SIGTERM)
            status = process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return "it did not end"
        finally:
            process.stdout.close()
        self.calls = int(self.count.read_text()) if self.count.exists() else 0
        if status < 0:
            return f"it ended by signal {-status}"
        return self.look(data / "holdfast.db", acknowledged)

    def serve(self, url):
        """Correlation ids of the sessions that were acknowledged."""
        platform = Platform(url)
        platform.caller.timeout = PATIENCE_SECONDS
        found = []
        for _ in range(SESSIONS):
            try:
                answer = platform.unify(NUMBER)
            except (Lost, AssertionError):
                # It has ended, or gives no token.
                continue
            if answer.status == 200:
                found.append(answer.json["correlationId"])
        return found

    @staticmethod
    def look(path, acknowledged):
        connection = sqlite3.connect(path)
        try:
            if connection.execute("PRAGMA quick_check").fetchall() != [("ok",)]:
                return "the database is damaged"
            for session in acknowledged:
                row = connection.execute(
                    "SELECT 1 FROM sessions WHERE correlation_id = ?", (uuid.UUID(session).bytes,)).fetchone()
                if row is None:
                    return f"an acknowledged session is gone ({len(acknowledged)} were acknowledged)"
        finally:
            connection.close()
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--every", type=int, default=1, help="of the calls, only each so many")
    options = checked_arguments(parser)
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="holdfast-calls-") as name:
        directory = Path(name)
        shim = directory / "shim.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, SHIM, "-ldl"], check=True)
        template = directory / "template"
        with Server(options.binary, options.config, data=template) as server:
            assert Platform(server.base_url).unify(NUMBER).status == 200
            assert server.stop() == 0
        run = Run(options, template, shim, directory)
        assert run.play(0, errno.EIO, False) is None
        total = run.calls
        assert total > 10, f"only {total} calls on the database: the shim is not asked"
        for for_good in (False, True):
            for error in (errno.EIO, errno.ENOSPC):
                for call in range(1, total + 1, options.every):
                    fault = run.play(call, error, for_good)
                    passed += fault is None
                    failed += fault is not None
                    if fault:
                        how = "for good" if for_good else "once"
                        print(f"FAIL call {call} of {total} fails {how} with {errno.errorcode[error]}: {fault}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
