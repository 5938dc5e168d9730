#!/usr/bin/env python3
"""What a route that answers in 30 seconds costs the messages of other routes (ABU-07, issue of live sending).

    slow_route.py --binary BINARY [--hour] [--messages N] [--rate N] [--slow-share PERCENT]

Messages are asked for at a constant rate, each at the moment that it is due, from the first step of a client to the call
of the gateway. A share of them goes to a route of its own. It is run twice: that route answers at once, then after 30
seconds. The figures are those of the other messages: the time from the moment that a message was due until its gateway
was called, and until its caller was answered. `--hour` is 10,000 messages in 3,600 seconds; without it, 2,000 messages at
100 a second. Everything is on loopback.
"""
import argparse
import shutil
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gateway import Gateway
from live import Live, Run, expected
from messages import SECRET

from holdfast import add_server_arguments, checked_arguments  # noqa: E402

SLOW_SECONDS = 30.0
# Whoever asks for a code of the slow route waits 2 seconds for its answer.
WORKERS = 64


class Site:
    """A server with two routes: +49 goes to the gateway that may be slow."""

    def __init__(self, binary, folder, other, slow):
        folder.mkdir(parents=True)
        secret = folder / "hook.secret"
        secret.write_text(SECRET)
        secret.chmod(0o600)
        gateways = {
            gateway.name: {
                "preset": "hook", "settings": {"url": gateway.url + "/send"}, "secretFiles": {"secret": str(secret)},
                "timeoutSeconds": 60}
            for gateway in (other, slow)}
        routes = [{"countries": ["DE"], "gateways": [slow.name]}, {"gateways": [other.name]}]
        # Nobody types these codes.
        self.live = Live(binary, folder / "live", {"gateways": gateways, "routes": routes}, {"guard": {"mode": "off"}})


class Load:
    """Messages at a constant rate. A session is made ahead, so that only the message is timed."""

    def __init__(self, live, options):
        self.live, self.options, self.lock = live, options, threading.Lock()
        self.due, self.answered, self.lost = {}, {}, 0
        self.platform = live.platform()
        expected(self.platform.token(), 200)

    def number(self, index):
        is_slow = index * self.options.slow_share % 100 < self.options.slow_share
        return (f"+4915112{index:06}" if is_slow else f"+1206{2_000_000 + index}"), is_slow

    def one(self, index, at):
        number, is_slow = self.number(index)
        try:
            run = Run(self.live, number, self.platform)
            expected(run.client.start(), 200)
            time.sleep(max(0.0, at - time.monotonic()))
            with self.lock:
                self.due[number] = at
            expected(run.client.otp(), 200)
            if not is_slow:
                with self.lock:
                    self.answered[number] = time.monotonic()
        except Exception as error:  # noqa: BLE001
            with self.lock:
                self.lost += 1
            print(f"{number[:5]}...: {error}", file=sys.stderr)

    def run(self):
        begins = time.monotonic() + 2
        with ThreadPoolExecutor(WORKERS) as pool:
            for index in range(self.options.messages):
                at = begins + index / self.options.rate
                # A session is begun a second before its message.
                time.sleep(max(0.0, at - 1 - time.monotonic()))
                pool.submit(self.one, index, at)


def percentile(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]


def measure(binary, folder, options, is_slow):
    def behave(gateway, call):
        if is_slow:
            gateway.wait(SLOW_SECONDS)
        return gateway.taken(call)

    with Gateway("other") as other, Gateway("slow", behave) as slow:
        with Site(binary, folder, other, slow).live as live:
            load = Load(live, options)
            load.run()
            # What is under way to the other gateway arrives.
            wanted = sum(not load.number(index)[1] for index in range(options.messages)) - load.lost
            deadline = time.monotonic() + 10
            while len(other.calls) < wanted and time.monotonic() < deadline:
                time.sleep(0.05)
            sent = {call.json["data"]["to"]: call.at for call in other.calls}
            delays = [1000 * (sent[number] - load.due[number]) for number in sent]
            answers = [1000 * (at - load.due[number]) for number, at in load.answered.items()]
            print(
                f"{'slow' if is_slow else 'quick':6} {len(sent):7} {len(slow.calls):7} {percentile(delays, 0.5):9.1f} "
                f"{percentile(delays, 0.99):9.1f} {max(delays):9.1f} {percentile(answers, 0.5):9.1f} "
                f"{percentile(answers, 0.99):9.1f} {load.lost:5}", flush=True)
            return percentile(delays, 0.99), load.lost + max(0, wanted - len(sent))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--hour", action="store_true", help="10,000 messages in an hour, and that twice")
    parser.add_argument("--messages", type=int, default=2_000)
    parser.add_argument("--rate", type=float, default=100.0, help="messages a second")
    parser.add_argument("--slow-share", type=int, default=20, help="percent of the messages")
    options = checked_arguments(parser)
    if options.hour:
        options.messages, options.rate = 10_000, 10_000 / 3600
    root = Path(tempfile.mkdtemp(prefix="holdfast-slow-route-"))
    print(f"{options.messages} messages, {options.rate:.2f} a second, {options.slow_share} % by the slow route; ms")
    print("route    others    slow  sent p50       p99      most ans. p50       p99  lost")
    try:
        found = [measure(options.binary, root / str(is_slow), options, is_slow) for is_slow in (False, True)]
    finally:
        shutil.rmtree(root, ignore_errors=True)
    if any(lost for _, lost in found):
        sys.exit("messages were lost")


if __name__ == "__main__":
    main()
