#!/usr/bin/env python3
"""Whether the time of an answer tells one API client what another one did with a number (OTP-12).

    client_timing.py [--binary BINARY] [--samples N]

On a sandbox that holds to the limits, `sandbox-2` keeps itself busy with one number and with others of its prefix: messages
from many networks, wrong codes beyond their limit, links that nobody opens. Then `sandbox` starts sessions, has codes sent
and asks for the status, for four numbers in turn: the busy one, a neighbour of it that nobody was busy with, and two of quiet
prefixes. Statuses, header names and bodies must be the same but for ids, tokens, moments and the number itself. It prints the medians and
their distance from the quiet number's; the second quiet number shows what chance does. It asserts nothing about time,
since a shared machine decides that too.
"""
import argparse
import random
import re
import time

from client_api import Client, expected
from holdfast import Platform, Sandbox, Server, add_server_arguments, checked_arguments
from timing import report

NUMBERS = {"quiet": "+12064550142", "busy": "+12065550142", "neighbour": "+12065559942", "quiet 2": "+12066550142"}
CALLS = ("start", "send", "status")
# So many messages to each number, then the sandbox is two days older, and its clients begin anew.
ROUNDS = 300
SETTINGS = {
    "HOLDFAST_SANDBOX_UNKNOWN_NUMBERS": "simulate", "HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX": "true",
    # What would end the run. All of it is still counted.
    "HOLDFAST_LIMITS_SENDS_PER_NUMBER_PER_QUARTER_HOUR": "1000", "HOLDFAST_LIMITS_SENDS_PER_NUMBER_PER_DAY": "1000",
    "HOLDFAST_LIMITS_UNANSWERED_PER_ADDRESS": "100000", "HOLDFAST_LIMITS_UNANSWERED_PER_NETWORK": "100000",
    "HOLDFAST_LIMITS_UNANSWERED_PER_PREFIX": "100000", "HOLDFAST_LIMITS_UNANSWERED_PER_COUNTRY": "1000000",
    "HOLDFAST_LIMITS_STARTS_PER_ADDRESS_PER_TEN_MINUTES": "0", "HOLDFAST_LIMITS_CALLS_PER_ADDRESS_PER_SECOND": "0",
    "HOLDFAST_LOG_REQUESTS": "false",
}
# Members whose values differ in any two answers.
OWN = {"authToken", "authId", "correlationId", "clientRequestId", "phoneNumber", "masked"}


class Networks:
    """An address of a network that was never used before, each time."""

    def __init__(self):
        self.count = 0

    def next(self):
        self.count += 1
        return f"10.{self.count >> 8 & 255}.{self.count & 255}.{self.count >> 16}"


def run(platform, number, address, **fields):
    """A client of a new session for the number."""
    started = expected(platform.unify(number, ipAddress=address, **fields), 200)
    return started, Client(platform.caller.base_url, started["authToken"], bearer=True)


def be_busy(platform, networks, messages):
    """What `sandbox-2` does with the busy number and its prefix."""
    number = NUMBERS["busy"]
    statuses = {}
    for index in range(messages):
        _, client = run(platform, number if index % 2 else f"{number[:-4]}{1000 + index}", networks.next())
        expected(client.start(), 200)
        kind = index % 4
        if kind == 3:
            _, client = run(platform, number, networks.next(), possession_type="desktop", finalTargetUrl="https://a.example")
            client.start(fallback="link")
            answer = client.link()
        else:
            answer = client.otp()
            if kind == 1 and answer.status == 200:
                for _ in range(3):
                    client.verify("0" * answer["otp"]["codeLength"])
        statuses[answer.status] = statuses.get(answer.status, 0) + 1
        client.close()
    return statuses


def plain(value):
    """A value without what differs in any two answers."""
    if isinstance(value, dict):
        return {name: len(str(member)) if name in OWN else plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [plain(member) for member in value]
    if isinstance(value, str):
        return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "a moment", value)
    return value


def sample(platform, number, address):
    """The answers, and how long each took in seconds."""
    taken, answers = [], []

    def timed(call):
        began = time.perf_counter()
        answer = call()
        taken.append(time.perf_counter() - began)
        answers.append((answer.status, sorted(answer.headers), plain(answer.json)))
        return answer

    started = timed(lambda: platform.unify(number, ipAddress=address))
    client = Client(platform.caller.base_url, started["authToken"], bearer=True)
    # One connection for all, so that none of the times has a handshake.
    client.caller = platform.caller
    expected(client.start(), 200)
    timed(client.otp)
    timed(lambda: platform.status(started["correlationId"]))
    return taken, answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--samples", type=int, default=2000, help="of each class (default %(default)s)")
    parser.add_argument("--busy", type=int, default=400, help="messages of the busy client (default %(default)s)")
    options = checked_arguments(parser)
    with Server(options.binary, options.config, environment=SETTINGS) as server:
        networks = Networks()
        sandbox, platform = Sandbox(server.base_url), Platform(server.base_url)
        times = {name: tuple([] for _ in CALLS) for name in NUMBERS}
        seen = {name: [set() for _ in CALLS] for name in NUMBERS}
        for round_number in range(options.samples + 20):
            if round_number % ROUNDS == 0:
                sandbox.advance(2 * 86_400)
                busy = be_busy(Platform(server.base_url, "sandbox-2", "sandbox-2-secret"), networks, options.busy)
                if round_number == 0:
                    print(f"messages of the busy client, by the status of their answer: {busy}")
                platform.access_token = None
            for name in random.sample(list(NUMBERS), len(NUMBERS)):
                taken, answers = sample(platform, NUMBERS[name], networks.next())
                # The first rounds warm up.
                if round_number < 20:
                    continue
                for index in range(len(CALLS)):
                    times[name][index].append(taken[index])
                    seen[name][index].add(repr(answers[index]))
    report(CALLS, "quiet", times, seen, options.samples)
    print("\nthe answers are the same but for ids, tokens, moments and the number itself")


if __name__ == "__main__":
    main()
