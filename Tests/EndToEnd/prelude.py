#!/usr/bin/env python3
"""The Prelude surface, called by Prelude's official Python SDK, and silent verification as a phone follows it.

Starts servers of its own, and needs the packages of requirements.txt. The last line is "N passed, M failed".
"""
import argparse
import base64
import concurrent.futures
import http.client
import http.server
import json
import re
import sys
import threading
import urllib.error
import urllib.request
import uuid

import prelude_python_sdk as sdk
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

import scenes
from holdfast import add_server_arguments, checked_arguments
from receiver import Receiver
from world import INGE, LANEY, LORANT, World

STRANGERS = iter(f"+1206555{number:04}" for number in range(100, 1000))


def client(site, tenant="sandbox", base_url=None, **options):
    return sdk.Prelude(
        api_token=f"hf_test_{tenant}", base_url=(base_url or site.server.base_url) + "/prelude", **options)


def target(number):
    return {"type": "phone_number", "value": number}


def mailbox(address):
    return {"type": "email_address", "value": address}


def codes(site, number):
    """The codes of the messages to a number, oldest first."""
    return [message["code"] for message in site.sandbox.messages(number)]


def refused(call, kind, code, **members):
    """The call throws the SDK's exception of this class, with this code."""
    try:
        answer = call()
    except sdk.APIStatusError as error:
        assert type(error) is kind, f"{type(error).__name__}: {error.body}"
        assert error.body["code"] == code, error.body
        for name, value in members.items():
            assert error.body.get(name) == value, error.body
        assert error.body["request_id"] == error.response.headers["x-request-id"], error.body
        return error
    raise AssertionError(f"not refused: {answer}")


def a_number_is_verified_by_its_message(world):
    site, number = world.simulated, next(STRANGERS)
    prelude = client(site)
    created = prelude.verification.create(target=target(number), metadata={"correlation_id": "order-7"})
    assert (created.status, created.method, created.channels) == ("success", "message", ["sms"]), created
    assert created.metadata.correlation_id == "order-7" and created.id.startswith("vrf_"), created
    code = codes(site, number)[-1]
    assert len(code) == 6, code
    wrong = prelude.verification.check(target=target(number), code="000000" if code != "000000" else "111111")
    assert wrong.status == "failure" and wrong.id == created.id, wrong
    assert prelude.verification.check(target=target(number), code=code).status == "success"
    assert prelude.verification.check(target=target(number), code=code).status == "expired_or_not_found"


def a_retry_has_the_same_id_and_any_code_of_the_window_passes(world):
    site, number = world.simulated, next(STRANGERS)
    prelude = client(site)
    first = prelude.verification.create(target=target(number))
    second = prelude.verification.create(target=target(number), options={"locale": "de", "code_size": 6})
    assert (first.status, second.status) == ("success", "retry") and first.id == second.id, second
    older, newer = codes(site, number)
    assert prelude.verification.check(target=target(number), code=older).status == "success", (older, newer)


def codes_have_the_size_or_the_text_that_the_backend_wants(world):
    site = world.simulated
    prelude = client(site)
    for size in (4, 8):
        number = next(STRANGERS)
        prelude.verification.create(target=target(number), options={"code_size": size})
        assert len(codes(site, number)[-1]) == size
    number = next(STRANGERS)
    prelude.verification.create(target=target(number), options={"custom_code": "20204"})
    assert codes(site, number) == ["20204"]
    assert prelude.verification.check(target=target(number), code="20204").status == "success"


def an_address_is_verified_by_its_mail(world):
    site, address = world.simulated, f"ada+{uuid.uuid4().hex[:8]}@example.com"
    prelude = client(site)
    created = prelude.verification.create(target=mailbox(address), options={"locale": "de"})
    assert (created.status, created.method, created.channels) == ("success", "email", None), created
    again = prelude.verification.create(target=mailbox(address.upper()))
    assert (again.status, again.id) == ("retry", created.id), again
    mails = site.sandbox.messages(address)
    assert [mail["channel"] for mail in mails] == ["email", "email"] and mails[0]["to"] == address, mails
    assert mails[0]["subject"].startswith("Ihr Code") and mails[0]["code"] in mails[0]["text"], mails
    wrong = "000000" if "000000" not in [mail["code"] for mail in mails] else "111111"
    assert prelude.verification.check(target=mailbox(address), code=wrong).status == "failure"
    assert prelude.verification.check(target=mailbox(address), code=mails[0]["code"]).status == "success"
    listed = prelude.verification.phone.history.list().verifications
    assert created.id not in [entry.id for entry in listed], "an address is in the history of phones"


