#!/usr/bin/env python3
"""What is left of a server when five times as much comes as it can do (OVL-02 to OVL-05).

    overload.py --binary BINARY [--against BINARY --against-migrations DIR] [--peers DIR] [--only NAME...] [--seconds N]

Callers wait a second and then give up: an answer counts when it is 200 and came in time. A scene finds out the capacity,
then sends a half, once, twice and five times as much over 8,000 connections, each to a fresh server:
`cpu` holds the server to a part of a core, `disk-30` and `disk-150` make each fsync take as many milliseconds longer. The
peak is the most that any of these loads got. `cpu` needs the right to make a control group; without it the scene is left
out, which the last line says. With `--peers` nginx in front of the Hummingbird peer gets the same load.
"""
import argparse
import contextlib
import dataclasses
import json
import os
import subprocess
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import against
import load
from servers import BENCHMARKS, Hummingbird, MIGRATIONS, Nginx, PeerGroupCommit, free_port

CONNECTIONS = 8_000
PATIENCE_MS = 1_000
SHIM = BENCHMARKS / ".build-c" / "slow-fsync.so"
GROUPS = Path("/sys/fs/cgroup/cpu")
PERIOD_US = 10_000
LOADS = (0.5, 1.0, 2.0, 5.0)
SCENES = ("cpu", "disk-30", "disk-150")


