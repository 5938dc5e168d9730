#!/usr/bin/env python3
"""Compares one build on SQLite and on PostgreSQL in one sitting: rate, processor time, latency, and how often a call
waits for PostgreSQL.

    databases.py --binary BINARY [--only NAME...] [--starts N] [--rounds N] [--seconds N] [--connections N]

It starts a PostgreSQL of its own without a standby (scripts/with-postgres). A commit waits for the disk. The data of both
lies in .build-run; TMPDIR names another folder for PostgreSQL. Both servers run at the same time and are asked in turn,
the other one first in every second round. A ratio is the median over the rounds of PostgreSQL by SQLite within a round: of
requests a second above 1 is better, of CPU below 1. The ratio of both counts the CPU of the server and of PostgreSQL.

The second table is of a server on PostgreSQL that gets one call after the other. In an exchange the server sends one or
more statements, and waits for their results. BEGIN and COMMIT are statements, too.
"""
import argparse
import dataclasses
import sys
from pathlib import Path

import against
import exchanges
import load
import scenes
from on_postgres import OnPostgres, beside_postgres, processor_seconds
from servers import BENCHMARKS, Holdfast

# Calls of each scene that are counted.
CALLS = 200
PRELUDE, PRELUDE_KEY = "/prelude/v2/verification", "hf_test_sandbox"


@dataclasses.dataclass
class Scene:
    """`run` loads a server for some seconds. `prepare` returns a function that makes calls one after the other and returns
    their number."""

    run: object
    prepare: object
    settings: dict = dataclasses.field(default_factory=dict)


def each(call):
    for number in range(CALLS):
        call(number)
    return CALLS


def statuses(server):
    [session] = server.new_sessions(1)
    return lambda: each(lambda _: server.call("/v3/unify-status", {"correlationId": session}, server.token))


def target(number):
    return {"target": {"type": "phone_number", "value": f"+49151{number:08}"}}


def creates(server):
    return lambda: each(lambda number: server.call(
        PRELUDE, {**target(number), "options": {"custom_code": "123456"}}, PRELUDE_KEY))


def checks(server):
    creates(server)()
    return lambda: each(lambda number: server.call(
        f"{PRELUDE}/check", {**target(number), "code": "123456"}, PRELUDE_KEY))


def all_scenes(connections):
    """The scenes of against.py with these names."""
    numbers, limits = scenes.with_numbers(scenes.FULL)
    simulated = {"HOLDFAST_SANDBOX_UNKNOWN_NUMBERS": "simulate"}

    def closed(kind, path="/", **more):
        return lambda server, seconds: load.wrk(server, kind, path, connections, seconds, **more)

    def status(server, seconds):
        ids = server.directory / "ids"
        if not ids.exists():
            scenes.with_ids(server, 500)
        return closed("status", "/v3/unify-status", ids=ids)(server, seconds)

    return {
        "unify": Scene(closed("unify", "/v3/unify"), lambda server: lambda: len(server.new_sessions(CALLS))),
        "status": Scene(status, statuses),
        "create": Scene(closed("create"), creates, simulated),
        # A slow server must reach its checks within the run, too.
        "check": Scene(closed("verify", lag=connections), checks, simulated),
        "otp": Scene(
            lambda server, seconds: load.sessions(server, connections, seconds, numbers),
            lambda server: lambda: load.sessions(server, 1, 5, numbers).count, limits),
    }


def pairs(options, postgres, scene):
    """Runs on SQLite and on PostgreSQL, one pair a round."""
    def run(server, seconds):
        before = processor_seconds(postgres)
        found = scene.run(server, seconds)
        spent = processor_seconds(postgres) - before
        return dataclasses.replace(found, database_cpu=spent if isinstance(server, OnPostgres) else 0.0)

    servers = [Holdfast("SQLite", settings=scene.settings), OnPostgres(postgres, scene.settings)]
    return against.rounds(options, servers, run)


def row(name, found):
    def both(of, unit=1.0, form=",.1f"):
        return ", ".join(format(against.middle(found, which, of) / unit, form) for which in (0, 1))

    return (
        f"| {name} | {both('rate', form=',.0f')} | {against.ratio(found, 'rate'):.2f} "
        f"| {both('cpu_us')} | {against.ratio(found, 'cpu_us'):.2f} "
        f"| {against.middle(found, 1, 'database_cpu_us'):,.1f} | {against.ratio(found, 'whole_cpu_us'):.2f} "
        f"| {both('p50_us', 1000)} | {both('p99_us', 1000)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="a release build")
    parser.add_argument("--only", nargs="+", choices=("unify", "status", "create", "check", "otp"))
    parser.add_argument("--starts", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3, help="for each start")
    parser.add_argument("--seconds", type=int, default=4, help="of each run")
    parser.add_argument("--connections", type=int, default=64)
    options = parser.parse_args()
    Holdfast.binary = str(Path(options.binary).resolve())
    (BENCHMARKS / ".build-run").mkdir(exist_ok=True)
    postgres = beside_postgres()
    known = all_scenes(options.connections)
    chosen = {name: known[name] for name in options.only or known}
    print(f"{options.connections} connections; pairs are SQLite, PostgreSQL")
    print("| scene | a second | ratio | CPU of server, µs | ratio | CPU of PostgreSQL, µs | ratio of both | p50, ms | p99, ms |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    broken = []
    for name, scene in chosen.items():
        try:
            print(row(name, [pair for _ in range(options.starts) for pair in pairs(options, postgres, scene)]), flush=True)
        except load.Broken as error:
            broken.append(f"databases: {name}: {error}")
    print("\n| a call of | transactions | statements | exchanges |\n| --- | --- | --- | --- |")
    for name, scene in chosen.items():
        each_call = exchanges.counted(postgres, scene.settings, scene.prepare)
        print(f"| {name} | " + " | ".join(f"{value:.1f}" for value in each_call) + " |", flush=True)
    if broken:
        sys.exit("\n".join(broken))


if __name__ == "__main__":
    main()
