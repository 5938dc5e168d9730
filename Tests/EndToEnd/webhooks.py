#!/usr/bin/env python3
"""Webhooks, received on loopback and judged by libraries that know nothing of this server.

Starts servers of its own, and needs the packages of requirements.txt. The last line is "N passed, M failed".
"""
import argparse
import base64
import json
import re
import sys
import time

import standardwebhooks
import svix.webhooks
from cloudevents.core.bindings.http import HTTPMessage, from_structured
from cloudevents.core.formats.json import JSONFormat
from nacl.signing import VerifyKey
from openapi_schema_validator import OAS31Validator

import scenes
from holdfast import Key, add_server_arguments, checked_arguments, expected
from people import MILO, PEOPLE, name_of
from ports import free_port
from receiver import Receiver
from scripted import NO_DELIVERY
from tunnel import Tunnel
from world import LANEY, LORANT, RIGHT, WRONG, Started, World


class Endpoint:
    """An endpoint of the sandbox client, added by command, and its receiver."""

    def __init__(self, site, answer=None, types="*", *options, client="sandbox"):
        self.site, self.receiver = site, Receiver(answer)
        words = ("webhooks", "add", "--client", client, "--url", self.receiver.url, "--types", types, "--json", *options)
        self.made = json.loads(site.server.command(*words))
        site.secrets.add(self.made["secret"])

    @property
    def id(self):
        return self.made["id"]

    def verify(self, told, secret=None):
        """By each judge: it throws where something is wrong."""
        secret = secret or self.made["secret"]
        for library in (standardwebhooks.Webhook, svix.webhooks.Webhook):
            library(secret).verify(told.body, told.headers)
        if "publicKey" in self.made:
            signature = told.headers["webhook-signature"].split(" ")
            assert [part.split(",")[0] for part in signature] == ["v1", "v1a"], signature
            text = f"{told.id}.{told.headers['webhook-timestamp']}.".encode() + told.body
            key = VerifyKey(base64.b64decode(self.made["publicKey"].removeprefix("whpk_")))
            key.verify(text, base64.b64decode(signature[1].removeprefix("v1a,")))

    def deliveries(self, *options):
        lines = self.site.server.command("webhooks", "deliveries", "--endpoint", self.id, *options).splitlines()
        return [json.loads(line) for line in lines]

    def listed(self):
        lines = self.site.server.command("webhooks", "list").splitlines()
        return next(entry for entry in map(json.loads, lines) if entry["id"] == self.id)

    def close(self):
        """Takes the endpoint away, so that the next scene begins without it."""
        self.site.server.command("webhooks", "remove", self.id)
        self.receiver.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def succeed(site, **fields):
    started = site.unify(LORANT, **fields)
    started.client().authenticate(RIGHT)
    return started


def every_event_type_is_verified_by_three_libraries(world):
    site, seen = world.scripted, set()
    with Endpoint(site, None, "*,check.*", "--key", "ed25519") as endpoint:
        succeed(site)
        client = site.unify(LORANT).client()
        client.to_code_entry()
        client.verify(WRONG)
        cancelled = site.unify(LORANT).client()
        expected(cancelled.start(), 200)
        expected(cancelled.cancel(), 200)
        lost = site.unify(NO_DELIVERY).client()
        expected(lost.start(), 200)
        lost.otp()
        bind_and_revoke(site)
        identity = expected(site.platform.post("/v3/identity", {"phoneNumber": LANEY}), 200)["proveId"]
        expected(site.platform.post("/v3/identity", {"phoneNumber": LANEY, "clientCustomerId": "c-1"}), 200)
        # What still waits for its delivery goes with an identity that is deleted.
        endpoint.receiver.wait_for("identity.changed")
        expected(site.platform.delete(f"/v3/identity/{identity}"), 200)
        site.server.command("webhooks", "test", endpoint.id)
        expired = site.unify(LORANT)
        endpoint.receiver.wait_for("session.created", expired.correlation_id)
        site.advance(901)
        endpoint.receiver.wait_for("session.expired", expired.correlation_id, seconds=40)
        endpoint.receiver.wait_for("ping")
        described = world.plain.sandbox.caller.call("GET", "/openapi.json").json
        for told in endpoint.receiver.of():
            endpoint.verify(told)
            is_as_described(told, described)
            seen.add(told.type)
    missing = {
        "session.created", "session.redeemed", "session.succeeded", "session.failed", "session.expired",
        "session.cancelled", "check.started", "check.failed", "message.sent", "message.delivered", "message.failed",
        "device_key.bound", "device_key.revoked", "identity.changed", "identity.deleted", "ping",
    } - seen
    assert not missing, f"never told: {sorted(missing)}; told: {sorted(seen)}"
    return f"{len(seen)} types"


