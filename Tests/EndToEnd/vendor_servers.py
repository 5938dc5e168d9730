#!/usr/bin/env python3
"""All wire formats call three live servers on a pair of PostgreSQL. Servers and the primary fail: nothing is lost.

    scripts/end-to-end vendor-servers
    scripts/with-postgres --standby 1 Tests/EndToEnd/vendor_servers.py --seconds 1200

Calls go to the servers in turn. Every 4 to 6 seconds a server is killed or paused at random, and the primary fails
twice: it is killed, and it is paused. Each answer is looked up at each server, messages and webhooks are counted by
their ids where they arrive, and limits by the calls that pass. The last line is "N passed, M failed".
"""
import argparse
import collections
import random
import signal
import subprocess
import threading
import time

import crash
import requests
import scenes
import servers
import vendor_stories
from failover import Pair
from holdfast import add_server_arguments, checked_arguments
from live_cluster import SCARCE_SECONDS, LiveCluster, LiveSite
from postgres import send_to_instance
from powerauth import Refused
from server import POLL_SECONDS
from servers import LEAST_ANSWERS, PATIENCE_SECONDS

ROUND_SECONDS = 60.0  # of load; then all answers are looked up
EVENT_SECONDS = (4.0, 6.0)  # between two failures of servers
SHORT_PAUSE_SECONDS = (0.5, 3.0)
LONG_PAUSE_SECONDS = 9.0  # until the others have removed the server
END_SECONDS = 20.0  # in which a removed server ends
NOTE_SECONDS = 2.0  # in which a server has noted what left it
ARRIVAL_SECONDS = 30.0  # in which what was promised arrives, after the load
SLOW_SECONDS = 5.0
GAP_SECONDS = 30.0  # after a failure of the primary, in which the longest time without a change is looked for
ENDS = ("session.succeeded", "session.failed", "session.expired")


class Load(servers.Load):
    new_site = LiveSite
    refusals = (AssertionError, Refused)
    losses = (*servers.Load.losses, requests.RequestException, threading.BrokenBarrierError)


KINDS = {"lost": "nothing that was acknowledged is lost", "doubled": "nothing passes or ends twice",
         "sent twice": "no message is sent twice", "overrun": "no limit is overrun"}


def kind_of(fault):
    """One of `KINDS`; `None`: another one."""
    return next((kind for kind in KINDS if f"{kind}: " in fault), None)


class Absence:
    """A server or the primary was not there from a moment to another."""

    def __init__(self, kind):
        self.kind, self.began, self.ended = kind, time.monotonic(), None

    def overlaps(self, first, last):
        return self.began <= last and (self.ended is None or self.ended >= first)


