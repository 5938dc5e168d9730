#!/usr/bin/env python3
"""Patroni changes the leader of three PostgreSQL under load, and the servers continue: nothing acknowledged is lost.

    scripts/end-to-end patroni

The leader is killed with its agent, then switched over, then paused with its agent until another one is elected.
The servers demand a synchronous standby, as live ones do. Every answer is looked up at each server. The last line is
"N passed, M failed".
"""
import argparse
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import scenes
from cluster import Cluster
from engines import ENGINE
from failover import takes_changes, wait_for
from holdfast import add_server_arguments, checked_arguments
from patroni_cluster import POLL_SECONDS, members_in
from servers import LOAD_SECONDS, Run

REJOIN_SECONDS = 180.0
# PostgreSQL logs it when it accepts changes.
IS_PRIMARY = "database system is ready to accept connections"


class Pulse:
    """Makes one change after the other, and notes when each was acknowledged."""

    def __init__(self, server):
        self.server, self.is_over = server, threading.Event()
        self.acknowledged = []
        self.thread = threading.Thread(target=self._run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()

    def _run(self):
        while not self.is_over.wait(0.02):
            began = time.monotonic()
            if takes_changes(self.server):
                self.acknowledged.append((began, time.monotonic()))

    def has_change_since(self, moment):
        return any(began > moment for began, _ in list(self.acknowledged))

    def longest_gap(self):
        """The most seconds between two acknowledged changes."""
        ends = [end for _, end in self.acknowledged]
        return max(later - earlier for earlier, later in zip(ends, ends[1:]))


class Round(Run):
    def __init__(self, cluster, options):
        super().__init__(cluster, options)
        self.members = members_in(ENGINE.cluster.parent)

    def leader(self, asked=None):
        """The leader, as the first of these members knows it that answers; `None`: there is none."""
        name = next((name for name in (member.named("leader") for member in asked or self.members) if name), None)
        return next((member for member in self.members if member.name == name), None)

    def change_leader(self, name, fail, rejoin):
        """Another member becomes the leader under load. Then the former leader is its replica."""
        former = self.leader()
        others = [member for member in self.members if member is not former]
        load = self.load(name)
        load.start()
        try:
            with Pulse(self.cluster) as pulse:
                time.sleep(LOAD_SECONDS)
                log_size = former.log.stat().st_size
                began = time.monotonic()
                fail(former)
                wait_for("other leader", lambda: self.leader(others) in others, pause=POLL_SECONDS)
                elected = time.monotonic()
                leader = self.leader(others)
                wait_for("change on the new leader", lambda: pulse.has_change_since(elected))
                note = rejoin(former, leader)
                wait_for("replica on the former leader", lambda: replicas_of(leader) == len(others), REJOIN_SECONDS,
                         POLL_SECONDS)
                wait_for("synchronous standby", lambda: leader.named("sync_standby"), pause=POLL_SECONDS)
                rejoined = time.monotonic()
                time.sleep(LOAD_SECONDS)
        finally:
            load.end()
        self.check(load)
        with open(former.log, errors="replace") as log:
            log.seek(log_size)
            assert IS_PRIMARY not in log.read(), f"{former.name} was a primary again"
        assert self.leader() is leader, f"{leader.name} is no more the leader"
        gap = pulse.longest_gap()
        print(f"     {former.name} to {leader.name}: known after {elected - began:.1f} s; no change for {gap:.1f} s; "
              f"{former.name} is a replica after {rejoined - began:.1f} s{note or ''}", flush=True)
        assert gap < self.options.most_seconds, f"no change for {gap:.1f} s"

    def kill(self):
        self.change_leader("kill", lambda former: former.send(signal.SIGKILL), lambda former, _: former.start())

    def switch_over(self):
        self.change_leader("switchover", lambda former: former.switch_over(), lambda *_: None)

    def pause(self):
        self.change_leader("pause", lambda former: former.send(signal.SIGSTOP), self.continue_before_its_agent)

    def continue_before_its_agent(self, former, leader):
        """PostgreSQL of the former leader continues as a primary, and the servers connect again. Then its agent
        continues, and demotes it."""
        with ThreadPoolExecutor(1) as pool:
            former.send_to_postgres(signal.SIGCONT)
            change = pool.submit(ENGINE.query, "CREATE ROLE nobody_has", hosts=former.host)
            try:
                wait_for("commit at the former leader", lambda: has_waiting_commit(former))
                ENGINE.query(
                    f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{ENGINE.role}'",
                    hosts=leader.host)
                for server in self.cluster.servers:
                    with self.cluster.balancer.using(server):
                        wait_for("change after lost connections", lambda: takes_changes(self.cluster))
                assert has_waiting_commit(former), f"the former leader acknowledged a change: {change}"
            finally:
                began = time.monotonic()
                former.send_to_agent(signal.SIGCONT)
            assert isinstance(change.exception(), RuntimeError), f"the former leader acknowledged a change: {change}"
            return f"; demoted {time.monotonic() - began:.1f} s after its agent continued"


def replicas_of(leader):
    """How many replicas follow it."""
    return int(ENGINE.query("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'", hosts=leader.host)[0])


def has_waiting_commit(member):
    """Whether it is a primary on which the superuser's commit waits for the standby."""
    question = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND usename = 'postgres'"
    return ENGINE.query(question, hosts=member.host) == ["1"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--servers", type=int, default=3, help="default %(default)s")
    parser.add_argument("--threads", type=int, default=6, help="load threads (default %(default)s)")
    parser.add_argument(
        "--most-seconds", type=float, default=60.0, help="without an acknowledged change (default %(default)g)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="replays the choices of a run")
    options = checked_arguments(parser)
    print(f"seed {options.seed}")
    demands = {"HOLDFAST_DATABASE_ALLOW_NO_STANDBY": "false"}
    with Cluster(options.binary, options.config, options.servers, demands) as cluster:
        run = Round(cluster, options)
        results = [
            scenes.play("servers work on the leader", run.serve_together),
            scenes.play("the leader and its agent are killed, and nothing acknowledged is lost", run.kill),
            scenes.play("the leader is switched over, and nothing acknowledged is lost", run.switch_over),
            scenes.play("the leader and its agent are paused, and nothing acknowledged is lost", run.pause),
        ]
        if not all(results):
            print(cluster.last_words())
    scenes.finish(results.count(True), results.count(False))


if __name__ == "__main__":
    main()