def is_as_described(told, described):
    """Throws unless the body is what the API description says of its type."""
    content = described["components"]["pathItems"][told.type]["post"]["requestBody"]["content"]["application/json"]
    OAS31Validator(content["schema"] | {"components": described["components"]}).validate(json.loads(told.body))


def bind_and_revoke(site):
    """A device key that a success binds, and its backend revokes."""
    started = site.unify(LORANT)
    started.client(device_key=Key()).authenticate(RIGHT)
    expected(site.platform.post("/v3/device/revoke", {"deviceId": started.status("true")["deviceId"]}), 200)


def a_prefill_run_is_told_of(world):
    site = world.plain
    with Endpoint(site, None, "prefill.*") as endpoint:
        for dob, type, step in (
                (PEOPLE[MILO]["dob"], "prefill.completed", "complete"), ("1900-01-01", "prefill.refused", "challenge")):
            start = expected(site.platform.start(MILO), 200)["correlationId"]
            expected(site.platform.validate(start), 200)
            expected(site.platform.challenge(start, dob=dob), 200)
            if type == "prefill.completed":
                expected(site.platform.complete(start, **name_of(MILO)), 200)
            told = endpoint.receiver.wait_for(type, start)
            endpoint.verify(told)
            assert told.data["step"] == step, told.data


def a_cloudevent_is_one_for_its_sdk(world):
    with Endpoint(world.simulated, None, "session.*", "--format", "cloudevents") as endpoint:
        started = succeed(world.simulated)
        told = endpoint.receiver.wait_for("session.succeeded", started.correlation_id)
        event = from_structured(HTTPMessage(headers=told.headers, body=told.body), JSONFormat())
        assert event.get_id() == told.id and event.get_type() == "com.holdfast.session.succeeded", event
        assert event.get_subject() == started.correlation_id and event.get_specversion() == "1.0"
        assert event.get_data()["method"] == "otp", event.get_data()
        endpoint.verify(told)


def a_receiver_of_cloudevents_is_asked_and_may_refuse(world):
    site, receiver = world.simulated, Receiver()
    wish = {"url": receiver.url, "types": ["session.*"], "format": "cloudevents", "handshake": True}
    words = ("webhooks", "add", "--client", "sandbox", "--url", receiver.url, "--format", "cloudevents", "--handshake")
    for allows in ({}, {"WebHook-Allowed-Origin": "other.example"}):
        receiver.allows = allows
        refused = expected(site.platform.post("/v1/webhooks", wish), 400)
        assert "WebHook-Allowed-Origin" in refused["message"], refused
    try:
        raise AssertionError(site.server.command(*words))
    except RuntimeError as refusal:
        assert "did not agree" in str(refusal), refusal
    assert receiver.url not in site.server.command("webhooks", "list"), "what was refused was added"
    origin = receiver.asked[0]["webhook-request-origin"]
    receiver.allows = {"WebHook-Allowed-Origin": origin, "WebHook-Allowed-Rate": "*"}
    made = expected(site.platform.post("/v1/webhooks", wish), 200)
    site.secrets.add(made["secret"])
    started = succeed(site)
    told = receiver.wait_for("session.succeeded", started.correlation_id)
    assert told.headers["webhook-request-origin"] == origin, told.headers
    path = f"/v1/webhooks/{made['id']}"
    expected(site.platform.post(f"{path}/disable", {}), 200)
    receiver.allows = {}
    expected(site.platform.post(f"{path}/enable", {}), 400)
    assert not expected(site.platform.get(path), 200)["active"]
    expected(site.platform.delete(path), 200)
    receiver.close()
    refused = expected(site.platform.post("/v1/webhooks", {**wish, "url": f"http://127.0.0.1:{free_port()}/h"}), 400)
    assert "(refused)" in refused["message"], refused
    assert all(asked["webhook-request-origin"] == origin for asked in receiver.asked) and len(receiver.asked) == 5


