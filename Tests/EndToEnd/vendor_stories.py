"""Stories of every wire format, for servers in live mode: each answer holds at each server.

A desk is a backend of one format. It begins verifications and checks codes, and gives one of three verdicts on a
code. It raises `Closed` where a limit refuses a message, `AssertionError` at any other refusal, and `Lost` without
an answer.
"""
import enum
import threading
import uuid

import requests

import otpless
from activations import Device
from exchange import Lost
from holdfast import expected
from hooks import Supabase, kratos
from live_cluster import Backend, LiveSite
from powerauth import Refused
from stories import BindsKeys, ProvesNumbers, RevokesKeys, SpendsTries, Story, UsesProofs
from vendors import BASE32, OWN, Prelude, Twilio, ask

CROWD = 8  # calls at one moment


class Verdict(enum.Enum):
    """The answer to a code."""

    PASSED = "passed"
    WRONG = "wrong"
    OVER = "over"


class Closed(Exception):
    """A limit refuses the message."""


def refuse(answer):
    raise AssertionError(f"refused: {answer}")


class OwnDesk:
    """Sessions of Prove's backends, and their codes by Holdfast's own protocol."""

    tries = 3

    def __init__(self, cluster):
        self.site = LiveSite(cluster)

    def begin(self, number):
        started = self.site.unify(number, allowOTPRetry=True)
        client = started.client()
        try:
            expected(client.start(), 200)
            answer = client.otp()
        finally:
            client.close()
        if answer["error"] == "rate_limited":
            raise Closed(answer)
        expected(answer, 200)
        started.key = client.session_key
        return started

    def try_code(self, started, number, code):
        client = started.client(session_key=started.key)
        try:
            answer = client.verify(code)
        finally:
            client.close()
        if answer.status == 200 and answer["outcome"] == "succeeded":
            return Verdict.PASSED
        if answer["error"] == "otp_mismatch":
            return Verdict.WRONG
        return Verdict.OVER if answer.status < 500 else refuse(answer)

    def has_passed(self, started):
        return expected(self.site.platform.status(started.correlation_id), 200)["success"] == "true"

    @staticmethod
    def session(started):
        return started.correlation_id


class BackendDesk:
    """A desk over a backend of vendors.py."""

    tries = 5

    def try_code(self, name, number, code):
        answer = ask(self.backend, self.check(name, number, code))
        word = self.backend.outcome(answer)
        if word == self.backend.passed:
            return Verdict.PASSED
        if word == self.backend.wrong:
            return Verdict.WRONG
        return Verdict.OVER if word in (self.backend.over, self.backend.no_checks) else refuse(answer)


class TwilioDesk(BackendDesk):
    def __init__(self, cluster, client_id=None, secret=None):
        self.backend = Twilio(Backend(cluster), client_id or cluster.client, secret or cluster.secret)

    def begin(self, number):
        answer = ask(self.backend, self.backend.create(number, None))
        if answer.status == 429:
            raise Closed(answer)
        return expected(answer, 201)["sid"]

    def check(self, name, number, code):
        return self.backend.check_of(name, code)

    def has_passed(self, name):
        attempts = expected(ask(self.backend, self.backend.attempts(name)), 200)["attempts"]
        return any(attempt["conversion_status"] == "converted" for attempt in attempts)

    @staticmethod
    def session(name):
        return str(uuid.UUID(name[2:]))


class PreludeDesk(BackendDesk):
    def __init__(self, cluster):
        self.backend = Prelude(Backend(cluster), key=cluster.api_key)

    def begin(self, number):
        answer = expected(ask(self.backend, self.backend.create(number, None)), 200)
        if answer["status"] == "blocked":
            raise Closed(answer)
        return answer["id"]

    def check(self, name, number, code):
        return self.backend.check(number, code)

    def has_passed(self, name):
        return expected(ask(self.backend, self.backend.read(name)), 200)["status"] == "converted"

    @staticmethod
    def session(name):
        bits = 0
        for letter in name.removeprefix("vrf_"):
            bits = bits << 5 | BASE32.index(letter)
        return str(uuid.UUID(int=bits))


class OtplessDesk:
    tries = 5

    def __init__(self, cluster):
        self.base, self.client = cluster.base_url + "/otpless", (cluster.client, cluster.secret)

    def post(self, path, **body):
        return otpless.post(self.base, path, body, self.client)

    def begin(self, number):
        answer = self.post("/auth/otp/v1/send", phoneNumber=number, channel="SMS", expiry=300, otpLength=6)
        if answer.status_code == 429:
            raise Closed(answer.text)
        return answer.json()["orderId"] if answer.status_code == 200 else refuse(f"{answer.status_code} {answer.text}")

    def try_code(self, name, number, code):
        answer = self.post("/auth/otp/v1/verify", orderId=name, otp=code)
        if answer.status_code != 200:
            refuse(f"{answer.status_code} {answer.text}")
        if answer.json()["isOTPVerified"]:
            return Verdict.PASSED
        return Verdict.WRONG if answer.json()["reason"] == "OTP is incorrect" else Verdict.OVER

    def has_passed(self, name):
        return None

    @staticmethod
    def session(name):
        return str(uuid.UUID(name))