class Answers:
    """Judges the answers to callers, and arrivals by the ids of messages and events.

    `absences` are those of servers, `outages` those of the primary.
    """

    def __init__(self, cluster):
        self.cluster = cluster
        self.absences, self.outages = [], []
        self.totals, self.repeats = collections.Counter(), collections.Counter()
        self.spent_by = {}  # the place of the client with a budget, by the number that it sent to

    def check(self, load):
        """The faults. Every answer is looked up at each server."""
        self.cluster.wait_until_ready()
        self.await_arrivals(load)
        faults = list(load.faults)
        for server in self.cluster.servers:
            with self.cluster.balancer.using(server):
                found = crash.check_all(self.cluster, load.played, LiveSite)
            faults += [fault if kind_of(fault) else f"lost: {fault}" for fault in found]
        self.totals.update(
            acknowledged=load.answers(), refused=load.refused, lost=load.lost,
            verifications=sum(getattr(story, "passes", 0) for story in load.played),
            limits=sum(isinstance(story, vendor_stories.LIMITED) for story in load.played))
        return [*faults, *self.judge_messages(load), *self.judge_events(load), *self.judge_budgets(load)]

    def await_arrivals(self, load):
        deadline = time.monotonic() + ARRIVAL_SECONDS
        while time.monotonic() < deadline and (self.missing_messages(load) or self.missing_events(load)):
            time.sleep(0.1)

    # Arrivals

    def missing_messages(self, load):
        return [story for story in vendor_stories.of_vendors(load.played)
                if story.is_sent and not self.cluster.gateway.messages_to(story.number)]

    def events_by_session(self):
        """The ids of the events for the end of a session, by session and type."""
        found = collections.defaultdict(set)
        for name, arrivals in self.cluster.events.all().items():
            event = arrivals[0].body
            if event["type"] in ENDS:
                found[event["data"]["sessionId"]].add((event["type"], name))
        return found

    def missing_events(self, load):
        found = self.events_by_session()
        return [story for story in vendor_stories.of_vendors(load.played)
                if story.session and "session.succeeded" not in {kind for kind, _ in found[story.session]}]

    def judge_messages(self, load):
        """Each number is sent one message, under one id, and again only if its server may not know that it had left."""
        messages = self.cluster.gateway
        faults = [
            f"lost: no message to {story.number} of {type(story).__name__}" for story in self.missing_messages(load)]
        with messages.lock:
            faults += [
                f"sent twice: {len(ids)} messages to {number}" for number, ids in messages.to.items() if len(ids) > 1]
        return faults + self.judge_repeats("message", messages.all())

    def judge_events(self, load):
        faults = [f"lost: no event of {story.session} of {type(story).__name__}" for story in self.missing_events(load)]
        faults += [f"doubled: session {session} ends by {sorted(ends)}"
                   for session, ends in self.events_by_session().items() if len(ends) > 1]
        return faults + self.judge_repeats("event", self.cluster.events.all())

    def judge_repeats(self, what, arrivals):
        """The faults of ids that came again. The others are counted."""
        faults, counts = [], collections.Counter()
        for name, came in arrivals.items():
            for earlier, later in zip(came, came[1:]):
                if not earlier.is_answered:
                    counts[f"{what}s again after no answer in time"] += 1
                elif self.server_may_be_lost(earlier.at):
                    counts[f"{what}s again after a server was lost"] += 1
                elif what == "event" and any(
                        outage.overlaps(earlier.at - NOTE_SECONDS, later.at) for outage in self.outages):
                    # Webhooks come at least once: the note of a delivery may be refused with the primary.
                    counts["events again while the primary was lost"] += 1
                elif what == "event" and self.is_stopping(earlier.at):
                    # A server that ends gives up the deliveries that it has begun.
                    counts["events again after a server was stopped"] += 1
                else:
                    faults.append(f"sent twice: {what} {name} again after {later.at - earlier.at:.2f} s")
        self.totals[f"{what}s"] = len(arrivals)
        for kind, count in counts.items():
            self.repeats[kind] = count
        return faults

    def server_may_be_lost(self, moment):
        """Whether a server was killed or paused before it can have noted what left it at this moment."""
        noted = moment + NOTE_SECONDS
        for outage in self.outages:
            if outage.overlaps(moment, noted):
                noted = max(noted, (outage.ended or time.monotonic()) + NOTE_SECONDS)
        return any(absence.kind not in ("pause", "stop") and moment - NOTE_SECONDS <= absence.began <= noted
                   for absence in self.absences)

    def is_stopping(self, moment):
        """Whether a server that was stopped ended at about this moment."""
        return any(
            absence.kind == "stop" and abs(absence.began - moment) <= NOTE_SECONDS for absence in self.absences)

    def judge_budgets(self, load):
        spent = collections.Counter()
        for story in load.played:
            if isinstance(story, vendor_stories.SpendsBudgets) and story.number:
                self.spent_by[story.number] = story.place
        for number, place in self.spent_by.items():
            spent[place] += len(self.cluster.gateway.messages_to(number))
        return [f"overrun: {count} messages of budget {place}, which is {self.cluster.budget}"
                for place, count in spent.items() if count > self.cluster.budget]