def no_code_and_no_number_is_in_a_body(world):
    site = world.simulated
    with Endpoint(site, None, "*,check.*") as thin, Endpoint(site, None, "*", "--include", "phoneNumber") as whole:
        started = succeed(site)
        for endpoint in (thin, whole):
            endpoint.receiver.wait_for("session.succeeded", started.correlation_id)
            for told in endpoint.receiver.of(started.correlation_id):
                text = told.body.decode()
                assert RIGHT not in re.sub(r"[0-9a-f-]{36}|\d{4}-\d\d-\d\dT[0-9:.]+|sequence.:\d+|s_[\w-]+", "", text), text
                assert (("+1" + LORANT) in text) == (endpoint is whole), text
                assert told.data["phoneNumberHint"] == "+1•••4014" and told.data["subject"].startswith("s_"), text
                assert len(told.body) < 20_000


def both_secrets_sign_after_a_rotation(world):
    site = world.simulated
    with Endpoint(site) as endpoint:
        fresh = json.loads(site.server.command("webhooks", "rotate", endpoint.id, "--json"))["secret"]
        assert fresh != endpoint.made["secret"]
        started = succeed(site)
        told = endpoint.receiver.wait_for("session.succeeded", started.correlation_id)
        assert told.headers["webhook-signature"].count(" ") == 1
        endpoint.verify(told)
        endpoint.verify(told, fresh)
        site.advance(86_401)
        later = succeed(site)
        told = endpoint.receiver.wait_for("session.succeeded", later.correlation_id)
        endpoint.verify(told, fresh)
        try:
            endpoint.verify(told)
        except standardwebhooks.WebhookVerificationError:
            return
        raise AssertionError("the old secret signs for more than a day")


def what_fails_comes_again_under_its_id_and_never_by_a_redirect(world):
    site = world.simulated
    inner = Receiver()
    answers = [
        (500, {}, b""), (302, {"Location": inner.url}, b""), (429, {"Retry-After": "3600"}, b""),
        (200, {"Content-Length": str(1 << 30)}, b"a" * 200_000)]
    with Endpoint(site, lambda told, count: answers[min(count, 4) - 1], "session.created") as endpoint:
        started = site.unify(LORANT)
        for attempt, seconds in enumerate((10, 60, 600, 0), 1):
            endpoint.receiver.wait(
                lambda _: len(endpoint.receiver.of(started.correlation_id)) == attempt, f"attempt {attempt}")
            wait(lambda: endpoint.deliveries()[0]["attempts"] == attempt, f"note of attempt {attempt}")
            if seconds:
                site.advance(seconds)
        told = endpoint.receiver.of(started.correlation_id)
        assert len({one.id for one in told}) == 1, [one.id for one in told]
        for one in told:
            endpoint.verify(one)
        assert endpoint.deliveries()[0]["state"] == "delivered", endpoint.deliveries()
        assert not inner.all(), "a redirect was followed"
    inner.close()


