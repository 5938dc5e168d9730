"""The servers under test. Each is started on a free port of loopback, measured by what the operating system says of its
process, and stopped by its own process id."""
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BENCHMARKS = REPOSITORY / "Benchmarks"
MIGRATIONS = REPOSITORY / "migrations"
TICKS = os.sysconf("SC_CLK_TCK")
START_SECONDS = 60.0
LOOPS = 2


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One process under test, with a directory of its own on the repository's disk."""

    name = "?"
    is_durable = False

    def __init__(self, label=None):
        self.label = label or self.name
        work = BENCHMARKS / ".build-run"
        work.mkdir(exist_ok=True)
        self.directory = Path(tempfile.mkdtemp(prefix=re.sub(r"\W+", "-", self.label) + "-", dir=work))
        self.port, self.process, self.token = free_port(), None, None
        self.acknowledged, self.in_flight, self.peak_kb, self.runs = 0, 0, 0, 0

    def command(self):
        raise NotImplementedError

    def environment(self):
        return {}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def start(self):
        with open(self.directory / "stdout", "wb") as out, open(self.directory / "stderr", "wb") as errors:
            self.process = subprocess.Popen(
                [str(word) for word in self.command()], stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                env={**os.environ, **self.environment()})
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                if self.is_ready():
                    break
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{self.label} did not start: {self.errors()}")
            time.sleep(0.02)
        self.after_start()
        # The peak is one of serving, not of the start.
        for pid in self._processes():
            Path(f"/proc/{pid}/clear_refs").write_text("5")

    def errors(self):
        return (self.directory / "stderr").read_text(errors="replace")[-800:]

    def is_ready(self):
        with urllib.request.urlopen(self.url("/healthz"), timeout=2) as answer:
            return answer.status == 200

    def after_start(self):
        first = (self.directory / "stdout").read_text().split("\n", 1)[0]
        if first.startswith("{"):
            self.token = json.loads(first).get("token")

    def url(self, path=""):
        return f"http://127.0.0.1:{self.port}{path}"

    # What the operating system says

    def _processes(self):
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [self.process.pid, *map(int, children)]

    def cpu_seconds(self):
        """User and system time of the process, and of its workers where it has some."""
        ticks = 0
        for pid in self._processes():
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / TICKS

    def _memory_kb(self, field):
        total = 0
        for pid in self._processes():
            match = re.search(field + r":\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
            total += int(match[1]) if match else 0
        return total

    def resident_kb(self):
        return self._memory_kb("VmRSS")

    def anonymous_kb(self):
        """What is resident without the pages of files, such as the program's own text."""
        return self._memory_kb("RssAnon")

    def note_memory(self):
        self.peak_kb = max(self.peak_kb, self._memory_kb("VmHWM"))

    # Rows

    def database(self):
        return self.directory / "peer.db"

    def rows(self):
        """Sessions and events that are stored."""
        with sqlite3.connect(f"file:{self.database()}?mode=ro", uri=True, timeout=10) as connection:
            return tuple(
                connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in ("sessions", "session_events"))

    def call(self, path, value, token=None):
        """One request of the driver itself; the answer's members."""
        is_form = isinstance(value, str)
        request = urllib.request.Request(self.url(path), (value if is_form else json.dumps(value, separators=(",", ":"))).encode())
        request.add_header("Content-Type", "application/x-www-form-urlencoded" if is_form else "application/json")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def new_sessions(self, count):
        """Correlation ids of sessions of the driver itself, which count as acknowledged."""
        order = {"possessionType": "mobile", "phoneNumber": "2001004014", "clientRequestId": "driver"}
        ids = [self.call("/v3/unify", order, self.token)["correlationId"] for _ in range(count)]
        self.acknowledged += count
        return ids

    def stop(self):
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(20)
        self.process = None

    def close(self):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)


class Holdfast(Server):
    """The product with its shipped sandbox configuration; only the line a request is off, as at every peer."""

    name = "Holdfast"
    is_durable = True
    binary = None
    configuration = REPOSITORY / "config" / "sandbox.json"

    def __init__(self, label=None, request_log=False, settings=None):
        super().__init__(label)
        self.settings = {"HOLDFAST_LOG_REQUESTS": "true" if request_log else "false", **(settings or {})}

    def command(self):
        return [
            self.binary, "serve", "--config", self.configuration, "--host", "127.0.0.1",
            "--port", self.port, "--data", self.directory / "data"]

    def environment(self):
        return self.settings

    def is_ready(self):
        # It greets once its start is over, somewhat after its first answer.
        return (self.directory / "stdout").stat().st_size > 0 and super().is_ready()

    def after_start(self):
        form = urllib.parse.urlencode({
            "grant_type": "client_credentials", "client_id": "sandbox", "client_secret": "sandbox-secret"})
        self.token = self.call("/token", form)["access_token"]

    def database(self):
        return self.directory / "data" / "holdfast.db"


class Limit(Server):
    """The C program."""

    name = "C limit"
    is_durable = True
    binary = BENCHMARKS / ".build-c" / "limit"

    def command(self):
        return [self.binary, self.port, LOOPS, self.database(), MIGRATIONS]


class PlainLimit(Server):
    name = "C epoll"

    def command(self):
        return [Limit.binary, self.port, LOOPS]


class Hummingbird(Server):
    name = "Hummingbird"
    binary = None

    def command(self):
        return [self.binary, "hello", "--port", self.port]


class Peer(Server):
    """Hummingbird, GRDB and jwt-kit."""

    name = "Hummingbird + GRDB + jwt-kit"
    is_durable = True
    options = ()

    def command(self):
        return [
            Hummingbird.binary, "unify", "--port", self.port, "--database", self.database(), "--migrations", MIGRATIONS,
            *self.options]


class PeerGroupCommit(Peer):
    name = "the same, group commit"
    options = ("--group-commit",)


class PeerTuned(Peer):
    name = "the same, group commit, remembers tokens"
    options = ("--group-commit", "--remember-tokens")


class Nginx(Server):
    name = "nginx"
    binary = shutil.which("nginx") or "/usr/sbin/nginx"

    def command(self):
        text = (BENCHMARKS / "nginx.conf").read_text()
        for name, value in (("PORT", self.port), ("DIRECTORY", self.directory)):
            text = text.replace(name, str(value))
        (self.directory / "nginx.conf").write_text(text)
        return [self.binary, "-p", self.directory, "-e", self.directory / "nginx.log", "-c", self.directory / "nginx.conf"]


class Echo(Server):
    """The product's HTTP engine and JSON under a route the server itself does not have."""

    name = "Holdfast's engine"
    binary = None

    def command(self):
        return [self.binary, self.port]