def limits_of_a_window_are_exact_and_not_repeated_by_the_sdk(world):
    site, number = world.simulated, next(STRANGERS)
    prelude = client(site)
    for _ in range(5):
        prelude.verification.create(target=target(number))
    error = refused(
        lambda: prelude.verification.create(target=target(number)), sdk.RateLimitError, "too_many_attempts")
    assert error.request.headers["x-stainless-retry-count"] == "0", "the SDK has tried again"
    assert 1 <= int(error.response.headers["retry-after"]) <= 600, error.response.headers
    sent = codes(site, number)
    assert len(sent) == 5, sent
    wrong = next(code for code in ("000000", "111111", "222222", "333333", "444444", "555555") if code not in sent)
    for _ in range(5):
        assert prelude.verification.check(target=target(number), code=wrong).status == "failure"
    refused(
        lambda: prelude.verification.check(target=target(number), code=sent[-1]), sdk.RateLimitError,
        "too_many_checks")


def a_window_ends_after_ten_minutes(world):
    site, number = world.simulated, next(STRANGERS)
    prelude = client(site)
    first = prelude.verification.create(target=target(number))
    code = codes(site, number)[-1]
    site.advance(600)
    assert prelude.verification.check(target=target(number), code=code).status == "expired_or_not_found"
    second = prelude.verification.create(target=target(number))
    assert second.status == "success" and second.id != first.id, second


def mistakes_have_the_right_exception_and_name_the_field(world):
    site, number = world.simulated, next(STRANGERS)
    prelude = client(site)
    create = prelude.verification.create
    for call, kind, code, param in (
            (lambda: create(target=target("")), sdk.BadRequestError, "invalid_phone_number", "target.value"),
            (lambda: create(target=target(number), options={"code_size": 3}), sdk.BadRequestError,
             "invalid_code_size", "options.code_size"),
            (lambda: create(target=target(number), options={"code_size": 6, "custom_code": "123456"}),
             sdk.BadRequestError, "custom_size_conflict", "options.custom_code"),
            (lambda: create(target=target(number), options={"channels": ["viber"]}), sdk.PermissionDeniedError,
             "channel_not_enabled_in_region", "options.channels"),
            (lambda: create(target=mailbox("a@gmail.com")), sdk.BadRequestError, "invalid_request", "target.value"),
            (lambda: create(target=mailbox("a@example")), sdk.BadRequestError, "invalid_request", "target.value"),
            (lambda: prelude.watch.predict(target=mailbox("a@example.com")), sdk.PermissionDeniedError,
             "email_verification_not_allowed", "target.type"),
            (lambda: prelude.verification.check(target=target(number), code="12 34"), sdk.BadRequestError,
             "impossible_code", "code"),
            (lambda: prelude.verification.phone.history.retrieve("vrf_01jc0t6fwwfgfsq1md24mhyztj"),
             sdk.NotFoundError, "not_found", None)):
        refused(call, kind, code, param=param)
    assert codes(site, number) == [], "a call that was refused has sent a message"
    for text in ("12", "+30123456789"):
        blocked = create(target=target(text))
        assert (blocked.status, blocked.reason) == ("blocked", "invalid_phone_number"), blocked


def a_wrong_key_is_an_authentication_error(world):
    site = world.simulated
    for key in ("hf_test_nobody", "sandbox:sandbox-secret", "My API Token", "sandbox", "sdk_sandbox"):
        stranger = sdk.Prelude(api_token=key, base_url=site.server.base_url + "/prelude")
        refused(
            lambda: stranger.verification.create(target=target("+12065550100")), sdk.AuthenticationError,
            "invalid_api_key")


