#!/usr/bin/env python3
"""Compares one, two and three servers on one PostgreSQL in one sitting: the rate, and whose processor time it is.

    several.py --binary BINARY [--apart] [--commit-ms N] [--only NAME...] [--rounds N] [--seconds N] [--connections N]

It starts a PostgreSQL of its own without a standby (scripts/with-postgres). A commit waits for the disk. The servers run the whole
time. In each round one, then two, then three of them get calls at the same time, each an equal part of the connections; every second
round begins with three. A ratio is the median over the rounds of the rate by that of one server within a round.

With `--apart` PostgreSQL has the last processor for itself, and the servers and the load have the others. With `--commit-ms` each commit
takes so much longer, as with a standby in another place.

The last columns say what the connections of the servers to PostgreSQL do while they are in a transaction: compute there, wait for the
disk, wait for a row that another transaction has changed, or wait for the next statement of the server. In `otp` all sessions are of one
API client; in `otp-clients` each server has an API client of its own.
"""
import argparse
import collections
import dataclasses
import os
import re
import shutil
import statistics
import subprocess
import sys
import urllib.parse
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import load
import scenes
from on_postgres import OnPostgres, beside_postgres, processor_seconds
from servers import BENCHMARKS, Holdfast

SERVERS = 3
# A connection to PostgreSQL does one of these in a transaction, by the columns of pg_stat_activity.
KINDS = ("computes", "disk", "row", "server")
SAMPLES = """
SELECT CASE WHEN state <> 'active' THEN 'server'
            WHEN wait_event_type = 'Lock' THEN 'row'
            WHEN wait_event_type = 'IO' OR wait_event IN ('WALWrite', 'SyncRep') THEN 'disk'
            ELSE 'computes' END
  FROM pg_stat_activity
 WHERE backend_type = 'client backend' AND state IN ('active', 'idle in transaction') AND pid <> pg_backend_pid()
\\watch 0.05
"""


class Another(Holdfast):
    """One more server on the database of the first."""

    def __init__(self, first):
        super().__init__(first.label, settings=first.settings)
        self.first, self.has_client = first, False

    def start(self):
        data = self.directory / "data"
        data.mkdir(mode=0o700)
        shutil.copy(self.first.directory / "data" / "master.key", data)
        super().start()

    def make_client(self):
        """Calls come from an API client of its own from then on."""
        name = f"client{self.port}"
        command = [self.binary, "clients", "add", name, "--config", self.configuration, "--data", self.directory / "data"]
        made = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, check=True, env={**os.environ, **self.settings})
        form = urllib.parse.urlencode({
            "grant_type": "client_credentials", "client_id": name, "client_secret": re.search(r"client_secret=(\S+)", made.stdout)[1]})
        self.token, self.has_client = self.call("/token", form)["access_token"], True


@dataclasses.dataclass
class Measured:
    """What some servers did together."""

    rate: float
    p50_ms: float
    p99_ms: float
    # Processors in use.
    servers: float
    postgres: float
    all: float
    # PostgreSQL writes this to its log for each call.
    log_kb: float
    # The parts of the connections' time, by kind.
    parts: dict


def parts(numbers, count):
    """The file of the numbers in parts, so that no two servers have the same number."""
    lines = numbers.read_text().splitlines(keepends=True)
    made = []
    for place in range(count):
        part = numbers.with_name(f"{numbers.name}.{place}")
        part.write_text("".join(lines[place::count]))
        made.append(part)
    return made


def all_scenes():
    """For each scene its settings, and a function of a server, its place, the connections and the seconds."""
    numbers, limits = scenes.with_numbers(scenes.FULL)
    own = parts(numbers, SERVERS)

    def unify(server, _, connections, seconds):
        return load.wrk(server, "unify", "/v3/unify", connections, seconds)

    def status(server, _, connections, seconds):
        ids = server.directory / "ids"
        if not ids.exists():
            scenes.with_ids(server, 500)
        return load.wrk(server, "status", "/v3/unify-status", connections, seconds, ids=ids)

    def otp(server, place, connections, seconds):
        return load.sessions(server, connections, seconds, own[place])

    def otp_clients(server, place, connections, seconds):
        if place and not server.has_client:
            server.make_client()
        return otp(server, place, connections, seconds)

    return {"unify": ({}, unify), "status": ({}, status), "otp": (limits, otp), "otp-clients": (limits, otp_clients)}


