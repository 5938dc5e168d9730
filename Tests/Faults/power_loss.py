#!/usr/bin/env python3
"""Takes the power away at any moment, and holds the server to every answer it had given.

A round: the server runs with a library that notes what happens to each file of its data directory (recording_calls.c),
while callers start sessions, prove numbers, bind, revoke and erase. From the notes the script builds what a disk may hold
after a loss of power at some moment of the run: only what was synced, or random sectors of the rest too (disk_state.py).
The server starts on each of these states. Its database must be sound, and everything that was acknowledged up to that
moment must be there. A moment may also lie in the first start of a new directory, or in the end after SIGTERM.

The control is a run whose syncs do nothing and say that they did: it must lose promises. The last line is
"N passed, M failed", counting states and the control.
"""
import os
import random
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

import harness
from harness import Lost, Platform, Promises, Server, Wire, compiled, expected, options_of, unify_request
import crash
import disk_state
from engines import ENGINE
import stories
from holdfast import Key
from world import LANEY, RIGHT

LOAD_SECONDS = (0.4, 2.0)
STATES = 5  # of one round
ROUNDS_OF_A_DIRECTORY = 3
BURST = 24  # starts of sessions that are on their way at a time
OLDER_CHECKED = 10  # stories of earlier rounds that each state is asked about again
KEPT_SECONDS = 400.0  # after which a story of an earlier round is not asked about any more


class Noted:
    """A story that notes how long the journal was at each change of its attributes: so it is known for any moment."""

    journal = None

    def __setattr__(self, name, value):
        self.__dict__.setdefault("changes", []).append((os.stat(Noted.journal).st_size, name, value))
        super().__setattr__(name, value)

    def as_of(self, moment):
        """The story as it was when the journal was so long; `None`: it had not begun."""
        story = object.__new__(type(self).__mro__[2])
        for at, name, value in list(self.changes):
            if at <= moment:
                setattr(story, name, value)
        return story if hasattr(story, "began") else None


class KeepsTokens(stories.Story):
    """An access token that was given is good after the loss."""

    def __init__(self):
        self.tokens = []

    def play(self, site):
        for _ in range(5):
            platform = Platform(site.server.base_url)
            expected(platform.token(), 200)
            platform.close()
            self.tokens = [*self.tokens, platform.access_token]
            self.acknowledged += 1

    def check(self, site):
        for token in self.tokens:
            platform = Platform(site.server.base_url)
            platform.access_token = token
            answer = platform.status("00000000-0000-7000-8000-000000000000")
            platform.close()
            assert answer.status != 401, answer


class ErasesNumbers(stories.Story):
    """What was erased stays erased: its session is unknown, and its device key proves nothing."""

    one_at_a_time = threading.Lock()  # an erasure ends every session of the number
    is_erased = False

    def play(self, site):
        with self.one_at_a_time:
            self.key = Key()
            self.session = site.unify(LANEY)
            client = self.session.client(device_key=self.key)
            client.to_code_entry()
            expected(client.verify(RIGHT), 200, outcome="succeeded")
            found = expected(site.platform.status(self.session.correlation_id), 200, success="true")
            expected(site.platform.delete(f"/v3/identity/{found['proveId']}"), 200)
            self.is_erased = True
            self.acknowledged += 1

    def check(self, site):
        if self.is_erased:
            answer = site.platform.status(self.session.correlation_id)
            assert answer.status != 200, f"an erased session is back: {answer}"


KINDS = [type(kind.__name__, (Noted, kind), {}) for kind in [*stories.ALL, KeepsTokens, ErasesNumbers]]


class Starts:
    """Starts of sessions, many at a time: what is acknowledged, and how long the journal was by then."""

    def __init__(self, server):
        self.server, self.acknowledged, self.faults = server, [], []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        wires, promises = [], Promises()
        try:
            platform = Platform(self.server.base_url)
            expected(platform.token(), 200)
            platform.close()
            request = unify_request(self.server.port, platform.access_token)
            wires = [Wire(self.server.port) for _ in range(BURST)]
            while not self.is_over.is_set():
                for wire in wires:
                    wire.send(request)
                for wire in wires:
                    status, body = wire.answer()
                    if status != 200:
                        raise AssertionError(f"a start was answered {status}")
                    promises.take(body)
                    self.acknowledged.append((os.stat(Noted.journal).st_size, promises.sessions[-1]))
        except Lost:
            pass  # the kill
        except AssertionError as error:
            self.faults.append(f"before the kill: {error}")
        for wire in wires:
            wire.close()

    def end(self):
        self.is_over.set()
        self.thread.join(60)


