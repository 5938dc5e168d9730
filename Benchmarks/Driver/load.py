"""Load on one server, and what it cost."""
import dataclasses
import json
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from servers import BENCHMARKS, TICKS

LOAD = BENCHMARKS / ".build-c" / "load"
SCRIPT = BENCHMARKS / "Load" / "wrk.lua"
THREADS = 2


@dataclasses.dataclass
class Run:
    """One run of load on one server."""

    count: int
    seconds: float
    p50_us: float
    p99_us: float
    max_us: float
    server_cpu: float
    load_cpu: float
    other_cpu: float
    resident_kb: int
    anonymous_kb: int
    p999_us: float = 0.0
    # Processor time of each step of an OTP session, in microseconds, where all sessions took each step together.
    steps: dict = dataclasses.field(default_factory=dict)
    # Processor time of PostgreSQL's processes, in seconds. SQLite has none.
    database_cpu: float = 0.0

    @property
    def rate(self):
        return self.count / self.seconds

    @property
    def cpu_us(self):
        """CPU of the server a request, in microseconds."""
        return self.server_cpu * 1e6 / max(1, self.count)

    @property
    def database_cpu_us(self):
        return self.database_cpu * 1e6 / max(1, self.count)

    @property
    def whole_cpu_us(self):
        return self.cpu_us + self.database_cpu_us


def busy_seconds():
    """CPU that the whole machine has spent."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _wait, irq, soft, steal = map(int, fields[:8])
    return (user + nice + system + irq + soft + steal) / TICKS


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Broken(AssertionError):
    """An answer was wrong or missing: what was measured means nothing."""


def _measured(server, command, environment, timeout):
    before = server.cpu_seconds(), children_seconds(), busy_seconds(), time.monotonic()
    try:
        result = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL,
            env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        raise Broken(f"{server.label}: {command[0]} did not end within {timeout} s") from None
    took = time.monotonic() - before[3]
    server_cpu, load_cpu = server.cpu_seconds() - before[0], children_seconds() - before[1]
    other = max(0.0, busy_seconds() - before[2] - server_cpu - load_cpu) / took
    server.note_memory()
    if result.returncode != 0:
        raise Broken(f"{server.label}: {command[0]}: {result.stderr[-600:]}{server.errors()}")
    return result.stdout, server_cpu, load_cpu, other


def wrk(server, kind, path, connections, seconds, ids=None, status_percent=None, lag=None):
    """Closed loop: each connection sends its next request when it has its answer. `lag`: how many creates a thread of
    wrk sends before its first check."""
    environment = {"LOAD_KIND": kind, "LOAD_TOKEN": server.token or "", "LOAD_RUN": str(server.runs)}
    server.runs += 1
    if ids:
        environment["LOAD_IDS"] = str(ids)
    if status_percent is not None:
        environment["LOAD_STATUS_PERCENT"] = str(status_percent)
    if lag is not None:
        environment["LOAD_LAG"] = str(lag)
    command = [
        "wrk", "-t", THREADS, "-c", connections, "-d", f"{seconds}s", "--timeout", "10s", "-s", SCRIPT,
        server.url(path)]
    output, server_cpu, load_cpu, other = _measured(server, command, environment, seconds + 60)
    found = json.loads(output.rsplit("JSON ", 1)[1])
    if found["wrong"] or found["broken"] or not found["requests"]:
        raise Broken(f"{server.label}: {kind}: {found}")
    if kind in ("unify", "mix", "create", "verify"):
        # Those under way when wrk stopped may or may not have been stored, and wrk makes one request just to look at it.
        doubtful = connections + 2
        server.acknowledged += found["requests"] if kind == "unify" else max(0, found["made"] - doubtful)
        server.in_flight += doubtful
    return Run(
        found["requests"], found["seconds"], found["p50_us"], found["p99_us"], found["max_us"], server_cpu, load_cpu,
        other, server.resident_kb(), server.anonymous_kb(), found["p999_us"])


def unify_request(token):
    body = json.dumps(
        {"possessionType": "mobile", "phoneNumber": "2001004014", "clientRequestId": "rate-##########"},
        separators=(",", ":"))
    return (
        f"POST /v3/unify HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}")


def constant_rate(server, rate, connections, seconds):
    """Open loop: requests are sent when they are due, and their latency counts from then."""
    with tempfile.NamedTemporaryFile("w", suffix=".http") as file:
        file.write(unify_request(server.token))
        file.flush()
        output, server_cpu, load_cpu, other = _measured(
            server, [LOAD, "rate", server.port, rate, seconds, connections, file.name], {}, seconds + 60)
    found = json.loads(output)
    server.acknowledged += found["answered"]
    if found["wrong"] or found["answered"] != found["planned"]:
        raise Broken(f"{server.label}: constant rate: {found}")
    return Run(
        found["answered"], found["seconds"], found["p50_us"], found["p99_us"], found["max_us"], server_cpu, load_cpu,
        other, server.resident_kb(), server.anonymous_kb(), found["p999_us"])


def sessions(server, connections, seconds, numbers, own_token=False, device_key=False, step=None, answers=True, windows=None):
    """Whole OTP sessions with keys and proofs.

    With a `step` all sessions take each step together. For a name ("send", "verify") the rate and the processor time are
    those of that step; for "all" those of whole sessions, and `steps` has each step. Latencies are those of whole
    sessions. Unless one `answers`, a session ends with its code. With a `step`, the file `windows` gets the time of each
    (Load/sessions.c)."""
    token = "-" if own_token else server.token
    command = [LOAD, "sessions", server.port, seconds, connections, token, numbers]
    command += (["device-key"] if device_key else []) + ([] if answers else ["unanswered"])
    command += ["apart", server.process.pid, *([windows] if windows else [])] if step else []
    output, server_cpu, load_cpu, other = _measured(server, command, {}, seconds + 60)
    found = json.loads(output)
    server.acknowledged += found["sessions"]
    count, took = found["sessions"], found["seconds"]
    if step and step != "all":
        count, took, server_cpu = (found["steps"][step][of] for of in ("count", "seconds", "cpu"))
    each = {name: one["cpu"] * 1e6 / one["count"] for name, one in found.get("steps", {}).items()}
    return Run(
        count, took, found["p50_us"], found["p99_us"], found["max_us"], server_cpu, load_cpu,
        other, server.resident_kb(), server.anonymous_kb(), found["p999_us"], each)


def crypto():
    """CPU of one ES256 signature and one check, in microseconds."""
    return json.loads(subprocess.run([str(LOAD), "crypto"], capture_output=True, text=True, check=True).stdout)


class Idle:
    """Connections that were served once and then say nothing."""

    def __init__(self, server, count):
        self.process = subprocess.Popen(
            [str(LOAD), "idle", str(server.port), str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.count = count

    def __enter__(self):
        line = self.process.stdout.readline()
        if not line:
            raise Broken("the idle connections were not all served")
        return self

    def __exit__(self, *_):
        rest, _ = self.process.communicate(timeout=30)
        closed = json.loads(rest)["closed_by_server"] if rest.strip() else self.count
        if closed:
            raise Broken(f"{closed} of {self.count} idle connections were closed")