class CamaraDesk:
    tries = 3
    wrong, over = {"ONE_TIME_PASSWORD_SMS.INVALID_OTP"}, {
        "ONE_TIME_PASSWORD_SMS.VERIFICATION_EXPIRED", "ONE_TIME_PASSWORD_SMS.VERIFICATION_FAILED", "NOT_FOUND"}

    def __init__(self, cluster):
        self.provider = cluster.provider

    def begin(self, number):
        answer = self.provider.send(number)
        if answer.status_code == 200:
            return answer.json()["authenticationId"]
        if answer.json()["code"].endswith("MAX_OTP_CODES_EXCEEDED"):
            raise Closed(answer.text)
        return refuse(f"{answer.status_code} {answer.text}")

    def try_code(self, name, number, code):
        answer = self.provider.validate(name, code)
        if answer.status_code == 204:
            return Verdict.PASSED
        word = answer.json()["code"]
        if word in self.wrong:
            return Verdict.WRONG
        return Verdict.OVER if word in self.over else refuse(f"{answer.status_code} {answer.text}")

    def has_passed(self, name):
        return None

    @staticmethod
    def session(name):
        return str(uuid.UUID(name))


DESKS = (OwnDesk, TwilioDesk, PreludeDesk, OtplessDesk, CamaraDesk)


def together(site, calls):
    """The results of calls at one moment; `None`: without a clear answer."""
    barrier = threading.Barrier(len(calls))

    def one(call):
        barrier.wait()
        try:
            return call()
        except (AssertionError, Lost, requests.RequestException, Refused):
            return None
    return list(site.server.crowds.map(one, calls))


class VendorStory(Story):
    """- number: whom its one message goes to, once it was asked for.
    - is_sent: whether an answer promised it.
    - session: its end is in a webhook, once it has passed.
    """

    number = session = None
    is_sent = False
    passes = 0  # answers that said so

    def desk(self, site):
        return site.server.of_thread(self.kind)

    def begin(self, site):
        self.number = site.number()
        self.name = self.desk(site).begin(self.number)
        self.is_sent = True
        self.acknowledged += 1
        self.code = site.code_to(self.number)

    def try_code(self, site, code):
        return lambda: self.desk(site).try_code(self.name, self.number, code)

    def passed(self):
        self.passes += 1
        self.acknowledged += 1
        self.session = self.kind.session(self.name)

    def check(self, site):
        """Its code passes once in all, also after calls without an answer."""
        if not self.is_sent or not hasattr(self, "code"):
            return
        if self.passes:
            assert self.desk(site).has_passed(self.name) is not False, f"{self.name} has passed, and is not known to"
        verdict = self.desk(site).try_code(self.name, self.number, self.code)
        if verdict is Verdict.PASSED:
            self.passed()
        assert self.passes <= 1, f"doubled: {self.name} has passed {self.passes} times"
        self.check_more(verdict)

    def check_more(self, verdict):
        pass


class Passes(VendorStory):
    """A wrong code is refused. Two right ones come at one moment, and one passes."""

    def play(self, site):
        self.begin(site)
        verdict = self.try_code(site, site.wrong)()
        assert verdict is Verdict.WRONG, f"a wrong code is {verdict}"
        self.acknowledged += 1
        verdicts = together(site, [self.try_code(site, self.code)] * 2)
        for _ in range(verdicts.count(Verdict.PASSED)):
            self.passed()
        assert self.passes <= 1, f"doubled: {self.name} has passed {self.passes} times"
        assert self.passes or None in verdicts, f"a right code is {verdicts}"


class Guesses(VendorStory):
    """Many wrong codes come at one moment. The server compares only as many as there are tries."""

    wrong = 0

    def play(self, site):
        self.begin(site)
        verdicts = together(site, [self.try_code(site, site.wrong)] * CROWD)
        self.wrong = verdicts.count(Verdict.WRONG)
        self.acknowledged += self.wrong
        assert self.wrong <= self.kind.tries, f"overrun: {self.wrong} of {self.kind.tries} tries"
        assert Verdict.PASSED not in verdicts, verdicts

    def check_more(self, verdict):
        assert verdict is not Verdict.PASSED or self.wrong < self.kind.tries, \
            f"overrun: a right code after {self.wrong} wrong ones"


