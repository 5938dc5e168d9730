#!/usr/bin/env python3
"""Kills the server between commits, sends and notes of webhooks, and compares what was received with what is stored.

A round: clients run sessions to their end, while a receiver takes what it is told and refuses some of it; SIGKILL; start; the
clock is moved until nothing waits. Then each stored event was received, each of a session's own events has one, nothing was
received that is not stored, repeats have the same id and the same body, and each session's events were taken in the order of
their `sequence`.

The last line is "N passed, M failed", counting rounds.
"""
import argparse
import random
import sys
import threading
import time
import uuid

from harness import Lost, Overloaded, Platform, Server, database_as_it_is, expected
from holdfast import Client, Sandbox, add_server_arguments, checked_arguments
from receiver import Receiver

NUMBER, CODE = "2001004014", "1234"
LOAD_SECONDS = (0.05, 0.6)  # how long a round's load runs before the kill
REFUSED_SECONDS = 0.05  # how long a client waits after a refusal for overload
SETTLE_SECONDS = 60.0  # within which nothing waits any more
RETRY_SECONDS = 10  # a first retry is due after 5 s and a fifth
# Events of a session's timeline, and the type that tells of each.
TOLD = {"created": "session.created", "redeemed": "session.redeemed", "succeeded": "session.succeeded",
        "failed": "session.failed", "cancelled": "session.cancelled", "expired": "session.expired"}


def load(server, is_over, faults):
    """Sessions one after the other until the server is gone; after a refusal for overload the next one."""
    platform = Platform(server.base_url)
    try:
        while not is_over.is_set():
            try:
                if platform.access_token is None:
                    expected(platform.token(), 200)
                client = Client(server.base_url, expected(platform.unify(NUMBER), 200)["authToken"])
                client.authenticate(CODE)
                client.close()
            except Overloaded:
                time.sleep(REFUSED_SECONDS)
    except Lost:
        pass  # the kill
    except (AssertionError, LookupError, ValueError) as error:
        faults.append(f"before the kill: {error}")


def stored(data, beside_server=False):
    """Events by id, the sessions' timelines, and how many deliveries wait."""
    with database_as_it_is(data, beside_server) as database:
        rows = database.execute("SELECT event_id, type, correlation_id, sequence FROM webhook_events").fetchall()
        timelines = database.execute("SELECT correlation_id, kind FROM session_events").fetchall()
        waiting = database.execute("SELECT count(*) FROM webhook_deliveries WHERE state = 'pending'").fetchone()[0]
    events = {"evt_" + str(uuid.UUID(bytes=id)): (type, session and str(uuid.UUID(bytes=session)), sequence)
              for id, type, session, sequence in rows}
    return events, [(str(uuid.UUID(bytes=session)), kind) for session, kind in timelines], waiting


def settle(server, receiver):
    """Moves the clock until nothing waits; what is stored then, and the ids that were told before that look.

    A session may expire, and the receiver hear of it, at any later moment.
    """
    sandbox = Sandbox(server.base_url)
    deadline = time.monotonic() + SETTLE_SECONDS
    while True:
        told = {request.id for request in receiver.all()}
        found = stored(server.data, beside_server=True)
        if found[2] == 0 or time.monotonic() > deadline:
            sandbox.close()
            return found, told
        expected(sandbox.advance(RETRY_SECONDS), 200)
        time.sleep(0.5)


def judge(events, timelines, waiting, told_before, requests, taken):
    """What is wrong, as texts. `told_before`: ids of what was told before the store was read; `requests`: all, up to now."""
    if waiting:
        yield f"{waiting} deliveries wait for ever"
    bodies = {}
    for told in requests:
        if bodies.setdefault(told.id, told.body) != told.body:
            yield f"{told.id} came with two bodies"
    for id in set(events) - set(bodies):
        yield f"{id} {events[id]} was never told"
    for id in told_before - set(events):
        yield f"{id} was told and is not stored"
    told = {(session, type) for type, session, _ in events.values()}
    for session, kind in timelines:
        if kind in TOLD and (session, TOLD[kind]) not in told:
            yield f"{session} is {kind}, and no event says so"
    order = {}
    for id in dict.fromkeys(taken):
        _, session, sequence = events.get(id, (None, None, None))
        order.setdefault(session, []).append(sequence)
    for session, sequences in order.items():
        if session and sequences != sorted(sequences):
            yield f"{session} was told in the order {sequences}"


def one_round(server, receiver, taken, chance, threads):
    faults, is_over = [], threading.Event()
    workers = [threading.Thread(target=load, args=(server, is_over, faults)) for _ in range(threads)]
    for worker in workers:
        worker.start()
    time.sleep(chance.uniform(*LOAD_SECONDS))
    server.kill()
    is_over.set()
    for worker in workers:
        worker.join(60)
    left = stored(server.data)[2]
    server.start()
    (events, timelines, waiting), told_before = settle(server, receiver)
    faults += judge(events, timelines, waiting, told_before, receiver.all(), list(taken))
    return faults, left, len(events)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--rounds", type=int, default=20, help="kills (default %(default)s)")
    parser.add_argument("--threads", type=int, default=4, help="clients at a time (default %(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="replays the choices of a run")
    options = checked_arguments(parser)
    print(f"seed {options.seed}")
    chance, taken = random.Random(options.seed), []

    def answer(told, count):
        if count == 1 and hash((options.seed, told.id)) % 10 == 0:
            return 500, {}, b""
        taken.append(told.id)
        return 204, {}, b""

    receiver = Receiver(answer)
    passed = failed = total = 0
    with Server(options.binary, options.config) as server:
        server.command("webhooks", "add", "--client", "sandbox", "--url", receiver.url, "--ordering", "session")
        for number in range(1, options.rounds + 1):
            faults, left, count = one_round(server, receiver, taken, chance, options.threads)
            total += left
            repeats = len(receiver.all()) - len({told.id for told in receiver.all()})
            print(f"{'FAIL' if faults else 'ok  '} round {number}: {left} deliveries waited at the kill; {count} events "
                  f"so far, {repeats} repeats", flush=True)
            for fault in faults[:5]:
                print(f"     {fault}")
            passed, failed = passed + (not faults), failed + bool(faults)
    receiver.close()
    if total == 0:
        print("FAIL no kill has left a delivery waiting: the run shows nothing")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
