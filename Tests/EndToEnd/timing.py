#!/usr/bin/env python3
"""Whether the time of an answer tells anonymous callers about a number's history (OTP-12).

    timing.py [--binary BINARY] [--samples N]

Four numbers of one block, on a sandbox that holds to the limits and takes any number: one of a person on record, one that
nobody knows, one whose codes came to a full stop by wrong ones, and one that gets no more messages. A caller starts a run
for each with `/initialize` and asks `/verify` before anything is proven. Nobody who calls so is entitled to know which is
which: statuses, header names and bodies must be the same but for tokens and the number that was sent. The order of the
classes is drawn anew in each round. It prints the medians and their distance from the unknown number's; it asserts nothing
about time, since a shared machine decides that too. OTP-12 asks for less than 5 % or 0.5 ms.
"""
import argparse
import os
import random
import statistics
import subprocess
import time

from app_api import App
from holdfast import Client, Server, add_server_arguments, checked_arguments

NUMBERS = {"known": "+12065550131", "unknown": "+12065550142", "blocked": "+12065550153", "limited": "+12065550164"}
CALLS = ("/initialize", "/verify")
SETTINGS = {
    "HOLDFAST_SANDBOX_UNKNOWN_NUMBERS": "simulate", "HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX": "true",
    # What makes the classes: one message to a number, and a full stop after three wrong codes, the strangers' part of five.
    "HOLDFAST_LIMITS_SENDS_PER_NUMBER_PER_QUARTER_HOUR": "1", "HOLDFAST_LIMITS_FAILURES_IN_AROW": "5",
    # What would end the run.
    "HOLDFAST_LIMITS_STARTS_PER_ADDRESS_PER_TEN_MINUTES": "0", "HOLDFAST_LIMITS_CALLS_PER_ADDRESS_PER_SECOND": "0",
    "HOLDFAST_LOG_REQUESTS": "false",
}
PEOPLE = "phoneNumber,firstName,lastName,dob\n{known},Known,Person,1980-01-02\n"


def code_entry(server, number):
    """A client of a run for the number, once a message went out."""
    app = App(server.base_url, carries="bearer")
    assert app.initialize(number, ssn="1234", allowOTPRetry=True).status == 200
    client = Client(server.base_url, app.auth_token, bearer=True)
    assert client.start().status == 200
    return client, client.call("POST", "/session/otp")


def make_history(server):
    client, sent = code_entry(server, NUMBERS["blocked"])
    assert sent.status == 200, sent
    # The code is six digits or four, and has no letter: each of these is a wrong one or no guess at all.
    inbox = client.caller.call("GET", "/sandbox/messages?to=" + NUMBERS["blocked"].replace("+", "%2B"))
    code = inbox["messages"][-1]["code"]
    wrong = "0" * len(code) if code != "0" * len(code) else "1" * len(code)
    for _ in range(3):
        answer = client.call("POST", "/session/otp/verify", {"code": wrong})
        assert answer["error"] == "otp_mismatch", answer
    _, sent = code_entry(server, NUMBERS["limited"])
    assert sent.status == 200, sent
    # The history is what it should be: a full stop, and a limit.
    _, refused = code_entry(server, NUMBERS["blocked"])
    assert refused.status == 403 and refused["error"] == "sends_exhausted", refused
    _, refused = code_entry(server, NUMBERS["limited"])
    assert refused.status == 429, refused


def plain(answer, number):
    """An answer without what differs in any two of them."""
    value = answer.json
    for secret in ("authToken", "flowToken"):
        if secret in value:
            value[secret] = len(value[secret])
    if value.get("phoneNumber") == number:
        value["phoneNumber"] = "as sent"
    return answer.status, sorted(answer.headers), value


def sample(app, number):
    """The two answers, and how long each took in seconds."""
    app.flow_token = None
    taken, answers = [], []
    for call in (lambda: app.initialize(number, ssn="1234"), app.verify):
        began = time.perf_counter()
        answer = call()
        taken.append(time.perf_counter() - began)
        answers.append(plain(answer, number))
    return taken, answers


def report(calls, base, times, seen, samples):
    """Prints the medians beside those of the class `base`, and asserts that all classes had the same answers."""
    print(f"{samples} samples a class, in turn\n")
    print(f"| call | number | median, ms | from {base}, ms | from {base}, % |\n| --- | --- | --- | --- | --- |")
    for index, call in enumerate(calls):
        of_base = statistics.median(times[base][index])
        for name in times:
            median = statistics.median(times[name][index])
            print(
                f"| `{call}` | {name} | {median * 1000:.3f} | {(median - of_base) * 1000:+.3f} "
                f"| {(median / of_base - 1) * 100:+.1f} |")
    for index, call in enumerate(calls):
        answers = set().union(*(seen[name][index] for name in times))
        assert len(answers) == 1, f"the answers of {call} differ: {answers}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--samples", type=int, default=2000, help="of each class (default %(default)s)")
    options = checked_arguments(parser)
    with Server(options.binary, options.config, environment=SETTINGS) as server:
        people = server.directory / "people.csv"
        people.write_text(PEOPLE.format(**NUMBERS))
        subprocess.run(
            [server.binary, "people", "import", people, "--config", server.config, "--data", server.data],
            check=True, env={**os.environ, **SETTINGS}, stdout=subprocess.DEVNULL, timeout=60)
        make_history(server)
        times = {name: ([], []) for name in NUMBERS}
        seen = {name: [set(), set()] for name in NUMBERS}
        app = App(server.base_url, carries="bearer")
        for round_number in range(options.samples + 20):
            for name in random.sample(list(NUMBERS), len(NUMBERS)):
                taken, answers = sample(app, NUMBERS[name])
                # The first rounds warm up.
                if round_number < 20:
                    continue
                for index in range(len(CALLS)):
                    times[name][index].append(taken[index])
                    seen[name][index].add(repr(answers[index]))
    report(CALLS, "unknown", times, seen, options.samples)
    print("\nthe answers are the same but for tokens and the number that was sent")


if __name__ == "__main__":
    main()
