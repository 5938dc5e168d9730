#!/usr/bin/env python3
"""What device onboarding costs the server: processor time and commits of each call, beside a unify of the same run.

    activations.py --binary BINARY [--calls N] [--callers N]

Needs the packages of Tests/EndToEnd/requirements.txt: the phone is the one of its scenes. The requests of a kind are made before
its time begins, so that the server has what little a Python client leaves of the machine; each kind is sent by some callers
at a time. A call's time is the server's own processor time, and its commits are those of its metrics, which several callers
share. Also tells what many temporary keys cost in memory.
"""
import argparse
import http.client
import json
import re
import statistics
import sys
import threading
import urllib.request
from pathlib import Path

from servers import BENCHMARKS, MIGRATIONS, REPOSITORY, Holdfast

sys.path.insert(0, str(REPOSITORY / "Tests/EndToEnd"))
from powerauth import (  # noqa: E402
    ORDER, Application, Phone, compact_json, data, ec, hs256, point, secrets, text)

COMMITS = re.compile(r"^holdfast_writer_(commits|transactions)_total (\d+)", re.M)
JSON = {"Content-Type": "application/json"}
CODE = "12345678"


def written(server):
    with urllib.request.urlopen(server.url("/metrics"), timeout=10) as answer:
        return {name: int(count) for name, count in COMMITS.findall(answer.read().decode())}


