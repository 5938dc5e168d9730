#!/usr/bin/env python3
"""Flips bytes of what a killed server leaves, and holds the next start to what it had promised (docs/operate/damage.md).

Either every session that was acknowledged is there, or the start refuses and says how many commits are missing; then it
goes on with --accept-lost-commits. The last line is "N passed, M failed".
"""
import os
import random
import re
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import uuid
from pathlib import Path

from harness import Lost, NUMBER, Platform, Server, options_of, run

PAGE = 4096
FRAME = 24 + PAGE
SAID = re.compile(rb"(?:at least )?(\d+) acknowledged commits? (?:is|are) missing|acknowledged commits may be missing")


class Left:
    """What a killed server left in its data directory, and which sessions it had acknowledged."""

    def __init__(self, data, promised):
        self.promised = promised
        self.files = {
            file.name: file.read_bytes() for file in data.iterdir() if file.is_file() and not file.name.endswith("-shm")}

    @property
    def log(self):
        return self.files["holdfast.db-wal"]

    def copy(self, directory, **changed):
        """A data directory of its own, with other content for the files named by what is behind `holdfast.`"""
        data = Path(directory) / uuid.uuid4().hex
        data.mkdir(mode=0o700)
        files = {**self.files, **{f"holdfast.{name}": content for name, content in changed.items()}}
        for name, content in files.items():
            if content is not None:
                (data / name).write_bytes(content)
                (data / name).chmod(0o600)
        return data


