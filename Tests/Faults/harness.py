"""What the runs of this folder share: their arguments and scenes, a started server looked at from outside, and loads."""
import argparse
import contextlib
import os
import re
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "EndToEnd"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Benchmarks" / "Driver"))
import fill  # noqa: E402
import page_checksums  # noqa: E402
from exchange import json_bytes, raw_request  # noqa: E402
from holdfast import Caller, Lost, Overloaded, Platform, Server, add_server_arguments, checked_arguments, expected  # noqa: E402

__all__ = [
    "Caller", "Lost", "NUMBER", "Overloaded", "Platform", "Prober", "Promises", "Server", "Skipped", "Wire", "anonymous_bytes", "compiled",
    "database_as_it_is", "descriptors", "eventually", "expected", "fill", "metric", "options_of", "page_checksums", "ready", "run", "unify", "unify_request",
]

NUMBER = "2001004014"
CORRELATION_ID = re.compile(rb'"correlationId":"([0-9a-f-]{36})"')
# Calls that are on their way at a time on one connection, at most: no more than the server reads ahead.
PIPELINE = 64


class Skipped(Exception):
    """This machine does not allow what the scene needs."""


# Arguments and scenes


def options_of(description, minutes, more=None, has_scenes=True):
    """The arguments of a run. `minutes` is what it takes without `--minutes`; `more` adds to the parser."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    if has_scenes:
        parser.add_argument("--only", default="", metavar="TEXT", help="scenes whose sentence has this text")
    if minutes is not None:
        parser.add_argument("--minutes", type=float, default=minutes, help="how long it takes, about (default %(default).2g)")
    if more:
        more(parser)
    # Each connection of a run needs a descriptor here too.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return checked_arguments(parser)


def run(scenes, options):
    """Plays the scenes, prints a line each and the count, and ends with their status."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    passed = failed = 0
    for scene in scenes:
        name = scene.__name__.replace("_", " ")
        if options.only not in name:
            continue
        try:
            note = scene(options)
            print(f"ok   {name}{': ' + note if note else ''}", flush=True)
            passed += 1
        except Skipped as reason:
            print(f"skip {name}: {reason}", flush=True)
        except Exception:  # every scene is judged, whatever went wrong in it
            print(f"FAIL {name}\n{traceback.format_exc()}", flush=True)
            failed += 1
    print(f"{passed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed else 0)


def compiled(source, directory):
    """A library to preload, from a C file of this folder."""
    shim = Path(directory) / (source + ".so")
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-o", shim, Path(__file__).with_name(source + ".c"), "-ldl", "-lpthread"], check=True)
    return str(shim)


# A server, looked at from outside


@contextlib.contextmanager
def database_as_it_is(data, beside_server):
    """A connection that reads the database and changes none of its files.

    No server runs: to a copy, since an open file with a log left behind is recovered. Beside a server: to the database itself, in
    one state. Its files cannot be copied then: a checkpoint between the first and the second takes changes out of both copies.
    """
    with tempfile.TemporaryDirectory(prefix="holdfast-copy-") as directory:
        if not beside_server:
            for file in data.glob("holdfast.db*"):
                shutil.copy(file, directory)
        file = (data if beside_server else Path(directory)) / "holdfast.db"
        connection = sqlite3.connect(f"file:{file}?mode={'ro' if beside_server else 'rw'}", uri=True, isolation_level=None)
        try:
            connection.execute("BEGIN")
            yield connection
        finally:
            connection.close()


def unify(platform):
    """Status and seconds of one start of a session."""
    began = time.monotonic()
    status = platform.unify(NUMBER).status
    return status, time.monotonic() - began


def eventually(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s: {what}")


def ready(server):
    caller = Caller(server.base_url, timeout=5)
    try:
        answer = caller.call("GET", "/readyz")
        return answer.status, answer.json.get("message", "")
    finally:
        caller.close()


def metric(server, name):
    caller = Caller(server.base_url, timeout=5)
    try:
        text = caller.call("GET", "/metrics").body
    finally:
        caller.close()
    text = text.decode() if isinstance(text, bytes) else text
    for line in text.splitlines():
        if line.startswith(name + " "):
            return float(line.split()[-1])
    raise AssertionError(f"no metric {name}")


def anonymous_bytes(server):
    """Memory of the process that is no file's."""
    text = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+) kB", text)[1]) * 1024


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


# Loads


def unify_request(port, token):
    body = json_bytes({"phoneNumber": NUMBER, "possessionType": "mobile", "clientRequestId": "fault-run"})
    return _request(port, token, "/v3/unify", body)


def _status_request(port, token, correlation_id):
    return _request(port, token, "/v3/unify-status", json_bytes({"correlationId": correlation_id}))


def _request(port, token, path, body):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    return raw_request("POST", path, f"127.0.0.1:{port}", headers, body)


class Wire:
    """One connection for requests as bytes. A lost one raises `Lost`."""

    def __init__(self, port, seconds=30.0):
        try:
            self.socket = socket.create_connection(("127.0.0.1", port), timeout=seconds)
        except OSError as error:
            raise Lost(repr(error)) from error
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise Lost(repr(error)) from error

    def answer(self):
        """Status and body of the next answer."""
        while True:
            head, separator, rest = self.received.partition(b"\r\n\r\n")
            if separator:
                length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
                size = int(length[1]) if length else 0
                if len(rest) >= size:
                    self.received = rest[size:]
                    return int(head[9:12]), rest[:size]
            try:
                chunk = self.socket.recv(1 << 18)
            except OSError as error:
                raise Lost(repr(error)) from error
            if not chunk:
                raise Lost("end of file")
            self.received += chunk

    def ask(self, requests):
        """The answers, in order."""
        answers = []
        for start in range(0, len(requests), PIPELINE):
            part = requests[start:start + PIPELINE]
            self.send(b"".join(part))
            answers += [self.answer() for _ in part]
        return answers

    def close(self):
        self.socket.close()


class Promises:
    """Sessions that were acknowledged, and whether the server knows them still."""

    def __init__(self):
        self.sessions = []

    def take(self, body):
        self.sessions.append(CORRELATION_ID.search(body)[1].decode())

    @staticmethod
    def lost(server, sessions):
        """How many of these sessions the server does not know."""
        platform = Platform(server.base_url)
        expected(platform.token(), 200)
        platform.close()
        wire = Wire(server.port)
        answers = wire.ask([_status_request(server.port, platform.access_token, session) for session in sessions])
        wire.close()
        return sum(status != 200 or b'"success":"pending"' not in body for status, body in answers)


class Prober:
    """A legitimate caller beside whatever goes on: starts a session every so often, in a thread of its own."""

    def __init__(self, server, pause=0.05, seconds=30.0):
        self.server, self.pause, self.seconds = server, pause, seconds
        self.calls, self.promises = [], Promises()  # a call is (began, status or what was lost, seconds)
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        platform = Platform(self.server.base_url)
        expected(platform.token(), 200)
        platform.close()
        self.request = unify_request(self.server.port, platform.access_token)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self.is_over.set()
        self.thread.join(self.seconds + 5)
        assert not self.thread.is_alive(), "a call of the legitimate caller hangs"

    def _run(self):
        wire = None
        while not self.is_over.wait(self.pause):
            began = time.monotonic()
            try:
                wire = wire or Wire(self.server.port, self.seconds)
                status, body = wire.ask([self.request])[0]
                if status == 200:
                    self.promises.take(body)
            except Lost as error:
                if wire:
                    wire.close()
                status, wire = str(error), None
            self.calls.append((began, status, time.monotonic() - began))
        if wire:
            wire.close()

    @property
    def bad(self):
        return [status for _, status, _ in self.calls if status != 200]

    def percentile(self, share):
        times = sorted(seconds for _, _, seconds in self.calls)
        return times[min(len(times) - 1, int(len(times) * share))]

    def judged(self):
        """A sentence on calls that must all have succeeded."""
        assert self.calls and not self.bad, f"{len(self.bad)} of {len(self.calls)} legitimate calls failed: {self.bad[:5]}"
        return f"{len(self.calls)} of {len(self.calls)} legitimate calls answered, p99 {self.percentile(0.99) * 1000:.0f} ms"
