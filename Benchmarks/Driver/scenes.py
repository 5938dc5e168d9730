"""What is asked of whom. Every scene runs its servers in turn, round after round, so that what drifts on the machine
drifts for all of them."""
import contextlib
import dataclasses
import json
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

import fill
import load
from load import Broken
from servers import (
    BENCHMARKS, MIGRATIONS, Echo, Holdfast, Hummingbird, Limit, Nginx, Peer, PeerGroupCommit, PeerTuned, PlainLimit)


@dataclasses.dataclass
class Size:
    """How much of everything one sitting does."""

    rounds: int
    seconds: int
    connections: tuple
    idle: int
    stored_sessions: tuple
    device_keys: int
    numbers: int
    variants: bool


FULL = Size(5, 5, (64, 256), 10_000, (10_000, 1_000_000), 100_000, 9_900, True)
QUICK = Size(1, 2, (64,), 2_000, (10_000, 100_000), 10_000, 2_000, False)


@dataclasses.dataclass
class Scene:
    name: str
    what: str
    runs: dict = dataclasses.field(default_factory=dict)
    peak_kb: dict = dataclasses.field(default_factory=dict)
    notes: list = dataclasses.field(default_factory=list)
    # Servers that gave a wrong answer, closed a connection or lost a row, and what happened: their result of this scene.
    broken: dict = dataclasses.field(default_factory=dict)
    # Those of them that run the product's code: they fail the sitting.
    failed: list = dataclasses.field(default_factory=list)

    def median(self, label, of):
        return statistics.median(getattr(run, of) for run in self.runs[label])

    def spread(self, label, of):
        values = [getattr(run, of) for run in self.runs[label]]
        return min(values), max(values)

    @property
    def other_cpu(self):
        return statistics.mean([run.other_cpu for runs in self.runs.values() for run in runs] or [0.0])

    def breaks(self, server, error):
        """Takes the server's figures out of the scene."""
        self.broken[server.label] = str(error)
        self.runs.pop(server.label, None)
        self.peak_kb.pop(server.label, None)
        if isinstance(server, (Holdfast, Echo)):
            self.failed.append(f"{self.name}: {server.label}")


def check_rows(server):
    """Every acknowledged session is stored with its event, and nothing that nobody asked for."""
    if not server.is_durable:
        return
    deadline = time.monotonic() + 5
    while True:
        sessions, events = server.rows()
        fits = server.acknowledged <= sessions <= server.acknowledged + server.in_flight
        if fits and events >= sessions:
            return
        if time.monotonic() > deadline:
            raise Broken(
                f"{server.label}: {sessions} sessions and {events} events are stored, {server.acknowledged:.0f} were "
                f"acknowledged and {server.in_flight} may have been under way")
        time.sleep(0.2)


def interleaved(scene, servers, rounds, run):
    """Calls `run(server)` for every server in every round, after one round that does not count. A server that breaks is
    left out of the later rounds."""
    with contextlib.ExitStack() as stack:
        for server in servers:
            stack.enter_context(server)

        def attempt(server, step):
            try:
                return step()
            except (Broken, OSError) as error:
                scene.breaks(server, error)

        def whole():
            return [server for server in servers if server.label not in scene.broken]

        for number in range(rounds + 1):
            # Every second round runs backwards: what a server leaves to write slows down the next one.
            for server in whole() if number % 2 else whole()[::-1]:
                measured = attempt(server, lambda: run(server, number == 0))
                if measured and number > 0:
                    scene.runs.setdefault(server.label, []).append(measured)
        for server in whole():
            scene.peak_kb[server.label] = server.peak_kb
            attempt(server, lambda: check_rows(server))
    return scene


def closed(name, what, servers, size, kind, path, connections):
    scene = Scene(f"{name}, {connections} connections", what)
    return interleaved(
        scene, servers, size.rounds,
        lambda server, warm: load.wrk(server, kind, path, connections, 1 if warm else size.seconds))


def healthz(size):
    for connections in size.connections:
        yield closed(
            "healthz", "`GET /healthz`", [Holdfast(), PlainLimit(), Nginx(), Hummingbird()], size, "get", "/healthz",
            connections)


def echo(size):
    for connections in size.connections:
        scene = closed(
            "echo", "`POST /echo` of a small JSON body", [Echo(), PlainLimit(), Hummingbird()], size, "echo", "/echo",
            connections)
        scene.notes.append(
            "The server itself has no such route: this is its HTTP engine and its JSON in a program of a few lines. C epoll "
            "sends the body back without reading it; Hummingbird decodes and encodes with Codable.")
        yield scene


def unify(size):
    for connections in size.connections:
        yield closed(
            "unify", "`POST /v3/unify`, durable", [Holdfast(), Limit(), Peer(), PeerGroupCommit(), PeerTuned()], size,
            "unify", "/v3/unify", connections)


def commits(size):
    settings = {"HOLDFAST_DATA_CHANGES_PER_COMMIT": "1"}
    yield closed(
        "commits", "`POST /v3/unify`, with and without group commit",
        [Holdfast("group commit"), Holdfast("a commit for each change", settings=settings)], size, "unify", "/v3/unify",
        64)


