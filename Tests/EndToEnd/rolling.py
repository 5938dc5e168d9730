#!/usr/bin/env python3
"""Replaces three live servers on one PostgreSQL by another version, one after the other, under calls of all formats.

    OLD_BINARY=/path/to/holdfast scripts/end-to-end rolling
    scripts/with-postgres Tests/EndToEnd/rolling.py --old /path/to/holdfast --new .build/release/holdfast

First the older version runs, and the newer one replaces it. Then the other way round, if both know the same tables: an
older program refuses a newer database. No call fails, each answer holds at each server, also while the two versions run
together, and no version calls a record of the other one damaged. The last line is "N passed, M failed".
"""
import argparse
import random
import re
import time

import scenes
import vendor_stories
from holdfast import default_binary
from live_cluster import LiveCluster
from vendor_servers import Absence, Answers, Load

LOAD_SECONDS = 4.0  # before, between and after the changes
DAMAGE = re.compile(r"corrupt|cannot be read|a record of version \d+", re.I)
REFUSED = 78  # the exit status of a program that refuses the database


class Roll(Answers):
    def __init__(self, cluster, options):
        super().__init__(cluster)
        self.options = options
        self.old, self.new = cluster.trusting(options.old), cluster.trusting(options.new)

    def upgrade(self):
        status, printed = self.cluster.first.attempt("database", "migrate", binary=self.new)
        assert status == 0, printed
        self.replace_all(self.new, "upgrade")

    def roll_back(self):
        status, printed = self.cluster.first.attempt("database", "check", binary=self.old)
        if status == REFUSED:
            assert "use a newer build" in printed, printed
            return "the older program refuses the newer database, as it should"
        assert status == 0, printed
        self.replace_all(self.old, "roll back")

    def replace_all(self, program, name):
        load = Load(self.cluster, self.options.threads, f"{self.options.seed}/{name}", vendor_stories.ALL)
        load.start()
        try:
            time.sleep(LOAD_SECONDS)
            for server in self.cluster.servers:
                server.stop()
                self.absences.append(Absence("stop"))
                server.binary = str(program)
                server.start()
                self.cluster.wait_until_ready()
                time.sleep(LOAD_SECONDS)
        finally:
            load.end()
        faults = self.check(load)
        assert not faults, "\n     ".join([f"{len(faults)}", *sorted(set(faults))[:8]])
        assert load.refused == load.lost == 0, f"{load.refused} calls refused, {load.lost} without an answer"
        for server in self.cluster.servers:
            damage = [line for line in server.output().splitlines() if DAMAGE.search(line)]
            assert not damage, damage[:3]
        print(f"     {load.answers()} acknowledged in {len(load.played)} stories, 0 lost", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", required=True, help="the older executable, with its migrations built in")
    parser.add_argument("--new", default=default_binary(), help="the newer one (default: the last build)")
    parser.add_argument("--servers", type=int, default=3, help="default %(default)s")
    parser.add_argument("--threads", type=int, default=6, help="load threads (default %(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="replays the choices of a run")
    options = parser.parse_args()
    if not options.new:
        parser.error("no build found; build first or give --new")
    print(f"seed {options.seed}")
    with LiveCluster(options.old, options.servers, seed=options.seed) as cluster:
        roll = Roll(cluster, options)
        results = [scenes.play("a newer version replaces an older one, and no call fails", roll.upgrade)]
        if all(results):
            results.append(scenes.play("the older version replaces the newer one, and no call fails", roll.roll_back))
        if not all(results):
            print(cluster.last_words())
    scenes.finish(results.count(True), results.count(False))


if __name__ == "__main__":
    main()
