"""Plays one case against the server and says what is wrong with the answer."""
import re
import time
from dataclasses import dataclass, field

import cases as case_files
from responses import ResponseReader, Violation
from wire import Wire

IMF_FIXDATE = re.compile(
    r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-3]\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) "
    r"\d{4} [0-2]\d:[0-5]\d:[0-6]\d GMT")
CASE_SECONDS = 5.0
SURPLUS_SECONDS = 0.15  # how long surplus bytes may take to show
CLOSE_SECONDS = 2.0  # how long a server that closes may take
SPLIT_PAUSE = 0.0003  # seconds between two pieces, so that the server reads them apart


class Complaint(Exception):
    """Why the case fails."""


@dataclass
class Verdict:
    complaint: str = None
    statuses: list = field(default_factory=list)
    retry_after: float = None  # seconds, when an unexpected 429 spoiled the case


class Play:
    """One run of one case, over one connection."""

    def __init__(self, case, target, ok_status=200, piece_size=None):
        self.case, self.target, self.ok_status, self.piece_size = case, target, ok_status, piece_size
        self.expect = case["expect"]
        self.steps = case_files.steps_of(case, target)
        self.methods = list(case_files.methods_of(case, self.steps))
        self.http10 = case_files.is_http10(self.steps)
        count = self.expect.get("responses", 1)
        self.fewest, self.most = (count, count) if isinstance(count, int) else count
        self.limit = case.get("limit_s", CASE_SECONDS) + (CASE_SECONDS if piece_size else 0)
        self.reader = ResponseReader(self._method_of)

    def _method_of(self, number):
        return self.methods[min(number, len(self.methods) - 1)] if self.methods else "POST"

    def run(self):
        verdict = Verdict()
        try:
            with Wire(self.target.host, self.target.port, self.reader) as self.wire:
                self._exchange()
                self._judge_answers()
                self._judge_connection()
        except (Complaint, Violation) as error:
            verdict.complaint = str(error)
        except OSError as error:
            verdict.complaint = f"cannot connect: {error}"
        verdict.statuses = [response.status for response in self.reader.finals]
        verdict.retry_after = self._unexpected_limit()
        return verdict

    # The exchange

    def _exchange(self):
        deadline = time.monotonic() + self.limit
        finals, interims = self.reader.finals, self.reader.interims
        answered = 0
        for step in self.steps:
            if step.wait_interim:
                self.wire.receive_until(lambda: len(interims) + len(finals) > answered, deadline)
                if len(interims) + len(finals) == answered and not self.wire.ended:
                    raise Complaint("no 100 Continue came")
            if step.wait_responses:
                self.wire.receive_until(lambda: len(finals) >= step.wait_responses, deadline)
            if step.delay:
                self.wire.receive_until(lambda: False, min(deadline, time.monotonic() + step.delay))
            if self.wire.ended or (step.wait_interim and finals and len(finals) >= self.most):
                break
            answered = len(interims) + len(finals)
            self.wire.send(step.data, deadline, self.piece_size, SPLIT_PAUSE if self.piece_size else 0)
        if self.case.get("half_close") and not self.wire.send_failed:
            self.wire.half_close()
        self.wire.receive_until(lambda: len(finals) >= max(self.most, 1), deadline)
        self.wire.receive(SURPLUS_SECONDS)
        if self.expect.get("close") is True:
            self._await_close()

    def _await_close(self):
        self.wire.receive_until(lambda: self.wire.ended, time.monotonic() + CLOSE_SECONDS)

    # The answers

    def _judge_answers(self):
        finals = self.reader.finals
        self._judge_count(finals)
        for number, response in enumerate(finals):
            allowed = self._allowed(number)
            if response.status not in allowed:
                raise Complaint(f"status {response.status}, allowed {sorted(allowed)}")
            self._judge_form(response)
        self._judge_interims()
        self._judge_fields(finals)
        slowest = self.expect.get("max_ms")
        if slowest is not None and finals and finals[0].seconds * 1000 > slowest:
            raise Complaint(f"the answer began after {finals[0].seconds * 1000:.0f} ms, allowed {slowest}")

    def _judge_count(self, finals):
        got = [response.status for response in finals]
        if len(got) > self.most:
            raise Complaint(f"{len(got)} responses {got}, at most {self.most} expected")
        if self.reader.rest:
            raise Complaint(f"left-over or cut response bytes {self.reader.rest[:60]!r}")
        if len(got) < self.fewest:
            state = "reset" if self.wire.was_reset else "closed" if self.wire.ended else "open but silent"
            raise Complaint(f"{len(got)} of {self.fewest} responses {got}, the connection is {state}")
        if self.most and not got and not self.wire.ended:
            raise Complaint("neither an answer nor a close in time")

    def _allowed(self, number):
        statuses = self.expect["status"]
        if statuses and isinstance(statuses[0], list):
            statuses = statuses[min(number, len(statuses) - 1)]
        return {self.ok_status if status == 200 else status for status in statuses}

    def _judge_form(self, response):
        """What every response must carry (RFC 9110 sections 6.6.1, 8.3, 15.5.2, 15.5.6; RFC 9112 section 6.1)."""
        status = response.status
        if response.minor == 0 and not self.http10:
            raise Complaint("an HTTP/1.0 response to a request that was not HTTP/1.0")
        if self.http10 and response.values("transfer-encoding"):
            raise Complaint("Transfer-Encoding to an HTTP/1.0 client")
        if 200 <= status < 500:
            dates = response.values("date")
            if len(dates) != 1 or not IMF_FIXDATE.fullmatch(dates[0]):
                raise Complaint(f"{status} needs one Date in IMF-fixdate, got {dates}")
        if response.body and not response.values("content-type"):
            raise Complaint(f"{status} with content but no Content-Type")
        if status == 405 and not response.values("allow"):
            raise Complaint("405 without Allow")
        if status == 401 and not response.values("www-authenticate"):
            raise Complaint("401 without WWW-Authenticate")
        if response.ends_with_connection and not self.http10:
            raise Complaint("the response body ends only with the connection")

    def _judge_interims(self):
        statuses = [response.status for response in self.reader.interims]
        rule = self.expect.get("interim", "either")
        if rule == "required" and 100 not in statuses:
            raise Complaint("no 100 Continue came")
        if rule == "forbidden" and statuses:
            raise Complaint(f"interim responses {statuses}")
        if 101 in statuses:
            raise Complaint("the server switched protocols")

    def _judge_fields(self, finals):
        for name, pattern in self.expect.get("headers", {}).items():
            if finals and not any(re.search(pattern, value, re.I) for value in finals[-1].values(name.lower())):
                raise Complaint(f"no {name} matching {pattern!r} in the last response")
        for name in self.expect.get("no_headers", []):
            if any(response.values(name.lower()) for response in finals + self.reader.interims):
                raise Complaint(f"a response carries {name}")
        pattern = self.expect.get("body_not")
        if pattern and any(re.search(pattern.encode("latin-1"), response.body) for response in finals):
            raise Complaint(f"a response body matches {pattern!r}")

    # The connection afterwards

    def _judge_connection(self):
        finals = self.reader.finals
        wanted = self.expect.get("close", "either")
        if any("close" in response.tokens("connection") for response in finals[:-1]):
            raise Complaint("a response said close, and another followed")
        if wanted is True and not self.wire.ended:
            raise Complaint("the connection was left open")
        says_close = bool(finals) and "close" in finals[-1].tokens("connection")
        if says_close and not self.wire.ended:
            self._await_close()
            if not self.wire.ended:
                raise Complaint("said Connection: close and left the connection open")
        if wanted is False and self.wire.ended:
            raise Complaint("the connection was closed")
        asks_follow_up = self.case.get("probe", True) and not self.case.get("half_close") and self.most
        if not self.wire.ended and asks_follow_up:
            self._follow_up(may_close=wanted is not False)

    def _follow_up(self, may_close):
        """A valid request on the connection that stayed open: it must get its own answer, and nothing else."""
        finals = self.reader.finals
        before = len(finals)
        self.methods = [self._method_of(number) for number in range(before)] + ["POST"]
        deadline = time.monotonic() + CASE_SECONDS
        self.wire.send(case_files.filled(case_files.VALID_REQUEST, self.target), deadline)
        self.wire.receive_until(lambda: len(finals) > before, deadline)
        if len(finals) == before:
            closed = self.wire.ended or self.wire.send_failed
            if closed and may_close and not self.reader.rest:
                return
            raise Complaint("the follow-up request got " + ("a close" if closed else "no answer"))
        self.wire.receive(SURPLUS_SECONDS)
        status = finals[before].status
        surplus = len(finals) > before + 1 or self.reader.rest
        del finals[before:]
        if status not in (self.ok_status, 429, 503):
            raise Complaint(f"the follow-up request got {status}: the connection is out of step")
        if surplus:
            raise Complaint("more bytes after the answer to the follow-up request")

    def _unexpected_limit(self):
        """Seconds to wait before the next try, when a rate limit answered instead of the server's parser."""
        for number, response in enumerate(self.reader.finals):
            if response.status == 429 and 429 not in self._allowed(number):
                waits = response.values("retry-after")
                return min(30.0, float(waits[0])) if waits and waits[0].isdigit() else 1.0
        return None


def play(case, target, ok_status=200, piece_size=None):
    """The verdict on a case; a rate limit is waited out a few times."""
    for _ in range(5):
        verdict = Play(case, target, ok_status, piece_size).run()
        if verdict.retry_after is None:
            return verdict
        time.sleep(verdict.retry_after + 0.05)
    return verdict