def with_ids(server, count):
    path = server.directory / "ids"
    path.write_text("\n".join(server.new_sessions(count)) + "\n")
    return path


def reading(name, what, kind, path, size, servers=None, **options):
    scene = Scene(name, what)
    ids = {}

    def run(server, warm):
        if server not in ids:
            ids[server] = with_ids(server, 500)
        return load.wrk(server, kind, path, 64, 1 if warm else size.seconds, ids=ids[server], **options)

    return interleaved(scene, servers or [Holdfast(), Limit(), Peer()], size.rounds, run)


def status(size):
    yield reading("unify-status, 64 connections", "`POST /v3/unify-status`", "status", "/v3/unify-status", size)


def mix(size):
    yield reading(
        "mix, 64 connections", "70 % `unify-status`, 30 % `unify`", "mix", "/v3/unify", size, status_percent=70)


def with_numbers(size):
    """The file of the numbers, and the settings for them: the limits a number has are enforced, and are wide enough for
    as many sessions as a sitting has."""
    numbers = BENCHMARKS / ".build-run" / "numbers"
    users = fill.users(BENCHMARKS / ".build-run", size.numbers, numbers)
    return numbers, {
        "HOLDFAST_SANDBOX_USERS_FILE": str(users), "HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX": "true",
        "HOLDFAST_LIMITS_SENDS_PER_NUMBER_PER_QUARTER_HOUR": "1000", "HOLDFAST_LIMITS_SENDS_PER_NUMBER_PER_DAY": "1000",
        "HOLDFAST_LIMITS_UNANSWERED_PER_ADDRESS": "100000", "HOLDFAST_LIMITS_UNANSWERED_PER_NETWORK": "100000",
        "HOLDFAST_LIMITS_CALLS_PER_ADDRESS_PER_SECOND": "0"}


# The steps of `load sessions ... apart`, and their calls.
CALLS = {
    "unify": "`POST /v3/unify`", "start": "`POST /client/v1/session`", "send": "`POST /client/v1/session/otp`",
    "verify": "`POST /client/v1/session/otp/verify`", "status": "`POST /v3/unify-status`"}


def otp_sessions(size):
    numbers, settings = with_numbers(size)
    kinds = {"unify to true": {}}
    if size.variants:
        kinds |= {"token to true": {"own_token": True}, "with a new device key": {"device_key": True}}
    for label, options in kinds.items():
        scene = Scene(f"OTP session, {label}", "64 at a time: unify, redeem, send, verify, unify-status; a DPoP proof a client call")
        # The C program has neither `/token` nor device keys.
        limit = [] if options else [Limit()]
        interleaved(
            scene, [Holdfast(settings=settings), *limit], size.rounds,
            lambda server, warm: load.sessions(server, 64, 1 if warm else size.seconds, numbers, **options))
        yield scene
    yield otp_calls(size, numbers, settings)


def otp_calls(size, numbers, settings):
    """Processor time of each call of an OTP session, beside the C program."""
    scene = Scene(
        "OTP session, each call apart",
        "32 sessions at a time; none takes its next step before all have taken the one before. The processor time of a call "
        "includes what the server does after its answer. The rate is lower than above, because sessions wait for each other")
    interleaved(
        scene, [Holdfast(settings=settings), Limit()], size.rounds,
        lambda server, warm: load.sessions(server, 32, 1 if warm else size.seconds, numbers, step="all"))
    ours, limit = (scene.runs.get(kind.name) for kind in (Holdfast, Limit))
    if not ours or not limit:
        return scene
    lines = ["| call | Holdfast, µs | C limit, µs | difference, µs | C limit over Holdfast |", "| --- | --- | --- | --- | --- |"]
    for step, call in CALLS.items():
        cost = [statistics.median(run.steps[step] for run in runs) for runs in (ours, limit)]
        ratio = statistics.median(low.steps[step] / high.steps[step] for high, low in zip(ours, limit))
        lines.append(f"| {call} | {cost[0]:.0f} | {cost[1]:.0f} | {cost[0] - cost[1]:.0f} | {ratio:.2f} |")
    scene.notes.append("\n".join(lines))
    return scene


def backend_codes(size):
    """What a backend pays that drives a verification by itself, beside the call that starts a session of a client, and
    beside a whole session with a code."""
    scene = Scene(
        "codes for a backend, 64 connections",
        "Prelude's create (session, code, message) and check, durable, beside `POST /v3/unify` and whole OTP sessions (unify, "
        "redeem, send, verify, unify-status). `create and check` is a mean of the two")
    kinds = {"unify": ("unify", "/v3/unify"), "create": ("create", "/"), "create and check": ("verify", "/")}
    numbers, settings = with_numbers(size)
    settings |= {"HOLDFAST_SANDBOX_UNKNOWN_NUMBERS": "simulate", "HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX": "false"}
    servers = [Holdfast(label, settings=settings) for label in (*kinds, "OTP session")]

    def run(server, warm):
        seconds = 1 if warm else size.seconds
        if server.label in kinds:
            return load.wrk(server, *kinds[server.label], 64, seconds)
        return load.sessions(server, 64, seconds, numbers)

    interleaved(scene, servers, size.rounds, run)
    cpu = {label: scene.median(label, "cpu_us") for label in scene.runs}
    if scene.broken:
        yield scene
        return
    scene.notes.append(
        f"CPU: a create is {cpu['create'] / cpu['unify']:.2f} of a unify; a create with its check is "
        f"{2 * cpu['create and check'] / cpu['OTP session']:.2f} of an OTP session, in which the person's client takes part.")
    yield scene