class Recording:
    """One run of the server with the journal of its files, and what it had promised when."""

    def __init__(self, run, data, seconds, is_stopped=False, lies=False):
        server, self.data = run.server, data
        self.base = disk_state.files_of(data) if data.exists() else {}
        data.mkdir(mode=0o700, exist_ok=True)
        self.journal = Noted.journal = run.directory / "journal"
        self.journal.unlink(missing_ok=True)
        environment = {
            "LD_PRELOAD": run.shim, "RECORDING_DIRECTORY": str(data), "RECORDING_JOURNAL": str(self.journal),
            "HOLDFAST_SERVER_DRAIN_NOTICE_SECONDS": "0", **({"RECORDING_LIES": "1"} if lies else {})}
        server.data, server.environment = data, {**os.environ, **environment}
        server.start()
        starts = Starts(server)
        load = crash.Load(server, 3, run.chance.random(), KINDS)
        load.start()
        time.sleep(seconds)
        if is_stopped:
            server.stop()
        else:
            server.kill()
        server.environment = {**os.environ, "HOLDFAST_SERVER_DRAIN_NOTICE_SECONDS": "0"}
        starts.end()
        load.end()
        # At the end by SIGTERM the server may refuse: that is no fault of it.
        self.faults = [] if is_stopped else load.faults + starts.faults
        self.stories, self.sessions = load.played, starts.acknowledged
        self.entries = disk_state.read(self.journal)

    def disk(self, count):
        disk = disk_state.Disk(self.base)
        for entry in self.entries[:count]:
            disk.apply(entry)
        return disk

    def unseen(self):
        """What the directory holds and the journal does not explain, in words; `None`: nothing. The last call that was
        noted may have been killed: before it did anything, or in the middle of a write."""
        held = disk_state.files_of(self.data)
        *before, last = self.entries
        for entries in (self.entries, before, [*before, *self.cut(before, last, held)]):
            disk = disk_state.Disk(self.base)
            for entry in entries:
                disk.apply(entry)
            mapped = disk.mapped_names()
            built = disk.state(disk_state.Everything())
            different = [
                name for name in {*held, *built} - {*mapped}
                if built.get(name) != held.get(name) and (name in built or held[name])]
            if not different:
                return None
        return f"the journal does not explain {', '.join(sorted(different))}"

    def cut(self, before, last, held):
        """The part of a last write that has reached its file: Linux takes a write page by page, and SIGKILL ends it between
        two of them."""
        if last.kind != "W":
            return []
        disk = self.disk(len(before))
        name = next((name for name, file in disk.names.items() if file is disk.by_inode[last.inode]), None)
        there = held.get(name, b"")[last.place:last.place + last.size]
        count = next((at for at, (one, other) in enumerate(zip(there, last.data)) if one != other), min(len(there), last.size))
        return [disk_state.Entry(last.at, last.end, last.kind, last.names, last.inode, last.place, count, last.data[:count])]

    def moments(self, chance, count):
        """Numbers of entries, in order: the end, just before a sync ends, and any moment at which some file is written."""
        inodes = {}
        for number, entry in enumerate(self.entries):
            if entry.kind in "WTS":
                inodes.setdefault(entry.inode, []).append(number)
        syncs = [number for number, entry in enumerate(self.entries) if entry.kind in "SD"]
        found = [len(self.entries)]
        while len(found) < count:
            drawn = chance.random()
            if drawn < 0.3 and syncs:
                found.append(chance.choice(syncs))
            elif drawn < 0.9 and inodes:
                # Files that are seldom written are as interesting as the log.
                found.append(chance.choice(inodes[chance.choice(sorted(inodes))]) + 1)
            else:
                found.append(chance.randrange(1, len(self.entries) + 1))
        return sorted(found)


