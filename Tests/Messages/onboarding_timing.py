#!/usr/bin/env python3
"""Whether the time of an answer tells an app whose credentials are known (contract section 9).

    onboarding_timing.py [--binary BINARY] [--samples N]

A server in live mode, a service that finds people, and a gateway that takes 20 ms for each message. Two customers: one whom the
service finds, and one whom it does not; it answers both at once. An app starts a process for each, asks how it stands, for
another code, tries a wrong one, and ends it: statuses, header names and bodies must be the same but for the process's id. The
order of the two is drawn anew in each round. It prints the medians and their distance from the unknown customer's; it asserts
nothing about time, since a shared machine decides that too. Asked for is less than 2 % and 0.1 ms.
"""
import argparse
import json
import multiprocessing
import random
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from gateway import Gateway
from live import CLIENT, Caller, Live

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "EndToEnd"))
from holdfast import add_server_arguments, checked_arguments  # noqa: E402
from timing import report  # noqa: E402

CALLS = ("/start", "/status", "/otp/resend", "/create", "/cleanup")
# The generator of P-256 (SEC 2 section 2.4.2).
POINT = "A2sX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKW"
SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
GATEWAY_SECONDS = 0.02
WARM_UP = 20
AREAS = (
    201, 202, 203, 205, 206, 207, 208, 209, 210, 212, 213, 214, 215, 216, 217, 218, 219, 224, 225, 228, 229, 231, 234, 239, 240,
    248, 251, 252, 253, 254, 256, 260, 262, 267, 269, 270, 276, 281, 301, 302, 303, 304, 305, 307, 308, 309, 310, 312, 313, 314)


def number(customer):
    """Of a customer: each has a prefix of their own, as people have who are not one company's. What a network has asked for in a
    prefix is one row, which would grow with each of them."""
    return f"+1{AREAS[customer % 50]}{220 + customer // 50 % 70}{2000 + customer % 7000}"


class People(ThreadingHTTPServer):
    """Finds those whose customer number begins with a 1."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # the server has ended

    def __init__(self):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1

            def do_POST(self):
                said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["credentials"]["clientNumber"]
                is_known = said.startswith("1")
                body = json.dumps({"phoneNumber": number(int(said[1:]))}).encode()
                self.send_response(200 if is_known else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                self.wfile.flush()

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()


def play(pipe):
    """Plays the service and the gateway, until it is told to end. In a process of its own: a thread of theirs would keep the
    measuring one from running, and only a known customer's message wakes it."""
    people = People()

    def behave(gateway, call):
        gateway.wait(GATEWAY_SECONDS)
        return gateway.taken(call)

    with Gateway("gateway", behave) as gateway:
        pipe.send((people.url, gateway.url))
        pipe.recv()
        pipe.send(len(gateway.calls))


def walk(caller, number):
    """How long each call took in seconds, and its answer without what differs in any two of them."""
    taken, answers, process = [], [], ""
    for call in CALLS:
        members = {"processId": process} if process else {"identification": {"clientNumber": number}}
        path = "/api/onboarding" + call
        if call == "/create":
            path = "/pa/v3/activation/create"
            members = {
                "type": "CUSTOM", "activationData": {"devicePublicKey": POINT},
                "identityAttributes": {"processId": process, "otpCode": "00000000", "credentialsType": "ONBOARDING"}}
        began = time.perf_counter()
        answer = caller.post(path, {"requestObject": members})
        taken.append(time.perf_counter() - began)
        value = answer.json
        process = process or value["responseObject"]["processId"]
        value.pop("timestamp", None)
        answers.append((answer.status, sorted(answer.headers), json.dumps(value).replace(process, "process")))
    return taken, answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--samples", type=int, default=2000, help="of each customer (default %(default)s)")
    options = checked_arguments(parser)
    pipe, others = multiprocessing.Pipe()
    player = multiprocessing.Process(target=play, args=(others,), daemon=True)
    player.start()
    people_url, gateway_url = pipe.recv()
    with tempfile.TemporaryDirectory(prefix="holdfast-timing-") as folder:
        secret = Path(folder) / "secret"
        secret.write_text(SECRET + "\n")
        secret.chmod(0o600)
        routes = {
            "gateways": {"main": {
                "preset": "hook", "settings": {"url": gateway_url + "/send"}, "secretFiles": {"secret": str(secret)}}},
            "routes": [{"gateways": ["main"]}],
        }
        settings = {
            "app": {"clientId": CLIENT}, "onboarding": {"acceptPlain": True},
            "identity": {"lookupUrl": people_url, "secretFile": str(secret)},
            "log": {"requests": False}, "guard": {"mode": "off"},
        }
        with Live(options.binary, Path(folder) / "live", routes, settings) as live:
            times = {name: tuple([] for _ in CALLS) for name in ("known", "unknown")}
            seen = {name: tuple(set() for _ in CALLS) for name in times}
            caller = Caller(live.base_url)
            for number in range(options.samples + WARM_UP):
                for name in random.sample(list(times), len(times)):
                    taken, answers = walk(caller, f"{'1' if name == 'known' else '2'}{number}")
                    if number < WARM_UP:
                        continue
                    for index in range(len(CALLS)):
                        times[name][index].append(taken[index])
                        seen[name][index].add(repr(answers[index]))
            # The last ones wait up to half a second.
            time.sleep(1)
            pipe.send(None)
            sent = pipe.recv()
            caller.close()
    report(CALLS, "unknown", times, seen, options.samples)
    print(f"\nthe answers are the same but for the process's id; {sent} messages were sent")
    assert sent >= options.samples, "known customers got no message"


if __name__ == "__main__":
    main()
