#!/usr/bin/env python3
"""The disk of the PostgreSQL that three servers share is full for some seconds, under load: nothing is lost.

    scripts/end-to-end full-disk

It fills the disk that the data of PostgreSQL are on, and refuses one with more room than `--most-megabytes`. The last
line is "N passed, M failed".
"""
import argparse
import os
import random
import shutil
import subprocess
import time

import scenes
from cluster import Cluster
from engines import ENGINE
from failover import start_instance, takes_changes, wait_for
from holdfast import add_server_arguments, checked_arguments
from postgres import identity_in
from servers import LOAD_SECONDS, Run

FULL_SECONDS = 10.0
CHUNKS = (2**24, 2**20, 2**12)  # bytes


class FullDisk(Run):
    def __init__(self, cluster, options):
        super().__init__(cluster, options)
        self.filler = ENGINE.cluster.parent / "filler"

    def fill(self):
        with open(self.filler, "wb") as file:
            size = 0
            for chunk in CHUNKS:
                try:
                    while True:
                        os.posix_fallocate(file.fileno(), size, chunk)
                        size += chunk
                except OSError:
                    continue  # a smaller one may still fit

    def is_up(self):
        question = [ENGINE.programs / "pg_isready", "-q", "-d", ENGINE.owner]
        return subprocess.run(question, **identity_in(ENGINE.cluster.parent)).returncode == 0

    def run_out(self):
        load = self.load("full")
        load.start()
        try:
            time.sleep(LOAD_SECONDS)
            self.fill()
            try:
                # Until its log needs another file. Then PostgreSQL ends by itself.
                wait_for("refused call", lambda: not takes_changes(self.cluster))
                time.sleep(FULL_SECONDS)
            finally:
                self.filler.unlink()
            began = time.monotonic()
            if not self.is_up():
                self.start_again()
            wait_for("change with room on the disk", lambda: takes_changes(self.cluster))
            again = time.monotonic() - began
            time.sleep(LOAD_SECONDS)
        finally:
            load.end()
        ended = [server.process.returncode for server in self.cluster.servers if server.process.poll() is not None]
        assert not ended, f"servers ended with {ended}"
        self.check(load)
        return f"changes again after {again:.1f} s"

    def start_again(self):
        """PostgreSQL restarts by itself only if it has room for that."""
        time.sleep(FULL_SECONDS)
        if not self.is_up():
            (ENGINE.cluster / "postmaster.pid").unlink(missing_ok=True)
            start_instance(ENGINE.cluster)
            wait_for("PostgreSQL", self.is_up)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--servers", type=int, default=3, help="default %(default)s")
    parser.add_argument("--threads", type=int, default=6, help="load threads (default %(default)s)")
    parser.add_argument("--most-megabytes", type=int, default=1000, help="of room on the disk (default %(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="replays the choices of a run")
    options = checked_arguments(parser)
    free = shutil.disk_usage(ENGINE.cluster).free // 2**20
    if free > options.most_megabytes:
        parser.error(f"the data of PostgreSQL are on a disk with {free} MB of room: give it a small one by TMPDIR")
    print(f"seed {options.seed}")
    with Cluster(options.binary, options.config, options.servers) as cluster:
        run = FullDisk(cluster, options)
        result = scenes.play("the disk of PostgreSQL is full, and nothing acknowledged is lost", run.run_out)
        if not result:
            print(cluster.last_words())
    scenes.finish(int(result), int(not result))


if __name__ == "__main__":
    main()
