#!/usr/bin/env python3
"""Two builds of the server against each other, in one sitting: what a change did to each scene.

    against.py --old BINARY --old-migrations DIR --new BINARY [--only NAME...] [--starts N] [--rounds N] [--seconds N]

Both run at the same time and are asked in turn, the other one first in every second round. After the rounds both are
started anew, `--starts` times: what a process got at its start moves the rate of a unify by 5 %. A ratio is the median
over the rounds of new by old within a round, so that what drifts on the machine drifts for both; of requests a second
above 1 is better, of CPU a request below 1. Ends with 1 when the CPU of a scene rose by more than `--tolerance`: rates
scatter more on shared cores. Load and builds come from `Benchmarks/run` or `make -C Benchmarks`.
"""
import argparse
import contextlib
import re
import statistics
import sys
from pathlib import Path

import fill
import load
import scenes
from servers import BENCHMARKS, MIGRATIONS, Holdfast


# Limits of older builds that would end a run of load; a build that does not know them runs without.
OLDER = {
    "HOLDFAST_LIMITS_SENDS_PER_ADDRESS_PER_TEN_MINUTES": "0", "HOLDFAST_LIMITS_SENDS_PER_ADDRESS_PER_DAY": "0"}
OLDER_PLACES = {
    "HOLDFAST_LIMITS_SENDS_PER_COUNTRY_PER_HOUR": "1000000", "HOLDFAST_LIMITS_SENDS_PER_COUNTRY_PER_DAY": "10000000"}


class Build(Holdfast):
    """A release build with the configuration beside its migrations, where there is one. It may be too old to know a
    setting, and then runs without it."""

    def __init__(self, label, binary, migrations, settings=None, request_log=False):
        super().__init__(label, request_log, {**(settings or {}), "HOLDFAST_DATA_MIGRATIONS": str(migrations)})
        self.binary = binary
        own = Path(migrations).parent / "config" / "sandbox.json"
        self.configuration = own if own.exists() else self.configuration
        self.unknown = set()

    def environment(self):
        return {name: value for name, value in super().environment().items() if name not in self.unknown}

    def start(self):
        try:
            super().start()
        except RuntimeError as refused:
            named = re.findall(r"^ *([\w.]+): no such setting$", str(refused), re.MULTILINE)
            self.unknown = {
                name if name.startswith("HOLDFAST_") else
                "HOLDFAST_" + re.sub(r"(?=[A-Z])", "_", name).replace(".", "_").upper() for name in named}
            if not named:
                raise
            super().start()


def builds(options, settings=None, request_log=False):
    return [
        Build("old", options.old, options.old_migrations, settings, request_log),
        Build("new", options.new, options.new_migrations, settings, request_log)]


def rounds(options, servers, run):
    """Pairs of runs (old, new), one a round, after one that does not count."""
    pairs = []
    with contextlib.ExitStack() as stack:
        for server in servers:
            stack.enter_context(server)
        for number in range(options.rounds + 1):
            order = servers if number % 2 else servers[::-1]
            found = {server: run(server, 1 if number == 0 else options.seconds) for server in order}
            if number:
                pairs.append(tuple(found[server] for server in servers))
        for server in servers:
            scenes.check_rows(server)
    return pairs


def closed(options, kind, path, connections=64, request_log=False, settings=None):
    return rounds(
        options, builds(options, settings, request_log),
        lambda server, seconds: load.wrk(server, kind, path, connections, seconds))


def reading(options, kind, path, **more):
    ids = {}

    def run(server, seconds):
        if server not in ids:
            ids[server] = scenes.with_ids(server, 500)
        return load.wrk(server, kind, path, 64, seconds, ids=ids[server], **more)

    return rounds(options, builds(options), run)


def otp(options, connections=64, **more):
    numbers, settings = scenes.with_numbers(scenes.FULL)
    return rounds(
        options, builds(options, {**OLDER, **settings}),
        lambda server, seconds: load.sessions(server, connections, seconds, numbers, **more))


