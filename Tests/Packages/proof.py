"""From an installed program to the first proven number: a sandbox starts in an empty folder, and five calls prove a number."""
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

NUMBER, CODE = "2001004014", "1234"


class Sandbox:
    """`holdfast serve` without a flag but the port, in an empty folder, with an empty environment."""

    def __init__(self, command, folder, environment=None):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.output = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [*map(str, command), "serve", "--port", str(self.port)], cwd=folder, stdout=self.output, stderr=subprocess.STDOUT,
            env={"PATH": "/usr/bin:/bin", **(environment or {})})

    def said(self):
        self.output.seek(0)
        return self.output.read().decode(errors="replace")

    def wait(self, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise SystemExit(f"holdfast ended with {self.process.returncode}:\n{self.said()}")
            try:
                urllib.request.urlopen(self.url + "/readyz", timeout=5).read()
                return
            except OSError:
                time.sleep(0.02)
        raise SystemExit(f"holdfast is not ready after {seconds} s:\n{self.said()}")

    def post(self, path, token=None, body=None, form=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers["Content-Type"] = "application/json" if form is None else "application/x-www-form-urlencoded"
        data = json.dumps(body).encode() if form is None else urllib.parse.urlencode(form).encode()
        request = urllib.request.Request(self.url + path, data, headers, method="POST")
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def prove(self):
        """Proves the number of a test user as README has it, and returns what the backend reads."""
        form = {"grant_type": "client_credentials", "client_id": "sandbox", "client_secret": "sandbox-secret"}
        access = self.post("/token", form=form)["access_token"]
        session = self.post("/v3/unify", access, {"possessionType": "mobile", "phoneNumber": NUMBER, "clientRequestId": "first"})
        app = session["authToken"]
        self.post("/client/v1/session", app, {"platform": "ios", "sdk": "check", "fallback": "otp", "cellular": "no"})
        self.post("/client/v1/session/otp", app, {})
        self.post("/client/v1/session/otp/verify", app, {"code": CODE})
        return self.post("/v3/unify-status", access, {"correlationId": session["correlationId"]})

    def stop(self):
        # bubblewrap passes no signal on.
        wrapped = self.process.args[0] == "bwrap"
        os.kill(innermost(self.process.pid) if wrapped else self.process.pid, signal.SIGTERM)
        status = self.process.wait(30)
        if status != 0:
            raise SystemExit(f"holdfast ended with {status} after SIGTERM:\n{self.said()}")


def innermost(pid):
    """The process that a wrapper runs, through all wrappers."""
    while children := Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        pid = int(children[0])
    return pid


def proven(what, command, began, environment=None):
    """Proves a number, and prints the seconds since `began` (time.monotonic()). The seconds depend on the machine and fail nothing."""
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox(command, folder, environment)
        try:
            sandbox.wait()
            status = sandbox.prove()
            seconds = time.monotonic() - began
            if status.get("success") != "true":
                raise SystemExit(f"{what}: not proven: {status}")
            made = sorted(os.listdir(folder))
            if made != ["data"]:
                raise SystemExit(f"{what}: the folder has {made}")
            sandbox.stop()
        finally:
            if sandbox.process.poll() is None:
                sandbox.process.kill()
    print(f"{what}: {seconds:.1f} s from the file to the first proven number", flush=True)