class ControlGroup:
    """Holds processes to a part of a core."""

    def __init__(self, cores):
        self.path = GROUPS / f"holdfast-overload-{os.getpid()}"
        self.path.mkdir()
        (self.path / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (self.path / "cpu.cfs_quota_us").write_text(str(int(PERIOD_US * cores)))

    def take(self, server):
        for pid in server._processes():
            (self.path / "cgroup.procs").write_text(str(pid))

    def close(self):
        self.path.rmdir()


class Build(against.Build):
    """The product with a listener for operators, which the probe asks."""

    def __init__(self, label, binary, migrations, environment):
        self.probe_port = free_port()
        super().__init__(label, binary, migrations, {
            "HOLDFAST_SERVER_MAX_CONNECTIONS_PER_ADDRESS": "20000", "HOLDFAST_SERVER_MAX_CONNECTIONS": "12000",
            "HOLDFAST_SERVER_OPERATIONS_PORT": str(self.probe_port),
            "HOLDFAST_LIMITS_UNANSWERED_PER_ADDRESS": "0",
            "HOLDFAST_LIMITS_UNANSWERED_PER_NETWORK": "0", **environment})

    def is_ready(self):
        return (self.directory / "stdout").stat().st_size > 0


class ProxiedPeer(PeerGroupCommit):
    """The Hummingbird peer behind nginx, which gives up on an answer when the caller does."""

    CONF = """worker_processes 2; daemon off; error_log DIRECTORY/nginx.log crit; pid DIRECTORY/nginx.pid;
events { worker_connections 16384; }
http { access_log off; keepalive_requests 1000000000;
client_body_temp_path DIRECTORY/body; proxy_temp_path DIRECTORY/proxy; fastcgi_temp_path DIRECTORY/fastcgi;
uwsgi_temp_path DIRECTORY/uwsgi; scgi_temp_path DIRECTORY/scgi;
upstream peer { server 127.0.0.1:PEER; keepalive 512; }
server { listen 127.0.0.1:PORT backlog=4096;
location = /healthz { return 200 '{"status":"ok"}'; }
location / { proxy_pass http://peer; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_read_timeout 1s; } } }
"""

    def __init__(self, label, environment):
        super().__init__(label)
        self.peer_port, self.port, self.settings = self.port, free_port(), environment
        self.probe_port, self.proxy = self.port, None

    def command(self):
        words = super().command()
        return [self.peer_port if word == self.port else word for word in words]

    def environment(self):
        return self.settings

    def start(self):
        text = self.CONF
        for name, value in (("DIRECTORY", self.directory), ("PORT", self.port), ("PEER", self.peer_port)):
            text = text.replace(name, str(value))
        (self.directory / "nginx.conf").write_text(text)
        self.proxy = subprocess.Popen(
            [Nginx.binary, "-p", str(self.directory), "-e", str(self.directory / "nginx.log"), "-c",
             str(self.directory / "nginx.conf")], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        super().start()

    def is_ready(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.peer_port}/healthz", timeout=2) as answer:
            return answer.status == 200

    def _processes(self):
        children = Path(f"/proc/{self.proxy.pid}/task/{self.proxy.pid}/children").read_text().split()
        return super()._processes() + [self.proxy.pid, *map(int, children)]

    def stop(self):
        super().stop()
        if self.proxy is not None:
            self.proxy.terminate()
            self.proxy.wait(20)
            self.proxy = None


class Probe:
    """Asks /healthz twenty times a second, as an orchestrator would, only more often."""

    def __init__(self, port):
        self.port, self.times, self.failed, self.ends = port, [], 0, threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.ends.wait(0.05):
            began = time.monotonic()
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=5) as answer:
                    answer.read()
            except OSError:
                self.failed += 1
            self.times.append(1000 * (time.monotonic() - began))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()

    @property
    def p99(self):
        return sorted(self.times)[int(len(self.times) * 0.99)] if self.times else 0.0


@dataclasses.dataclass
class Figures:
    """One load on one server."""

    times: float
    useful: float  # answers a second
    useful_p99_ms: float
    refused: float  # a second
    refused_p50_ms: float
    refused_p99_ms: float
    gave_up: float  # a second
    healthz_p99_ms: float
    healthz_failed: int
    memory_mb: float
    recovery: float  # useful of what came in the second after it, at a half of the capacity


def send(server, phases):
    with tempfile.NamedTemporaryFile("w", suffix=".http") as file:
        file.write(load.unify_request(server.token))
        file.flush()
        result = subprocess.run(
            [str(load.LOAD), "overload", str(server.port), str(PATIENCE_MS), str(CONNECTIONS), file.name,
             *(f"{rate:.0f}:{seconds:g}" for rate, seconds in phases)],
            capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
    if result.returncode != 0:
        raise load.Broken(f"{server.label}: {result.stderr[-400:]}{server.errors()}")
    return [json.loads(line) for line in result.stdout.splitlines()]


def measured(server, capacity, times, seconds):
    with Probe(server.probe_port) as probe:
        phases = send(server, [(0.5 * capacity, 1), (times * capacity, seconds), (0.5 * capacity, 1), (0.5 * capacity, 1)])
    server.note_memory()
    busy, after = phases[1], phases[3]
    return Figures(
        times, busy["useful"] / seconds, busy["answers"]["p99_us"] / 1000, busy["refused"] / seconds,
        busy["refusals"]["p50_us"] / 1000, busy["refusals"]["p99_us"] / 1000,
        (busy["gave_up"] + busy["unsent"] + busy["closed"]) / seconds, probe.p99, probe.failed, server.peak_kb / 1024,
        after["useful"] / max(1, after["due"]))


class Scene:
    def __init__(self, name, options):
        self.name, self.options = name, options
        self.environment = {}
        if name.startswith("disk"):
            self.environment = {"LD_PRELOAD": str(SHIM), "SLOW_FSYNC_MS": name.split("-")[1]}

    @contextlib.contextmanager
    def run(self, server):
        group = ControlGroup(self.options.cores) if self.name == "cpu" else None
        try:
            with server:
                if group:
                    group.take(server)
                yield server
        finally:
            if group:
                group.close()

    def capacity(self, make):
        """The most useful answers a second: twice as much is sent until it gains less than a tenth."""
        best, rate = 0.0, 1_000.0
        while rate < 100_000:
            with self.run(make()) as server:
                useful = send(server, [(0.5 * rate, 1), (rate, 3)])[1]["useful"] / 3
            if useful < 1.1 * best:
                break
            best, rate = useful, 2 * rate
        return best

    def play(self, label, make):
        capacity = self.capacity(make)
        found = []
        for times in LOADS:
            with self.run(make()) as server:
                found.append(measured(server, capacity, times, self.options.seconds))
        peak = max(capacity, *(one.useful for one in found))
        print(f"{self.name}, {label}: peak {peak:,.0f} useful answers a second", flush=True)
        for one in found:
            print(
                f"  {one.times:3.1f}x: useful {one.useful:7,.0f}/s = {one.useful / peak:4.2f} of the peak, p99 {one.useful_p99_ms:6.0f} ms;"
                f" refused {one.refused:7,.0f}/s, p50 {one.refused_p50_ms:5.1f} p99 {one.refused_p99_ms:6.1f} ms;"
                f" gave up {one.gave_up:7,.0f}/s; healthz p99 {one.healthz_p99_ms:6.1f} ms, failed {one.healthz_failed};"
                f" {one.memory_mb:4.0f} MB; a second later {one.recovery:4.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="release build of the server")
    parser.add_argument("--against", help="another build, after the first")
    parser.add_argument("--against-migrations", default=str(MIGRATIONS))
    parser.add_argument("--peers", help="directory with the release build of Peer")
    parser.add_argument("--only", nargs="+", choices=SCENES, default=SCENES)
    parser.add_argument("--seconds", type=float, default=6.0, help="of each load")
    parser.add_argument("--cores", type=float, default=0.25, help="what the scene cpu leaves to the server")
    options = parser.parse_args()
    skipped = []
    for name in options.only:
        scene = Scene(name, options)
        if name == "cpu" and not os.access(GROUPS, os.W_OK):
            skipped.append(name)
            continue
        scene.play("Holdfast", lambda: Build("holdfast", options.binary, MIGRATIONS, scene.environment))
        if options.against:
            scene.play("the other build", lambda: Build(
                "against", options.against, options.against_migrations, scene.environment))
        if options.peers:
            Hummingbird.binary = str(Path(options.peers) / "Peer")
            scene.play("nginx and the peer", lambda: ProxiedPeer("nginx-peer", scene.environment))
    print(f"left out: {', '.join(skipped) or 'nothing'}")


if __name__ == "__main__":
    main()
