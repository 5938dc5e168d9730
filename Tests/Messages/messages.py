#!/usr/bin/env python3
"""Sends real messages in live mode: through Kannel, and through gateways that misbehave.

The last line is "N passed, M failed", counting scenes.
"""
import argparse
import base64
import hashlib
import hmac
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from gateway import Gateway, answer
from kannel import Kannel
from live import Caller, Live, Run, eventually, expected

from holdfast import add_server_arguments, checked_arguments  # noqa: E402
from live_settings import own_endpoint  # noqa: E402
import scenes  # noqa: E402

NUMBER = "+12065550123"
SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
CODE = re.compile(r"\d{6}")


class World:
    """What all scenes share: the binary, and a folder for each."""

    def __init__(self, binary):
        self.binary, self.root, self.count = binary, Path(tempfile.mkdtemp(prefix="holdfast-messages-")), 0

    def folder(self):
        self.count += 1
        return self.root / str(self.count)

    def live(self, routes, **settings):
        return Live(self.binary, self.folder(), routes, settings)

    def fall(self):
        return None

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)


def hooks(world, *gateways, **options):
    """Gateways and routes: each of these in order, as the operator's own endpoint."""
    folder = world.folder()
    folder.mkdir(parents=True)
    secret = folder / "hook.secret"
    secret.write_text(SECRET)
    secret.chmod(0o600)
    entries = {gateway.name: {**own_endpoint(gateway.url + "/send", secret), **options} for gateway in gateways}
    return {"gateways": entries, "routes": [{"gateways": [gateway.name for gateway in gateways], "sender": "Acme"}]}


def told_message(live):
    """The newest message to the number, as `holdfast numbers explain` tells it."""
    return [line for line in live.explain(NUMBER) if "correlationId" in line][0]["messages"][-1]


def code_of(message):
    return message["data"]["code"]


