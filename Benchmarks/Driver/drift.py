#!/usr/bin/env python3
"""How far a build is from the C program, beside builds of before: small losses of many changes become visible.

    drift.py --holdfast BINARY [--migrations DIR] [--starts N] [--rounds N] [--seconds N] [--record NAME]

It measures four scenes with the build and the C program, and starts both again for the same scenes, `--starts` times. A
ratio compares the two within a round: 1 is as fast as the C program, and less is slower. The median over all rounds counts,
so that what drifts on the machine drifts for both. `drift.json` has the ratios of named builds; the table shows those of
this machine. `--record` adds the build, also one with migrations of its own, and writes the table of docs/benchmarks.md.
`bench.py` does the same with the scenes of its sitting. Ends with 1 when a ratio is worse than that of the fixed build by
more than the tolerance.
"""
import argparse
import dataclasses
import json
import statistics
import sys
import time
from pathlib import Path

import against
import load
import machine
import scenes
from servers import BENCHMARKS, MIGRATIONS, REPOSITORY, Holdfast, Limit, PlainLimit

RECORDS = BENCHMARKS / "drift.json"
PAGE = REPOSITORY / "docs" / "benchmarks.md"
HEADING = "## Drift"
# Name in the records, name of the scene, and the C program in it.
COMPARED = {
    "healthz": ("healthz, 64 connections", PlainLimit),
    "unify": ("unify, 64 connections", Limit),
    "unify-status": ("unify-status, 64 connections", Limit),
    "OTP session": ("OTP session, unify to true", Limit),
}
KINDS = {"rate": "requests a second", "cpu": "processor time"}
# How much worse than the fixed build a ratio may be. With other work on one of two cores, the medians of five sittings of 12
# rounds differed from their middle by up to 11 % (rate) and 9 % (processor time).
TOLERANCES = {"rate": 0.08, "cpu": 0.05}
BUSY_TOLERANCES = {"rate": 0.12, "cpu": 0.10}
BUSY_CORES = 0.2
# Fewer rounds scatter more than the tolerances.
FEWEST_ROUNDS = 3


@dataclasses.dataclass
class Drift:
    """The ratios of the scenes that were measured, by their names in the records."""

    ratios: dict
    rounds: int
    other_cpu: float


def found(done):
    """What the scenes of a sitting say. A scene may have been measured several times."""
    ratios, rounds, other_cpu = {}, [], [0.0]
    for name, (scene_name, limit) in COMPARED.items():
        whole = [
            scene for scene in done if scene.name == scene_name and {Holdfast.name, limit.name} <= scene.runs.keys()]
        pairs = [pair for scene in whole for pair in zip(scene.runs[Holdfast.name], scene.runs[limit.name])]
        if pairs:
            ratios[name] = {
                "rate": round(statistics.median(one.rate / other.rate for one, other in pairs), 3),
                "cpu": round(statistics.median(other.cpu_us / one.cpu_us for one, other in pairs), 3)}
            rounds.append(len(pairs))
            other_cpu += [scene.other_cpu for scene in whole]
    return Drift(ratios, min(rounds, default=0), round(max(other_cpu), 2))


def _records():
    return json.loads(RECORDS.read_text())


def _here(records):
    """The builds that were measured on a machine like this one: a processor with other instructions has other ratios."""
    return [build for build in records["builds"] if build["machine"] == machine.name()]


def _row(name, ratios):
    cells = (
        f"{ratios[scene]['rate']:.2f}, {ratios[scene]['cpu']:.2f}" if scene in ratios else "-" for scene in COMPARED)
    return f"| {name} | " + " | ".join(cells) + " |"


def _head(first):
    yield f"| {first} | " + " | ".join(COMPARED) + " |"
    yield "| --- |" + " --- |" * len(COMPARED)


def table(drift):
    """The ratios of this run, beside those of the recorded builds of this machine."""
    return [
        *_head("build: rate, processor time"), *(_row(build["name"], build["ratios"]) for build in _here(_records())),
        _row("this run", drift.ratios)]


