"""Callers that call all the time through a balancer, and count what they notice of what happens behind it."""
import collections
import http.client
import itertools
import json
import socket
import ssl
import threading
import time
import uuid
from urllib.parse import urlencode

# Their addresses, from the range for documents.
CALLERS = [f"203.0.113.{number}" for number in range(1, 7)]
CALLS_A_SECOND = 10  # of one caller
PATIENCE_SECONDS = 15.0
EVENT_SECONDS = 60.0  # until what a walk waits for is there
# A server that ends closes connections that were silent for longer than a second, perhaps as the next call leaves.
IDLE_SECONDS = 0.8

Call = collections.namedtuple("Call", "began ended fault")


class Refused(Exception):
    """An answer other than 200."""


def wait_until(condition, otherwise):
    deadline = time.monotonic() + EVENT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"{otherwise} within {EVENT_SECONDS:g} s"
        time.sleep(0.1)


def succeeds(call):
    """Whether a call is answered. If it is not, or the server is busy or not ready, the caller makes it again."""
    try:
        call()
        return True
    except (OSError, http.client.HTTPException):
        return False
    except Refused as refusal:
        if " 503 " not in str(refusal):
            raise
        return False


def answered_calls(log):
    """The lines of a server's log about calls that it has answered."""
    lines = log.read_text(errors="replace").splitlines()
    read = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
    return [line for line in read if line.get("message") == "request" and line["route"] != "/readyz"]


class Connection(http.client.HTTPSConnection):
    """To the address of the balancer, with the public name, and from an address of the caller's own."""

    def __init__(self, place, source):
        super().__init__(place.name, place.port, timeout=PATIENCE_SECONDS, context=place.trust)
        self.place, self.source, self.address = place, source, None

    def connect(self):
        self.address = self.place.address()
        plain = socket.create_connection((self.address, self.port), self.timeout, (self.source, 0))
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = self._context.wrap_socket(plain, server_hostname=self.host)


class Place:
    """- address: returns where the balancer is.
    - authority: the file of the authority that issued the server's certificate.
    """

    def __init__(self, name, port, address, authority):
        self.name, self.port, self.address = name, port, address
        self.trust = ssl.create_default_context(cafile=authority)


class Caller:
    """A backend. It begins sessions, and asks for earlier ones: an answer is true later, at each server.

    - keeps: whether its connection stays open between calls.
    """

    numbers = itertools.count(2065550000)

    def __init__(self, place, source, keeps, client, secret):
        self.place, self.source, self.keeps = place, source, keeps
        self.client, self.secret = client, secret
        self.connection = self.token = None
        self.used = 0.0
        self.calls, self.sessions = [], []

    def log_in(self):
        self.token = None
        form = urlencode({"grant_type": "client_credentials", "client_id": self.client, "client_secret": self.secret})
        answer = self.exchange("/token", form, "application/x-www-form-urlencoded")
        self.token = answer["access_token"]

    def exchange(self, path, body, kind):
        if self.connection and self.connection.address != self.place.address():
            self.leave()
        if time.monotonic() - self.used > IDLE_SECONDS:
            self.leave()
        if self.connection is None:
            self.connection = Connection(self.place, self.source)
        try:
            headers = {"Content-Type": kind} | ({"Authorization": f"Bearer {self.token}"} if self.token else {})
            self.connection.request("POST", path, body, headers)
            response = self.connection.getresponse()
            content = response.read()
            if response.status != 200:
                raise Refused(f"{path} answers {response.status} {content.decode()}")
        except BaseException:
            self.leave()
            raise
        self.used = time.monotonic()
        if not self.keeps:
            self.leave()
        return json.loads(content)

    def leave(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def begin(self):
        session = self.exchange("/v3/unify", json.dumps({
            "possessionType": "mobile", "clientRequestId": str(uuid.uuid4()),
            "phoneNumber": f"+1{next(self.numbers)}"}), "application/json")
        self.sessions.append(session["correlationId"])

    def ask(self, session):
        answer = self.exchange("/v3/unify-status", json.dumps({"correlationId": session}), "application/json")
        if answer["success"] != "pending":
            raise Refused(f"/v3/unify-status answers {answer}")

    def run(self, is_over):
        due = time.monotonic()
        while not is_over.wait(max(0, due - time.monotonic())):
            began, fault = time.monotonic(), None
            due, silent = began + 1 / CALLS_A_SECOND, began - self.used if self.connection else None
            try:
                if len(self.calls) % 2 == 0:
                    self.begin()
                elif self.sessions:
                    self.ask(self.sessions[-1])
            except (OSError, http.client.HTTPException, Refused) as error:
                fault = f"{type(error).__name__}: {error}"
                if silent is not None:
                    fault += f", on a connection that was silent for {silent:.1f} s"
            self.calls.append(Call(began, time.monotonic(), fault))


class Traffic:
    def __init__(self, callers):
        self.callers, self.is_over = callers, threading.Event()
        self.threads = [threading.Thread(target=caller.run, args=(self.is_over,), daemon=True) for caller in callers]
        for thread in self.threads:
            thread.start()

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def since(self, moment):
        return Figures([call for caller in self.callers for call in list(caller.calls) if call.ended >= moment], moment)


class Figures:
    """What callers noticed since a moment."""

    def __init__(self, calls, moment):
        self.calls, self.moment = calls, moment
        self.failed = [call for call in calls if call.fault]

    @property
    def longest(self):
        """Seconds that an answered call took at most."""
        return max((call.ended - call.began for call in self.calls if not call.fault), default=0.0)

    @property
    def gap(self):
        """The longest time without an answer to any caller, in seconds."""
        ends = [self.moment, *sorted(call.ended for call in self.calls if not call.fault), time.monotonic()]
        return max(later - earlier for earlier, later in zip(ends, ends[1:]))

    @property
    def last_failure(self):
        """When, in seconds since the moment."""
        return max((call.ended - self.moment for call in self.failed), default=0.0)

    def assert_none_failed(self):
        assert not self.failed, "\n".join([
            str(self), *(f"{call.ended - self.moment:.1f} s, after {call.ended - call.began:.1f} s: {call.fault}"
                         for call in self.failed)])

    def __str__(self):
        kinds = collections.Counter(call.fault.partition(",")[0][:60] for call in self.failed)
        return (f"{len(self.calls)} calls, {len(self.failed)} failed{f' {dict(kinds)}' if kinds else ''}, "
                f"longest wait {self.longest:.1f} s, at most {self.gap:.1f} s without an answer")
