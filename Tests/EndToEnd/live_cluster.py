"""Several servers in live mode on one PostgreSQL. Their messages and webhooks come to receivers of the test.

    with LiveCluster(binary, 3) as cluster:
        site = LiveSite(cluster)
        number = site.number()
        ...
        code = site.code_to(number)
"""
import base64
import collections
import itertools
import json
import os
import random
import secrets
import shlex
import shutil
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import encryption
from activations import application
from camara import Provider
from cluster import Cluster
from holdfast import Platform
from hooks import secrets as hook_secrets
from live_settings import WIDE_LIMITS, own_endpoint
from receiver import Receiver
from world import Site

CLIENT = "acme"
CROWD_THREADS = 48  # for calls at one moment
CODE_SECONDS = 3.0  # how long a person waits for a code
HANG_UP_SHARE = 0.02  # of the messages that the gateway takes without an answer
AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
POLL_SECONDS = 0.01
RULES = ("--no-mobile-auth", "--calling-code", "1")

SCARCE_SECONDS = 15.0  # until the next client with a budget spends

ANSWER_SECONDS = 5.0  # a server waits at least twice as long


class Arrival:
    """A request to a receiver."""

    def __init__(self, told):
        self.told, self.id, self.at, self.body = told, told.id, told.at, told.json

    @property
    def is_answered(self):
        """In time, as far as the receiver knows."""
        return self.told.answered_at is not None and self.told.answered_at - self.at < ANSWER_SECONDS


class Arrivals:
    """The requests to a receiver, by the id of the message or event."""

    def __init__(self, hang_up_share=0.0, seed=None, **options):
        self.by_id, self.lock = collections.defaultdict(list), threading.Lock()
        self.share, self.chance = hang_up_share, random.Random(seed)
        self.receiver = Receiver(self._take, **options)

    def _take(self, told, count):
        with self.lock:
            arrival = Arrival(told)
            self.by_id[told.id].append(arrival)
            self.note(arrival)
            self.receiver.requests.clear()  # a long run has no use for them
            hangs_up = self.chance.random() < self.share
        return None if hangs_up else (200, {"Content-Type": "application/json"}, b"{}")

    def note(self, arrival):
        pass

    def all(self):
        with self.lock:
            return {name: list(arrivals) for name, arrivals in self.by_id.items()}

    def close(self):
        self.receiver.close()


class Gateway(Arrivals):
    """The operator's own endpoint, which takes all messages."""

    def __init__(self, **options):
        self.to = collections.defaultdict(dict)
        super().__init__(**options)

    def note(self, arrival):
        message = arrival.body["data"]
        self.to[message["to"]].setdefault(arrival.id, message)

    def messages_to(self, number):
        """The messages to a number, by their ids."""
        with self.lock:
            return dict(self.to.get(international(number), {}))


