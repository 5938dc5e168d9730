#!/usr/bin/env python3
"""Brings faults of disk, files and log about under a running server, and holds it to what docs/operate/faults.md says.

Each scene starts a server of its own. A scene that this machine does not allow (mounting a file system) is skipped and says
so. The last line is "N passed, M failed".
"""
import contextlib
import json
import os
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

from harness import (
    NUMBER, Caller, Lost, Platform, Server, Skipped, compiled, eventually, expected, fill, metric, options_of,
    page_checksums, ready, run, unify)

from engines import ENGINE  # isort: skip


def a_foreign_reader_stops_no_writes(options):
    with Server(options.binary, options.config) as server:
        platform = Platform(server.base_url)
        assert unify(platform)[0] == 200
        reader = sqlite3.connect(f"file:{server.data}/holdfast.db?mode=ro", uri=True, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sessions").fetchone()
        times = []
        while True:
            status, seconds = unify(platform)
            assert status == 200, status
            times.append(seconds)
            if len(times) % 100 == 0 and (server.data / "holdfast.db-wal").stat().st_size > 44 << 20:
                break
            assert len(times) < 20000
        after = [unify(platform) for _ in range(50)]
        assert all(status == 200 for status, _ in after)
        after = sorted(seconds for _, seconds in after)
        assert after[len(after) // 2] < 0.25, after
        eventually(lambda: "keeps the write-ahead log" in server.output(), 25, "a line on the log that cannot shrink")
        assert metric(server, 'holdfast_fault{fault="wal_held"}') == 1
        began = time.monotonic()
        assert server.stop() == 0
        ended = time.monotonic() - began
        assert ended < 5, ended
        reader.close()
        return f"{len(times)} starts, median beside a WAL of 44 MiB {after[len(after) // 2] * 1000:.1f} ms, SIGTERM {ended:.1f} s"


def a_lost_database_is_not_begun_anew(options):
    with Server(options.binary, options.config) as server:
        assert unify(Platform(server.base_url))[0] == 200
        assert server.stop() == 0
        for how in ("removed", "emptied"):
            for name in ("holdfast.db", "holdfast.db-wal", "holdfast.db-shm"):
                (server.data / name).unlink(missing_ok=True)
            if how == "emptied":
                (server.data / "holdfast.db").touch(mode=0o600)
            command = [options.binary, "serve", "--config", options.config, "--port", "0", "--data", str(server.data)]
            result = subprocess.run(command, capture_output=True, timeout=20, stdin=subprocess.DEVNULL)
            assert result.returncode == 65, (how, result.returncode, result.stderr[-500:])
            assert b"--accept-empty-database" in result.stderr
        process = subprocess.Popen(command + ["--accept-empty-database"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout.readline().startswith(b"holdfast listens")
        process.terminate()
        assert process.wait(20) == 0
        server.start()
        assert unify(Platform(server.base_url))[0] == 200


def a_crash_of_the_first_start_leaves_a_directory_that_starts(options):
    for left in ((), ("mode",)):
        with tempfile.TemporaryDirectory(prefix="holdfast-first-") as directory:
            data = Path(directory) / "data"
            data.mkdir(mode=0o700)
            (data / "holdfast.lock").touch(mode=0o600)
            (data / "first-start").touch(mode=0o600)
            for name in left:
                (data / name).write_text("sandbox" if name == "mode" else "")
            server = Server(options.binary, options.config, data=data)
            with server:
                assert unify(Platform(server.base_url))[0] == 200
                assert not (data / "first-start").exists()


class Unread:
    """A server whose outputs go to a pipe that is full and that nobody reads."""

    def __init__(self, options, environment=None):
        self.directory = tempfile.TemporaryDirectory(prefix="holdfast-unread-")
        self.data = Path(self.directory.name) / "data"
        read, write = os.pipe()
        self.read = read
        command = [options.binary, "serve", "--config", options.config, "--host", "127.0.0.1", "--port", "0", "--data",
                   str(self.data)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=write, stderr=write, env={**os.environ, **(environment or {})})
        text = ""
        while "\n" not in text or "listens on" not in text:
            text += os.read(read, 65536).decode()
        self.base_url = text.split("listens on ")[1].split(" ")[0].rstrip(",")
        os.set_blocking(write, False)
        try:
            while True:
                os.write(write, b"\n" * 4096)
        except BlockingIOError:
            pass
        os.set_blocking(write, True)
        os.close(write)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.read)
        self.directory.cleanup()


def the_end_does_not_wait_for_a_log_that_nobody_reads(options):
    with Unread(options) as server:
        platform = Platform(server.base_url)
        for _ in range(50):
            assert unify(platform)[0] == 200
        began = time.monotonic()
        server.process.terminate()
        status = server.process.wait(15)
        assert status == 0, status
        return f"SIGTERM {time.monotonic() - began:.1f} s"


def a_failed_fsync_ends_the_server_even_with_a_full_log(options):
    with tempfile.TemporaryDirectory(prefix="holdfast-shim-") as directory:
        trigger = Path(directory) / "fail"
        environment = {"LD_PRELOAD": compiled("failing_fsync", directory), "FAILING_FSYNC": str(trigger)}
        with Unread(options, environment) as server:
            platform = Platform(server.base_url)
            assert unify(platform)[0] == 200
            trigger.touch()
            began = time.monotonic()
            try:
                assert unify(platform)[0] >= 500
            except Lost:
                pass
            status = server.process.wait(10)
            assert status == 1, status
            return f"ended after {time.monotonic() - began:.1f} s"


def a_removed_lock_ends_the_server(options):
    with Server(options.binary, options.config) as server:
        (server.data / "holdfast.lock").unlink()
        (server.data / "control.sock").unlink()
        assert server.process.wait(10) == 1
        assert "holdfast.lock was removed or replaced" in server.output()
        server.start()
        assert unify(Platform(server.base_url))[0] == 200


def a_removed_database_is_not_written_any_more(options):
    with Server(options.binary, options.config) as server:
        platform = Platform(server.base_url)
        assert unify(platform)[0] == 200
        (server.data / "holdfast.db").unlink()
        eventually(lambda: ready(server)[0] == 503, 5, "not ready")
        eventually(lambda: unify(platform)[0] >= 500, 5, "no more promises")
        assert "removed or replaced" in ready(server)[1]
        assert metric(server, 'holdfast_fault{fault="database_lost"}') == 1
        # The log is written a little later.
        eventually(lambda: "/proc/PID/fd" in server.output(), 5, "what to do in the log")


@contextlib.contextmanager
def small_file_system():
    """A folder in a file system of its own, of 16 MiB."""
    with tempfile.TemporaryDirectory(prefix="holdfast-disk-") as directory:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=16m,mode=0700", "tmpfs", directory], capture_output=True)
        if mounted.returncode != 0:
            raise Skipped("mounting is not allowed here")
        try:
            yield Path(directory)
        finally:
            subprocess.run(["umount", directory], check=False)


def a_full_disk_is_told_and_ends_by_itself(options):
    with small_file_system() as directory, Server(options.binary, options.config, data=directory / "data") as server:
        platform = Platform(server.base_url)
        assert unify(platform)[0] == 200
        filler = directory / "filler"
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        eventually(lambda: unify(platform)[0] == 503, 30, "a refusal")
        eventually(lambda: ready(server)[0] == 503, 5, "not ready")
        assert "disk is full" in ready(server)[1], ready(server)
        eventually(lambda: "the disk is full: changes are refused" in server.output(), 5, "a line")
        assert metric(server, 'holdfast_fault{fault="disk_full"}') == 1
        assert metric(server, 'holdfast_writer_refused_total{reason="disk_full"}') > 0
        assert metric(server, "holdfast_writer_rolled_back_total") > 0
        filler.unlink()
        began = time.monotonic()
        eventually(lambda: unify(platform)[0] == 200, 5, "a start after there is room")
        eventually(lambda: ready(server)[0] == 200, 5, "ready again")
        return f"useful again after {time.monotonic() - began:.1f} s"


def a_read_only_file_system_is_refused_at_the_start(options):
    with small_file_system() as directory, Server(options.binary, options.config, data=directory / "data") as server:
        platform = Platform(server.base_url)
        session = expected(platform.unify(NUMBER), 200)["correlationId"]
        server.kill()
        before = {file.name: file.read_bytes() for file in ENGINE.files(server.data)}
        for option in ("ro", "rw"):
            subprocess.run(["mount", "-o", f"remount,{option}", directory], check=True, capture_output=True)
            if option == "ro":
                command = [options.binary, "serve", "--config", options.config, "--port", "0", "--data", str(server.data)]
                result = subprocess.run(command, capture_output=True, timeout=20, stdin=subprocess.DEVNULL)
                assert result.returncode not in (0, 70) and result.returncode > 0, (result.returncode, result.stderr[-500:])
                assert b"Read-only file system" in result.stderr, result.stderr[-500:]
        assert {file.name: file.read_bytes() for file in ENGINE.files(server.data)} == before, "files have changed"
        server.start()
        platform = Platform(server.base_url)
        expected(platform.status(session), 200, success="pending")
        return f"exit status {result.returncode}"


def refusals_do_not_fill_the_log(options):
    with Server(options.binary, options.config) as server:
        caller = Caller(server.base_url, timeout=5)
        for _ in range(3000):
            assert caller.call("GET", "/nowhere").status == 404
        caller.close()
        eventually(lambda: "without a line of their own" in server.output(), 5, "a summary")

        def counted():
            lines = [json.loads(line) for line in server.output().splitlines() if line.startswith("{")]
            own = sum(line.get("status") == 404 and line["message"] == "request" for line in lines)
            return own + sum(line["count"] for line in lines if line["message"] == "requests without a line of their own")

        eventually(lambda: counted() == 3000, 5, "each request is counted")


def a_large_database_is_checked_beside_requests(options):
    checked = "holdfast_integrity_checked_timestamp_seconds"
    found = '"the whole database was read and found sound"'
    with Server(options.binary, options.config) as server:
        assert unify(Platform(server.base_url))[0] == 200
        assert server.stop() == 0
        path = server.data / "holdfast.db"
        fill.database(path, 60_000, 1)
        assert path.stat().st_size > 16 << 20, path.stat().st_size
        server.start()
        eventually(lambda: found in server.output(), 20, "a check of what was never checked")
        at = metric(server, checked)
        assert server.stop() == 0
        server.start()
        time.sleep(2)
        assert server.output().count(found) == 1 and abs(metric(server, checked) - at) <= 1, "a check after a good end"
        server.kill()
        server.start()
        eventually(lambda: server.output().count(found) == 2, 20, "a check after a bad end")
        assert server.stop() == 0

        # One bit of a value, of which SQLite's own check sees nothing.
        page = path.stat().st_size // 2 // 4096
        with open(path, "r+b") as file:
            file.seek(page * 4096 + 3000)
            byte = file.read(1)[0]
            file.seek(page * 4096 + 3000)
            file.write(bytes([byte ^ 4]))
        connection = page_checksums.connect(path)
        connection.execute("DELETE FROM integrity_check")
        connection.commit()
        connection.close()
        # It may have found the damage before anybody can ask whether it is ready.
        server._is_ready = lambda: "holdfast listens" in server._output("stdout").read_text()
        server.start()
        eventually(lambda: ready(server) == (503, "the server is not ready: the database is damaged"), 20, "readiness knows of the damage")
        eventually(lambda: metric(server, 'holdfast_fault{fault="database_damaged"}') == 1, 5, "the fault is counted")
        eventually(lambda: "then restore a backup" in server.output(), 5, "a line that says what to do")
        assert f'"pages":"page {page + 1}"' in server.output(), "the line names the page"
        assert server.stop() == 0


SCENES = [
    a_foreign_reader_stops_no_writes, a_lost_database_is_not_begun_anew,
    a_crash_of_the_first_start_leaves_a_directory_that_starts, the_end_does_not_wait_for_a_log_that_nobody_reads,
    a_failed_fsync_ends_the_server_even_with_a_full_log, a_removed_lock_ends_the_server,
    a_removed_database_is_not_written_any_more, a_full_disk_is_told_and_ends_by_itself,
    a_read_only_file_system_is_refused_at_the_start, refusals_do_not_fill_the_log, a_large_database_is_checked_beside_requests,
]


if __name__ == "__main__":
    run(SCENES, options_of(__doc__, None))