def another_customer_sees_and_ends_nothing(world):
    site, number = world.simulated, next(STRANGERS)
    mine, other = client(site), client(site, "sandbox-2")
    created = mine.verification.create(target=target(number))
    code = codes(site, number)[-1]
    assert other.verification.check(target=target(number), code=code).status == "expired_or_not_found"
    refused(lambda: other.verification.phone.history.retrieve(created.id), sdk.NotFoundError, "not_found")
    assert created.id not in [entry.id for entry in other.verification.phone.history.list().verifications]
    assert mine.verification.check(target=target(number), code=code).status == "success"
    assert mine.verification.phone.history.retrieve(created.id).status == "converted"


def of_many_checks_at_one_moment_one_succeeds(world):
    site, number = world.simulated, next(STRANGERS)
    prelude = client(site)
    prelude.verification.create(target=target(number))
    code = codes(site, number)[-1]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        checks = [pool.submit(prelude.verification.check, target=target(number), code=code) for _ in range(16)]
        statuses = [check.result().status for check in checks]
    assert statuses.count("success") == 1 and statuses.count("expired_or_not_found") == 15, statuses


def of_many_creates_at_one_moment_one_begins_the_window(world):
    site, number = world.simulated, next(STRANGERS)
    prelude = client(site, max_retries=0)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(prelude.verification.create, target=target(number)) for _ in range(8)]
        answers = [call.exception() or call.result() for call in calls]
    made = [answer for answer in answers if not isinstance(answer, Exception)]
    assert len({answer.id for answer in made}) == 1, made
    assert sorted(answer.status for answer in made) == ["retry"] * 4 + ["success"], made
    assert sum(isinstance(answer, sdk.RateLimitError) for answer in answers) == 3, answers
    assert len(codes(site, number)) == 5


