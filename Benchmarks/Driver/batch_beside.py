#!/usr/bin/env python3
"""How long others wait for a unify while four callers send batches of 1,000 verifications (F12, ABU-11).

    batch_beside.py --binary BINARY [--against BINARY --against-migrations DIR] [--seconds N] [--rounds N]

One caller starts sessions one after the other over a kept connection and takes the time of each: alone, and beside the
batches. The callers of batches are processes of their own, so that the figure is the server's and not Python's. Rounds of
both builds take turns. Each server is started on a free port with fresh data, and stopped.
"""
import argparse
import json
import multiprocessing
import statistics
import time

from servers import Holdfast, MIGRATIONS
from worst_input import JSON, Kept, request

CALLERS = 4
ITEMS = 1_000
NUMBER = "2001004014"
# A unify each so often, so that the one caller is no load itself.
PAUSE_SECONDS = 0.002
ITEM = {"phoneNumber": "2001004053", "verificationType": "verifiedUser", "firstName": "Elena", "lastName": "Coldman"}


def call(path, token, body):
    return request(f"POST {path}", [JSON, ("Authorization", b"Bearer " + token.encode())], json.dumps(body).encode())


def send_batches(port, data, ends, count):
    """Sends batches without pause until then."""
    connection = Kept(port)
    while time.monotonic() < ends.value:
        head = connection.exchange(data)
        if head.split()[1:2] == [b"200"]:
            with count.get_lock():
                count.value += 1
    connection.close()


def unify_times(port, data, seconds):
    """Milliseconds of each unify, sorted, and how many were not answered with 200."""
    connection, times, lost = Kept(port), [], 0
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        began = time.monotonic()
        head = connection.exchange(data)
        times.append(1000 * (time.monotonic() - began))
        lost += head.split()[1:2] != [b"200"]
        time.sleep(PAUSE_SECONDS)
    connection.close()
    return sorted(times), lost


def percentile(times, part):
    return times[min(len(times) - 1, int(len(times) * part))]


def measured(server, seconds):
    """Figures of one round: unify alone, unify beside, batches a second."""
    unify = call("/v3/unify", server.token, {"phoneNumber": NUMBER, "possessionType": "mobile", "clientRequestId": "b"})
    batch = call("/v3/verify/batch", server.token, {"items": [ITEM] * ITEMS})
    unify_times(server.port, unify, 0.5)
    alone, lost_alone = unify_times(server.port, unify, seconds)
    ends, count = multiprocessing.Value("d", time.monotonic() + seconds + 0.5), multiprocessing.Value("i", 0)
    callers = [
        multiprocessing.Process(target=send_batches, args=(server.port, batch, ends, count)) for _ in range(CALLERS)]
    for caller in callers:
        caller.start()
    time.sleep(0.5)
    beside, lost_beside = unify_times(server.port, unify, seconds)
    for caller in callers:
        caller.join()
    return alone, beside, count.value / (seconds + 0.5), lost_alone + lost_beside


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="build of the server")
    parser.add_argument("--against", help="another build, in the same run")
    parser.add_argument("--against-migrations", help="its migrations, where they are others")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each half of a round")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    builds = [("binary", options.binary, str(MIGRATIONS))]
    if options.against:
        builds.insert(0, ("against", options.against, options.against_migrations or str(MIGRATIONS)))
    found = {label: [] for label, _, _ in builds}
    for _ in range(options.rounds):
        for label, binary, migrations in builds:
            Holdfast.binary = binary
            with Holdfast(label, settings={"HOLDFAST_DATA_MIGRATIONS": migrations}) as server:
                found[label].append(measured(server, options.seconds))
    print(f"unify in milliseconds, median of {options.rounds} rounds; {CALLERS} callers of {ITEMS} items")
    print(f"{'build':10} {'alone p50':>10} {'p99':>8} {'beside p50':>11} {'p99':>8} {'most':>8} {'batches/s':>10} {'lost':>5}")
    for label, rounds in found.items():
        def middle(figure):
            return statistics.median(figure(round) for round in rounds)
        print(
            f"{label:10} {middle(lambda r: percentile(r[0], 0.5)):10.2f} {middle(lambda r: percentile(r[0], 0.99)):8.2f}"
            f" {middle(lambda r: percentile(r[1], 0.5)):11.2f} {middle(lambda r: percentile(r[1], 0.99)):8.2f}"
            f" {middle(lambda r: r[1][-1]):8.2f} {middle(lambda r: r[2]):10.1f} {sum(r[3] for r in rounds):5d}")


if __name__ == "__main__":
    main()
