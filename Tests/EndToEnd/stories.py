"""What the crash run does to a server: short stories that note every answer they got, and check it after a restart."""
from holdfast import Key, Phone, expected, target_of
from world import INGE, LORANT


class Story:
    """`play` is cut short by a crash at any point; `check` then holds the server to what it had acknowledged."""

    acknowledged = 0  # answers that promised something
    client = None  # whose session the story is about, once it is worth a look

    def play(self, site):
        raise NotImplementedError

    def check(self, site):
        raise NotImplementedError

    def reconnect(self):
        """Leaves the connection, as to a process that is gone; the next call opens another one."""
        if self.client is not None:
            self.client.close()

    def device_logs_in(self, site, key, number):
        """A new session on this device key: the state after the key has been proven."""
        client = site.unify(number).client(device_key=key)
        expected(client.start(), 200)
        answer = client.device()
        client.close()
        assert answer.status in (200, 403), answer
        return client.state


class StartsSessions(Story):
    """Every acknowledged session is known, with a result and a timeline."""

    def __init__(self):
        self.sessions = []

    def play(self, site):
        for _ in range(20):
            self.sessions = [*self.sessions, site.unify(LORANT)]
            self.acknowledged += 1

    def check(self, site):
        for session in self.sessions:
            expected(site.platform.status(session.correlation_id), 200, success="pending")
            timeline = site.sandbox.session(session.correlation_id)
            assert timeline.status == 200, timeline


class SpendsTries(Story):
    """A wrong code that was answered is spent; one that was lost may be."""

    answered = lost = 0

    def play(self, site):
        self.session = site.unify(site.number(), allowOTPRetry=True)
        client = self.session.client()
        client.to_code_entry()
        self.client = client
        for _ in range(3):
            self.lost = 1
            expected(client.verify(site.wrong), 400, error="otp_mismatch")
            self.lost = 0
            self.answered += 1
            self.acknowledged += 1

    def check(self, site):
        if self.client is None:
            return
        state = expected(self.client.current(), 200).json
        left = 0 if state["status"] == "done" else state["otp"]["attemptsLeft"]
        spent = 3 - left
        assert self.answered <= spent <= self.answered + self.lost, \
            f"{self.answered} answered, {self.lost} lost, {spent} spent"
        if spent == 3:
            expected(site.platform.status(self.session.correlation_id), 200, success="false")


class ProvesNumbers(Story):
    """A success that was answered stands, its key is bound, and a retry of a lost answer gets one."""

    is_proven = is_bound = False
    request_id = "the-right-code"

    def play(self, site):
        self.key, self.number = Key(), site.number()
        self.session = site.unify(self.number)
        client = self.session.client(device_key=self.key)
        client.to_code_entry()
        self.code = site.code_to(self.number)
        self.client = client
        self.answer = expected(client.verify(self.code, requestId=self.request_id), 200, outcome="succeeded")
        self.is_proven = self.is_bound = True
        self.acknowledged += 2

    def check(self, site):
        if self.client is None:
            return
        retried = self.client.verify(self.code, requestId=self.request_id)
        if self.is_proven:
            assert retried.body == self.answer.body, f"{self.answer} was {retried} after the restart"
        expected(retried, 200, outcome="succeeded")
        result = expected(site.platform.status(self.session.correlation_id), 200, success="true")
        assert result["deviceId"], result
        state = self.device_logs_in(site, self.key, self.number)
        assert state["outcome"] == "succeeded", state


class RevokesKeys(ProvesNumbers):
    """A revocation that was answered stands."""

    is_revoked = False

    def play(self, site):
        super().play(site)
        result = expected(site.platform.status(self.session.correlation_id), 200, success="true")
        self.is_bound = False  # from here on the key may be revoked
        expected(site.platform.revoke(result["deviceId"]), 200)
        self.is_revoked = True
        self.acknowledged += 1

    def check(self, site):
        if not self.is_proven or self.is_bound:
            super().check(site)
        elif self.is_revoked:
            state = self.device_logs_in(site, self.key, self.number)
            assert state["device"]["rotate"] is True and state["device"]["status"] == "revoked", state


