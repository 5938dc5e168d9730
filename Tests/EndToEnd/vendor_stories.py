"""Stories of every wire format, for servers in live mode: what they were answered holds at each server.

A desk is a backend of one format. It begins verifications and checks codes, and has one of three words for the answer
to a code. It raises `Closed` where a limit refuses a message, `AssertionError` at any other refusal, and `Lost` without
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


class Told(enum.Enum):
    """What a caller learns of a code."""

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

    def tell(self, started, number, code):
        client = started.client(session_key=started.key)
        try:
            answer = client.verify(code)
        finally:
            client.close()
        if answer.status == 200 and answer["outcome"] == "succeeded":
            return Told.PASSED
        if answer["error"] == "otp_mismatch":
            return Told.WRONG
        return Told.OVER if answer.status < 500 else refuse(answer)

    def has_passed(self, started):
        return expected(self.site.platform.status(started.correlation_id), 200)["success"] == "true"

    @staticmethod
    def session(started):
        return started.correlation_id


class BackendDesk:
    """Of a backend of vendors.py."""

    tries = 5

    def tell(self, name, number, code):
        answer = ask(self.backend, self.check(name, number, code))
        word = self.backend.outcome(answer)
        if word == self.backend.passed:
            return Told.PASSED
        if word == self.backend.wrong:
            return Told.WRONG
        return Told.OVER if word in (self.backend.over, self.backend.no_checks) else refuse(answer)


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

    def tell(self, name, number, code):
        answer = self.post("/auth/otp/v1/verify", orderId=name, otp=code)
        if answer.status_code != 200:
            refuse(f"{answer.status_code} {answer.text}")
        if answer.json()["isOTPVerified"]:
            return Told.PASSED
        return Told.WRONG if answer.json()["reason"] == "OTP is incorrect" else Told.OVER

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

    def tell(self, name, number, code):
        answer = self.provider.validate(name, code)
        if answer.status_code == 204:
            return Told.PASSED
        word = answer.json()["code"]
        if word in self.wrong:
            return Told.WRONG
        return Told.OVER if word in self.over else refuse(f"{answer.status_code} {answer.text}")

    def has_passed(self, name):
        return None

    @staticmethod
    def session(name):
        return str(uuid.UUID(name))


DESKS = (OwnDesk, TwilioDesk, PreludeDesk, OtplessDesk, CamaraDesk)


def together(site, calls):
    """What calls at one moment return; for one without a clear answer `None`."""
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
    - session: whose end its webhook tells, once it has passed.
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

    def tell(self, site, code):
        return lambda: self.desk(site).tell(self.name, self.number, code)

    def passed(self):
        self.passes += 1
        self.acknowledged += 1
        self.session = self.kind.session(self.name)

    def check(self, site):
        """Its code passes once in all, whatever came of the first calls."""
        if not self.is_sent or not hasattr(self, "code"):
            return
        if self.passes:
            assert self.desk(site).has_passed(self.name) is not False, f"{self.name} has passed, and is not known to"
        told = self.desk(site).tell(self.name, self.number, self.code)
        if told is Told.PASSED:
            self.passed()
        assert self.passes <= 1, f"doubled: {self.name} has passed {self.passes} times"
        self.check_more(told)

    def check_more(self, told):
        pass


class Passes(VendorStory):
    """A wrong code is told; of two right ones at one moment one passes."""

    def play(self, site):
        self.begin(site)
        told = self.tell(site, site.wrong)()
        assert told is Told.WRONG, f"a wrong code is {told}"
        self.acknowledged += 1
        tolds = together(site, [self.tell(site, self.code)] * 2)
        for _ in range(tolds.count(Told.PASSED)):
            self.passed()
        assert self.passes <= 1, f"doubled: {self.name} has passed {self.passes} times"
        assert self.passes or None in tolds, f"a right code is {tolds}"


class Guesses(VendorStory):
    """Of many wrong codes at one moment so many are looked at as there are tries."""

    wrong = 0

    def play(self, site):
        self.begin(site)
        tolds = together(site, [self.tell(site, site.wrong)] * CROWD)
        self.wrong = tolds.count(Told.WRONG)
        self.acknowledged += self.wrong
        assert self.wrong <= self.kind.tries, f"overrun: {self.wrong} of {self.kind.tries} tries"
        assert Told.PASSED not in tolds, tolds

    def check_more(self, told):
        assert told is not Told.PASSED or self.wrong < self.kind.tries, \
            f"overrun: a right code after {self.wrong} wrong ones"


class Asks(VendorStory):
    """Of many calls for a message at one moment one sends it."""

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
        first.start(identification)
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

    def activate(self, device):
        try:
            device.activate(self.code, process=self.devices[0].process)
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