class Run:
    def __init__(self, options, server, directory, shim):
        self.options, self.server, self.directory, self.shim = options, server, directory, shim
        self.chance = random.Random(options.seed)
        self.older, self.older_sessions, self.data = [], [], None
        self.passed = self.failed = self.states = self.promises = self.lost = self.bytes = self.rounds = 0

    def told(self, faults, line):
        self.passed, self.failed = self.passed + (not faults), self.failed + bool(faults)
        print(f"{'FAIL' if faults else 'ok  '} {line}", flush=True)
        for fault in faults[:5]:
            print(f"     {fault[:400]}", flush=True)

    def round(self, number, until):
        """One run and the states of its moments. The last state goes on to the next round."""
        if number % ROUNDS_OF_A_DIRECTORY == 0 or self.data is None:
            if self.data is not None:
                shutil.rmtree(self.data)
            self.data, self.older, self.older_sessions = self.directory / f"data{number}", [], []
        is_stopped = self.chance.random() < 0.25
        recording = Recording(self, self.data, self.chance.uniform(*LOAD_SECONDS), is_stopped)
        self.bytes += recording.journal.stat().st_size
        self.rounds += 1
        end = "SIGTERM" if is_stopped else "SIGKILL"
        unseen = recording.unseen()
        if recording.faults or unseen:
            self.told([*recording.faults, *([unseen] if unseen else [])], f"round {number}: the run itself, until {end}")
        disk, applied = disk_state.Disk(recording.base), 0
        held = disk_state.files_of(recording.data)
        following = None
        for place, count in enumerate(recording.moments(self.chance, STATES)):
            for entry in recording.entries[applied:count]:
                disk.apply(entry)
            applied = count
            choice = disk_state.OnlySynced() if self.chance.random() < 0.3 else disk_state.AnySectors(self.chance)
            is_end = count == len(recording.entries)
            state = disk.state(choice, held if is_end else None)
            moment = recording.entries[count - 1].end
            following = self.state(recording, state, moment, f"round {number}, {end}, state {place + 1} of {STATES}: "
                                   f"call {count} of {len(recording.entries)}, {choice.name}") or following
            if time.monotonic() > until:
                break
        shutil.rmtree(recording.data)
        if following is None:
            self.data = None
        else:
            data, self.older, self.older_sessions = following
            data.rename(self.data)

    def state(self, recording, state, moment, name):
        """Starts the server on it and asks for everything. What the next round begins with; `None`: not with this one."""
        data = self.directory / "state"
        shutil.rmtree(data, ignore_errors=True)
        disk_state.write(data, state)
        views = [view for story in recording.stories if (view := story.as_of(moment))]
        sessions = [session for at, session in recording.sessions if at <= moment]
        self.older = [story for story in self.older if time.monotonic() - story.began < KEPT_SECONDS]
        again = self.chance.sample(self.older, min(OLDER_CHECKED, len(self.older)))
        promises = sum(view.acknowledged for view in views) + len(sessions)
        faults, lost = self.judge(data, views + again, sessions + self.older_sessions)
        self.states += 1
        self.promises += promises
        self.lost += lost
        if faults and self.options.keep:
            kept = Path(self.options.keep) / f"state-{self.states}"
            disk_state.write(kept, state)
            shutil.copy(recording.journal, kept / "journal.of-the-run")
        self.told(faults, f"{name}: {max(0, promises - lost)} of {promises} promises, ready after {self.server.start_seconds * 1000:.0f} ms")
        if faults:
            return None
        following = self.directory / "following"
        shutil.rmtree(following, ignore_errors=True)
        data.rename(following)
        return following, views + again, sessions + self.older_sessions

    def judge(self, data, views, sessions):
        """What is wrong with a state, as texts; and how many starts of sessions are unknown to it."""
        # In the first start there may be no database yet, or a part of one that the server makes again.
        faults = ENGINE.faults(data) if views or sessions else []
        self.server.data = data
        try:
            self.server.start()
            lost = Promises.lost(self.server, sessions)
            if lost:
                faults.append(f"{lost} of {len(sessions)} acknowledged starts of sessions are unknown")
            faults += crash.check_all(self.server, views)
            platform = Platform(self.server.base_url)
            expected(platform.unify(harness.NUMBER), 200)
            platform.close()
            self.server.kill()
        except (RuntimeError, AssertionError, Lost) as error:
            self.server.kill()
            return [*faults, f"{type(error).__name__}: {error}"], len(sessions)
        return faults, lost

    def control(self):
        """A server whose syncs lie loses promises: the run can see a loss."""
        data = self.directory / "lies"
        self.server.data = data
        self.server.start()
        self.server.stop()
        recording = Recording(self, data, 0.5, lies=True)
        views, sessions = recording.stories, [session for _, session in recording.sessions]
        promised = sum(view.acknowledged for view in views) + len(sessions)
        state = self.directory / "state"
        shutil.rmtree(state, ignore_errors=True)
        disk_state.write(state, recording.disk(len(recording.entries)).state(disk_state.OnlySynced()))
        faults, lost = self.judge(state, [story.as_of(1 << 62) for story in views], sessions)
        stories_lost = sum(not fault.startswith(f"{lost} of ") for fault in faults)
        is_seen = lost > 0 and lost == len(sessions)
        self.told([] if is_seen else [f"only {lost} of {len(sessions)} starts are lost: the run would not see a loss"],
                  f"the control, whose syncs lie, loses {lost} of {len(sessions)} starts of sessions, and {stories_lost} of "
                  f"{len(views)} stories, of {promised} promises")


def main():
    def more(parser):
        parser.add_argument("--rounds", type=int, default=10**6, help="at most so many (default: as the time allows)")
        parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="replays the choices of a run")
        parser.add_argument("--keep", metavar="DIR", help="keeps states that lost something there")

    options = options_of(__doc__, 0.75, more, has_scenes=False)
    print(f"seed {options.seed}")
    until = time.monotonic() + options.minutes * 60
    with tempfile.TemporaryDirectory(prefix="holdfast-power-") as name:
        directory = Path(name).resolve()
        server = Server(options.binary, options.config)
        run = Run(options, server, directory, compiled("recording_calls", directory))
        try:
            run.control()
            number = 0
            while number < options.rounds and (time.monotonic() < until or number == 0):
                run.round(number, until)
                number += 1
        finally:
            server.close()
    print(f"{run.rounds} rounds, {run.states} losses of power, {run.promises} promises checked, {run.lost} starts of sessions "
          f"lost, {run.bytes >> 20} MiB of calls noted")
    print(f"{run.passed} passed, {run.failed} failed")
    sys.exit(1 if run.failed else 0)


if __name__ == "__main__":
    main()