class BindsKeys(Story):
    """A bind that was answered stands; one that was lost may be repeated."""

    waits = is_bound = False

    def play(self, site):
        self.key, self.number = Key(), site.number()
        self.session = site.unify(self.number, "none")
        expected(self.session.client(device_key=self.key).to_code_entry(), 200, outcome="possessionRequired")
        self.waits = True
        self.acknowledged += 1
        expected(site.platform.bind(self.session.correlation_id, self.number), 200, success="true")
        self.is_bound = True
        self.acknowledged += 1

    def check(self, site):
        if not self.waits:
            return
        result = expected(site.platform.status(self.session.correlation_id), 200)
        if not self.is_bound and result["success"] == "possession_required":
            expected(site.platform.bind(self.session.correlation_id, self.number), 200, success="true")
        self.is_bound = True
        expected(site.platform.status(self.session.correlation_id), 200, success="true")
        assert self.device_logs_in(site, self.key, self.number)["outcome"] == "succeeded"


class UsesProofs(Story):
    """A proof that was answered is used up, also after a restart."""

    proof = None

    def play(self, site):
        client = site.unify(site.number()).client()
        expected(client.start(), 200)
        for _ in range(5):
            proof = client.proof("GET", "/client/v1/session")
            expected(client.call("GET", "/session", proof=proof), 200)
            self.client, self.proof = client, proof
            self.acknowledged += 1

    def check(self, site):
        if self.proof:
            answer = self.client.call("GET", "/session", proof=self.proof)
            expected(answer, 401, error="invalid_dpop_proof")


class ApprovesLinks(Story):
    """A link that was sent works, an older one no more, and a decision that was answered stands."""

    link = older = None
    decided = False

    def play(self, site):
        session = site.desktop()
        client = session.client()
        client.to_link_wait()
        first = session.newest_link()
        expected(client.link_resend(), 200)
        self.session, self.older = session, first
        self.link = next(link for link in session.links() if link != first)
        self.client = client
        self.acknowledged += 1
        assert target_of(Phone().approve(self.link))[1]["asc"] == "true"
        self.decided = True
        self.acknowledged += 1

    def check(self, site):
        if self.link is None:
            return
        answer = Phone().open(self.link)
        if not self.decided and answer.status == 200:
            answer = Phone().approve(self.link)
        self.decided = True
        assert target_of(answer)[1]["asc"] == "true", answer
        assert Phone().approve(self.older).status == 410, "a superseded link works again"
        expected(self.client.current(), 200, outcome="succeeded")
        expected(site.platform.status(self.session.correlation_id), 200, success="true")


class FinishesMobileAuth(Story):
    """A fingerprint that was handed out is taken after a restart, and one that was taken stays taken."""

    arrival = None
    is_proven = False
    request_id = "the-fingerprint"

    def play(self, site):
        self.session = site.unify(INGE)
        client = self.session.client()
        client.to_mobile_auth()
        attempt = expected(client.begin_mobile_auth(), 200)
        arrival = Phone().follow(attempt["authUrl"])
        assert arrival.vfp, arrival
        self.attempt_id, self.arrival, self.client = attempt["attemptId"], arrival, client
        self.acknowledged += 1
        self.answer = expected(self.finish(), 200, outcome="succeeded")
        self.is_proven = True
        self.acknowledged += 1

    def finish(self):
        return self.client.finish_mobile_auth(self.attempt_id, vfp=self.arrival.vfp, requestId=self.request_id)

    def check(self, site):
        if self.arrival is None:
            return
        answer = expected(self.finish(), 200, outcome="succeeded")
        if self.is_proven:
            assert answer.body == self.answer.body, f"{self.answer} was {answer} after the restart"
        self.answer, self.is_proven = answer, True
        expected(site.platform.status(self.session.correlation_id), 200, success="true")


ALL = [
    StartsSessions, SpendsTries, ProvesNumbers, RevokesKeys, BindsKeys, UsesProofs, ApprovesLinks, FinishesMobileAuth]
