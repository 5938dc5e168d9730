#!/usr/bin/env python3
"""Kills the server under load at random moments, and holds it to every answer it had given.

A round: several threads start sessions, spend tries, prove numbers, bind and revoke keys; SIGKILL; the database of a
copy of the data must be sound; start; everything acknowledged must be there. An answer that was lost may have
happened or not. The last line is "N passed, M failed", counting rounds.
"""
import argparse
import collections
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import scenes
import stories
from engines import ENGINE
from holdfast import Lost, Server, add_server_arguments, checked_arguments
from world import Site

LOAD_SECONDS = (0.02, 0.7)  # how long a round's load runs before the kill
OLDER_CHECKED = 40  # stories of earlier rounds that each round looks at again
STORY_LIFE = 600.0  # seconds after which a session may have expired, so that its story is dropped
FAULTS = (AssertionError, Lost, RuntimeError, LookupError, TypeError, ValueError)


class Load:
    """Threads that play stories until the server is gone."""

    # Makes the site for a thread.
    new_site = Site

    def __init__(self, server, threads, seed, kinds=stories.ALL, pause=0.0):
        """`pause`: seconds between two stories of a thread."""
        self.server, self.kinds, self.pause = server, kinds, pause
        self.played, self.faults, self.lock = [], [], threading.Lock()
        self.is_over = threading.Event()
        self.threads = [
            threading.Thread(target=self._run, args=(random.Random(f"{seed}/{number}"),)) for number in range(threads)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join(60)

    def _run(self, chance):
        try:
            site = self.new_site(self.server)
            while not self.is_over.is_set():
                story = chance.choice(self.kinds)()
                story.began = time.monotonic()
                with self.lock:
                    self.played.append(story)
                story.play(site)
                story.reconnect()  # else a load of an hour holds thousands of connections
                self.is_over.wait(self.pause)
        except Lost:
            pass  # the kill
        except FAULTS as error:
            with self.lock:
                self.faults.append(f"before the kill: {error}")


def check(site, story):
    try:
        story.reconnect()
        story.check(site)
    except FAULTS as error:
        return f"{type(story).__name__}: {type(error).__name__}: {error}"
    return None


def check_all(server, chosen, new_site=Site):
    """What is wrong, as a list of texts."""
    local = threading.local()

    def one(story):
        if not hasattr(local, "site"):
            local.site = new_site(server)
        return check(local.site, story)

    with ThreadPoolExecutor(max_workers=4) as pool:
        return [fault for fault in pool.map(one, chosen) if fault]


class Run:
    def __init__(self, server, options):
        self.server, self.options = server, options
        self.chance = random.Random(options.seed)
        self.older, self.restarts, self.counts = [], [], collections.Counter()

    def round(self, number):
        """One round; what went wrong, as a list of texts."""
        load = Load(self.server, self.options.threads, f"{self.options.seed}/{number}")
        load.start()
        seconds = self.chance.uniform(*LOAD_SECONDS)
        time.sleep(seconds)
        self.server.kill()
        load.end()
        faults = load.faults + ENGINE.faults(self.server.data)
        self.server.start()
        self.restarts.append(self.server.start_seconds)
        now = time.monotonic()
        self.older = [story for story in self.older if now - story.began < STORY_LIFE]
        again = self.chance.sample(self.older, min(OLDER_CHECKED, len(self.older)))
        faults += check_all(self.server, load.played + again)
        self.older += load.played
        answers = 0
        for story in load.played:
            self.counts[type(story).__name__] += story.acknowledged
            answers += story.acknowledged
        print(f"{'FAIL' if faults else 'ok  '} round {number}: killed after {seconds * 1000:.0f} ms, {answers} "
              f"promises of {len(load.played)} stories checked, ready after "
              f"{self.server.start_seconds * 1000:.0f} ms", flush=True)
        for fault in faults[:5]:
            print(f"     {fault}")
        return faults

    def summary(self):
        for name, count in sorted(self.counts.items()):
            print(f"{name}: {count} acknowledged")
        if self.restarts:
            ordered = sorted(self.restarts)
            print(f"restart until ready: median {ordered[len(ordered) // 2] * 1000:.0f} ms, "
                  f"worst {ordered[-1] * 1000:.0f} ms of {len(ordered)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--rounds", type=int, default=50, help="kills (default %(default)s)")
    parser.add_argument("--threads", type=int, default=6, help="load threads (default %(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="replays the choices of a run")
    parser.add_argument("--seconds", type=float, default=570.0, help="time limit of the run (default %(default)g)")
    options = checked_arguments(parser)
    print(f"seed {options.seed}")
    deadline = time.monotonic() + options.seconds
    passed = failed = 0
    with Server(options.binary, options.config) as server:
        run = Run(server, options)
        for number in range(1, options.rounds + 1):
            if time.monotonic() > deadline:
                print(f"FAIL the time limit of {options.seconds:g} s has passed before round {number}")
                failed += 1
                break
            try:
                bad = run.round(number)
            except RuntimeError as error:  # the server did not come back
                print(f"FAIL round {number}: {error}")
                failed += 1
                break
            passed, failed = passed + (not bad), failed + bool(bad)
        run.summary()
    scenes.finish(passed, failed)


if __name__ == "__main__":
    main()