def worse(drift):
    """What is worse than in the fixed build, in words."""
    records = _records()
    fixed = next((build for build in _here(records) if build["name"] == records["fixed"]), None)
    if fixed is None or drift.rounds < FEWEST_ROUNDS:
        return []
    tolerances = BUSY_TOLERANCES if max(drift.other_cpu, fixed["other_cpu"]) > BUSY_CORES else TOLERANCES
    return [
        f"{scene}, {KINDS[kind]}: {drift.ratios[scene][kind]:.2f} of the C limit, {before:.2f} in {fixed['name']}"
        for scene, of in fixed["ratios"].items() if scene in drift.ratios
        for kind, before in of.items() if drift.ratios[scene][kind] < before * (1 - tolerances[kind])]


def record(name, drift):
    """Adds a build, or replaces its figures of this machine; and writes the table of the page."""
    missing = [scene for scene in COMPARED if scene not in drift.ratios]
    if missing:
        sys.exit(f"drift: a record needs the scenes {', '.join(missing)} too")
    records = _records()
    new = {
        "name": name, "machine": machine.name(), "measured": time.strftime("%Y-%m-%d"), **dataclasses.asdict(drift)}
    builds = records["builds"]
    place = next((
        index for index, build in enumerate(builds)
        if (build["name"], build["machine"]) == (new["name"], new["machine"])), len(builds))
    builds[place:place + 1] = [new]
    RECORDS.write_text(json.dumps(records, indent=2) + "\n")
    _write_page(builds)


def _write_page(builds):
    text, mark, section = PAGE.read_text().partition(HEADING + "\n")
    if not mark:
        sys.exit(f"drift: {PAGE.name} has no heading {HEADING}")
    kept = "\n".join(line for line in section.splitlines() if not line.startswith("|")).strip()
    rows = (_row(f"{build['name']}, {build['machine']}", build["ratios"]) for build in builds)
    PAGE.write_text("\n".join([text + HEADING, "", kept, "", *_head("build, machine"), *rows]) + "\n")


def measured(options):
    """The four scenes with one build and the C program."""
    size = scenes.Size(options.rounds, options.seconds, (64,), 0, (), 0, 9_900, False)
    numbers, settings = scenes.with_numbers(size)

    def build(more=None):
        return against.Build(Holdfast.name, options.holdfast, options.migrations, more)

    for name, kind, path in (("healthz", "get", "/healthz"), ("unify", "unify", "/v3/unify")):
        yield scenes.closed(name, "", [build(), COMPARED[name][1]()], size, kind, path, 64)
    yield scenes.reading(COMPARED["unify-status"][0], "", "status", "/v3/unify-status", size, [build(), Limit()])
    yield scenes.interleaved(
        scenes.Scene(COMPARED["OTP session"][0], ""), [build({**against.OLDER, **settings}), Limit()], size.rounds,
        lambda server, warm: load.sessions(server, 64, 1 if warm else size.seconds, numbers))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--holdfast", required=True, help="release build of the server")
    parser.add_argument("--migrations", default=str(MIGRATIONS), help="of that build")
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=7, help="for each start")
    parser.add_argument("--seconds", type=int, default=1, help="of each run")
    parser.add_argument("--record", metavar="NAME", help="add the figures to drift.json under this name")
    options = parser.parse_args()
    options.holdfast = str(Path(options.holdfast).resolve())
    (BENCHMARKS / ".build-run").mkdir(exist_ok=True)
    done = [scene for _ in range(options.starts) for scene in measured(options)]
    drift = found(done)
    print("\n".join(table(drift)))
    failed = [f"{label}: {fault}" for scene in done for label, fault in scene.broken.items()]
    if not failed and options.record:
        record(options.record, drift)
    failed += worse(drift)
    if failed:
        sys.exit("\n".join(["drift: failed:", *failed]))


if __name__ == "__main__":
    main()
