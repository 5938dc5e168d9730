#!/usr/bin/env python3
"""Kills the server around sends of codes, and counts what the sandbox inbox gets after the restart (DUR-14).

A round: clients start sessions and ask for codes; SIGKILL, in the middle of it or, in every other round, just after the
last answer, when the note that the message was sent still waits for a commit; a copy of the database says where each message stands; start.
A message that was queued then arrives once, under its own session, and its code passes. One that was settled does not
arrive again. Every answer that was given has its message on record. In each fifth round the server sleeps past the life
of the codes: then no queued message arrives, and each of their sessions may send as often as before.

The last line is "N passed, M failed", counting rounds.
"""
import argparse
import random
import sys
import threading
import time
import uuid
from pathlib import Path

from harness import Lost, Overloaded, Platform, Server, database_as_it_is, expected, metric, page_checksums
from holdfast import Client, Sandbox, add_server_arguments, checked_arguments

# A carrier that says nothing of a message: the commit of a receipt would take the note along.
NUMBER, CODE = "2001004092", "1234"
LOAD_SECONDS = (0.05, 0.35)  # how long a round's load runs before the kill
NOTE_SECONDS = 0.03  # a message that was sent is noted up to 0.05 s later
REFUSED_SECONDS = 0.05  # how long a client waits after a refusal for overload
SETTLE_SECONDS = 10.0  # within which a start has settled what it found
CODE_SECONDS = 120  # life of a code
FIRST_SENDS = 3  # messages a session may cause


class Run:
    """One session up to its code: what the client knows."""

    def __init__(self, platform):
        answer = expected(platform.unify(NUMBER), 200)
        self.correlation_id, self.token = answer["correlationId"], answer["authToken"]
        self.client, self.is_answered = None, False

    def send(self, base_url):
        self.client = Client(base_url, self.token)
        expected(self.client.start(), 200)
        expected(self.client.otp(), 200)
        self.is_answered = True


def load(server, runs, faults, is_over, only_one):
    """Sessions one after the other until the server is gone, or until one send is answered.

    A disk that is slow for a moment makes the server refuse calls: then the next session follows.
    """
    platform = Platform(server.base_url)
    try:
        while not is_over.is_set():
            try:
                if platform.access_token is None:
                    expected(platform.token(), 200)
                run = Run(platform)
                runs.append(run)
                run.send(server.base_url)
                if only_one:
                    break
            except Overloaded:
                time.sleep(REFUSED_SECONDS)
    except Lost:
        pass  # the kill
    except (AssertionError, LookupError, ValueError) as error:
        faults.append(f"before the kill: {error}")


def messages(data, beside_server=False):
    """State and sealed bytes of the messages by correlation ID."""
    with database_as_it_is(data, beside_server) as database:
        rows = database.execute("SELECT correlation_id, state, message_sealed FROM messages").fetchall()
    return {str(uuid.UUID(bytes=session)): (state, sealed) for session, state, sealed in rows}


def pass_time(data, seconds):
    """Moves the sandbox clock of a stopped server."""
    connection = page_checksums.connect(data / "holdfast.db")
    connection.execute(
        "INSERT INTO sandbox_clock (number, offset_seconds) VALUES (1, ?1) "
        "ON CONFLICT (number) DO UPDATE SET offset_seconds = offset_seconds + ?1", (seconds,))
    connection.commit()
    connection.close()


def settled(server):
    """The messages once none is queued any more."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while True:
        found = messages(server.data, beside_server=True)
        if all(state != "queued" for state, _ in found.values()) or time.monotonic() > deadline:
            return found
        time.sleep(0.05)


def recovered(server, outcome):
    """What the metrics count of this start."""
    return int(metric(server, f'holdfast_messages_recovered_total{{outcome="{outcome}"}}'))


def judge(run, before, after, arrived, is_late):
    """What is wrong with one session, as a text; `None`: nothing."""
    state = before.get(run.correlation_id, (None, None))[0]
    count = sum(message["correlationId"] == run.correlation_id for message in arrived)
    if run.is_answered and state is None:
        return "an answer was given, and its message is not on record"
    if count != (state == "queued" and not is_late):
        return f"a message that was {state} arrived {count} times"
    if state != "queued":
        return None
    if after[run.correlation_id] != ("expired" if is_late else "sent", None):
        return f"a queued message is {after[run.correlation_id][0]}, or holds something still"
    answer = run.client.otp() if is_late else run.client.verify(CODE)
    if answer.status != 200:
        return f"the next call: {answer}"
    if is_late and answer["otp"]["sendsLeft"] != FIRST_SENDS - 1:
        return f"a send was not given back: {answer}"
    return None


def one_round(server, chance, threads, is_late, is_quiet):
    """What went wrong, as a list of texts; how many messages the kill left queued, and how many sends were answered."""
    runs, faults, is_over = [], [], threading.Event()
    arguments = (server, runs, faults, is_over, is_quiet)
    workers = [threading.Thread(target=load, args=arguments) for _ in range(threads)]
    for worker in workers:
        worker.start()
    if is_quiet:
        for worker in workers:
            worker.join(60)
        time.sleep(chance.uniform(0, NOTE_SECONDS))
    else:
        time.sleep(chance.uniform(*LOAD_SECONDS))
    server.kill()
    is_over.set()
    for worker in workers:
        worker.join(60)
    before = messages(server.data)
    if is_late:
        pass_time(server.data, CODE_SECONDS)
    server.start()
    after = settled(server)
    sandbox = Sandbox(server.base_url)
    arrived = sandbox.messages()
    sandbox.close()
    for run in runs:
        if run.client is None:
            continue
        run.client.close()
        fault = judge(run, before, after, arrived, is_late)
        if fault:
            faults.append(f"{run.correlation_id}: {fault}")
    queued = sum(state == "queued" for state, _ in before.values())
    counted = recovered(server, "expired" if is_late else "sent")
    if counted != queued:
        faults.append(f"{queued} messages were queued, and the metrics count {counted}")
    return faults, queued, sum(run.is_answered for run in runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--rounds", type=int, default=40, help="kills (default %(default)s)")
    parser.add_argument("--threads", type=int, default=4, help="clients at a time (default %(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="replays the choices of a run")
    options = checked_arguments(parser)
    print(f"seed {options.seed}")
    chance = random.Random(options.seed)
    passed = failed = total = 0
    with Server(options.binary, options.config) as server:
        for number in range(1, options.rounds + 1):
            is_late = number % 5 == 0
            faults, queued, answered = one_round(server, chance, options.threads, is_late, number % 2 == 0)
            total += queued
            print(f"{'FAIL' if faults else 'ok  '} round {number}: {answered} sends were answered, {queued} messages "
                  f"were queued at the kill{', the start was too late for them' if is_late else ''}", flush=True)
            for fault in faults[:5]:
                print(f"     {fault}")
            passed, failed = passed + (not faults), failed + bool(faults)
    if total == 0:
        print("FAIL no kill has left a message queued: the run shows nothing")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