class Asks(VendorStory):
    """Many calls for a message come at one moment. One of them sends it."""

    sent = 0

    def play(self, site):
        self.number = site.number()
        answers = together(site, [self.ask(site)] * CROWD)
        self.sent = answers.count(True)
        self.is_sent = self.sent > 0
        self.acknowledged += self.sent
        assert self.sent <= 1, f"overrun: {self.sent} messages at one moment"
        assert self.sent or None in answers, f"no message: {answers}"

    def ask(self, site):
        def call():
            try:
                self.desk(site).begin(self.number)
                return True
            except Closed:
                return False
        return call

    def check(self, site):
        pass


class SpendsBudgets(VendorStory):
    """An API client's messages of a day are counted over all servers."""

    kind = TwilioDesk

    def play(self, site):
        self.place = site.server.scarce_now()
        self.number = site.number()
        try:
            TwilioDesk(site.server, *site.server.scarce[self.place]).begin(self.number)
        except Closed:
            return
        self.is_sent = True
        self.acknowledged += 1

    def check(self, site):
        pass


class RelaysCodes(VendorStory):
    """A code of another server is sent once, however often it is asked for."""

    kind, code = None, OWN

    def play(self, site):
        self.number = site.number()
        answers = together(site, [self.by_kratos(site), self.by_kratos(site), self.by_supabase(site)])
        self.acknowledged += answers.count(True)
        self.is_sent = True in answers
        assert self.is_sent or None in answers, answers

    def by_kratos(self, site):
        def call():
            expected(kratos(site, self.number, site.server.hook_secret, site.server.client, login_code=self.code), 200)
            return True
        return call

    def by_supabase(self, site):
        def call():
            hook = Supabase(site, site.server.client, [site.server.signing_secret])
            answer = expected(hook.try_once(self.number, self.code), 200)
            assert answer["error"] is None, answer
            return True
        return call

    def check(self, site):
        if self.is_sent:
            assert self.by_kratos(site)()


class Onboards(VendorStory):
    """A customer's phone is activated once, and its counter never goes back."""

    kind = None
    signed = 0

    def play(self, site):
        identification, number = site.person()
        self.devices = [self.new_device(site) for _ in range(2)]
        self.number = number
        first, second = self.devices
        self.encrypting(lambda: first.start(identification))
        self.is_sent = True
        self.acknowledged += 1
        self.code = site.code_to(number)
        answers = together(site, [lambda: self.activate(first), lambda: self.activate(second)])
        self.passes = answers.count(True)
        assert self.passes <= 1, "doubled: two phones are activated by one code"
        assert self.passes or None in answers, answers
        self.acknowledged += self.passes
        self.session = first.process if self.passes else None
        if self.passes:
            self.device = self.devices[answers.index(True)]
            self.device.phone.validate()
            self.signed = 1
            self.acknowledged += 1

    @staticmethod
    def new_device(site):
        return Device(site, site.server.form, site.server.application)

    @staticmethod
    def encrypting(call):
        """Calls again if its envelope is refused. A new primary does not know the envelopes that were used before, and the
        servers refuse those once: the phone then makes another one."""
        try:
            return call()
        except Refused as refusal:
            if refusal.code != "ERR_ENCRYPTION":
                raise
            return call()

    def activate(self, device):
        """Whether the code activates the phone."""
        try:
            self.encrypting(lambda: device.activate(self.code, process=self.devices[0].process))
            return True
        except Refused as refusal:
            if refusal.code in ("ERR_ACTIVATION", "INVALID_REQUEST"):
                return False
            raise

    def check(self, site):
        if self.passes:
            status = self.device.phone.status()
            assert status["state"] == "ACTIVE", status
            assert status["counter"] >= self.signed, f"the counter went back: {status}"
            assert self.activate(self.new_device(site)) is False, "doubled: a code is good twice"

    def reconnect(self):
        for device in getattr(self, "devices", ()):
            device.caller.close()


def of(kind, desk):
    """The stories of one kind at one desk."""
    return type(f"{desk.__name__.removesuffix('Desk')}{kind.__name__}", (kind,), {"kind": desk})


def of_vendors(played):
    return [story for story in played if isinstance(story, VendorStory)]


LIMITED = (Guesses, Asks, SpendsBudgets)
OF_DESKS = [of(kind, desk) for desk in DESKS for kind in (Passes, Guesses, Asks)]
# A story that is there more often is played more often.
ALL = [*OF_DESKS, *OF_DESKS[::3], *[SpendsBudgets, RelaysCodes, Onboards] * 3,
       SpendsTries, ProvesNumbers, RevokesKeys, BindsKeys, UsesProofs]
