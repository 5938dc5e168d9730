"""Pre-Fill runs as scenes hold them, and what their steps answer."""
from holdfast import Key, expected
from people import PEOPLE
from world import RIGHT, Started

PASS = {"result": "pass"}
PROVEN = {"authentication": PASS, "risk": PASS}
IDENTIFIED = {"identification": PASS}
VALIDATE, CHALLENGE, COMPLETE = ({f"v3-{step}": f"/v3/{step}"} for step in ("validate", "challenge", "complete"))
DONE = {"done": "done"}


def failing(category, **reasons):
    """A failed category with its reasons, such as `c9013="date of birth mismatch"`."""
    return {category: {"result": "fail", "failureReasons": {code[1:]: text for code, text in reasons.items()}}}


WRONG_SSN = failing("identification", c9012="SSN mismatch")
WRONG_DOB = failing("identification", c9013="date of birth mismatch")
WRONG_NAME = failing("identification", c9014="name mismatch")


class Run(Started):
    """A run as the backend holds it: each step, and what it must answer."""

    def __init__(self, site, platform, answer, number):
        super().__init__(site, platform, answer)
        self.number = number

    def validate(self):
        return self.platform.validate(self.correlation_id)

    def challenge(self, **claim):
        return self.platform.challenge(self.correlation_id, **claim)

    def complete(self, **individual):
        return self.platform.complete(self.correlation_id, **individual)

    def is_pending(self):
        same(self.validate(), {
            "success": False, "challengeMissing": False, "next": VALIDATE,
            **({"phoneNumber": self.number} if self.number else {})})

    def is_proven(self, missing, then=CHALLENGE, number=None):
        answer = self.validate()
        same(answer, {
            "success": True, "challengeMissing": missing, "next": then, "phoneNumber": number or self.number,
            "evaluation": PROVEN})
        assert self.validate().json == answer.json, "validate changed its mind"

    def is_refused(self, evaluation):
        for _ in range(2):
            same(self.validate(), {
                "success": False, "challengeMissing": False, "next": DONE, "phoneNumber": self.number,
                "evaluation": evaluation})

    def shows(self, number, **claim):
        same(self.challenge(**claim), {
            "success": True, "next": COMPLETE, "individual": PEOPLE[number], "evaluation": IDENTIFIED})

    def shows_nothing(self, evaluation, **claim):
        same(self.challenge(**claim), {"success": False, "next": DONE, "evaluation": evaluation})

    def completes(self, individual, changed=False, **blocks):
        same(self.complete(**individual), {
            "success": True, "next": DONE, "changeDetected": changed, "evaluation": IDENTIFIED, **blocks})

    def prove(self, **options):
        """The client passes by the code."""
        expected(self.client(**options).authenticate(RIGHT), 200, outcome="succeeded")
        return self


def start(site, number=None, flow_type="mobile", platform=None, **fields):
    platform = platform or site.platform
    answer = expected(platform.start(number, flow_type, **fields), 200, next=VALIDATE)
    site.secrets.add(answer["authToken"])
    site.secrets |= {fields[name] for name in ("dob", "ssn") if len(fields.get(name) or "") > 6}
    return Run(site, platform, answer, number)


def proven(site, number, **fields):
    """A run whose number is proven and validated."""
    run = start(site, number, **fields).prove(device_key=Key())
    expected(run.validate(), 200, success=True)
    return run


def challenged(site, number, **fields):
    """A run that waits for `complete`."""
    run = proven(site, number, **fields)
    expected(run.challenge(dob=PEOPLE[number]["dob"]), 200, success=True)
    return run


def same(answer, value):
    """The answer is 200 and holds exactly this."""
    assert answer.status == 200 and answer.json == value, f"expected {value}, got {answer}"