class LiveCluster(Cluster):
    """- people: how many may be onboarded, each once.
    - scarce: how many API clients may send only `budget` messages a day. They spend them one after the other.
    """

    client, form, budget = CLIENT, "3.3", 2

    def __init__(self, binary, count, people=200, scarce=1, environment=None, seed=None):
        self.folder = Path(tempfile.mkdtemp(prefix="holdfast-live-"))
        self.people_left = iter(range(people))
        self.scarce, self.began = [(f"scarce-{place}", None) for place in range(scarce)], 0.0
        self.crowds, self.local = ThreadPoolExecutor(CROWD_THREADS), threading.local()
        self.gateway = Gateway(hang_up_share=HANG_UP_SHARE, seed=seed)
        self.events = Arrivals(certificate=encryption.server_certificate("receiver of the tests"))
        self.people, self.drawn = people, itertools.count()
        super().__init__(self.trusting(binary), self._configuration(), count, environment)

    def trusting(self, binary):
        """A program that runs the server where the machine's authorities include that of the tests: a live server calls
        only receivers with a certificate that the machine trusts, and no setting changes that."""
        authorities = self.folder / "authorities.pem"
        authorities.write_bytes(AUTHORITIES.read_bytes() + encryption.authority_text())
        program = self.folder / f"holdfast-{secrets.token_hex(4)}"
        enter = "unshare --mount" if os.geteuid() == 0 else "unshare --map-root-user --mount"
        mount = f"mount --bind {shlex.quote(str(authorities))} {AUTHORITIES} && exec \"$0\" \"$@\""
        words = f"{enter} sh -c {shlex.quote(mount)} {shlex.quote(str(Path(binary).resolve()))}"
        program.write_text(f"#!/bin/sh\nexec {words} \"$@\"\n")
        program.chmod(0o700)
        return program

    def _configuration(self):
        secret = self.folder / "gateway.secret"
        secret.touch(mode=0o600)
        secret.write_text("whsec_" + base64.b64encode(secrets.token_bytes(32)).decode())
        routes = self.folder / "routes.json"
        routes.write_text(json.dumps({
            "gateways": {"own": own_endpoint(self.gateway.receiver.url, secret)},
            "routes": [{"gateways": ["own"], "sender": "Acme"}]}))
        file = self.folder / "live.json"
        file.write_text(json.dumps({
            "mode": "live",
            # Probes are on the public port, where the balancer asks for them.
            "server": {"operationsPort": 0, "drainNoticeSeconds": 1, "drainSeconds": 2},
            "messaging": {"routesFile": str(routes)},
            "identity": {"keys": ["clientNumber"]},
            "webhooks": {"allowedNetworks": "127.0.0.1", "ports": str(self.events.receiver.port)},
            "limits": {**WIDE_LIMITS, "startsPerPersonPerDay": 0, "auditedCallsPerMinute": 0}}))
        return file

    def __enter__(self):
        super().__enter__()
        try:
            self._add_clients()
            self.began = time.monotonic()
            return self
        except BaseException:
            self.close()
            raise

    def _add_clients(self):
        self.secret = self._added(CLIENT)
        key = json.loads(self.command("clients", "keys", "add", CLIENT, "--json"))
        self.api_key = next(value for value in key.values() if str(value).startswith("hf_live_"))
        self.command("clients", "app-keys", "add", CLIENT)
        self.hook_secret, self.signing_secret = hook_secrets(Backend(self), CLIENT)
        self.application = application(Backend(self), CLIENT)
        self.provider = Provider(Backend(self), None, *RULES)
        self.scarce = [(name, self._added(name, "--budget-per-day", str(self.budget))) for name, _ in self.scarce]
        for client in (CLIENT, self.provider.name):
            self.command(
                "webhooks", "add", "--client", client, "--url", self.events.receiver.url, "--types", "session.*")
        people = self.folder / "people.csv"
        people.write_text("phoneNumber,firstName,lastName,credentials.clientNumber\n" + "".join(
            f"{number_of_person(person)},Ada,Example,{person}\n" for person in range(self.people)))
        self.command("people", "import", str(people))

    def of_thread(self, kind):
        """An object of this kind for the calling thread: connections are for one thread."""
        found = self.local.__dict__.setdefault("found", {})
        if kind not in found:
            found[kind] = kind(self)
        return found[kind]

    def scarce_now(self):
        """The place of the client with a budget that spends now."""
        return int((time.monotonic() - self.began) / SCARCE_SECONDS) % len(self.scarce)

    def _added(self, name, *rules):
        return json.loads(self.command("clients", "add", name, "--json", *RULES, *rules))["secret"]

    def close(self):
        super().close()
        self.gateway.close()
        self.events.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Backend:
    """The part of a site that callers of a surface use."""

    def __init__(self, server):
        self.server, self.callers, self.secrets = server, [], set()


class LiveSite(Site):
    """A backend of the cluster. Each number is used once."""

    wrong = "000000"

    def __init__(self, cluster):
        self.server, self.callers, self.secrets = cluster, [], set()
        self.platform = self.new_platform()

    def new_platform(self, client_id=CLIENT):
        return self._with_token(Platform(self.server.base_url, client_id, self.server.secret))

    def number(self):
        return f"+1201{300 + (number := next(self.server.drawn)) // 10_000 % 600}{number % 10_000:04}"

    def person(self):
        """Credentials and number of a person who was not onboarded before."""
        person = next(self.server.people_left)
        return {"clientNumber": str(person)}, number_of_person(person)

    def code_to(self, number):
        deadline = time.monotonic() + CODE_SECONDS
        while time.monotonic() < deadline:
            for message in self.server.gateway.messages_to(number).values():
                return message["code"]
            time.sleep(POLL_SECONDS)
        raise LookupError(f"no code within {CODE_SECONDS:g} s")


def number_of_person(person):
    return f"+1202{300 + person // 10_000}{person % 10_000:04}"


def international(number):
    return number if number.startswith("+") else f"+1{number}"
