#!/usr/bin/env python3
"""Instructions of the hot path, counted by callgrind: they repeat on a busy machine, where times do not.

    instructions.py --holdfast BINARY --peers DIRECTORY [--profile healthz|unify|unify-status] [--only otp|otp-device ...]

With --profile it counts one kind of request alone, and leaves what callgrind_annotate reads. With --only it counts whole
OTP sessions alone. A step's figure is the difference of two runs of different length, so that the start is not in it. The
requests are those of one client after another: what many share, such as a commit, each of them bears alone here. OTP
sessions are those of eight clients at a time.
"""
import argparse
import http.client
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import load
import scenes
from servers import BENCHMARKS, MIGRATIONS, Holdfast, Limit

COLLECTED = re.compile(r"Collected : (\d+)")
STEPS = {
    "parser": 2000, "router": 2000, "json in": 2000, "json out": 2000, "token sign": 100, "token verify, first": 100,
    "token verify, again": 1000}
REQUESTS = ("healthz", "unify-status", "unify")
SESSIONS = {"otp": {}, "otp-device": {"device_key": True}}


def counted(output):
    found = COLLECTED.search(output)
    if not found:
        sys.exit(f"instructions: callgrind counted nothing:\n{output[-800:]}")
    return int(found[1])


CALLGRIND = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]


def stripped(binary, directory):
    """A copy without debug information, of which valgrind 3.19 cannot read what Swift 6.3 writes."""
    copy = Path(directory) / Path(binary).name
    subprocess.run(["strip", "--strip-debug", "-o", str(copy), str(binary)], check=True)
    return str(copy)


def step(binary, name, count):
    def run(times):
        result = subprocess.run([*CALLGRIND, binary, name, str(times)], capture_output=True, text=True, check=True)
        return counted(result.stderr)

    return (run(3 * count) - run(count)) / (2 * count)


class Counted:
    """A server under callgrind."""

    profile = None

    def command(self):
        return [*CALLGRIND[:-1], f"--callgrind-out-file={self.profile or '/dev/null'}", *super().command()]

    def environment(self):
        one_loop = {"HOLDFAST_SERVER_LOOPS": "1"}
        return {**super().environment(), **one_loop, "LD_PRELOAD": str(BENCHMARKS / ".build-c" / "sigsuspend.so")}

    def counted(self):
        self.stop()
        return counted((self.directory / "stderr").read_text(errors="replace"))


class CountedHoldfast(Counted, Holdfast):
    pass


class CountedLimit(Counted, Limit):
    pass


def session(name, migrations, seconds=10):
    """Of one whole OTP session."""
    numbers, settings = scenes.with_numbers(scenes.FULL)

    def run(seconds):
        server = CountedHoldfast(settings={**settings, "HOLDFAST_DATA_MIGRATIONS": str(migrations)})
        with server:
            made = load.sessions(server, 8, seconds, numbers, **SESSIONS[name]).count
            return server.counted(), made

    (least, few), (most, many) = run(seconds), run(3 * seconds)
    return (most - least) / (many - few)


def requests(server, name, count):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    headers = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
    ids = server.new_sessions(1) if name == "unify-status" else []
    for number in range(count):
        if name == "healthz":
            connection.request("GET", "/healthz")
        elif name == "unify":
            order = {"possessionType": "mobile", "phoneNumber": "2001004014", "clientRequestId": f"r-{number:06}"}
            connection.request("POST", "/v3/unify", json.dumps(order, separators=(",", ":")), headers)
        else:
            connection.request("POST", "/v3/unify-status", json.dumps({"correlationId": ids[0]}, separators=(",", ":")), headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            sys.exit(f"instructions: {name} was answered with {answer.status}")
    connection.close()


def request(kind, name, count=200):
    def run(times):
        with kind() as server:
            requests(server, name, times)
            return server.counted()

    return (run(3 * count) - run(count)) / (2 * count)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--holdfast", required=True)
    parser.add_argument("--peers", required=True)
    parser.add_argument("--profile", choices=REQUESTS)
    parser.add_argument("--only", nargs="*", choices=SESSIONS)
    parser.add_argument("--migrations", default=MIGRATIONS, help="of the build that is counted")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        Holdfast.binary = stripped(options.holdfast, directory)
        if options.profile:
            Counted.profile = BENCHMARKS / ".build-run" / f"callgrind.{options.profile}"
            with CountedHoldfast() as server:
                requests(server, options.profile, 50)
                # What the start cost is forgotten.
                subprocess.run(["callgrind_control", "--zero", str(server.process.pid)], check=True, capture_output=True)
                requests(server, options.profile, 1000)
                server.counted()
            print(f"callgrind_annotate {Counted.profile}")
            return
        print("| what | instructions each |\n| --- | --- |")
        for name in options.only or SESSIONS:
            print(f"| session {name} | {session(name, options.migrations):,.0f} |", flush=True)
        if options.only:
            return
        hot_loop = stripped(Path(options.peers) / "HotLoop", directory)
        for name, count in STEPS.items():
            print(f"| {name} | {step(hot_loop, name, count):,.0f} |", flush=True)
        for name in REQUESTS:
            for kind in (CountedHoldfast, CountedLimit):
                print(f"| request {name}, {kind.name} | {request(kind, name):,.0f} |", flush=True)


if __name__ == "__main__":
    main()
