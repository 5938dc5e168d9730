#!/usr/bin/env python3
"""Kills or stops the primary of a PostgreSQL pair under load and promotes its standby: nothing that was acknowledged is lost.

    scripts/end-to-end failover failover-silent

The server continues on the new primary, and every answer that it gave is looked up. In the end the former primary runs again
beside the new one, and the server must not use it, also after a restart. The last line is "N passed, M failed".
"""
import argparse
import random
import re
import shutil
import signal
import socket
import subprocess
import time

import crash
import scenes
from engines import ENGINE
from holdfast import Lost, Server, add_server_arguments, checked_arguments
from postgres import SUPERUSER, identity_in, send_to_instance
from world import LORANT, Site

LOAD_SECONDS = 1.5  # before the primary fails, and after the server continues
PATIENCE_SECONDS = 60.0


class Load(crash.Load):
    """Stories on several threads, which go on when calls are refused."""

    refused = 0

    def _run(self, chance):
        site = Site(self.server)
        while not self.is_over.is_set():
            story = chance.choice(self.kinds)()
            story.began = time.monotonic()
            with self.lock:
                self.played.append(story)
            try:
                story.play(site)
            except AssertionError as error:
                # 503: nothing was changed. 500: the server could not find out whether the change is stored.
                if not re.search(r"\b50[03]\b", str(error)):
                    with self.lock:
                        self.faults.append(f"{type(story).__name__}: {error}")
                self._refuse()
            except Lost as error:
                with self.lock:
                    self.faults.append(f"{type(story).__name__}: {error}")
            story.reconnect()

    def _refuse(self):
        with self.lock:
            self.refused += 1
        self.is_over.wait(0.02)


class Pair:
    """The two instances of scripts/with-postgres. `primary` changes with each promotion."""

    def __init__(self):
        folder = ENGINE.cluster.parent
        self.primary, self.standby = folder / "primary", folder / "standby1"
        self.identity = identity_in(folder)

    def promote(self):
        subprocess.run([ENGINE.programs / "pg_ctl", "promote", "-w", "-D", self.standby], check=True, stdout=subprocess.DEVNULL,
                       **self.identity)
        self.primary, self.standby = self.standby, self.primary

    def rejoin(self, failure):
        """Makes the former primary a standby of the new one, by a copy, and lets commits wait for it."""
        if failure == signal.SIGSTOP:
            send_to_instance(self.standby, signal.SIGKILL)
        former, leader = self.standby, port_of(self.primary)
        port = port_of(former)
        wait_for("end of the former primary", lambda: not is_listening(port))
        shutil.rmtree(former)
        password = re.search(r":([^:@]+)@", ENGINE.superuser)[1]
        subprocess.run(
            [ENGINE.programs / "pg_basebackup", "-D", former, "-R", "-C", "-S", former.name, "-c", "fast", "--no-sync",
             "-d", f"host=127.0.0.1 port={leader} user={SUPERUSER} password={password} application_name={former.name}"],
            check=True, capture_output=True, **self.identity)
        with open(former / "postgresql.conf", "a") as file:
            file.write(f"port = '{port}'\n")
        start_instance(former)
        streams = ("SELECT count(*) FROM pg_stat_replication"
                   f" WHERE application_name = '{former.name}' AND state = 'streaming'")
        wait_for("standby", lambda: ENGINE.query(streams) == ["1"])
        ENGINE.query(f"ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (\"{former.name}\")'")
        ENGINE.query("SELECT pg_reload_conf()")
        wait_for("synchronous standby", lambda: ENGINE.query(f"{streams} AND sync_state = 'quorum'") == ["1"])

    def start_former_primary(self, failure):
        if failure == signal.SIGSTOP:
            send_to_instance(self.standby, signal.SIGCONT)
            return
        (self.standby / "postmaster.pid").unlink(missing_ok=True)
        start_instance(self.standby)


def start_instance(data):
    """Starts an instance of scripts/with-postgres again."""
    with open(data.parent / "former.log", "ab") as log:
        subprocess.Popen([ENGINE.programs / "postgres", "-D", data], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                         **identity_in(data.parent))


def port_of(data):
    """The port of an instance: the last one of its settings counts."""
    return int(re.findall(r"^port = '(\d+)'", (data / "postgresql.conf").read_text(), re.M)[-1])


def is_listening(port):
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


def wait_for(what, condition, seconds=PATIENCE_SECONDS, pause=0.02):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"no {what} within {seconds:g} s"
        time.sleep(pause)


def takes_changes(server):
    try:
        Site(server).unify(LORANT)
        return True
    except (AssertionError, Lost):
        return False


def fails_over(server, pair, options, failure, seed):
    """The number of acknowledged answers that were looked up."""
    load = Load(server, options.threads, seed)
    load.start()
    time.sleep(LOAD_SECONDS)
    send_to_instance(pair.primary, failure)
    began = time.monotonic()
    pair.promote()
    promoted = time.monotonic()
    wait_for("change on the new primary", lambda: takes_changes(server))
    gap = time.monotonic() - began
    time.sleep(LOAD_SECONDS)
    load.end()
    faults = load.faults + crash.check_all(server, load.played)
    assert not faults, faults[:5]
    answers = sum(story.acknowledged for story in load.played)
    assert answers > 50, f"only {answers} answers before and after"
    print(f"     {answers} acknowledged, 0 lost; {load.refused} refused; promoted after {promoted - began:.2f} s, "
          f"changes again after {gap:.2f} s", flush=True)


def the_former_primary_is_not_used(server, pair, failure):
    began = time.time()
    pair.start_former_primary(failure)
    former = pair.standby
    wait_for("former primary", lambda: (former / "postmaster.pid").exists() and "ready" in (former / "postmaster.pid").read_text())
    _, after = ENGINE.hosts.split(",")
    # Without its connections the server asks both, the former primary first.
    ENGINE.query(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{ENGINE.role}'", hosts=after)
    wait_for("change after lost connections", lambda: takes_changes(server))
    uses_new_primary_alone(began)
    server.stop()
    server.start()
    wait_for("change after a restart", lambda: takes_changes(server))
    uses_new_primary_alone(began)


def uses_new_primary_alone(since):
    # Processes of a primary that was stopped may still wait for its standby, for clients that are gone.
    before, after = ENGINE.hosts.split(",")
    connections = {
        host: int(ENGINE.query(f"SELECT count(*) FROM pg_stat_activity WHERE usename = '{ENGINE.role}'"
                               f" AND backend_start > to_timestamp({since})", hosts=host)[0])
        for host in (before, after)}
    assert connections[before] == 0 and connections[after] > 0, connections


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--threads", type=int, default=6, help="load threads (default %(default)s)")
    parser.add_argument("--silent", action="store_true", help="stop the primary's processes instead of killing them")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="replays the choices of a run")
    options = checked_arguments(parser)
    print(f"seed {options.seed}")
    failure = signal.SIGSTOP if options.silent else signal.SIGKILL
    pair = Pair()
    with Server(options.binary, options.config) as server:
        results = [
            scenes.play(f"the primary gets {failure.name}, and nothing acknowledged is lost",
                        lambda: fails_over(server, pair, options, failure, f"{options.seed}/1")),
            scenes.play("the former primary is not used",
                        lambda: the_former_primary_is_not_used(server, pair, failure)),
        ]
        if not all(results):
            print(server.last_words())
    scenes.finish(results.count(True), results.count(False))


if __name__ == "__main__":
    main()
