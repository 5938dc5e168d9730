#!/usr/bin/env python3
"""Where the processor time of each call of an OTP session goes, beside the C program.

    parts.py --holdfast BINARY [--seconds N] [--migrations DIR]

All sessions take each step together (`load sessions ... apart`), while perf samples the server with its call stacks. A
sample counts for the step in whose window it lies. Its part follows from its stack, from the innermost frame outwards:
the system call in the kernel, the library, or the first function of ours. Swift's reference counts and libc's
allocations count for the function of ours that needs them, where the stack names it. The microseconds of a step come
from the clock of the process, and the samples divide them.
"""
import argparse
import collections
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import load
import scenes
from servers import MIGRATIONS, Holdfast, Limit

# Parts in the order of the table. Each has patterns for the text that follows `$s` in the symbol of a Swift function.
HTTP = "10HTTPServer"
SWIFT = (
    ("parse", (HTTP + r"1\d(HeadScanner|RequestParser|RequestHead|BodyFraming|ChunkedDecoder|FramingFields)", HTTP + "7Headers",
               HTTP + "13RequestTarget", HTTP + "6Octets", HTTP + "9Authority")),
    ("route", (HTTP + "6Router", HTTP + "5Route", HTTP + "14PathParameters", HTTP + "8BodyRule")),
    ("answer", (HTTP + "8Response", HTTP + "15ResponseEncoder", HTTP + "16ResponseWriter")),
    ("connections, loop", (HTTP, "8Dispatch")),
    ("JSON", ("10StrictJSON",)),
    ("tokens, proofs", ("6Tokens", "4Text14Base64Alphabet")),
    ("seal, records", ("7Records", "7Secrets")),
    ("rows, statements", ("13SQLiteStorage", "7Storage")),
    ("rule", ("10Possession",)),
    ("admission, service", ("6Engine", "7Sandbox", "6Clocks", "8Outbound", "12PhoneNumbers")),
    ("endpoint", (r"\d+[A-Z]\w{0,20}?Surfaces?\d", "10SurfaceKit", "6Wiring", "9Reporting", "4Text")),
)
LIBRARIES = (("libcrypto", "OpenSSL"), ("libsqlite3", "SQLite"), (str(Limit.binary), "own code of C"))
PARTS = (
    "network, threads, reads (kernel)", "commit (kernel)", "OpenSSL", "SQLite", *(name for name, _ in SWIFT), "own code of C", "other")
PATTERNS = [(re.compile(r"\$s(?:\w{0,3}?)(?:" + "|".join(patterns) + ")"), name) for name, patterns in SWIFT]
COMMIT = ("sync", "pwrite", "ftruncate", "fallocate")


def part(stack):
    """The part of a sample. `stack` has pairs of symbol and object, the innermost first."""
    if stack[0][1].startswith("[kernel") or stack[0][0].startswith("ffff"):
        calls = [symbol for symbol, thing in stack if "_sys_" in symbol]
        is_commit = any(word in call for call in calls for word in COMMIT)
        return "commit (kernel)" if is_commit else "network, threads, reads (kernel)"
    for symbol, thing in stack:
        for library, name in LIBRARIES:
            if library in thing:
                return name
        for pattern, name in PATTERNS:
            if pattern.match(symbol):
                return name
    return "other"


def samples(text):
    """Time in nanoseconds and stack of each sample of `perf script`."""
    time, stack = 0, []
    for line in text:
        if not line.strip():
            if stack:
                yield time, stack
            stack = []
        elif line[0].isspace():
            address, _, rest = line.strip().partition(" ")
            symbol, _, thing = rest.rpartition(" (")
            stack.append((symbol if symbol != "[unknown]" else address, thing.rstrip(")\n")))
        else:
            seconds, _, fraction = line.strip().rstrip(":").rpartition(" ")[2].partition(".")
            time = int(seconds) * 1_000_000_000 + int(fraction.ljust(9, "0"))


def windows(path):
    """Begin, end and name of each step, in the order of time."""
    found = [line.split() for line in Path(path).read_text().splitlines()]
    return sorted((int(begin), int(end), name) for name, begin, end in found)


def counted(text, steps):
    """Samples of each step by part."""
    found = {name: collections.Counter() for _, _, name in steps}
    place = 0
    for time, stack in sorted(samples(text), key=lambda sample: sample[0]):
        while place < len(steps) and steps[place][1] < time:
            place += 1
        if place < len(steps) and steps[place][0] <= time:
            found[steps[place][2]][part(stack)] += 1
    return found


def measured(server, seconds, numbers):
    """Microseconds of each part for each step."""
    with server, tempfile.TemporaryDirectory() as directory:
        load.sessions(server, 32, 2, numbers, step="all")
        record, file = Path(directory) / "perf.data", Path(directory) / "windows"
        perf = subprocess.Popen(
            ["perf", "record", "-q", "-e", "cpu-clock", "-F", "1500", "-k", "CLOCK_MONOTONIC", "-g", "-o", str(record), "-p",
             ",".join(map(str, server._processes()))], stdin=subprocess.DEVNULL)
        try:
            run = load.sessions(server, 32, seconds, numbers, step="all", windows=file)
        finally:
            perf.terminate()
            perf.wait(30)
        script = subprocess.Popen(
            ["perf", "script", "-i", str(record), "--ns", "--no-demangle", "-F", "time,ip,sym,dso"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, errors="replace")
        found = counted(script.stdout, windows(file))
        script.wait()
    if any(not sum(found.get(step, {}).values()) for step in run.steps):
        sys.exit(f"parts: perf has no samples of a step of {server.label}")
    return {
        step: {name: cost * count / sum(found[step].values()) for name, count in found[step].items()}
        for step, cost in run.steps.items()}


def table(ours, limit):
    """One column a call: what Holdfast takes and what the C program takes, by part."""
    columns = [*scenes.CALLS, None]

    def cost(found, step, name=None):
        steps = [step] if step else list(scenes.CALLS)
        return sum(sum(found[one].values()) if name is None else found[one].get(name, 0) for one in steps)

    def row(label, name=None):
        cells = [f"{cost(ours, step, name):.0f} − {cost(limit, step, name):.0f}" for step in columns]
        return f"| {label} | " + " | ".join(cells) + " |"

    names = [name for name in PARTS if any(name in found[step] for found in (ours, limit) for step in found)]
    return "\n".join([
        "| µs, Holdfast − C limit | " + " | ".join([*scenes.CALLS.values(), "session"]) + " |",
        "| --- |" + " --- |" * len(columns), *(row(name, name) for name in names), row("**together**")])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--holdfast", required=True)
    parser.add_argument("--migrations", default=MIGRATIONS, help="of the build that is measured")
    parser.add_argument("--seconds", type=int, default=20)
    options = parser.parse_args()
    Holdfast.binary = options.holdfast
    numbers, settings = scenes.with_numbers(scenes.FULL)
    servers = (Holdfast(settings={**settings, "HOLDFAST_DATA_MIGRATIONS": str(options.migrations)}), Limit())
    print(table(*(measured(server, options.seconds, numbers) for server in servers)))


if __name__ == "__main__":
    main()