def wait(condition, what, seconds=15.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"no {what} within {seconds:g} s"
        time.sleep(0.05)


def a_slow_receiver_and_one_that_hangs_up_keep_no_other_waiting(world):
    site = world.simulated

    def hang(told, count):
        time.sleep(20)
        return 200, {}, b""

    with Endpoint(site, hang) as slow, Endpoint(site) as quick:
        for _ in range(12):
            site.unify(LORANT)
        slow.receiver.wait(lambda told: len(told) >= 8, "eight attempts")
        began = time.monotonic()
        started = site.unify(LORANT)
        told = quick.receiver.wait_for("session.created", started.correlation_id)
        delay = told.at - began
        assert delay < 1, f"{delay:.2f} s"
        assert len(slow.receiver.all()) == 8, "more than eight in flight"
    return f"{delay * 1000:.0f} ms"


def a_410_ends_an_endpoint_and_a_ping_begins_it_again(world):
    site = world.simulated
    gone = [True]
    with Endpoint(site, lambda told, count: (410 if gone[0] else 204, {}, b"")) as endpoint, Endpoint(
            site, None, "prefill.*") as other:
        site.unify(LORANT)
        told = other.receiver.wait_for("endpoint.disabled")
        assert told.data["endpointId"] == endpoint.id and told.data["reason"] == "gone", told.data
        assert endpoint.listed()["status"] == "disabled"
        gone[0] = False
        site.server.command("webhooks", "enable", endpoint.id)
        endpoint.receiver.wait_for("ping")
        assert endpoint.listed()["status"] == "active"
        missed = [entry for entry in endpoint.deliveries("--state", "failed") if entry["type"] == "session.created"]
        assert missed
        before = len(endpoint.receiver.of(type="session.created"))
        printed = site.server.command("webhooks", "replay", "--event", missed[0]["event"])
        assert printed == "queued 1\n", printed
        endpoint.receiver.wait(lambda _: len(endpoint.receiver.of(type="session.created")) > before, "replay")


def an_api_client_manages_its_own_endpoints(world):
    site = world.simulated
    receiver = Receiver()
    made = expected(site.platform.post("/v1/webhooks", {"url": receiver.url, "types": ["session.created"]}), 200).json
    site.secrets.add(made["secret"])
    path = f"/v1/webhooks/{made['id']}"
    listed = expected(site.platform.get("/v1/webhooks"), 200)["webhooks"]
    assert made["id"] in [entry["id"] for entry in listed] and "secret" not in listed[-1], listed
    event = expected(site.platform.post(f"{path}/test", {}), 200)["eventId"]
    told = receiver.wait_for("ping")
    assert told.id == event
    standardwebhooks.Webhook(made["secret"]).verify(told.body, told.headers)
    receiver.wait(
        lambda _: expected(site.platform.get(f"{path}/deliveries", state="delivered"), 200)["deliveries"], "delivery")
    expected(site.platform.post(f"{path}/replay", {"eventId": event}), 200, deliveries=1)
    receiver.wait(lambda told: len(told) == 2, "replay")
    expected(site.platform.delete(path), 200, success=True)
    expected(site.platform.get(path), 404)
    receiver.close()


def order_is_kept_within_a_session_where_it_is_wanted(world):
    site = world.simulated
    with Endpoint(
            site, lambda told, count: (500 if count == 1 and told.type == "session.redeemed" else 204, {}, b""),
            "session.*,message.*", "--ordering", "session") as endpoint:
        started = succeed(site)
        endpoint.receiver.wait_for("session.redeemed", started.correlation_id)
        time.sleep(0.5)
        assert not endpoint.receiver.of(started.correlation_id, "session.succeeded"), "it overtook"
        site.advance(10)
        endpoint.receiver.wait_for("session.succeeded", started.correlation_id)
        order = [told.data["sequence"] for told in endpoint.receiver.of(started.correlation_id)]
        assert order == [1, 2, 2, 3, 4, 5], order


def a_delivery_says_that_nobody_was_there_and_not_where(world):
    site = world.simulated
    port = free_port()
    made = json.loads(site.server.command(
        "webhooks", "add", "--client", "sandbox", "--url", f"http://127.0.0.1:{port}/h", "--json"))
    site.unify(LORANT)

    def deliveries():
        return site.server.command("webhooks", "deliveries", "--endpoint", made["id"])

    wait(lambda: '"lastError":"refused"' in deliveries(), "refusal")
    shown = expected(site.sandbox.caller.call("GET", "/sandbox/webhooks"), 200)["deliveries"][0]
    assert shown["endpointId"] == made["id"] and shown["state"] == "pending" and shown["nextAt"] > shown["at"], shown
    assert str(port) not in deliveries(), "a delivery shows where the call went"
    site.server.command("webhooks", "remove", made["id"])


def the_receiver_of_the_sandbox_fails_as_its_url_says(world):
    site = world.simulated
    receiver = "/sandbox/webhooks/receiver"
    made = json.loads(site.server.command(
        "webhooks", "add", "--client", "sandbox", "--url", f"{site.server.base_url}{receiver}?failures=1&status=503",
        "--types", "session.created", "--json"))
    started = site.unify(LORANT)

    def taken():
        return expected(site.sandbox.caller.call("GET", receiver), 200)["requests"]

    wait(lambda: taken(), "a request")
    site.advance(7)
    wait(lambda: len(taken()) == 2, "the second attempt")
    shown = taken()
    assert [(one["attempt"], one["answered"]) for one in shown] == [(2, 204), (1, 503)], shown
    event = standardwebhooks.Webhook(made["secret"]).verify(shown[0]["body"], shown[0]["headers"])
    assert event["data"]["correlationId"] == started.correlation_id, event
    site.server.command("webhooks", "remove", made["id"])


def a_proxy_stands_before_all_receivers(world):
    tunnel = Tunnel()
    site = world.site("behind-a-proxy", HOLDFAST_WEBHOOKS_PROXY_URL=tunnel.url)
    try:
        with Endpoint(site, None, "session.succeeded") as endpoint:
            target = "CONNECT " + endpoint.receiver.url.removeprefix("http://").split("/")[0]
            first = succeed(site)
            endpoint.verify(endpoint.receiver.wait_for("session.succeeded", first.correlation_id))
            assert tunnel.asked == [target], tunnel.asked
        tunnel.refuses = True
        with Endpoint(site, None, "session.succeeded") as endpoint:
            second = succeed(site)
            wait(lambda: len(tunnel.asked) == 2, "a second tunnel")
            wait(lambda: endpoint.deliveries()[0]["attempts"] == 1, "an attempt that was refused")
            assert not endpoint.receiver.of() and endpoint.deliveries()[0]["lastError"] == "refused"
            tunnel.refuses = False
            site.advance(10)
            endpoint.verify(endpoint.receiver.wait_for("session.succeeded", second.correlation_id))
    finally:
        tunnel.close()


def a_callback_of_an_older_call_is_told_the_end(world):
    site = world.scripted
    with Endpoint(site, None, "identity.*", "--key", "ed25519") as endpoint:
        order = {
            "requestId": "cb-1", "callbackUrl": endpoint.receiver.url + "/run-7?x=1",
            "subjects": {"mobile": {
                "claim": {"mobileNumber": LORANT}, "authenticators": {"otp": {"messageText": "Your code is ####"}}}}}
        started = expected(site.platform.post("/v1/server/auth/start", order), 200)
        site.secrets.add(started["authToken"])
        client = Started(site, site.platform, {**started.json, "correlationId": ""}).client()
        client.authenticate(RIGHT)
        told = endpoint.receiver.wait_for("session.succeeded")
        endpoint.verify(told)
        assert told.path.endswith("/run-7?x=1") and told.data["clientRequestId"] == "cb-1", (told.path, told.data)
        finished = expected(site.platform.post("/v1/server/auth/finish", {"authId": started["authId"]}), 200)
        assert finished["subjects"]["mobile"]["success"], finished
        for url in (endpoint.receiver.url + "x", endpoint.receiver.url + "/../x", "https://shop.example/h"):
            refused = site.platform.post("/v1/server/auth/start", {**order, "callbackUrl": url})
            assert refused.status == 400 and "callbackUrl" in refused.body.decode(), refused
        assert [told.type for told in endpoint.receiver.of()] == ["session.succeeded"], endpoint.receiver.of()


def limits_are_told_once_and_to_whom_they_concern(world):
    site = world.guarded
    with Endpoint(site, None, "*") as own, Endpoint(
            site, None, "*", "--include", "server", client="sandbox-2") as whole:
        def send(number):
            client = site.unify(number).client()
            expected(client.start(), 200)
            return client.otp().status

        # Three messages that nobody answers close a prefix, and the fourth of five is near the budget's end.
        sent = [send(f"206555{number}") for number in ("0123", "0124", "0125", "0126")]
        assert sent == [200, 200, 200, 429], sent
        sent = [send(f"206{prefix}0123") for prefix in (321, 323, 324, 325, 326)]
        assert sent == [200, 200, 429, 429, 429], sent
        for endpoint in (own, whole):
            blocked = endpoint.receiver.wait_for("risk.blocked")
            assert (blocked.data["rule"], blocked.data["prefix"]) == ("prefix_closed", "+1206555"), blocked.data
            assert blocked.data["clientId"] == "sandbox", blocked.data
            spent = endpoint.receiver.wait_for("budget.exhausted")
            assert (spent.data["scope"], spent.data["clientId"]) == ("client", "sandbox"), spent.data
            assert (spent.data["used"], spent.data["limit"]) == ("5", "5"), spent.data
            endpoint.receiver.wait_for("budget.warning")
            told = [told for told in endpoint.receiver.of() if told.type.startswith(("risk.", "budget."))]
            for event in told:
                endpoint.verify(event)
            kinds = sorted(event.type for event in told)
            assert kinds == ["budget.exhausted", "budget.warning", "risk.blocked"], kinds
        assert not any(told.type.startswith("session.") for told in whole.receiver.of()), "another client's sessions"
    refused = site.platform.post(
        "/v1/webhooks", {"url": "https://shop.example/h", "types": ["*"], "include": ["server"]})
    assert refused.status == 400, refused


def secrets_and_numbers_show_nowhere(world):
    for name, site in world.sites.items():
        log, metrics = site.server.output(), site.sandbox.caller.call("GET", "/metrics").body.decode()
        for secret in site.secrets:
            assert secret not in log + metrics and secret.removeprefix("whsec_") not in log, f"a secret of {name}"
        assert LORANT not in log + metrics, f"a number is in the log or the metrics of {name}"
        assert "holdfast_webhook_deliveries_total{" in metrics, name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_server_arguments(parser)
    parser.add_argument("--only", default="", help="scenes whose name has this text")
    options = checked_arguments(parser)
    world = World(options)
    try:
        scenes.run(scenes.of(sys.modules[__name__]), world, options.only)
    finally:
        world.close()


if __name__ == "__main__":
    main()