def promises(server, count, threads):
    """Starts sessions over several connections; those that were acknowledged."""
    promised, lock = [], threading.Lock()

    def run(mine):
        platform = Platform(server.base_url)
        for _ in range(mine):
            try:
                answer = platform.unify(NUMBER)
            except Lost:
                return
            assert answer.status == 200, answer.status
            with lock:
                promised.append(answer.json["correlationId"])

    workers = [threading.Thread(target=run, args=(count // threads,)) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    return promised


def killed(options, count=200, threads=4):
    """Three runs of one server: what the first left in good order, and what the third left when it was killed."""
    with Server(options.binary, options.config) as server:
        first = promises(server, 40, 1)
        assert server.stop() == 0
        before = Left(server.data, first)
        server.start()
        second = promises(server, 20, 1)
        assert server.stop() == 0
        server.start()
        later = promises(server, count, threads)
        assert len(later) == count // threads * threads
        server.kill()
        return before, Left(server.data, first + second + later)


def started(options, data, *flags):
    """Starts, and ends at once when it listens: status, what it said, and the sessions that are stored."""
    command = [options.binary, "serve", "--config", options.config, "--host", "127.0.0.1", "--port", "0", "--data", str(data)]
    process = subprocess.Popen(
        [*command, *flags], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    listens = process.stdout.readline().startswith(b"holdfast listens")
    if listens:
        process.terminate()
    said = process.communicate(timeout=30)[1]
    if not listens:
        return process.returncode, said, None
    assert process.returncode == 0, (process.returncode, said[-500:])
    connection = sqlite3.connect(f"file:{data}/holdfast.db?mode=ro", uri=True)
    stored = {bytes(row[0]) for row in connection.execute("SELECT correlation_id FROM sessions")}
    assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    connection.close()
    return 0, said, stored


def missing(stored, promised):
    return sum(uuid.UUID(name).bytes not in stored for name in promised)


def judge(options, left, directory, **changed):
    """The commits and the sessions that are missing by one fault; `None, 0`: nothing is."""
    data = left.copy(directory, **changed)
    try:
        names = {file.name: file.read_bytes() for file in data.iterdir() if not file.name.endswith("-shm")}
        status, said, stored = started(options, data)
        if status == 0:
            assert missing(stored, left.promised) == 0, f"{missing(stored, left.promised)} sessions lost in silence"
            return None, 0
        assert status == 65, (status, said[-800:])
        after = {name: (data / name).read_bytes() for name in names}
        assert after == names, "a refused start changed files"
        match = SAID.search(said)
        assert match and b"--accept-lost-commits" in said, said[-800:]
        status, said, stored = started(options, data, "--accept-lost-commits")
        assert status == 0, (status, said[-800:])
        lost = missing(stored, left.promised)
        assert b"goes on without commits" in said, said[-800:]
        status, said, again = started(options, data)
        assert status == 0 and missing(again, left.promised) == lost, (status, said[-800:])
        return int(match[1]) if match[1] else -1, lost
    finally:
        shutil.rmtree(data)


def flipped(content, offset, bit):
    content = bytearray(content)
    content[offset] ^= 1 << bit
    return bytes(content)


def a_flipped_byte_of_the_log_loses_nothing_in_silence(options):
    chance = random.Random(options.seed)
    _, left = killed(options)
    frames = (len(left.log) - 32) // FRAME
    offsets = [0, 9, 17, 26]
    for _ in range(options.flips):
        start = 32 + chance.randrange(frames) * FRAME
        offsets.append(start + chance.choice([chance.randrange(24), 24 + chance.randrange(4096)]))
    # The last commit has no other behind it.
    offsets.append(32 + (frames - 1) * FRAME + 2000)
    told = lost = 0
    with tempfile.TemporaryDirectory(prefix="holdfast-rot-") as directory:
        for offset in offsets:
            try:
                commits, sessions = judge(
                    options, left, directory, **{"db-wal": flipped(left.log, offset, chance.randrange(8))})
            except AssertionError as fault:
                raise AssertionError(f"offset {offset} of {len(left.log)}, seed {options.seed}: {fault}") from fault
            told += commits is not None
            lost += sessions
    assert told >= len(offsets) - 2, (told, len(offsets))
    return f"{len(offsets)} flips over {frames} frames, {told} told; {lost} sessions lost in all, none in silence"


def a_log_that_is_cut_or_gone_loses_nothing_in_silence(options):
    _, left = killed(options, count=60)
    frames = (len(left.log) - 32) // FRAME
    with tempfile.TemporaryDirectory(prefix="holdfast-rot-") as directory:
        for kept in (0, 1, frames // 2, frames - 1):
            commits, lost = judge(options, left, directory, **{"db-wal": left.log[: 32 + kept * FRAME]})
            assert commits, (kept, commits, lost)
        commits, lost = judge(options, left, directory, **{"db-wal": b""})
        assert commits and lost == 60, (commits, lost)
        commits, lost = judge(options, left, directory, **{"db-wal": None})
        assert commits and lost == 60, (commits, lost)


def an_older_copy_put_back_is_told(options):
    before, left = killed(options, count=60)
    with tempfile.TemporaryDirectory(prefix="holdfast-rot-") as directory:
        old = {name.removeprefix("holdfast."): before.files[name] for name in ("holdfast.db", "holdfast.db-wal")
               if name in before.files}
        commits, lost = judge(options, left, directory, **{"db-wal": None, **old})
        assert commits and lost == 80, (commits, lost)
        data = left.copy(directory, db=before.files["holdfast.db"])
        for flags in ((), ("--accept-lost-commits",)):
            status, said, _ = started(options, data, *flags)
            assert status == 65 and b"older than the write-ahead log" in said, (status, said[-800:])
        # Into an empty directory, as docs/operate/backup.md says: nothing to compare it with, which the log says.
        data = before.copy(directory, commits=None)
        status, said, stored = started(options, data)
        assert status == 0 and b"holdfast.commits is missing" in said and missing(stored, before.promised) == 0
        return f"{commits} commits told"


def a_look_with_another_program_loses_nothing_and_keeps_no_server_from_starting(options):
    _, left = killed(options, count=60)
    with tempfile.TemporaryDirectory(prefix="holdfast-rot-") as directory:
        data = left.copy(directory)
        connection = sqlite3.connect(data / "holdfast.db")
        connection.execute("SELECT count(*) FROM sessions").fetchone()
        connection.close()
        assert not (data / "holdfast.db-wal").exists(), "it moves the log to the database when it closes"
        status, said, stored = started(options, data)
        assert status == 0 and missing(stored, left.promised) == 0, (status, said[-800:])
        assert b"holdfast.commits" not in said


def a_damaged_witness_keeps_no_server_from_starting(options):
    _, left = killed(options, count=40)
    witness = left.files["holdfast.commits"]
    with tempfile.TemporaryDirectory(prefix="holdfast-rot-") as directory:
        for content in (b"", b"\xff" * len(witness), witness[:4096], flipped(witness, 20, 1), flipped(witness, 4116, 1), None):
            commits, _ = judge(options, left, directory, commits=content)
            assert commits is None


# The exit status where another start would find the same data.
DAMAGED = 65


def refused(options, data):
    """What a start says that ends because of the files, which it leaves as they are."""
    before = {file.name: file.read_bytes() for file in data.iterdir() if not file.name.endswith("-shm")}
    status, said, _ = started(options, data)
    assert status == DAMAGED and b"is damaged (" in said, (status, said[-800:])
    after = {name: (data / name).read_bytes() for name in before}
    assert after == before, "a refused start changed files"
    return said


# The schema's number and SQLite's version, which a copy by SQLite's backup changes.
UNCHECKED = {*range(40, 44), *range(96, 100)}


def a_flipped_bit_of_the_database_is_told(options):
    chance = random.Random(options.seed)
    before, _ = killed(options, count=40)
    content = before.files["holdfast.db"]
    pages = len(content) // PAGE
    # The head, the checksum of a page, and anything else: sealed values and others, indexes, free pages.
    offsets = [0, 3, 16, 18, 20, 24, 28, 32, 60, 68, 92, 104, 5 * PAGE - 1, 5 * PAGE - 8]
    offsets += [chance.randrange(len(content)) for _ in range(4 * options.flips)]
    offsets += [page * PAGE + chance.randrange(100, PAGE) for page in range(pages)]
    told = 0
    with tempfile.TemporaryDirectory(prefix="holdfast-rot-") as directory:
        for offset in offsets:
            if offset in UNCHECKED:
                continue
            data = before.copy(directory, db=flipped(content, offset, chance.randrange(8)))
            try:
                status, said, _ = started(options, data) if offset in HEAD else (DAMAGED, refused(options, data), None)
                assert status in (1, DAMAGED), (status, said[-800:])
                assert offset in HEAD or b"page %d" % (offset // PAGE + 1) in said, said[-800:]
            except AssertionError as fault:
                raise AssertionError(f"offset {offset} of {len(content)}, seed {options.seed}: {fault}") from fault
            told += 1
            shutil.rmtree(data)
    return f"{told} flips over {pages} pages, all told"


# What says whether there are checksums, or that it is a database of ours: the start gives another reason.
HEAD = {*range(0, 24), *range(60, 64), *range(68, 72)}


def a_copy_by_the_backup_of_sqlite_starts_and_a_foreign_write_is_told(options):
    _, left = killed(options, count=40)
    with tempfile.TemporaryDirectory(prefix="holdfast-rot-") as directory:
        data = left.copy(directory)
        copy = Path(directory) / "copy"
        copy.mkdir(mode=0o700)
        source, target = sqlite3.connect(f"file:{data}/holdfast.db?mode=ro", uri=True), sqlite3.connect(copy / "holdfast.db")
        source.backup(target)
        source.close()
        target.close()
        for name in ("master.key", "mode"):
            shutil.copy(data / name, copy)
        status, said, stored = started(options, copy)
        assert status == 0 and missing(stored, left.promised) == 0, (status, said[-800:])

        connection = sqlite3.connect(copy / "holdfast.db")
        connection.execute("DELETE FROM session_events")
        connection.commit()
        connection.close()
        refused(options, copy)


SCENES = [
    a_flipped_bit_of_the_database_is_told, a_copy_by_the_backup_of_sqlite_starts_and_a_foreign_write_is_told,
    a_flipped_byte_of_the_log_loses_nothing_in_silence, a_log_that_is_cut_or_gone_loses_nothing_in_silence,
    an_older_copy_put_back_is_told, a_look_with_another_program_loses_nothing_and_keeps_no_server_from_starting,
    a_damaged_witness_keeps_no_server_from_starting,
]


def arguments(parser):
    parser.add_argument("--flips", type=int, default=12, help="bytes of the log that are flipped, one at a time (%(default)s)")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))


if __name__ == "__main__":
    run(SCENES, options_of(__doc__, None, arguments))
