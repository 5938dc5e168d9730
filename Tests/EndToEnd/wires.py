#!/usr/bin/env python3
"""Three servers on one PostgreSQL lose connections, bytes and their clock, under load: nothing acknowledged is lost.

    scripts/end-to-end wires

Each server reaches PostgreSQL by a wire of its own. Wires end at any byte, and carry bytes in one direction only. One
server has a clock that is 30 s ahead, then 30 s behind. Every answer is looked up at each server. The last line is
"N passed, M failed".
"""
import argparse
import contextlib
import random
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import scenes
from cluster import Cluster
from engines import ENGINE
from exchange import Caller
from failover import wait_for
from holdfast import add_server_arguments, checked_arguments
from servers import LOAD_SECONDS, Run

TO_DATABASE, TO_SERVER = "to the database", "to the server"
CUT_BYTES = 20_000  # after which a connection ends at the latest
CUT_SECONDS = 8.0
CUTS = 20  # at least
# A server that hears nothing for 2 s takes a connection for lost, and the others remove it after 5 s.
SILENT_SECONDS = 8.0
SHIFT_SECONDS = 30
NOTICE_SECONDS = 10.0  # in which a server finds that its clock is wrong


class Wire:
    """Carries the connections of one server to PostgreSQL. What is held back in a direction comes late."""

    def __init__(self, port, chance):
        self.port, self.chance = port, chance
        self.is_cutting, self.held, self.cuts = False, set(), 0
        self.released = threading.Condition()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.listener.close()
        self.hold()

    def hold(self, *directions):
        """Carries nothing in these directions, and all in the others."""
        with self.released:
            self.held = set(directions)
            self.released.notify_all()

    def _accept(self):
        with contextlib.suppress(OSError):  # the listener is closed
            while True:
                server, _ = self.listener.accept()
                try:
                    database = socket.create_connection(("127.0.0.1", self.port))
                except OSError:
                    server.close()
                    continue
                ends = {TO_DATABASE: (server, database), TO_SERVER: (database, server)}
                cut = {self.chance.choice((TO_DATABASE, TO_SERVER)): self.chance.randrange(CUT_BYTES)}
                for direction, (source, target) in ends.items():
                    target.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    threading.Thread(
                        target=self._carry, args=(direction, source, target, cut.get(direction)), daemon=True).start()

    def _carry(self, direction, source, target, left):
        """`left`: the byte after which the connection ends, while connections are cut."""
        try:
            while content := source.recv(65_536):
                with self.released:
                    self.released.wait_for(lambda: direction not in self.held)
                if left is not None:
                    if left < len(content) and self.is_cutting:
                        target.sendall(content[:left])
                        self.cuts += 1
                        return
                    left = left - len(content) if left >= len(content) else self.chance.randrange(CUT_BYTES)
                target.sendall(content)
        except OSError:
            pass  # the other direction has ended it
        finally:
            for end in (source, target):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)


class WiredCluster(Cluster):
    """`shifts` are files with the seconds by which the clock of each server is ahead."""

    def __init__(self, binary, config, count, chance):
        self.folder = Path(tempfile.mkdtemp(prefix="holdfast-wires-"))
        shim = self.folder / "shifted_clock.so"
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-O1", "-o", shim, Path(__file__).with_name("shifted_clock.c"), "-ldl"],
            check=True)
        super().__init__(binary, config, count)
        port = int(re.search(r":(\d+)", ENGINE.hosts)[1])
        self.wires = {server: Wire(port, chance) for server in self.servers}
        self.shifts = {server: self.folder / f"clock{place}" for place, server in enumerate(self.servers)}
        for server, file in self.shifts.items():
            file.write_bytes(struct.pack("q", 0))
            server.environment |= {"LD_PRELOAD": str(shim), "SHIFTED_CLOCK": str(file)}

    def settings_of(self, server, database):
        host, port = self.wires[server].address
        url = re.sub(r"@[^/]+/", f"@{host}:{port}/", database["HOLDFAST_DATABASE_URL"])
        return {**database, "HOLDFAST_DATABASE_URL": url}

    def shift(self, server, seconds):
        with open(self.shifts[server], "r+b") as file:
            file.write(struct.pack("q", seconds))

    def close(self):
        super().close()
        for wire in self.wires.values():
            wire.close()
        shutil.rmtree(self.folder)


