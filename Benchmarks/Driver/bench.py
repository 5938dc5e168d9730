#!/usr/bin/env python3
"""Runs the scenes and writes the table.

    bench.py [--quick] [--only NAME...] [--rounds N] [--seconds N] [--output FILE] [--record NAME]
"""
import argparse
import dataclasses
import os
import signal
import statistics
import sys
import time
from pathlib import Path

import drift
import load
import machine
import results
import scenes
from goals import goals
from servers import BENCHMARKS, Echo, Holdfast, Hummingbird

NAMES = ["healthz", "echo", "unify", "commits", "status", "mix", "sessions", "codes", "idle", "growth", "open", "log", "calls", "writer"]
QUICK_NAMES = ["healthz", "echo", "unify", "commits", "status", "mix", "sessions", "codes", "growth", "open", "calls", "writer"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one short round of the main scenes")
    parser.add_argument("--only", nargs="+", choices=NAMES, help="these scenes")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=int, help="of each run")
    parser.add_argument("--holdfast", required=True, help="release build of the server")
    parser.add_argument("--peers", required=True, help="directory with the release builds of Peer and Echo")
    parser.add_argument("--record", metavar="NAME", help="add the ratios to the C limit to drift.json under this name")
    parser.add_argument("--output", default=str(BENCHMARKS / "RESULTS.md"))
    return parser.parse_args()


def sized(options):
    size = scenes.QUICK if options.quick else scenes.FULL
    changes = {name: getattr(options, name) for name in ("rounds", "seconds") if getattr(options, name)}
    return dataclasses.replace(size, **changes)


def measured(name, size, done, facts):
    """The scenes of one name."""
    simple = {
        "healthz": scenes.healthz, "echo": scenes.echo, "unify": scenes.unify, "commits": scenes.commits, "status": scenes.status,
        "mix": scenes.mix, "sessions": scenes.otp_sessions, "codes": scenes.backend_codes, "idle": scenes.idle, "growth": scenes.growth,
        "log": scenes.request_log}
    if name in simple:
        yield from simple[name](size)
    elif name == "calls":
        facts["system_calls"] = scenes.system_calls(size)
    elif name == "writer":
        facts["writer"] = scenes.writer(facts["hot_loop"], size)
    else:
        unify = next((scene for scene in done if scene.name == "unify, 64 connections"), None)
        if unify is None:
            raise SystemExit("bench: the open loop needs the capacities of the scene unify")
        yield from scenes.open_loop(size, {label: unify.median(label, "rate") for label in unify.runs})


def show(scene, seconds):
    """Prints the figures of a scene that has ended."""
    print(f"[{seconds:5.0f} s] {scene.name}")
    for label in scene.runs:
        print(
            f"   {label}: {scene.median(label, 'rate'):,.0f}/s, {scene.median(label, 'cpu_us'):.1f} µs, p99 "
            f"{scene.median(label, 'p99_us') / 1000:.2f} ms")
    for label, fault in scene.broken.items():
        print(f"   {label}: failed: {fault}")
    sys.stdout.flush()


def main():
    # As Ctrl-C does, so that the servers are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench: ended"))
    options = arguments()
    Holdfast.binary = str(Path(options.holdfast).resolve())
    Hummingbird.binary = str(Path(options.peers).resolve() / "Peer")
    Echo.binary = str(Path(options.peers).resolve() / "Echo")
    (BENCHMARKS / ".build-run").mkdir(exist_ok=True)
    size, done = sized(options), []
    described = machine.describe()
    crypto = [load.crypto() for _ in range(5)]
    facts = {"crypto": {name: statistics.median(one[name] for one in crypto) for name in crypto[0]}}
    facts["hot_loop"] = str(Path(options.peers).resolve() / "HotLoop")
    began, failed = time.monotonic(), []
    for name in options.only or (QUICK_NAMES if options.quick else NAMES):
        try:
            for scene in measured(name, size, done, facts):
                done.append(scene)
                failed += scene.failed
                show(scene, time.monotonic() - began)
        except load.Broken as error:
            failed.append(f"{name}: {error}")
    found = drift.found(done)
    facts["drift"] = drift.table(found)
    what = f"{size.rounds} rounds of {size.seconds} s a server and scene"
    text = results.markdown(what, described, goals(done, facts), done, facts)
    Path(options.output).write_text(text)
    print(f"written: {os.path.relpath(options.output)}")
    if options.record and not failed:
        drift.record(options.record, found)
    print("\n".join(facts["drift"]))
    failed += drift.worse(found)
    if failed:
        sys.exit("\n".join(["bench: failed:", *failed]))


if __name__ == "__main__":
    main()