def idle(size):
    for name, kind, path in (("healthz", "get", "/healthz"), ("unify", "unify", "/v3/unify")):
        scene = Scene(f"{name} beside {size.idle} idle connections", f"64 connections ask, {size.idle} say nothing")
        servers = [Holdfast("alone"), Holdfast("beside idle ones")]

        def run(server, warm):
            crowd = load.Idle(server, size.idle) if server is servers[1] and not warm else contextlib.nullcontext()
            with crowd:
                return load.wrk(server, kind, path, 64, 1 if warm else size.seconds)

        yield interleaved(scene, servers, size.rounds, run)


def filled(label, sessions, device_keys, settings=None):
    """A server, stopped, with so much in its database."""
    server = Holdfast(label, settings=settings)
    try:
        server.start()
        server.new_sessions(1)
        server.stop()
        fill.database(server.database(), sessions - 1, device_keys)
    except BaseException:
        server.close()
        raise
    server.acknowledged = sessions
    return server


def growth(size):
    scene = Scene("growth of sessions", "`POST /v3/unify`, 64 connections, with sessions stored before")
    servers = [filled(f"{count} stored sessions", count, 0) for count in size.stored_sessions]
    yield interleaved(
        scene, servers, size.rounds,
        lambda server, warm: load.wrk(server, "unify", "/v3/unify", 64, 1 if warm else size.seconds))

    if not size.variants:
        return
    scene = Scene("growth of device keys", "OTP sessions with a new device key each, with keys stored before")
    numbers, settings = with_numbers(size)
    servers = [filled(f"{count} device keys", 1000, count, settings) for count in (100, size.device_keys)]
    yield interleaved(
        scene, servers, size.rounds,
        lambda server, warm: load.sessions(server, 64, 1 if warm else size.seconds, numbers, device_key=True))


def open_loop(size, capacities):
    """At a share of what each server did in the closed loop of this sitting."""
    for percent in (50, 80):
        scene = Scene(
            f"open loop at {percent} % of capacity",
            "`POST /v3/unify` at a constant rate; latency from when the request was due")
        servers = [kind() for kind in (Holdfast, Limit, Peer) if kind.name in capacities]
        interleaved(
            scene, servers, size.rounds,
            lambda server, warm: load.constant_rate(
                server, capacities[server.label] * percent / 100, 256, 1 if warm else size.seconds))
        scene.notes.append("Rates asked for: " + ", ".join(
            f"{server.label} {capacities[server.label] * percent / 100:,.0f}/s" for server in servers) + ".")
        yield scene


def request_log(size):
    scene = Scene("request log", "`POST /v3/unify`, 64 connections, one log line a request as shipped")
    yield interleaved(
        scene, [Holdfast("without"), Holdfast("with", request_log=True)], size.rounds,
        lambda server, warm: load.wrk(server, "unify", "/v3/unify", 64, 1 if warm else size.seconds))


def writer(hot_loop, size):
    """Durable sessions a second of the store alone, in process: with its group commit, and one transaction a commit."""
    rates = []
    for transactions in (512, 1):
        with tempfile.TemporaryDirectory(dir=BENCHMARKS / ".build-run") as directory:
            output = subprocess.run(
                [hot_loop, "writer", str(transactions), str(size.seconds * (6400 if transactions > 1 else 1600)),
                 f"{directory}/data", MIGRATIONS], capture_output=True, text=True, check=True, timeout=300).stdout
            found = json.loads(output)
            rates.append(found["rows"] / found["seconds"])
    return rates


def system_calls(size):
    """System calls of the server a plain request, counted by the kernel; `None` where perf is not, or may not."""
    if shutil.which("perf") is None:
        return None
    with Holdfast() as server:
        load.wrk(server, "get", "/healthz", 64, 1)
        counter = subprocess.Popen(
            ["perf", "stat", "-x", ",", "-e", "raw_syscalls:sys_enter", "-p", str(server.process.pid)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            time.sleep(0.3)
            requests = load.wrk(server, "get", "/healthz", 64, size.seconds).count
        finally:
            counter.send_signal(signal.SIGINT)
        _, output = counter.communicate(timeout=10)
        counts = [line.split(",")[0] for line in output.splitlines() if "raw_syscalls" in line]
        return int(counts[0]) / requests if counts and counts[0].isdigit() else None
