"""Debian's Patroni under test: members that agree by one etcd which of them is the leader, on loopback.

There is no watchdog: it needs a device of the kernel, and would restart the machine. So a leader that was paused with
its agent takes itself for the leader until its agent continues, too.

The agents use the API v2 of etcd. With v3, an agent of Patroni 3.0.2 (Debian 12) that continues after a pause may take
the lock from the new leader. Patroni then removes what the new leader has acknowledged (patroni/patroni, pull request
2689).
"""
import json
import os
import shutil
import subprocess
import time
import urllib.request

from ports import free_port
from postgres import (
    ENCODING, SUPERUSER, Cluster, await_end, command_lines, descendants, identity_in, send, send_to_instance)

REPLICATOR = "replicator"
START_SECONDS = 180.0
POLL_SECONDS = 0.1
ANSWER_SECONDS = 5.0  # of an agent; a paused one gives none
SWITCHOVER_SECONDS = 30.0
# The least that Patroni's manual allows. Without an agent, a leader loses its place after this time.
LEASE_SECONDS = 20
ROUND_SECONDS = 2  # between two looks of an agent
# A leader steps down if etcd does not answer for this time. Twice this time and a round make a lease.
RETRY_SECONDS = 9


def is_installed():
    return all(shutil.which(program, path=os.defpath) for program in ("patroni", "etcd"))


class Member:
    """One PostgreSQL and the agent that starts, promotes and demotes it. Any process finds both by their files."""

    def __init__(self, directory, name):
        self.name, self.file = name, directory / f"{name}.json"
        self.data, self.log = directory / name, directory / f"{name}.log"
        self.identity, self.process = identity_in(directory), None
        settings = json.loads(self.file.read_text())
        self.host = settings["postgresql"]["connect_address"]
        self.port = int(self.host.rpartition(":")[2])
        self.api = f"http://{settings['restapi']['connect_address']}"

    def start(self):
        """Starts the agent, which starts PostgreSQL."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                ["patroni", self.file], stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self.identity)

    def send_to_agent(self, number):
        send(number, processes_with(self.file))

    def send_to_postgres(self, number):
        send_to_instance(self.data, number)

    def send(self, number):
        """Sends a signal to the agent and to PostgreSQL. The agent cannot react to the end of PostgreSQL."""
        self.send_to_agent(number)
        self.send_to_postgres(number)

    def named(self, role):
        """The name of the `leader` or of the `sync_standby`; `None`: there is none, or the agent does not answer."""
        try:
            members = json.loads(self._ask("/cluster"))["members"]
        except OSError:
            return None
        return next((member["name"] for member in members if member["role"] == role), None)

    def switch_over(self):
        """Asks the leader to make its synchronous standby the leader. Returns when that is done."""
        self._ask("/switchover", json.dumps({"leader": self.name}).encode(), SWITCHOVER_SECONDS)

    def _ask(self, path, body=None, seconds=ANSWER_SECONDS):
        with urllib.request.urlopen(self.api + path, body, seconds) as answer:
            return answer.read()


def members_in(directory):
    return [Member(directory, file.stem) for file in sorted(directory.glob("member*.json"))]


def processes_with(path):
    """The process IDs of the programs that were started with this path, or with one below it."""
    word = bytes(path)
    return {process for process, words in command_lines().items()
            if any(other == word or other.startswith(word + b"/") for other in words)}


class PatroniCluster(Cluster):
    """A leader with its replicas. A commit waits for the replica that Patroni has chosen, also while there is none."""

    def __init__(self, replicas, is_fast=False):
        super().__init__(is_fast=is_fast)
        self.passwords[REPLICATOR] = self.passwords[SUPERUSER]
        self.etcd, self.etcd_port = None, free_port()
        for number in range(replicas + 1):
            self._write_settings(f"member{number + 1}")
        self.primary, *self.standbys = members_in(self.directory)

    def _write_settings(self, name):
        address = f"127.0.0.1:{free_port()}"
        api = f"127.0.0.1:{free_port()}"
        settings = {
            "scope": "holdfast", "namespace": "/holdfast/", "name": name,
            "restapi": {"listen": api, "connect_address": api},
            "etcd": {"host": f"127.0.0.1:{self.etcd_port}"},
            "bootstrap": {
                "dcs": {
                    "ttl": LEASE_SECONDS, "loop_wait": ROUND_SECONDS, "retry_timeout": RETRY_SECONDS,
                    "synchronous_mode": True, "synchronous_mode_strict": True,
                    "postgresql": {
                        "use_pg_rewind": True, "remove_data_directory_on_rewind_failure": True,
                        "remove_data_directory_on_diverged_timelines": True, "parameters": self.settings,
                    },
                },
                "initdb": [{name: value} for name, value in ENCODING.items()] + ["data-checksums", "no-sync"],
            },
            "postgresql": {
                "listen": address, "connect_address": address, "data_dir": str(self.directory / name),
                "bin_dir": str(self.programs), "pgpass": str(self.directory / f"{name}.pgpass"),
                "authentication": {
                    "superuser": {"username": SUPERUSER, "password": self.passwords[SUPERUSER]},
                    "replication": {"username": REPLICATOR, "password": self.passwords[REPLICATOR]},
                },
                "pg_hba": [f"host {databases} all 127.0.0.1/32 scram-sha-256" for databases in ("all", "replication")],
                "basebackup": [{"checkpoint": "fast"}, "no-sync"],
            },
            "watchdog": {"mode": "off"},
        }
        file = self.directory / f"{name}.json"
        file.touch(mode=0o600)
        file.write_text(json.dumps(settings, indent=2))
        if "user" in self.identity:
            os.chown(file, self.identity["user"], self.identity["group"])

    def _start(self):
        client, peer = (f"http://127.0.0.1:{port}" for port in (self.etcd_port, free_port()))
        with open(self.directory / "etcd.log", "ab") as log:
            self.etcd = subprocess.Popen(
                ["etcd", "--enable-v2", "--name", "etcd", "--data-dir", self.directory / "etcd",
                 "--initial-cluster", f"etcd={peer}", "--listen-client-urls", client, "--advertise-client-urls", client,
                 "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self.identity)
        self.primary.start()
        self._await("leader", lambda: self.primary.named("leader") == self.primary.name)
        for replica in self.standbys:
            replica.start()
        self._await_standbys()
        self._create_database()

    def _await_standbys(self):
        question = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
        self._await("replica", lambda: self.query(question, database="postgres") == [str(len(self.standbys))])
        self._await("synchronous standby", lambda: self.primary.named("sync_standby"))

    def _await(self, what, condition):
        deadline = time.monotonic() + START_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise RuntimeError(f"Patroni has no {what}:\n{self.primary.log.read_text()[-2000:]}")
            time.sleep(POLL_SECONDS)

    def close(self):
        # The agents first: they would start PostgreSQL again.
        agents = set().union(*(processes_with(member.file) for member in (self.primary, *self.standbys)))
        await_end(agents | descendants(agents) | processes_with(self.directory / "etcd"), seconds=0)
        if self.etcd is not None:
            self.etcd.wait()
        super().close()
