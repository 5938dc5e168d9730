#!/usr/bin/env python3
"""What one webhook endpoint costs a unify: the same build with webhooks off and with an endpoint on, in one sitting.

    webhooks.py --binary BINARY [--starts N] [--rounds N] [--seconds N] [--connections N]

The endpoint asks for everything, so each unify stores an event and a delivery, and the server tells the endpoint of it while
the load goes on. The receiver is another server of the same build, with the receiver of its sandbox. A server has the
machine for itself: it is started, asked for some rounds and stopped, the two kinds in turn, `--starts` times each. Ratios
are of the medians, on by off. Ends with 1 when the rate is below `--least`.
"""
import argparse
import re
import statistics
import sys
import urllib.request
from pathlib import Path

import load
import scenes
from servers import BENCHMARKS, MIGRATIONS, Holdfast

RECEIVER = "/sandbox/webhooks/receiver"
DELIVERED = re.compile(r'^holdfast_webhook_deliveries_total\{.*outcome="delivered".*\} (\d+)', re.M)


def metric(server, pattern):
    with urllib.request.urlopen(server.url("/metrics"), timeout=10) as answer:
        return sum(int(found) for found in pattern.findall(answer.read().decode()))


def measured(options, receiver):
    """Runs of load on a new server, and how many deliveries a second it has made meanwhile; `receiver`: `None`: off."""
    label = "one endpoint" if receiver else "webhooks off"
    with Holdfast(label, settings={"HOLDFAST_DATA_MIGRATIONS": str(MIGRATIONS)}) as server:
        if receiver:
            added = server.call("/v1/webhooks", {"url": receiver.url(RECEIVER), "types": ["*"]}, server.token)
            assert added["active"], added
        load.wrk(server, "unify", "/v3/unify", options.connections, 1)
        before = metric(server, DELIVERED)
        runs = [
            load.wrk(server, "unify", "/v3/unify", options.connections, options.seconds) for _ in range(options.rounds)]
        delivered = metric(server, DELIVERED) - before
        scenes.check_rows(server)
    if receiver and not delivered:
        raise load.Broken("nothing was delivered")
    return runs, delivered / sum(run.seconds for run in runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="a release build")
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=2, help="for each start")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--least", type=float, default=0.90, help="of the rate without webhooks")
    options = parser.parse_args()
    Holdfast.binary = str(Path(options.binary).resolve())
    (BENCHMARKS / ".build-run").mkdir(exist_ok=True)
    runs, told = {False: [], True: []}, []
    for number in range(options.starts):
        for is_on in (False, True) if number % 2 else (True, False):
            if is_on:
                with Holdfast("receiver") as receiver:
                    found, delivered = measured(options, receiver)
                told.append(delivered)
            else:
                found, _ = measured(options, None)
            runs[is_on] += found

    def middle(is_on, of):
        return statistics.median(getattr(run, of) for run in runs[is_on])

    print(f"unify, {options.connections} connections, {options.starts} starts of {options.rounds} rounds")
    print("| webhooks | a second | CPU, µs | p50, ms | p99, ms | memory, MB | delivered a second |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for is_on in (False, True):
        print(
            f"| {'one endpoint' if is_on else 'off'} | {middle(is_on, 'rate'):,.0f} | {middle(is_on, 'cpu_us'):.1f} "
            f"| {middle(is_on, 'p50_us') / 1000:.1f} | {middle(is_on, 'p99_us') / 1000:.1f} "
            f"| {middle(is_on, 'resident_kb') / 1024:.0f} | {statistics.median(told) if is_on else 0:,.0f} |")
    ratio = middle(True, "rate") / middle(False, "rate")
    print(f"rate {ratio:.2f}, CPU {middle(True, 'cpu_us') / middle(False, 'cpu_us'):.2f}")
    if ratio < options.least:
        sys.exit(f"webhooks: the rate with an endpoint is below {options.least:.2f} of that without")


if __name__ == "__main__":
    main()