def pin(postgres):
    """Gives PostgreSQL the last processor, and everything else the others."""
    processors = sorted(os.sched_getaffinity(0))
    first = int((postgres.cluster / "postmaster.pid").read_text().split()[0])
    children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    for process in (first, *map(int, children)):
        os.sched_setaffinity(process, processors[-1:])
    os.sched_setaffinity(0, processors[:-1])


def log_bytes(postgres):
    return int(postgres.query("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")[0])


class Watch:
    """Looks twenty times a second at what the connections to PostgreSQL do."""

    def __init__(self, postgres):
        command = [postgres.programs / "psql", "-XqAt", f"{postgres.superuser}"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(SAMPLES)
        self.process.stdin.flush()

    def end(self):
        """The parts of their time, by kind."""
        self.process.terminate()
        found = collections.Counter(line for line in self.process.communicate()[0].splitlines() if line in KINDS)
        return {kind: found[kind] / max(1, found.total()) for kind in KINDS}


def together(postgres, servers, run, options):
    connections = max(1, options.connections // len(servers))
    log, before = log_bytes(postgres), [server.cpu_seconds() for server in servers]
    database, all_seconds, began = processor_seconds(postgres), load.busy_seconds(), time.monotonic()
    watch = Watch(postgres)
    with ThreadPoolExecutor(len(servers)) as pool:
        found = list(pool.map(lambda place: run(servers[place], place, connections, options.seconds), range(len(servers))))
    took, times = time.monotonic() - began, watch.end()
    spent = sum(server.cpu_seconds() for server in servers) - sum(before)
    database, all_seconds = processor_seconds(postgres) - database, load.busy_seconds() - all_seconds
    return Measured(
        sum(one.rate for one in found), statistics.median(one.p50_us for one in found) / 1000,
        max(one.p99_us for one in found) / 1000, spent / took, database / took, all_seconds / took,
        (log_bytes(postgres) - log) / 1000 / sum(one.count for one in found), times)


def rows(postgres, name, scene, options):
    settings, run = scene
    with OnPostgres(postgres, dict(settings)) as first, Another(first) as second, Another(first) as third:
        servers = [first, second, third]
        for place, server in enumerate(servers):
            run(server, place, options.connections // SERVERS, 1)  # a warm-up
        found = {count: [] for count in range(1, SERVERS + 1)}
        for number in range(options.rounds):
            for count in sorted(found, reverse=number % 2 == 1):
                found[count].append(together(postgres, servers[:count], run, options))
    for count, measured in found.items():
        ratio = statistics.median(one.rate / alone.rate for one, alone in zip(measured, found[1]))

        def middle(of):
            return statistics.median(getattr(one, of) for one in measured)

        kinds = " | ".join(f"{statistics.median(one.parts[kind] for one in measured) * 100:.0f}" for kind in KINDS)

        yield (f"| {name} | {count} | {middle('rate'):,.0f} | {ratio:.2f} | {middle('p50_ms'):.1f} | {middle('p99_ms'):.1f} "
               f"| {middle('servers'):.2f} | {middle('postgres'):.2f} | {middle('all'):.2f} | {middle('log_kb'):.1f} | {kinds} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="a release build")
    parser.add_argument("--apart", action="store_true", help="PostgreSQL has a processor for itself")
    parser.add_argument("--commit-ms", type=int, default=0, help="milliseconds more for a commit")
    parser.add_argument("--only", nargs="+", choices=("unify", "status", "otp", "otp-clients"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=4, help="of each run")
    parser.add_argument("--connections", type=int, default=48, help="of all servers together")
    options = parser.parse_args()
    Holdfast.binary = str(Path(options.binary).resolve())
    (BENCHMARKS / ".build-run").mkdir(exist_ok=True)
    postgres = beside_postgres()
    if options.apart:
        pin(postgres)
    if options.commit_ms:
        postgres.query(f"ALTER SYSTEM SET commit_delay = {options.commit_ms * 1000}; ALTER SYSTEM SET commit_siblings = 0; "
                       "SELECT pg_reload_conf()")
    known = all_scenes()
    print("| scene | servers | a second | ratio | p50, ms | p99, ms | processors of servers | of PostgreSQL | of all | log, KB a call "
          "| computes, % | disk | row | server |")
    print("| --- " * 14 + "|")
    broken = []
    for name in options.only or known:
        try:
            for row in rows(postgres, name, known[name], options):
                print(row, flush=True)
        except load.Broken as error:
            broken.append(f"several: {name}: {error}")
    if broken:
        sys.exit("\n".join(broken))


if __name__ == "__main__":
    main()
