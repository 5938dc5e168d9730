"""What the figures were measured on."""
import os
import platform
import re
import subprocess
import tempfile
import time
from pathlib import Path

from servers import BENCHMARKS, REPOSITORY


def _first_line(*command):
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
    except OSError:
        return "not there"
    lines = (result.stdout + result.stderr).strip().splitlines()
    return lines[0].strip() if lines else "?"


def _debian(package):
    return _first_line("dpkg-query", "-W", "-f", "${Version}", package)


def _processor():
    match = re.search(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text())
    return match[1] if match else platform.machine()


def name():
    return f"{os.cpu_count()} cores of {_processor()}"


def sync_us():
    """Medians of 200 writes of 4 KiB with their fdatasync, where the databases of the benchmark lie: over what the file
    has, as in a log that is used again, and at its end."""
    medians = []
    for size in (200 * 4096, 0):
        took = []
        with tempfile.TemporaryFile(dir=BENCHMARKS / ".build-run") as file:
            os.write(file.fileno(), b"x" * size)
            os.fsync(file.fileno())
            os.lseek(file.fileno(), 0, os.SEEK_SET)
            for _ in range(200):
                os.write(file.fileno(), b"y" * 4096)
                began = time.perf_counter()
                os.fdatasync(file.fileno())
                took.append(time.perf_counter() - began)
        medians.append(sorted(took)[100] * 1e6)
    return medians


def packages():
    """The versions that the packages of the peers resolved to."""
    import json
    pins = json.loads((BENCHMARKS / "Package.resolved").read_text())["pins"]
    wanted = {"hummingbird", "grdb.swift", "jwt-kit", "swift-nio", "swift-crypto"}
    return ", ".join(f"{pin['identity']} {pin['state']['version']}" for pin in pins if pin["identity"] in wanted)


def describe():
    memory = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[1]) // 1024 // 1024
    return [
        ("Machine", f"{name()}, {memory} GiB, Linux {platform.release()}"),
        ("Disk", "fdatasync of 4 KiB: {:.0f} µs over what was there, {:.0f} µs at a file's end".format(*sync_us())),
        ("Load before the start", " ".join(f"{value:.2f}" for value in os.getloadavg())),
        ("Commit", _first_line("git", "-C", str(REPOSITORY), "rev-parse", "--short", "HEAD")),
        ("Swift", _first_line("swift", "--version")),
        ("Peers", packages()),
        ("SQLite, OpenSSL", f"{_debian('libsqlite3-0')}, {_debian('libssl3')}"),
        ("nginx, wrk", f"{_debian('nginx')}, {_debian('wrk')}"),
    ]
