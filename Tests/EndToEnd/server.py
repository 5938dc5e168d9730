"""Starting, stopping and killing the server under test."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import encryption
from engines import ENGINE
from exchange import Caller, Lost
from ports import free_port

REPOSITORY = Path(__file__).resolve().parents[2]
START_SECONDS = 60.0
STOP_SECONDS = 60.0
POLL_SECONDS = 0.005


class Server:
    """`holdfast serve` on loopback, with data that survives `kill()` and `start()`, until `close()`."""

    # Whether servers speak TLS that are not told.
    over_tls = False

    def __init__(self, binary, config=None, data=None, environment=None, port=None, over_tls=None):
        self.binary = str(Path(binary).resolve())
        self.engine = ENGINE
        self.config = str(config or REPOSITORY / "config" / "sandbox.json")
        self.directory = Path(tempfile.mkdtemp(prefix="holdfast-e2e-"))
        self.data = Path(data) if data else self.directory / "data"
        # The variables of a test run are no settings.
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_TEST_")}
        self.environment = {**inherited, **(environment or {})}
        self.over_tls = Server.over_tls if over_tls is None else over_tls
        if self.over_tls:
            self._prepare_tls()
        self.port, self.process, self.starts = port or free_port(), None, 0
        self.start_seconds = 0.0

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def base_url(self):
        return f"{'https' if self.over_tls else 'http'}://127.0.0.1:{self.port}"

    def connect(self, timeout, context=None):
        """A socket for raw bytes of HTTP."""
        return encryption.connect(self.port, timeout, self.over_tls, context)

    def _prepare_tls(self):
        self.certificate, self.key = self.directory / "certificate.pem", self.directory / "key.pem"
        self.write_certificate(encryption.server_certificate("holdfast under test"))
        defaults = {
            "HOLDFAST_SERVER_TLS_CERTIFICATE_FILE": str(self.certificate), "HOLDFAST_SERVER_TLS_KEY_FILE": str(self.key),
            # What would move to a listener of its own, scenes look for on the public one.
            "HOLDFAST_SERVER_OPERATIONS_PORT": "0", "HOLDFAST_SERVER_PUBLIC_METRICS": "true",
        }
        self.environment = {**defaults, **self.environment}

    def write_certificate(self, pair):
        encryption.write_certificate(pair, self.certificate, self.key)

    def start(self):
        """Starts and waits until the server is ready. Every start has the same port."""
        self.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.environment |= self.engine.prepare(self)
        self.starts += 1
        began = time.monotonic()
        with open(self._output("stdout"), "wb") as out, open(self._output("stderr"), "wb") as errors:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--config", self.config, "--host", "127.0.0.1", "--port", str(self.port),
                 "--data", str(self.data)],
                stdin=subprocess.DEVNULL, stdout=out, stderr=errors, env=self.environment)
        deadline = began + START_SECONDS
        self._await(self._has_greeted, deadline, "greeting in its output")
        self._await(self._is_ready, deadline, "an answer of /readyz")
        self.start_seconds = time.monotonic() - began

    def _output(self, name):
        return self.directory / f"{name}.{self.starts}"

    def _has_greeted(self):
        return "holdfast listens" in self._output("stdout").read_text(errors="replace")

    def _is_ready(self):
        caller = Caller(self.base_url, timeout=2)
        try:
            return caller.call("GET", "/readyz").status == 200
        except Lost:
            return False
        finally:
            caller.close()

    def _await(self, condition, deadline, what):
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}:\n{self.last_words()}")
            time.sleep(POLL_SECONDS)
        raise RuntimeError(f"no {what} within {START_SECONDS:g} s:\n{self.last_words()}")

    def stop(self):
        """SIGTERM, as an operator does. The exit status."""
        return self._end(signal.SIGTERM)

    def kill(self):
        """SIGKILL: no chance to finish anything."""
        return self._end(signal.SIGKILL)

    def _end(self, number):
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            status = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(STOP_SECONDS)
            raise RuntimeError(f"the server did not end within {STOP_SECONDS:g} s") from None
        self.process = None
        return status

    def restart(self):
        self.stop()
        self.start()

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def is_serving(self):
        """Whether it answers. A process that writes its crash report is still running, and no longer serves."""
        deadline = time.monotonic() + STOP_SECONDS
        while self.is_running() and time.monotonic() < deadline:
            if self._is_ready():
                return True
            time.sleep(0.2)
        return False

    def command(self, *words):
        """Runs another command of the executable on this server's data; what it printed."""
        result = subprocess.run(
            [self.binary, *words, "--config", self.config, "--data", str(self.data)],
            capture_output=True, timeout=STOP_SECONDS, stdin=subprocess.DEVNULL, env=self.environment)
        if result.returncode != 0:
            raise RuntimeError(f"{words[0]} ended with {result.returncode}: {result.stderr.decode()[-500:]}")
        return result.stdout.decode()

    def attempt(self, *words, binary=None):
        """The same for a command that may fail; its exit status and all that it printed. `binary`: of another version."""
        result = subprocess.run(
            [str(binary or self.binary), *words, "--config", self.config, "--data", str(self.data)], capture_output=True, text=True,
            timeout=STOP_SECONDS, stdin=subprocess.DEVNULL, env=self.environment)
        return result.returncode, result.stdout + result.stderr

    def resident_bytes(self):
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) * 1024

    def last_words(self):
        """What the last start has written, errors last."""
        return "".join(self._output(name).read_text(errors="replace")[-1000:] for name in ("stdout", "stderr"))

    def output(self):
        """Everything the server has written to its outputs, over all starts."""
        files = sorted(self.directory.glob("std*.*"))
        return "\n".join(file.read_text(errors="replace") for file in files)

    def close(self):
        """Ends the server whatever its state, and removes what it left."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(STOP_SECONDS)
        self.process = None
        shutil.rmtree(self.directory, ignore_errors=True)
