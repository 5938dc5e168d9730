#!/usr/bin/env python3
"""Restarts a server ten times under load on sockets that this script keeps, as systemd's socket activation does.

Callers open a new connection for each request and never stop: none may be refused or reset, none may end without an
answer, and no answer may be a 5xx. The last line is "N passed, M failed".
"""
import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from holdfast import Platform, add_server_arguments, checked_arguments

CALLERS = 8
RESTARTS = 10
NUMBER = "2001004014"
# The longest wait of a request: a drain, a start, and what a busy machine adds.
PATIENCE_SECONDS = 20


def listening(host="127.0.0.1", port=0):
    kept = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept.bind((host, port))
    kept.listen(4096)
    return kept


class Manager:
    """Starts one server after the other on the same sockets, each once the one before has ended."""

    def __init__(self, options, directory, sockets):
        self.command = [str(Path(options.binary).resolve()), "serve", "--config", str(options.config), "--data", str(directory / "data")]
        self.log = open(directory / "log", "wb")
        self.sockets = sockets
        self.process = None

    def start(self):
        # Where the descriptors of the child begin is fixed: 3. The parent's may be there already, so they move up first.
        high = [os.dup2(kept.fileno(), 200 + index) for index, kept in enumerate(self.sockets.values())]
        places = range(3, 3 + len(high))

        def place():
            for descriptor, number in zip(high, places):
                os.dup2(descriptor, number)

        environment = {**os.environ, "LISTEN_FDS": str(len(high)), "LISTEN_FDNAMES": ":".join(self.sockets),
                       "HOLDFAST_SERVER_OPERATIONS_PORT": "1"}
        self.process = subprocess.Popen(
            ["sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", *self.command], env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.log, preexec_fn=place, pass_fds=[*places])
        for descriptor in high:
            os.close(descriptor)
        line = self.process.stdout.readline().decode()
        assert line.startswith("holdfast listens"), line
        return line

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(PATIENCE_SECONDS)
        self.process.stdout.close()
        assert status == 0, f"the server ended with {status}"


class Load:
    """Callers that open a connection for each request."""

    def __init__(self, port, token):
        body = json.dumps({"phoneNumber": NUMBER, "possessionType": "mobile", "clientRequestId": "handover"})
        head = f"Host: 127.0.0.1:{port}\r\nConnection: close\r\n"
        self.requests = [
            f"GET /healthz HTTP/1.1\r\n{head}\r\n".encode(),
            (f"POST /v3/unify HTTP/1.1\r\n{head}Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
             f"Content-Length: {len(body)}\r\n\r\n{body}").encode(),
        ]
        self.port, self.ends, self.lock, self.longest = port, {}, threading.Lock(), 0.0
        self.isOver = threading.Event()
        self.threads = [threading.Thread(target=self.call, args=(index,), daemon=True) for index in range(CALLERS)]
        for thread in self.threads:
            thread.start()

    def call(self, index):
        while not self.isOver.is_set():
            began = time.monotonic()
            end = self.once(self.requests[index % len(self.requests)])
            with self.lock:
                self.ends[end] = self.ends.get(end, 0) + 1
                self.longest = max(self.longest, time.monotonic() - began)
            time.sleep(0.001)

    def once(self, request):
        """The status, or in a word how the call was lost."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_SECONDS) as connection:
                connection.sendall(request)
                answer = b""
                while chunk := connection.recv(65536):
                    answer += chunk
        except ConnectionRefusedError:
            return "refused"
        except (ConnectionResetError, BrokenPipeError):
            return "reset"
        except TimeoutError:
            return "late"
        head, _, rest = answer.partition(b"\r\n\r\n")
        if not rest:
            return "no answer"
        return head.split()[1].decode()

    def stop(self):
        self.isOver.set()
        for thread in self.threads:
            thread.join(PATIENCE_SECONDS)
        return self.ends


def restarts_lose_no_request(options):
    with tempfile.TemporaryDirectory(prefix="holdfast-handover-") as name:
        directory = Path(name)
        (directory / "data").mkdir(mode=0o700)
        sockets = {"public": listening(), "operations": listening()}
        port = sockets["public"].getsockname()[1]
        manager = Manager(options, directory, sockets)
        line = manager.start()
        assert f"http://127.0.0.1:{port}" in line, line
        with socket.create_connection(sockets["operations"].getsockname(), timeout=5) as operators:
            operators.sendall(b"GET /healthz HTTP/1.1\r\nHost: o\r\nConnection: close\r\n\r\n")
            assert operators.recv(4096).startswith(b"HTTP/1.1 200 ")
        platform = Platform(f"http://127.0.0.1:{port}")
        assert platform.token().status == 200
        load = Load(port, platform.access_token)
        try:
            for _ in range(RESTARTS):
                time.sleep(0.2)
                manager.stop()
                manager.start()
            time.sleep(0.2)
        finally:
            ends = load.stop()
            manager.stop()
        bad = {end: count for end, count in ends.items() if end != "200"}
        assert not bad, f"of {sum(ends.values())}: {ends}"
        return f"{ends['200']} requests over {RESTARTS} restarts, the longest {load.longest:.1f} s"


def a_socket_that_is_none_stops_the_start(options):
    with tempfile.TemporaryDirectory(prefix="holdfast-handover-") as name:
        command = [str(Path(options.binary).resolve()), "serve", "--config", str(options.config), "--data", f"{name}/data"]
        environment = {**os.environ, "LISTEN_FDS": "1"}
        result = subprocess.run(
            ["sh", "-c", 'LISTEN_PID=$$ exec "$@" 3</dev/null', "sh", *command], env=environment, capture_output=True,
            stdin=subprocess.DEVNULL, timeout=PATIENCE_SECONDS)
        assert result.returncode == 78, result.returncode
        assert b"LISTEN_FDS: not a listening TCP socket for descriptor 3" in result.stderr, result.stderr


SCENES = [restarts_lose_no_request, a_socket_that_is_none_stops_the_start]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    options = checked_arguments(parser)
    failed = 0
    for scene in SCENES:
        name = scene.__name__.replace("_", " ")
        try:
            note = scene(options)
            print(f"ok   {name}{': ' + note if note else ''}", flush=True)
        except Exception as fault:  # every scene is judged, whatever went wrong in it
            print(f"FAIL {name}: {fault!r}", flush=True)
            failed += 1
    print(f"{len(SCENES) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