class Client:
    def __init__(self, server, callers):
        self.server, self.connections = server, [http.client.HTTPConnection("127.0.0.1", server.port) for _ in range(callers)]

    def send(self, connection, path, headers, body):
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def post(self, path, headers, body):
        return self.send(self.connections[0], path, headers, body)

    def all(self, requests, status=200):
        """Sends them by all callers at a time: answers in their order."""
        answers = [None] * len(requests)

        def run(first, connection):
            for index in range(first, len(requests), len(self.connections)):
                answers[index] = self.send(connection, *requests[index])

        threads = [
            threading.Thread(target=run, args=(first, connection)) for first, connection in enumerate(self.connections)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wrong = [answer for answer in answers if answer is None or answer[0] != status]
        if wrong:
            sys.exit(f"{len(wrong)} wrong answers, such as {wrong[0]}")
        return answers


def measured(client, name, requests, status=200):
    server = client.server
    cpu, before = server.cpu_seconds(), written(server)
    answers = client.all(requests, status)
    after, count = written(server), len(requests)
    return answers, (
        name, (server.cpu_seconds() - cpu) / count * 1e6,
        *((after[of] - before[of]) / count for of in ("transactions", "commits")))


def kinds(client, calls):
    """One row for each kind of call."""
    server = client.server
    shown = json.load(urllib.request.urlopen(server.url("/sandbox/users")))["applications"]
    configuration = next(app["sdkConfiguration"] for app in shown if app["clientId"] == "sandbox")
    application = Application.from_configuration(configuration)
    phone = Phone(application, "3.3", client.post)

    unify = compact_json({"possessionType": "mobile", "phoneNumber": "2001004014", "clientRequestId": "driver"})
    bearer = {**JSON, "Authorization": f"Bearer {server.token}"}
    yield measured(client, "unify", [("/v3/unify", bearer, unify)] * calls)[1]
    yield measured(client, "server time", [("/pa/v3/status", JSON, b"{}")] * calls)[1]

    def jwt():
        claims = {"applicationKey": application.key, "challenge": text(secrets.token_bytes(18))}
        return compact_json({"requestObject": {"jwt": hs256(claims, application.secret)}})

    memory = server.anonymous_kb()
    yield measured(client, "temporary key", [("/pa/v3/keystore/create", JSON, jwt()) for _ in range(calls)])[1]
    print(f"{calls} temporary keys: {server.anonymous_kb() - memory} kB more", file=sys.stderr)

    starts = [compact_json({"requestObject": {"identification": {"clientNumber": "12345", "run": str(n)}}})
              for n in range(calls * 4)]
    answers, row = measured(
        client, "start, plain", [("/api/onboarding/start", JSON, start) for start in starts[:calls]])
    yield row

    def process(body):
        return json.loads(body)["responseObject"]["processId"]

    def envelope(content):
        return phone.encryption_header(), phone.envelope("/pa/generic/application"), compact_json(content)

    def sealed(path, content):
        header, keys, plain = envelope(content)
        return path, {**JSON, **header}, compact_json(keys.seal_request(plain, phone.now()))

    processes = [process(body) for _, body in answers]
    for version in ("3.2", "3.3"):
        phone.version = version
        yield measured(client, f"status, {version}", [
            sealed("/api/onboarding/status", {"requestObject": {"processId": id}}) for id in processes])[1]

    def order(id, code):
        device, inner = ec.generate_private_key(ec.SECP256R1()), phone.envelope(ORDER)
        content = inner.seal_request(
            compact_json({"devicePublicKey": text(point(device.public_key())), "activationName": "n"}), phone.now())
        header, keys, plain = envelope({
            "type": "CUSTOM", "activationData": content,
            "identityAttributes": {"processId": id, "otpCode": code, "credentialsType": "ONBOARDING"}})
        body = compact_json(keys.seal_request(plain, phone.now()))
        return (device, inner, keys), ("/pa/v3/activation/create", {**JSON, **header}, body)

    yield measured(
        client, "wrong code, 3.3", [order(id, "00000000")[1] for id in processes], status=400)[1]
    orders = [order(id, CODE) for id in processes]
    answers, row = measured(client, "activation, 3.3", [request for _, request in orders])
    yield row

    phones = []
    for ((device, inner, keys), _), (_, body) in zip(orders, answers, strict=True):
        made = json.loads(inner.open(json.loads(keys.open(json.loads(body)))["activationData"]))
        activated = Phone(application, "3.3", client.post)
        activated.adopt(device, made["activationId"], data(made["serverPublicKey"]), data(made["ctrData"]))
        phones.append(activated)

    yield measured(client, "standing", [
        ("/pa/v3/activation/status", JSON, compact_json({"requestObject": {
            "activationId": activated.activation_id, "challenge": text(bytes(16))}})) for activated in phones])[1]
    body = b"{}"
    for name, factors in (("possession", "possession"), ("two factors", "possession_knowledge")):
        yield measured(client, f"signature, {name}", [
            ("/pa/v3/signature/validate", {**JSON, **activated.sign("POST", "/pa/signature/validate", body, factors)}, body)
            for activated in phones])[1]
    for activated in phones:
        activated.skip(19)
    yield measured(client, "signature, 19 skipped", [
        ("/pa/v3/signature/validate", {**JSON, **activated.sign("POST", "/pa/signature/validate", body)}, body)
        for activated in phones])[1]
    for activated in phones:
        activated.master_secret = bytes(16)
    yield measured(client, "signature, wrong", [
        ("/pa/v3/signature/validate", {**JSON, **activated.sign("POST", "/pa/signature/validate", body)}, body)
        for activated in phones], status=401)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="a release build")
    parser.add_argument("--calls", type=int, default=2000, help="of each kind")
    parser.add_argument("--callers", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3, help="new servers, one after the other")
    options = parser.parse_args()
    Holdfast.binary = str(Path(options.binary).resolve())
    (BENCHMARKS / ".build-run").mkdir(exist_ok=True)
    rounds = []
    for _ in range(options.rounds):
        with Holdfast(settings={"HOLDFAST_DATA_MIGRATIONS": str(MIGRATIONS)}) as server:
            rounds.append(list(kinds(Client(server, options.callers), options.calls)))
    print(f"{options.calls} calls of each kind by {options.callers} callers, medians of {options.rounds} servers")
    print("| call | CPU, µs | of a unify | transactions | commits |")
    print("| --- | --- | --- | --- | --- |")
    unify = statistics.median(rows[0][1] for rows in rounds)
    for place, (name, *_) in enumerate(rounds[0]):
        cpu, transactions, commits = (statistics.median(rows[place][column] for rows in rounds) for column in (1, 2, 3))
        print(f"| {name} | {cpu:.0f} | {cpu / unify:.2f} | {transactions:.2f} | {commits:.2f} |")


if __name__ == "__main__":
    main()
