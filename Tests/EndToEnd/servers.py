#!/usr/bin/env python3
"""Kills and pauses servers that share a PostgreSQL, under load: nothing that one of them acknowledged is lost at another.

    scripts/end-to-end servers

Calls go to the servers in turn. Every answer is looked up at each server. The last line is "N passed, M failed".
"""
import argparse
import collections
import random
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import crash
import scenes
import stories
from cluster import Cluster
from holdfast import Lost, add_server_arguments, checked_arguments
from server import POLL_SECONDS
from world import LORANT, WRONG, Site

# Each server of a sandbox plays its own mobile operators, which know only the connections that they have made.
STORIES = [story for story in stories.ALL if story is not stories.FinishesMobileAuth]
LOAD_SECONDS = 3.0
REFUSED_SECONDS = 0.05  # a pause after a refused call
LEAST_ANSWERS = 50  # of a load
PATIENCE_SECONDS = 60.0


class Load(crash.Load):
    """Stories that go on when a call is refused, or lost with its server."""

    refusals = (AssertionError,)
    losses = (Lost, LookupError, StopIteration)  # also if the inbox was lost with its server

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.refused = self.lost = 0

    def answers(self):
        """How many promises were acknowledged."""
        return sum(story.acknowledged for story in self.played)

    def _run(self, chance):
        site = None
        while not self.is_over.is_set():
            story = chance.choice(self.kinds)()
            story.began = time.monotonic()
            try:
                site = site or self.new_site(self.server)
                with self.lock:
                    self.played.append(story)
                story.play(site)
            except self.refusals as error:
                # 503: nothing was changed. 500: the server could not find out whether the change is stored.
                with self.lock:
                    self.refused += 1
                    if not re.search(r"\b50[03]\b", str(error)):
                        self.faults.append(f"{type(story).__name__}: {error}")
                self.is_over.wait(REFUSED_SECONDS)
            except self.losses:
                with self.lock:
                    self.lost += 1
            story.reconnect()


class Run:
    def __init__(self, cluster, options):
        self.cluster, self.options = cluster, options
        self.chance = random.Random(options.seed)
        self.ends = collections.Counter()

    def load(self, name):
        return Load(self.cluster, self.options.threads, f"{self.options.seed}/{name}", STORIES)

    def check(self, load):
        """Looks every answer up, at each server."""
        load.end()
        self.cluster.wait_until_ready()
        faults = list(load.faults)
        for server in self.cluster.servers:
            with self.cluster.balancer.using(server):
                faults += crash.check_all(self.cluster, load.played, load.new_site)
        kinds = collections.Counter(fault.partition(":")[0] for fault in faults)
        assert not faults, "\n     ".join([str(dict(kinds)), *sorted(set(faults))[:8]])
        answers = load.answers()
        assert answers > LEAST_ANSWERS, f"only {answers} answers"
        print(f"     {answers} acknowledged, 0 lost at {len(self.cluster.servers)} servers; "
              f"{load.refused} calls refused, {load.lost} without an answer", flush=True)

    def serve_together(self):
        load = self.load("together")
        load.start()
        time.sleep(LOAD_SECONDS)
        self.wait_until(lambda: load.answers() > LEAST_ANSWERS, "too few answers")
        self.check(load)
        assert load.lost == 0, load.lost

    def share_limits(self):
        site = Site(self.cluster)
        for _ in range(10):
            session = site.unify(LORANT, allowOTPRetry=True)
            client = session.client()
            client.to_code_entry()
            clients = [session.client(session_key=client.session_key) for _ in range(12)]
            with ThreadPoolExecutor(len(clients)) as pool:
                answers = list(pool.map(lambda one: one.verify(WRONG), clients))
            wrong = sum(answer.status == 400 and answer["error"] == "otp_mismatch" for answer in answers)
            assert wrong == 3, [str(answer) for answer in answers]
            session.status("false")

    def lose_servers(self):
        load = self.load("losses")
        load.start()
        try:
            end = time.monotonic() + self.options.seconds
            while time.monotonic() < end:
                server = self.chance.choice(self.cluster.servers)
                (self.kill if self.chance.random() < 0.5 else self.pause)(server)
                time.sleep(self.chance.uniform(0.5, 2.0))
        finally:
            load.end()
        self.check(load)
        print(f"     {dict(self.ends)}", flush=True)

    def wait_until(self, condition, otherwise):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            assert time.monotonic() < deadline, otherwise
            time.sleep(POLL_SECONDS)

    def kill(self, server):
        server.kill()
        time.sleep(self.chance.uniform(0, 1.0))
        server.start()
        self.ends["killed"] += 1

    def pause(self, server):
        """A pause until the others have removed the server. It finds that, and ends."""
        process = server.process
        process.send_signal(signal.SIGSTOP)
        try:
            self.wait_until(lambda: self.cluster.places() < len(self.cluster.servers), "a silent server is not removed")
        finally:
            process.send_signal(signal.SIGCONT)
        self.wait_until(lambda: process.poll() is not None, "a removed server does not end")
        assert process.returncode == 1, process.returncode
        server.start()
        self.ends["paused"] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--servers", type=int, default=3, help="default %(default)s")
    parser.add_argument("--threads", type=int, default=6, help="load threads (default %(default)s)")
    parser.add_argument("--seconds", type=float, default=40.0, help="of kills and pauses (default %(default)g)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="replays the choices of a run")
    options = checked_arguments(parser)
    print(f"seed {options.seed}")
    with Cluster(options.binary, options.config, options.servers) as cluster:
        run = Run(cluster, options)
        results = [
            scenes.play("servers answer as one", run.serve_together),
            scenes.play("the tries of a code are counted over all servers", run.share_limits),
            scenes.play("servers are killed and paused, and nothing acknowledged is lost", run.lose_servers),
        ]
        if not all(results):
            print(cluster.last_words())
    scenes.finish(results.count(True), results.count(False))


if __name__ == "__main__":
    main()