class Run(Answers):
    def __init__(self, cluster, options):
        super().__init__(cluster)
        self.options, self.chance, self.pair = options, random.Random(options.seed), Pair()
        self.whole, self.faults = list(cluster.servers), []
        self.lock, self.helpers = threading.Lock(), []
        self.failures = [signal.SIGKILL, signal.SIGSTOP]  # of the primary, that are still to come
        self.is_paired = True  # whether the primary has its standby
        self.loaded = 0.0  # seconds of load in earlier rounds

    # Failures

    def in_background(self, act, *arguments):
        def run():
            try:
                act(*arguments)
            except scenes.FAULTS as error:
                self.fault(f"{act.__name__}: {error}")

        helper = threading.Thread(target=run)
        helper.start()
        self.helpers.append(helper)

    def fault(self, text):
        with self.lock:
            if text not in self.faults:  # each round judges all that has arrived
                self.faults.append(text)

    def fail_some_server(self):
        with self.lock:
            if len(self.whole) < 2:
                return
            server = self.chance.choice(self.whole)
            self.whole.remove(server)
        self.in_background(self.fail_server, server, self.chance.choice((self.kill, self.pause, self.pause_long)))

    def fail_server(self, server, fail):
        absence = Absence(fail.__name__)
        self.absences.append(absence)
        self.totals[fail.__name__] += 1
        try:
            fail(server)
        finally:
            absence.ended = time.monotonic()
            with self.lock:
                self.whole.append(server)

    def kill(self, server):
        server.kill()
        time.sleep(self.chance.uniform(0, 1.0))
        server.start()

    def pause(self, server):
        server.process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(self.chance.uniform(*SHORT_PAUSE_SECONDS))
        finally:
            server.process.send_signal(signal.SIGCONT)

    def pause_long(self, server):
        """The others remove it, and it ends, unless the database did not answer in this time either."""
        process = server.process
        began = time.monotonic()
        process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(LONG_PAUSE_SECONDS)
        finally:
            process.send_signal(signal.SIGCONT)
        try:
            status = process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            assert any(outage.overlaps(began - LONG_PAUSE_SECONDS, time.monotonic()) for outage in self.outages), \
                "a removed server does not end"
            return
        assert status == 1, f"a removed server ends with {status}"
        server.start()

    def start_ended_servers(self):
        """A server that ended by itself is a fault, and starts again."""
        with self.lock:
            ended = [server for server in self.whole if server.process.poll() is not None]
        for server in ended:
            self.fault(f"a server ended with {server.process.returncode}: {server.last_words()}")
            server.start()

    def fail_primary(self, failure):
        outage = Absence(f"primary {failure.name}")
        self.outages.append(outage)
        send_to_instance(self.pair.primary, failure)
        self.pair.promote()
        outage.ended = time.monotonic()
        self.pair.rejoin(failure)
        self.is_paired = True

    # Rounds

    def play(self):
        rounds = max(1, round(self.options.seconds / ROUND_SECONDS))
        for number in range(1, rounds + 1):
            self.round(number, self.options.seconds / rounds, number == rounds)
        assert not self.failures, "the primary has not failed twice"
        assert self.totals["acknowledged"] > LEAST_ANSWERS, f"only {self.totals['acknowledged']} answers"

    def round(self, number, seconds, is_last):
        load = Load(self.cluster, self.options.threads, f"{self.options.seed}/{number}", vendor_stories.ALL)
        began = time.monotonic()
        load.start()
        try:
            due = self.chance.uniform(*EVENT_SECONDS)
            # A slow machine needs longer until both failures of the primary are over.
            while (now := time.monotonic() - began) < seconds or (
                    is_last and self.failures and now < seconds + PATIENCE_SECONDS):
                if now > due:
                    self.fail_some_server()
                    due = now + self.chance.uniform(*EVENT_SECONDS)
                share = (3 - len(self.failures)) / 3
                if self.failures and self.is_paired and self.loaded + now > self.options.seconds * share:
                    self.is_paired = False
                    self.in_background(self.fail_primary, self.failures.pop(0))
                self.start_ended_servers()
                time.sleep(POLL_SECONDS)
        finally:
            load.end()
            self.loaded += seconds
            for helper in self.helpers:
                helper.join()
        self.start_ended_servers()
        for fault in self.check(load):
            self.fault(fault)
        print(f"     round {number}: {load.answers()} acknowledged in {len(load.played)} stories, "
              f"{load.refused} refused, {load.lost} without an answer; checked after {time.monotonic() - began:.0f} s",
              flush=True)

    # Figures

    def seconds_without_change(self, outage):
        """The longest time without an acknowledged change, around a failure of the primary, in seconds."""
        later = [other.began for other in self.outages if other.began > outage.began]
        first, last = outage.began - 1, min([outage.began + GAP_SECONDS, *later])
        ends = sorted(call.ended for call in self.cluster.balancer.calls
                      if call.method == "POST" and call.status in (200, 201, 204) and first <= call.ended <= last)
        return max((later - earlier for earlier, later in zip(ends, ends[1:])), default=GAP_SECONDS)

    def report(self):
        totals, calls = self.totals, self.cluster.balancer.calls
        slow = [call for call in calls if call.ended - call.began > SLOW_SECONDS]
        found = collections.Counter(kind_of(fault) for fault in self.faults)
        lines = [
            f"{totals['acknowledged']} acknowledged, {found['lost']} lost; {totals['refused']} refused, "
            f"{totals['lost']} without an answer",
            f"{totals['verifications']} verifications passed, {found['doubled']} doubled",
            f"{totals['messages']} messages and {totals['events']} webhooks, {found['sent twice']} sent twice without a "
            f"reason; {dict(self.repeats)}",
            f"{totals['limits']} times at a limit, {found['overrun']} overrun",
            f"{len(calls)} calls, {len(slow)} longer than {SLOW_SECONDS:g} s, "
            f"the longest {max(call.ended - call.began for call in calls):.1f} s",
            "servers: " + ", ".join(f"{totals[kind]} times {kind}" for kind in ("kill", "pause", "pause_long")),
            *(f"{outage.kind}: promoted after {outage.ended - outage.began:.1f} s, "
              f"{self.seconds_without_change(outage):.1f} s without a change"
              for outage in self.outages if outage.ended)]
        print("\n".join(f"     {line}" for line in lines), flush=True)

    def has_no(self, kind):
        """A scene: no fault is of this kind."""
        def judge():
            found = [fault for fault in self.faults if kind_of(fault) == kind]
            assert not found, "\n     ".join([f"{len(found)}", *sorted(found)[:8]])
        return judge


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--servers", type=int, default=3, help="default %(default)s")
    parser.add_argument("--threads", type=int, default=6, help="load threads (default %(default)s)")
    parser.add_argument("--seconds", type=float, default=30.0, help="of load; 1200 is a full run (default %(default)g)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="replays the choices of a run")
    options = checked_arguments(parser)
    print(f"seed {options.seed}")
    scarce = 1 + int(options.seconds / SCARCE_SECONDS)
    people = 100 + int(3 * options.seconds)
    with LiveCluster(options.binary, options.servers, people, scarce, seed=options.seed) as cluster:
        run = Run(cluster, options)
        results = [scenes.play("servers and the primary fail, and all formats are served", run.play)]
        run.report()
        results += [scenes.play(sentence, run.has_no(kind)) for kind, sentence in KINDS.items()]
        results.append(scenes.play("nothing else is wrong", run.has_no(None)))
        if not all(results):
            print(cluster.last_words())
    scenes.finish(results.count(True), results.count(False))


if __name__ == "__main__":
    main()