class Forgetful(http.server.ThreadingHTTPServer):
    """Stands before a server, and loses the first answer of each path: the call itself has come."""

    daemon_threads = True

    def __init__(self, port):
        self.lost, self.counts = set(), []
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                server = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                server.request("POST", self.path, body, dict(self.headers))
                answer = server.getresponse()
                told = answer.read()
                server.close()
                proxy.counts.append((self.path, self.headers["x-stainless-retry-count"]))
                if self.path not in proxy.lost:
                    proxy.lost.add(self.path)
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.headers["content-type"])
                self.send_header("Content-Length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


def an_answer_that_was_lost_is_given_again(world):
    """The SDK makes the call again by itself: one message, one check, and the same answers."""
    site, number = world.simulated, next(STRANGERS)
    proxy = Forgetful(site.server.port)
    try:
        prelude = client(site, base_url=proxy.url)
        created = prelude.verification.create(target=target(number))
        assert created.status == "success", created
        sent = codes(site, number)
        assert len(sent) == 1, sent
        checked = prelude.verification.check(target=target(number), code=sent[0])
        assert checked.status == "success" and checked.id == created.id, checked
        assert [count for _, count in proxy.counts] == ["0", "1", "0", "1"], proxy.counts
    finally:
        proxy.shutdown()
        proxy.server_close()


def numbers_are_blocked_and_let_go(world):
    site, number = world.simulated, next(STRANGERS)
    prelude = client(site)
    management = prelude.verification_management
    management.set_phone_number("block", phone_number=number)
    blocked = prelude.verification.create(target=target(number))
    assert (blocked.status, blocked.reason) == ("blocked", "in_block_list"), blocked
    assert number in [entry.phone_number for entry in management.list_phone_numbers("block").phone_numbers]
    assert prelude.watch.predict(target=target(number)).prediction == "suspicious"
    management.set_phone_number("allow", phone_number=number)
    assert prelude.watch.predict(target=target(number)).prediction == "legitimate"
    assert prelude.verification.create(target=target(number)).status == "success"
    management.delete_phone_number("allow", phone_number=number)
    assert prelude.verification.create(target=target(number)).reason == "in_block_list"
    management.delete_phone_number("block", phone_number=number)
    assert prelude.verification.create(target=target(number)).status == "retry"


def the_history_has_what_was_blocked(world):
    site, number = world.site("kept", HOLDFAST_SANDBOX_UNKNOWN_NUMBERS="simulate"), next(STRANGERS)
    prelude = client(site)
    history, management = prelude.verification.phone.history, prelude.verification_management
    management.set_phone_number("block", phone_number=number)
    blocked = prelude.verification.create(target=target(number), metadata={"correlation_id": "order-7"})
    assert (blocked.status, blocked.reason) == ("blocked", "in_block_list"), blocked
    invalid = prelude.verification.create(target=target("+30123456789"))
    assert (invalid.status, invalid.reason) == ("blocked", "invalid_phone_number"), invalid
    site.restart()
    listed = {entry.id: entry for entry in history.list(status="in_blocklist").verifications}
    assert set(listed) == {blocked.id} and listed[blocked.id].phone_number_condition == "block_listed", listed
    assert listed[blocked.id].attempts == 0 and listed[blocked.id].channels == [], listed
    newest = [(entry.id, entry.status) for entry in history.list().verifications]
    assert newest == [(invalid.id, "invalid_number"), (blocked.id, "in_blocklist")], newest
    one = history.retrieve(blocked.id)
    assert (one.status, one.correlation_id, one.phone_number) == ("in_blocklist", "order-7", number), one
    assert one.phone_number_current_condition == "block_listed", one
    management.delete_phone_number("block", phone_number=number)
    assert history.retrieve(blocked.id).phone_number_current_condition is None
    refused(lambda: client(site, "sandbox-2").verification.phone.history.retrieve(blocked.id), sdk.NotFoundError, "not_found")


def the_sandbox_makes_no_success_that_only_a_check_tells(world):
    site = world.plain
    prelude = client(site)
    created = prelude.verification.create(target=target("+1" + LORANT))
    session = site.sandbox.sessions()["sessions"][0]["correlationId"]
    answer = site.sandbox.complete(session, "success")
    assert answer.status == 409 and "/prelude/v2/verification/check" in answer["message"], answer
    assert prelude.verification.phone.history.retrieve(created.id).status == "pending_check"
    assert site.sandbox.complete(session, "failure").status == 200
    assert prelude.verification.phone.history.retrieve(created.id).status == "not_converted"


def the_code_of_a_payment_is_for_that_payment(world):
    site, number = world.simulated, next(STRANGERS)
    prelude = client(site)
    payment = {"amount": 99999.99, "currency": "EUR", "recipient": "Rainbow LLC"}
    variables = payment | {"amount": "99999.99", "description": "Fluffy Unicorn"}
    prelude.verification.create(target=target(number), options={"template_id": "prelude:psd2", "variables": variables})
    text = site.sandbox.messages(number)[-1]["text"]
    assert "99999.99 EUR" in text and "Rainbow LLC" in text, text
    (code,) = codes(site, number)

    def checked(**psd2):
        return prelude.verification.check(target=target(number), code=code, **psd2).status

    assert checked() == "transaction_missing"
    assert checked(psd2=payment | {"amount": 1}) == "transaction_mismatch"
    assert checked(psd2=payment) == "success"


def a_registered_page_reads_the_code(world):
    site, number = world.site("paged", HOLDFAST_SANDBOX_UNKNOWN_NUMBERS="simulate"), next(STRANGERS)
    prelude = client(site)
    options = {"app_realm": {"platform": "web", "value": "example.com"}}
    refused(lambda: prelude.verification.create(target=target(number), options=options),
            sdk.BadRequestError, "invalid_app_realm_value", param="options.app_realm.value")
    site.server.command("clients", "update", "sandbox", "--allowed-origin", "https://example.com")
    assert prelude.verification.create(target=target(number), options=options).status == "success"
    message = site.sandbox.messages(number)[-1]
    assert message["text"].splitlines()[-1] == f"@example.com #{message['code']}", message


def a_code_that_can_be_none_costs_no_check(world):
    site, number = world.simulated, next(STRANGERS)
    prelude = client(site)
    prelude.verification.create(target=target(number))
    (code,) = codes(site, number)
    for impossible in ("1234", "12345678", "123456789", "12a456") * 2:
        refused(lambda: prelude.verification.check(target=target(number), code=impossible),
                sdk.BadRequestError, "impossible_code")
    assert prelude.verification.check(target=target(number), code=code).status == "success"


def a_sandbox_number_has_one_code_and_gets_no_message(world):
    site, number = world.simulated, next(STRANGERS)
    prelude = client(site)
    sandbox = prelude.verification_management.sandbox
    sandbox.add_phone_number(phone_number=number, attempt_code="246810")
    assert prelude.verification.create(target=target(number)).status == "success"
    assert codes(site, number) == []
    assert prelude.verification.check(target=target(number), code="111111").status == "failure"
    assert prelude.verification.check(target=target(number), code="246810").status == "success"
    sandbox.delete_phone_number(number)
    prelude.verification.create(target=target(number))
    assert len(codes(site, number)) == 1


# Webhooks


class Endpoint:
    """An endpoint of Prelude's format, added by command, its receiver, and the key that it checks by."""

    def __init__(self, site):
        self.site, self.receiver = site, Receiver()
        self.made = json.loads(site.server.command(
            "webhooks", "add", "--client", "sandbox", "--url", self.receiver.url, "--format", "prelude", "--json"))
        site.secrets.add(self.made["secret"])
        with urllib.request.urlopen(site.server.base_url + "/prelude/webhooks/public-key") as answer:
            self.pem = answer.read()
        self.key = serialization.load_pem_public_key(self.pem)

    def verify(self, told, body=None):
        """As Prelude's documentation has it: it throws where something is wrong."""
        scheme, _, text = told.headers["x-webhook-signature"].partition("=")
        assert scheme == "rsassa-pss-sha256", scheme
        signature = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        form = padding.PSS(padding.MGF1(hashes.SHA256()), salt_length=padding.PSS.DIGEST_LENGTH)
        self.key.verify(signature, told.body if body is None else body, form, hashes.SHA256())

    def told(self, verification, count):
        """So many requests about a verification, in the order in which they came."""
        def about(all_told):
            found = [told for told in all_told if told.data["verification_id"] == verification]
            return found if len(found) >= count else None
        return self.receiver.wait(about, f"{count} events of {verification}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.site.server.command("webhooks", "remove", self.made["id"])
        self.receiver.close()


def events_come_in_preludes_words_and_are_signed(world):
    site, number = world.simulated, next(STRANGERS)
    prelude = client(site)
    with Endpoint(site) as endpoint:
        callback = endpoint.receiver.url + "/run-7?x=1"
        created = prelude.verification.create(
            target=target(number), metadata={"correlation_id": "order-7"}, options={"callback_url": callback})
        prelude.verification.create(target=target(number))
        told = endpoint.told(created.id, 5)
        for request in told:
            endpoint.verify(request)
            assert request.path == "/hooks/run-7?x=1" and "webhook-signature" not in request.headers, request.headers
            event = request.json
            assert set(event) == {"id", "type", "payload", "client_id", "created_at"}, event
            assert event["id"].startswith("evt_") and event["client_id"] == "sandbox", event
            assert event["payload"]["target"] == target(number), event
            assert event["payload"]["metadata"] == {"correlation_id": "order-7"}, event
        for body in (told[0].body + b" ", told[1].body):
            try:
                endpoint.verify(told[0], body)
                raise AssertionError("a signature fits another body")
            except InvalidSignature:
                pass
        types = sorted(request.type for request in told)
        expected = ["verify.attempt"] * 2 + ["verify.authentication"] + ["verify.delivery_status"] * 2
        assert types == expected, types
        attempts = [request.data for request in told if request.type == "verify.attempt"]
        assert len({attempt["id"] for attempt in attempts}) == 2, attempts
        for attempt in attempts:
            assert attempt["id"].startswith("att_") and attempt["channel"] == "sms", attempt
            assert attempt["delivery_status"] == "submitted", attempt
        deliveries = [request.data for request in told if request.type == "verify.delivery_status"]
        assert {delivery["attempt_id"] for delivery in deliveries} == {attempt["id"] for attempt in attempts}, deliveries
        for delivery in deliveries:
            assert delivery["id"].startswith("dls_") and delivery["status"] == "delivered", delivery
        code = codes(site, number)[-1]
        assert prelude.verification.check(target=target(number), code=code).status == "success"
        # A verification of the next window goes to the endpoint's own URL.
        other = prelude.verification.create(target=target(next(STRANGERS)))
        assert {request.path for request in endpoint.told(other.id, 3)} == {"/hooks"}
        assert len(endpoint.told(created.id, 5)) == 5, "the end has no word in this format"


def a_callback_has_to_be_below_an_endpoint_of_the_customer(world):
    site, number = world.simulated, next(STRANGERS)
    with Endpoint(site) as endpoint:
        url = endpoint.receiver.url
        for tenant, callback in (
                ("sandbox", url + "x"), ("sandbox", url + "/../x"), ("sandbox", url + "/%2e%2e/x"),
                ("sandbox", url.replace("127.0.0.1", "127.0.0.1@127.0.0.1")), ("sandbox", "https://shop.example/h"),
                ("sandbox", site.server.base_url + "/v1/webhooks"), ("sandbox-2", url)):
            refused(
                lambda: client(site, tenant).verification.create(
                    target=target(number), options={"callback_url": callback}),
                sdk.BadRequestError, "invalid_callback_url", param="options.callback_url")
        site.server.command("webhooks", "disable", endpoint.made["id"])
        refused(
            lambda: client(site).verification.create(target=target(number), options={"callback_url": url}),
            sdk.BadRequestError, "invalid_callback_url", param="options.callback_url")
        assert codes(site, number) == [] and endpoint.receiver.all() == []


def the_key_of_webhooks_is_told_and_is_no_key_of_tokens(world):
    site = world.simulated
    with Endpoint(site) as endpoint:
        listed = [json.loads(line) for line in site.server.command("keys", "list").splitlines()]
        own = [key for key in listed if key["purpose"] == "webhook"]
        assert [key["publicKey"].encode() for key in own] == [endpoint.pem], own
        with urllib.request.urlopen(site.server.base_url + "/.well-known/jwks.json") as answer:
            published = json.load(answer)["keys"]
        assert all(key["kty"] == "EC" for key in published), published
        assert own[0]["kid"] not in [key["kid"] for key in published], published


# Silent verification


def dispatch(site, methods=("POST", "OPTIONS"), features="1", endpoint="/prelude"):
    """Sends what the SDK on a phone sends; returns the dispatch ID. The SDK puts its path behind the endpoint as it is."""
    identifier = str(uuid.uuid4())
    for method in methods:
        request = urllib.request.Request(
            site.server.base_url + endpoint + "/v1/signals", method=method,
            data=b"\x78\x9c" if method == "POST" else None,
            headers={
                "X-SDK-Key": "sdk_sandbox", "X-SDK-DispatchID": identifier, "X-SDK-Implemented-Features": features,
                "Content-Type": "application/vnd.prelude.signals", "Content-Encoding": "deflate"})
        with urllib.request.urlopen(request) as answer:
            assert answer.status == 204, answer.status
    return identifier


class Chain(urllib.request.HTTPRedirectHandler):
    """Follows redirects as the SDK on a phone does: absolute locations only."""

    def __init__(self):
        self.hops = []

    def redirect_request(self, request, file, code, message, headers, new_url):
        location = headers["location"]
        assert location.startswith(("http://", "https://")), f"not absolute: {location}"
        assert headers["content-length"] is not None and headers["transfer-encoding"] is None, dict(headers)
        self.hops.append(location)
        return super().redirect_request(request, file, code, message, headers, new_url)


def follow(url):
    """The JSON at the end of a chain, and the addresses on the way."""
    chain = Chain()
    with urllib.request.build_opener(chain).open(url) as answer:
        assert answer.headers["content-length"] is not None and answer.status == 200, dict(answer.headers)
        return json.load(answer), chain.hops


def a_phone_verifies_itself_without_a_message(world):
    site, number = world.plain, "+1" + INGE
    prelude = client(site)
    before = len(codes(site, number))
    created = prelude.verification.create(target=target(number), dispatch_id=dispatch(site))
    assert (created.method, created.status, created.channels) == ("silent", "success", ["silent"]), created
    end, hops = follow(created.silent.request_url)
    assert len(hops) >= 3, hops
    assert re.fullmatch("[0-9]{6}", end["code"]), end
    assert prelude.verification.check(target=target(number), code="123456").status == "failure"
    assert follow(hops[-1])[0] == end, "a repeat gives another code"
    assert prelude.verification.check(target=target(number), code=end["code"]).status == "success"
    assert prelude.verification.check(target=target(number), code=end["code"]).status == "expired_or_not_found"
    assert follow(hops[-1])[0] == {"status": "failed", "reason": "gone"}
    assert len(codes(site, number)) == before


def a_phone_with_one_network_sends_one_call(world):
    site, number = world.plain, "+1" + INGE
    prelude = client(site)
    for method in ("POST", "OPTIONS"):
        site.advance(600)
        created = prelude.verification.create(
            target=target(number), dispatch_id=dispatch(site, (method,)), options={"code_size": 8})
        assert created.method == "silent", (method, created)
        code = follow(created.silent.request_url)[0]["code"]
        assert re.fullmatch("[0-9]{8}", code), code
        assert prelude.verification.check(target=target(number), code=code).status == "success"


def an_endpoint_may_end_with_a_slash(world):
    site = world.plain
    created = client(site).verification.create(
        target=target("+1" + INGE), dispatch_id=dispatch(site, endpoint="/prelude/"))
    assert created.method == "silent", created


def another_numbers_connection_falls_back_to_a_message(world):
    site, number = world.plain, "+2001004043"
    prelude = client(site)
    created = prelude.verification.create(target=target(number), dispatch_id=dispatch(site))
    assert created.method == "silent", created
    end, _ = follow(created.silent.request_url)
    assert end == {"status": "failed", "reason": "mismatch"}, end
    again = prelude.verification.create(target=target(number), dispatch_id=dispatch(site))
    assert (again.method, again.status, again.id) == ("message", "retry", created.id), again
    assert prelude.verification.check(target=target(number), code="123456").status == "success"


def no_dispatch_over_cellular_means_a_message(world):
    site = world.plain
    prelude = client(site)
    for identifier in (
            None, str(uuid.uuid4()), dispatch(site, ("POST",), features="0"),
            dispatch(site, ("OPTIONS",), features="2")):
        more = {"dispatch_id": identifier} if identifier else {}
        created = prelude.verification.create(target=target("+1" + LANEY), **more)
        assert created.method == "message", (identifier, created)
    late = dispatch(site)
    site.advance(3600)
    assert prelude.verification.create(target=target("+1" + LORANT), dispatch_id=late).method == "message"


def an_app_calls_as_the_guide_has_it(world):
    site, number = world.plain, "+1" + INGE
    site.advance(600)

    def post(path, body):
        request = urllib.request.Request(
            site.server.base_url + "/prelude/app" + path, data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    started = post("/verify", {"phone_number": number, "signals_dispatch_id": dispatch(site)})
    assert started["method"] == "silent" and "id" not in started, started
    code = follow(started["request_url"])[0]["code"]
    checked = post("/check", {"phone_number": number, "verification_code": code})
    assert checked == {"status": "success", "verified": True}, checked


def the_document_of_this_surface_has_its_calls_only(world):
    with urllib.request.urlopen(world.plain.server.base_url + "/prelude/openapi.json") as answer:
        document = json.load(answer)
    assert document["openapi"] == "3.1.0" and "/prelude/v2/verification" in document["paths"]
    assert all(path.startswith("/prelude/") for path in document["paths"]), list(document["paths"])


def no_code_and_no_number_is_in_a_log(world):
    for name, site in world.sites.items():
        log = site.server.output()
        for message in site.sandbox.messages():
            assert message["to"] not in log, f"a number is in the log of {name}"
        assert "vfp=" not in log and "Bearer " not in log, f"a secret is in the log of {name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_server_arguments(parser)
    parser.add_argument("--only", default="", help="scenes whose name has this text")
    options = checked_arguments(parser)
    world = World(options)
    scenes.FAULTS += (sdk.PreludeError,)
    try:
        scenes.run(scenes.of(sys.modules[__name__]), world, options.only)
    finally:
        world.close()


if __name__ == "__main__":
    main()