def send(options):
    """Codes that are sent where every limit holds and is counted: each number is of a country, and each person has an
    address of their own. Nobody answers."""
    _, settings = scenes.with_numbers(scenes.FULL)
    settings |= {
        "HOLDFAST_SANDBOX_UNKNOWN_NUMBERS": "simulate", "HOLDFAST_LIMITS_UNANSWERED_PER_COUNTRY": "1000000",
        **OLDER_PLACES}

    def run(server, seconds):
        server.runs += 1
        people = fill.people(server.directory / "people", server.runs)
        return load.sessions(server, 32, seconds, people, step="send", answers=False)

    return rounds(options, builds(options, settings), run)


def idle(options, kind, path):
    def run(server, seconds):
        with load.Idle(server, 5_000):
            return load.wrk(server, kind, path, 64, seconds)

    return rounds(options, builds(options), run)


def open_loop(options):
    return rounds(
        options, builds(options), lambda server, seconds: load.constant_rate(server, options.rate, 256, seconds))


def codes(options, kind):
    """Codes that a backend asks for, to numbers that nobody has listed."""
    return closed(options, kind, "/", settings={"HOLDFAST_SANDBOX_UNKNOWN_NUMBERS": "simulate"})


SCENES = {
    "healthz": lambda o: closed(o, "get", "/healthz"),
    "healthz-256": lambda o: closed(o, "get", "/healthz", 256),
    "unify": lambda o: closed(o, "unify", "/v3/unify"),
    "unify-256": lambda o: closed(o, "unify", "/v3/unify", 256),
    "log": lambda o: closed(o, "unify", "/v3/unify", request_log=True),
    "status": lambda o: reading(o, "status", "/v3/unify-status"),
    "mix": lambda o: reading(o, "mix", "/v3/unify", status_percent=70),
    "otp": otp,
    "otp-token": lambda o: otp(o, own_token=True),
    "otp-device": lambda o: otp(o, device_key=True),
    "otp-send": send,
    "otp-send-user": lambda o: otp(o, 32, step="send"),
    "otp-answer": lambda o: otp(o, 32, step="verify"),
    "create": lambda o: codes(o, "create"),
    "check": lambda o: codes(o, "verify"),
    "idle-healthz": lambda o: idle(o, "get", "/healthz"),
    "idle-unify": lambda o: idle(o, "unify", "/v3/unify"),
    "open": open_loop,
}


def ratio(pairs, of):
    return statistics.median(getattr(new, of) / max(getattr(old, of), 1e-9) for old, new in pairs)


def middle(pairs, which, of):
    return statistics.median(getattr(pair[which], of) for pair in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("old", "new"):
        parser.add_argument(f"--{name}", required=True, help="a release build")
        parser.add_argument(f"--{name}-migrations", default=str(MIGRATIONS))
    parser.add_argument("--only", nargs="+", choices=SCENES, default=list(SCENES))
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=2, help="for each start")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rate", type=int, default=4000, help="requests a second of the open loop")
    parser.add_argument("--tolerance", type=float, default=0.03)
    options = parser.parse_args()
    options.old, options.new = (str(Path(path).resolve()) for path in (options.old, options.new))
    (BENCHMARKS / ".build-run").mkdir(exist_ok=True)
    worse = []
    print("| scene | old, a second | new, a second | ratio | CPU old, µs | CPU new, µs | ratio | p99 old, new, ms | memory old, new, MB |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in options.only:
        pairs = [pair for _ in range(options.starts) for pair in SCENES[name](options)]
        cpu = ratio(pairs, "cpu_us")
        if cpu > 1 / (1 - options.tolerance):
            worse.append(name)
        print(
            f"| {name} | {middle(pairs, 0, 'rate'):,.0f} | {middle(pairs, 1, 'rate'):,.0f} | {ratio(pairs, 'rate'):.2f} "
            f"| {middle(pairs, 0, 'cpu_us'):.1f} | {middle(pairs, 1, 'cpu_us'):.1f} | {cpu:.2f} "
            f"| {middle(pairs, 0, 'p99_us') / 1000:.1f}, {middle(pairs, 1, 'p99_us') / 1000:.1f} "
            f"| {middle(pairs, 0, 'resident_kb') / 1024:.0f}, {middle(pairs, 1, 'resident_kb') / 1024:.0f} |", flush=True)
    if worse:
        sys.exit("against: more CPU a request than before in " + ", ".join(worse))


if __name__ == "__main__":
    main()
