#!/usr/bin/env python3
"""Runs the services of deploy/postgres without a container engine, and takes parts of it away while callers call.

Servers are killed, stopped one after the other and paused; the primary changes with the scripts of the folder. It
measures what callers notice, and asks for all that was acknowledged at the end. Needs root; where this machine allows
no namespaces, it says so and ends with status 0.
"""
import argparse
import json
import signal
import time
from concurrent.futures import ThreadPoolExecutor

from engine import Engine
from namespaces import enter, ip
from traffic import CALLERS, Caller, Place, Traffic, answered_calls, succeeds, wait_until

SERVERS = ("holdfast-1", "holdfast-2", "holdfast-3")
# A balancer's view of a server that is silent, and some time for a busy machine.
NOTICE_SECONDS = 5.0


class Walk:
    def __init__(self, engine):
        self.engine = engine
        self.primary = "primary"

    def say(self, step, figures):
        print(f"{time.monotonic() - self.began:6.1f} s  {step}: {figures}", flush=True)

    def servers(self):
        """How many servers the database has."""
        query = ("psql", "-XqAt", "-U", "postgres", "holdfast", "-c", "SELECT count(*) FROM servers")
        return int(self.engine.docker("exec", "-T", self.primary, *query))

    def requests(self, name):
        """The log lines of calls that a server has answered."""
        return answered_calls(self.engine.containers[name].log)

    def wait_until_served_by(self, name):
        before = len(self.requests(name))
        wait_until(lambda: len(self.requests(name)) > before, f"{name} gets no calls")

    # Steps

    def run(self):
        self.began = time.monotonic()
        self.engine.prepare()
        self.engine.up()
        self.say("start", f"{len(self.engine.containers)} services, {self.servers()} servers in the database")
        self.call()
        try:
            for step in (self.spread, self.kill, self.roll, self.pause, self.promote, self.alone):
                step()
        finally:
            self.traffic.end()
        self.look_up()
        self.stop()

    def call(self):
        client = json.loads(self.engine.docker(
            "exec", "-T", "holdfast-2", "holdfast", "clients", "add", "walk", "--json", "--no-mobile-auth",
            "--calling-code", "US", "--requests-per-second", "0"))
        for address in CALLERS:
            ip("address", "add", f"{address}/32", "dev", self.engine.networks["public"].bridge)
        settings = dict(line.split("=", 1) for line in (self.engine.copy / ".env").read_text().splitlines())
        place = Place(
            settings["HOLDFAST_NAME"], int(settings["HOLDFAST_PORT"]), lambda: self.engine.address("balancer"),
            self.engine.copy / "secrets" / "ca.pem")
        self.callers = [
            Caller(place, address, number % 2 == 1, "walk", client["secret"]) for number, address in enumerate(CALLERS)]
        wait_until(lambda: all([succeeds(caller.log_in) for caller in self.callers]), "the callers are not logged in")
        wait_until(
            lambda: succeeds(self.callers[0].log_in) and all(self.requests(name) for name in SERVERS),
            "a server gets no calls")
        self.traffic = Traffic(self.callers)

    def spread(self):
        moment, before = time.monotonic(), [len(self.requests(name)) for name in SERVERS]
        wait_until(lambda: len(self.traffic.since(moment).calls) > 100, "callers wait")
        figures = self.traffic.since(moment)
        figures.assert_none_failed()
        counts = [len(self.requests(name)) - number for name, number in zip(SERVERS, before)]
        assert min(counts) * 2 > max(counts), f"calls of the servers: {counts}"
        peers = {line["peer"] for name in SERVERS for line in self.requests(name)}
        assert peers == {*CALLERS}, f"the servers see calls from {peers}"
        self.say("spread", f"{figures}; calls of the servers {counts}, from the callers' own {len(peers)} addresses")

    def kill(self):
        container, moment = self.engine.containers["holdfast-1"], time.monotonic()
        container.signal(signal.SIGKILL)
        self.wait_until_served_by("holdfast-1")
        figures = self.traffic.since(moment)
        assert container.starts == 2, container.starts
        assert figures.last_failure < NOTICE_SECONDS, figures
        self.say("SIGKILL", f"{figures}; it serves again after {time.monotonic() - moment:.1f} s")

    def roll(self):
        moment = time.monotonic()
        for name in SERVERS:
            status = self.engine.containers[name].stop()
            assert status == 0, f"{name} ended with {status} after SIGTERM"
            self.engine.docker("up", "-d", "--no-deps", "--wait", name)
            self.wait_until_served_by(name)
        figures = self.traffic.since(moment)
        figures.assert_none_failed()
        self.say("SIGTERM to each in turn", figures)

    def pause(self):
        container, moment = self.engine.containers["holdfast-2"], time.monotonic()
        starts = container.starts
        container.signal(signal.SIGSTOP)
        try:
            wait_until(lambda: self.servers() == 2, "the silent server is not removed")
        finally:
            container.signal(signal.SIGCONT)
        removed = time.monotonic() - moment
        wait_until(lambda: container.starts > starts, "the removed server does not end")
        assert container.last_status == 1, container.last_status
        self.wait_until_served_by("holdfast-2")
        figures = self.traffic.since(moment)
        assert figures.last_failure < NOTICE_SECONDS, figures
        self.say(
            "SIGSTOP",
            f"{figures}, the last failure after {figures.last_failure:.1f} s; removed after {removed:.1f} s, "
            f"it serves again after {time.monotonic() - moment:.1f} s")

    def promote(self):
        moment = time.monotonic()
        self.engine.script("promote", "standby")
        self.primary = "standby"
        promoted = time.monotonic()
        self.engine.script("rejoin", "primary")
        rejoined = time.monotonic()
        self.wait_until_answered()
        self.say(
            "promote standby, rejoin primary",
            f"{self.traffic.since(moment)}; promoted after {promoted - moment:.1f} s, "
            f"a standby again {rejoined - promoted:.1f} s later")

    def alone(self):
        """The standby is lost, and later there is another one."""
        moment = time.monotonic()
        self.engine.docker("stop", "primary")
        self.engine.script("alone")
        self.wait_until_answered()
        self.say("the standby is away, alone", self.traffic.since(moment))
        moment = time.monotonic()
        self.engine.script("rejoin", "primary")
        figures = self.traffic.since(moment)
        figures.assert_none_failed()
        self.say("rejoin primary", figures)

    def wait_until_answered(self):
        moment = time.monotonic()

        def answered():
            return [call for call in self.traffic.since(moment).calls if call.began > moment and not call.fault]

        wait_until(lambda: len(answered()) > len(CALLERS), "calls are not answered")

    def look_up(self):
        """Each session that a caller has begun is there."""

        def find_all(caller):
            for session in caller.sessions:
                wait_until(lambda: succeeds(lambda: caller.ask(session)), f"{session} is not found")
            return len(caller.sessions)

        with ThreadPoolExecutor(len(self.callers)) as pool:
            self.say("acknowledged sessions", f"{sum(pool.map(find_all, self.callers))}, 0 lost")

    def stop(self):
        for name in SERVERS:
            status = self.engine.containers[name].stop()
            assert status == 0, f"{name} ended with {status} after SIGTERM"
        self.say("SIGTERM", "the servers ended with 0")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--compose", required=True, help="the docker-compose to read the file with")
    options = parser.parse_args()
    enter("cluster walk")
    with Engine("postgres", options.binary, options.compose) as engine:
        Walk(engine).run()


main()