def tell(data, body, secret=bytes(range(32)), at=None):
    """The status of a signed receipt of a message."""
    at = str(int(at or time.time()))
    code = base64.b64encode(hmac.new(secret, f"r1.{at}.".encode() + body, hashlib.sha256).digest()).decode()
    request = urllib.request.Request(data["receiptUrl"], body, {
        "webhook-id": "r1", "webhook-timestamp": at, "webhook-signature": "v1," + code, "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=5) as got:
            return got.status
    except urllib.error.HTTPError as error:
        return error.code


# Kannel


def a_code_goes_through_kannel_to_the_phone_and_the_receipt_comes_back(world):
    folder = world.folder()
    with Kannel(folder / "kannel") as kannel:
        password = folder / "kannel.password"
        password.write_text("bar\n")
        password.chmod(0o600)
        messaging = {
            "gateways": {"bridge": {
                "preset": "kannel", "settings": {"baseUrl": kannel.url, "user": "holdfast"},
                "secretFiles": {"password": str(password)}}},
            "routes": [{"gateways": ["bridge"], "sender": "Acme"}]}
        with world.live(messaging) as live:
            run = Run(live, NUMBER)
            expected(run.ask(), 200)
            text = eventually(lambda: [m for m in kannel.phone() if NUMBER in m], what="a message on the phone")[0]
            assert text.startswith(f"Acme {NUMBER} text "), text
            eventually(
                lambda: live.metric("holdfast_message_receipts_total", gateway="bridge", outcome="delivered") == 1,
                what="the receipt")
            assert live.metric("holdfast_gateway_calls_total", gateway="bridge", outcome="taken") == 1
            expected(run.client.verify(CODE.search(text.split(" text ", 1)[1])[0]), 200)
            assert run.result()["success"] == "true"
            told = [line for line in live.explain(NUMBER) if "correlationId" in line][0]
            assert told["messages"] == [
                {"state": "sent", "gateway": "bridge", "channel": "sms", "carrier": "delivered"}], told
            assert told["outcome"] == "succeeded" and text.split()[-1] not in str(told), told
            assert live.metric("holdfast_gateway_messages_converted_total", gateway="bridge") == 1
            assert NUMBER not in live.output() and "secret" not in live.output().lower().replace("secretfile", "")


def with_kannel_gone_the_next_route_takes_the_message(world):
    folder = world.folder()
    with Gateway("second") as second:
        messaging = hooks(world, second)
        with Kannel(folder / "kannel") as kannel:
            password = folder / "kannel.password"
            password.write_text("bar")
            password.chmod(0o600)
            messaging["gateways"]["bridge"] = {
                "preset": "kannel", "settings": {"baseUrl": kannel.url, "user": "holdfast"},
                "secretFiles": {"password": str(password)}}
            messaging["routes"][0]["gateways"] = ["bridge", "second"]
            with world.live(messaging) as live:
                first = Run(live, NUMBER)
                expected(first.ask(), 200)
                eventually(lambda: [m for m in kannel.phone() if NUMBER in m], what="a message on the phone")
                assert not second.calls
                kannel.close()
                after = Run(live, "+12065550124")
                expected(after.ask(), 200)
                message = eventually(second.messages, what="a message at the second gateway")[0]
                expected(after.client.verify(code_of(message)), 200)


def a_message_that_waits_in_kannel_for_its_operator_goes_by_the_next_route(world):
    folder = world.folder()
    with Gateway("second") as second, Kannel(folder / "kannel") as kannel:
        messaging = hooks(world, second)
        password = folder / "kannel.password"
        password.write_text("bar")
        password.chmod(0o600)
        messaging["gateways"]["bridge"] = {
            "preset": "kannel", "settings": {"baseUrl": kannel.url, "user": "holdfast"},
            "secretFiles": {"password": str(password)}}
        messaging["routes"][0]["gateways"] = ["bridge", "second"]
        with world.live(messaging) as live:
            kannel.cut_operator()
            run = Run(live, NUMBER)
            expected(run.ask(), 200)
            assert live.metric("holdfast_gateway_calls_total", gateway="bridge", outcome="taken") == 1 and not second.calls
            # The 15 seconds of the preset, and 5 until somebody looks.
            message = eventually(second.messages, 60, "a message at the second gateway")[0]
            assert live.metric("holdfast_message_receipts_overdue_total", gateway="bridge") == 1
            session = [line for line in live.explain(NUMBER) if "correlationId" in line][0]
            assert [e["event"] for e in session["events"]][-2:] == ["message_unconfirmed", "otp_sent"], session
            [warning] = [line for line in live.lines() if "has said nothing of it" in str(line)]
            assert warning["context"]["correlationId"] == session["correlationId"], warning
            expected(run.client.verify(code_of(message)), 200)


# Gateways that misbehave


def the_operators_own_endpoint_gets_a_signed_message_and_signs_its_receipt(world):
    with Gateway("own") as own, world.live(hooks(world, own)) as live:
        run = Run(live, NUMBER)
        expected(run.ask(), 200)
        call = own.calls[0]
        headers = {name.lower(): value for name, value in call.headers.items()}
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + call.body
        code = base64.b64encode(hmac.new(bytes(range(32)), signed, hashlib.sha256).digest()).decode()
        assert headers["webhook-signature"] == "v1," + code, headers
        data = call.json["data"]
        assert data["to"] == NUMBER and data["country"] == "US" and data["sender"] == "Acme" and data["channel"] == "sms"
        assert data["code"] in data["text"] and headers["webhook-id"] == data["messageId"]

        def receipt(body, **options):
            return tell(data, body, **options)

        body = b'{"status":"delivered"}'
        assert receipt(body, secret=bytes(32)) == 403
        assert receipt(body, at=time.time() - 400) == 403
        assert receipt(b"{}") == 400
        assert receipt(b'{"status":"on its way"}') == 204
        # The failure of another part counts once.
        failed = b'{"status":"undelivered"}'
        assert [receipt(one) for one in (body, body, failed, failed, body)] == [204] * 5
        assert live.metric("holdfast_message_receipts_total", gateway="own", outcome="delivered") == 1
        assert live.metric("holdfast_message_receipts_total", gateway="own", outcome="undelivered") == 1
        # A stranger's guess is answered as a receipt is.
        caller = Caller(live.base_url)
        for path in ("/receipts/own/" + "A" * 64, "/receipts/own/x", "/receipts/none/" + data["receiptUrl"][-64:]):
            assert caller.call("POST", path, body).status == 204, path
        caller.close()


def a_resend_takes_the_next_gateway(world):
    with Gateway("one") as one, Gateway("two") as two, world.live(hooks(world, one, two)) as live:
        run = Run(live, NUMBER)
        expected(run.ask(), 200)
        time.sleep(1.1)
        expected(run.client.resend(), 200)
        assert (len(one.calls), len(two.calls)) == (1, 1)
        expected(run.client.verify(code_of(two.messages()[0])), 200)


def what_a_gateway_did_not_deliver_goes_by_the_next_once(world):
    undelivered = b'{"status":"undelivered","code":"30005"}'
    with Gateway("one") as one, Gateway("two") as two, world.live(hooks(world, one, two)) as live:
        run = Run(live, NUMBER)
        expected(run.ask(), 200)
        first = one.messages()[0]["data"]
        assert [tell(first, undelivered) for _ in range(3)] == [204] * 3
        second = eventually(two.messages, what="the message at the second gateway")[0]["data"]
        assert second["code"] == first["code"] and second["messageId"] != first["messageId"], second
        assert tell(second, undelivered) == 204
        assert (len(one.calls), len(two.calls)) == (1, 1), "no third gateway, and none gets it twice"
        assert live.metric("holdfast_messages_sent_again_total", gateway="one") == 1
        told = [line for line in live.explain(NUMBER) if "correlationId" in line][0]
        assert [message["gateway"] for message in told["messages"]] == ["one", "two"], told
        assert any("next_route" in str(event) for event in told["events"]), told
        assert first["code"] not in str(told) and first["code"] not in live.output()
        expected(run.client.verify(first["code"]), 200)
    with Gateway("one") as one, Gateway("two") as two, \
            world.live(hooks(world, one, two), messaging={"nextRoute": False}) as live:
        run = Run(live, NUMBER)
        expected(run.ask(), 200)
        assert tell(one.messages()[0]["data"], undelivered) == 204
        assert live.metric("holdfast_messages_sent_again_total") == 0 and not two.calls


def a_process_that_is_killed_after_a_receipt_has_promised_the_next_message(world):
    with Gateway("one") as one, \
            Gateway("two", lambda g, c: g.wait(60) if len(g.calls) == 1 else g.taken(c)) as two, \
            world.live(hooks(world, one, two, timeoutSeconds=60)) as live:
        run = Run(live, NUMBER)
        expected(run.ask(), 200)
        first = one.messages()[0]["data"]
        undelivered = b'{"status":"undelivered"}'
        threading.Thread(target=lambda: quietly(lambda: tell(first, undelivered)), daemon=True).start()
        eventually(lambda: len(two.calls) == 1, what="the call of the second gateway")
        live.kill()
        run.client.caller.close()
        live.start()
        # The carrier tells it again, because nobody has answered.
        assert tell(first, undelivered) == 204
        eventually(lambda: len(two.calls) == 2, what="the second try", seconds=15)
        ids = {call.json["data"]["messageId"] for call in two.calls}
        codes = {call.json["data"]["code"] for call in two.calls}
        assert len(ids) == 1 and codes == {first["code"]} and len(one.calls) == 1, (ids, one.calls)
        expected(run.client.verify(first["code"]), 200)


def every_kind_of_refusal_goes_where_it_must(world):
    replies = {
        "busy": (429, None), "account": (401, None), "route": (404, None), "ours": (422, None), "broken": (502, None),
    }
    for name, (status, body) in replies.items():
        with Gateway("one", lambda g, c, s=status, b=body: answer(s, b)) as one, Gateway("two") as two, \
                world.live(hooks(world, one, two)) as live:
            run = Run(live, NUMBER)
            expected(run.ask(), 200)
            assert (len(one.calls), len(two.calls)) == (1, 1), name
            # It is noted a moment after the answer.
            [refusal] = eventually(lambda: told_message(live).get("refusedBy"), what="a word of the refusal")
            assert refusal["gateway"] == "one" and refusal["why"] in (name, "busy") and refusal["reason"], refusal
    for kind in ("number", "refused"):
        with Gateway("one", lambda g, c, k=kind: answer(400, {"error": {"kind": k}})) as one, Gateway("two") as two, \
                world.live(hooks(world, one, two)) as live:
            run = Run(live, NUMBER)
            refused = run.ask()
            assert refused.status == 502 or refused["error"] == "sms_failed", refused
            assert (len(one.calls), len(two.calls)) == (1, 0), kind
            told = told_message(live)
            assert told["state"] == "failed" and [r["why"] for r in told["refusedBy"]] == [kind], told


def an_answer_that_never_comes_is_not_sent_twice_by_another_gateway(world):
    # The hook knows a message that it gets again: it is asked once more, and nobody else is.
    with Gateway("one", lambda g, c: g.wait(20)) as one, Gateway("two") as two, \
            world.live(hooks(world, one, two, timeoutSeconds=1)) as live:
        run = Run(live, NUMBER)
        began = time.monotonic()
        expected(run.ask(), 200)
        assert time.monotonic() - began < 4
        eventually(lambda: len(one.calls) == 2, what="the second try")
        assert len({call.json["data"]["messageId"] for call in one.calls}) == 1 and not two.calls
        eventually(lambda: live.metric("holdfast_gateway_calls_total", gateway="one", outcome="unsure") == 2)
        # The person may still type the code: the message may have arrived.
        expected(run.client.verify(code_of(one.messages()[0])), 200)


def garbage_and_cut_answers_are_no_acceptance(world):
    def odd(gateway, call):
        return [(200, {}, b"\xff\xfe<html>"), None, (302, {"Location": gateway.url + "/other"}, b""),
                (200, {"Content-Type": "application/json"}, b"{" * 50_000)][(len(gateway.calls) - 1) % 4]

    with Gateway("one", odd) as one, world.live({
            "gateways": {"one": {"specification": {
                "settings": ["url"], "request": {"url": "{{url}}", "json": {"to": "{{to}}", "text": "{{text}}"}},
                "answer": {"where": {"/accepted": "true"}, "id": "/id"}}, "settings": {"url": one.url}}},
            "routes": [{"gateways": ["one"]}]}) as live:
        outcomes = [Run(live, f"+1206555013{index}").ask().status for index in range(4)]
        assert one.calls and all(call.path != "/other" for call in one.calls)
        # A cut connection says nothing of the message: it counts as sent.
        assert outcomes == [502, 200, 502, 502] or outcomes.count(200) == 1, outcomes


def one_slow_gateway_delays_nobody_else(world):
    with Gateway("slow", lambda g, c: g.wait(30)) as slow, Gateway("fast") as fast:
        messaging = hooks(world, slow, fast)
        messaging["routes"] = [
            {"countries": ["DE"], "gateways": ["slow"]}, {"gateways": ["fast"]}]
        messaging["gateways"]["slow"]["timeoutSeconds"] = 30
        with world.live(messaging) as live:
            platform = live.platform()
            expected(platform.token(), 200)
            slow_runs = [Run(live, f"+4915112345{index:03}", platform) for index in range(12)]
            threads = [threading.Thread(target=run.ask, daemon=True) for run in slow_runs]
            for thread in threads:
                thread.start()
            eventually(lambda: len(slow.calls) >= 10, what="calls of the slow gateway")
            times = []
            for index in range(20):
                run = Run(live, f"+1206555{index:04}", platform)
                began = time.monotonic()
                expected(run.ask(), 200)
                times.append(time.monotonic() - began)
            for thread in threads:
                thread.join(15)
            times.sort()
            assert times[10] < 0.5, times
            return f"median {times[10] * 1000:.0f} ms, slowest {times[-1] * 1000:.0f} ms beside 12 sends that hang"


def a_message_in_the_hands_of_a_killed_process_is_sent_by_the_next(world):
    with Gateway("one", lambda g, c: g.wait(60) if len(g.calls) == 1 else g.taken(c)) as one, \
            world.live(hooks(world, one, timeoutSeconds=60)) as live:
        run = Run(live, NUMBER)
        threading.Thread(target=lambda: quietly(run.ask), daemon=True).start()
        eventually(lambda: len(one.calls) == 1, what="the first try")
        live.kill()
        live.start()
        eventually(lambda: len(one.calls) == 2, what="the try of the next process")
        assert len({call.json["data"]["messageId"] for call in one.calls}) == 1
        expected(run.client.verify(code_of(one.messages()[1])), 200)


def quietly(work):
    try:
        work()
    except Exception:  # noqa: BLE001
        pass


def routes_are_read_again_on_a_signal_and_broken_ones_change_nothing(world):
    with Gateway("one") as one, Gateway("two") as two, world.live(hooks(world, one)) as live:
        expected(Run(live, NUMBER).ask(), 200)
        live.routes.write_text('{"gateways": {}, "routes": []}')
        live.process.send_signal(signal.SIGHUP)
        eventually(lambda: "not reloaded" in live.output(), what="a refusal in the log")
        expected(Run(live, "+12065550125").ask(), 200)
        assert len(one.calls) == 2
        live.write_routes(hooks(world, two))
        live.process.send_signal(signal.SIGHUP)
        eventually(lambda: "1 gateways, 1 routes" in live.output(), what="a reload in the log")
        expected(Run(live, "+12065550126").ask(), 200)
        assert len(one.calls) == 2 and len(two.calls) == 1


def without_a_route_the_call_says_that_nothing_was_sent(world):
    with Gateway("one") as one:
        messaging = hooks(world, one)
        messaging["routes"][0]["countries"] = ["DE"]
        with world.live(messaging) as live:
            refused = Run(live, NUMBER).ask()
            assert refused["error"] == "sms_failed" and not one.calls, refused
            eventually(lambda: "no route takes sms to US" in live.output(), what="a word in the log")
            lines = live.explain(NUMBER)
            run = [line for line in lines if "correlationId" in line][0]
            refusal = {"why": "route", "reason": "no route takes sms to US"}
            assert run["client"] == "acme" and run["messages"] == [{"state": "failed", "refusedBy": [refusal]}], run
            assert [event["event"] for event in run["events"]][-2:] == ["otp_sent", "otp_send_failed"], run
            assert any(line.get("limit") == "sends_per_number" and line["until"] for line in lines), lines
            assert NUMBER not in str(lines)


def run_scenes(module, words):
    """Runs the scenes of a module; what the process ends with."""
    parser = argparse.ArgumentParser(description=words.splitlines()[0])
    add_server_arguments(parser)
    parser.add_argument("--only", default="", help="scenes whose names hold this")
    options = checked_arguments(parser)
    world = World(options.binary)
    try:
        return scenes.run(scenes.of(module), world, options.only, 420)
    finally:
        world.close()


if __name__ == "__main__":
    sys.exit(run_scenes(sys.modules[__name__], __doc__))