class Faults(Run):
    def under_load(self, name, act):
        """Acts under load, and looks up every answer. Returns the result of the act."""
        load = self.load(name)
        load.start()
        try:
            time.sleep(LOAD_SECONDS)
            before = load.answers()
            note = act()
            wait_for("answer meanwhile", lambda: load.answers() > before)
            self.start_ended()
            time.sleep(LOAD_SECONDS)
        finally:
            load.end()
        self.start_ended()
        self.check(load)
        return note

    def start_ended(self):
        """Starts servers again that have ended because the others had removed them."""
        for server in self.cluster.servers:
            if server.process.poll() is not None:
                assert server.process.returncode == 1, server.last_words()
                server.start()

    def cut(self):
        def act():
            wires = self.cluster.wires.values()
            for wire in wires:
                wire.is_cutting = True
            time.sleep(CUT_SECONDS)
            wait_for(f"{CUTS} cuts", lambda: sum(wire.cuts for wire in wires) >= CUTS)
            for wire in wires:
                wire.is_cutting = False
            return f"{sum(wire.cuts for wire in wires)} connections"
        return self.under_load("cut", act)

    def silence(self, direction):
        def act():
            server = self.chance.choice(self.cluster.servers)
            wire = self.cluster.wires[server]
            wire.hold(direction)
            try:
                time.sleep(SILENT_SECONDS)
                wait_for("removal of a silent server", lambda: self.cluster.places() < len(self.cluster.servers))
            finally:
                wire.hold()
            self.wait_until(lambda: server.process.poll() is not None, "a removed server does not end")
        return self.under_load(f"silence {direction}", act)

    def wrong_clock(self, seconds):
        def act():
            server = self.chance.choice(self.cluster.servers)
            self.cluster.shift(server, seconds)
            try:
                wait_for("answer that the clock is wrong", lambda: "clocks" in reason(server), NOTICE_SECONDS)
                time.sleep(LOAD_SECONDS)
                assert "clocks" in reason(server), reason(server)
                others = [self.cluster.balancer.ready[other] for other in self.cluster.servers if other is not server]
                assert all(others), others
            finally:
                self.cluster.shift(server, 0)
            wait_for("ready server with the right clock", lambda: reason(server) == "", NOTICE_SECONDS)
        return self.under_load(f"clock {seconds}", act)


def reason(server):
    """Why it is not ready; empty: it is."""
    caller = Caller(server.base_url)
    try:
        answer = caller.call("GET", "/readyz")
        return "" if answer.status == 200 else answer.body.decode()
    finally:
        caller.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--servers", type=int, default=3, help="default %(default)s")
    parser.add_argument("--threads", type=int, default=6, help="load threads (default %(default)s)")
    parser.add_argument("--only", default="", help="scenes whose name has this text")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="replays the choices of a run")
    options = checked_arguments(parser)
    print(f"seed {options.seed}")
    with WiredCluster(options.binary, options.config, options.servers, random.Random(options.seed)) as cluster:
        faults = Faults(cluster, options)
        played = {
            "connections end at any byte, and nothing acknowledged is lost": faults.cut,
            "one server's bytes do not reach the database, and nothing acknowledged is lost":
                lambda: faults.silence(TO_DATABASE),
            "the database's bytes do not reach one server, and nothing acknowledged is lost":
                lambda: faults.silence(TO_SERVER),
            "a server whose clock is ahead gets no calls": lambda: faults.wrong_clock(SHIFT_SECONDS),
            "a server whose clock is behind gets no calls": lambda: faults.wrong_clock(-SHIFT_SECONDS)}
        results = [scenes.play(name, scene) for name, scene in played.items() if options.only in name]
        if not all(results):
            print(cluster.last_words())
    scenes.finish(results.count(True), results.count(False))


if __name__ == "__main__":
    main()
