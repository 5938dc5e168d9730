#!/usr/bin/env python3
"""Device activation, as a phone makes it: plain, and encrypted in the versions 3.2 and 3.3 of PowerAuth.

Starts servers of its own. The last line is "N passed, M failed".
"""
import argparse
import base64
import json
import re
import sys
import threading
import time
from pathlib import Path

import scenes
from exchange import Caller
from holdfast import add_server_arguments, checked_arguments
from onboarding import CODE, KNOWN, UNKNOWN, App, failed, kill, ok
from powerauth import (
    ACTIVATION, APPLICATION, ORDER, TOKEN, VAULT, Application, Phone, Refused, compact_json, data, ec, point, text)
from webhooks import Endpoint
from world import World

PAGE = Path(__file__).resolve().parents[2] / "docs/onboarding/signatures.md"
FORMS = ["plain", "3.2", "3.3"]
NOBODY = "019b7907-8d58-7500-8000-000000000001"


def application(site, client="sandbox"):
    """The keys that this client's apps are built with."""
    lines = site.server.command("clients", "app-keys", "export", client).splitlines()
    values = dict(line.split("=", 1) for line in lines)
    site.secrets |= {values["application_secret"], values["sdk_configuration"]} if client != "sandbox" else set()
    return Application.from_configuration(values["sdk_configuration"])


class Device:
    """A phone with its app: in one of the forms that calls may have."""

    def __init__(self, site, form, app=None, android=False, clock=lambda: int(time.time() * 1000)):
        self.site, self.form, self.caller = site, form, Caller(site.server.base_url)
        site.callers.append(self.caller)
        self.is_plain = form == "plain"
        version = "3.3" if self.is_plain else form
        self.phone = Phone(app or application(site), version, self.post, android, clock)
        self.process, self.answers = None, []

    def post(self, path, headers, body):
        answer = self.caller.call("POST", path, body, headers)
        self.answers.append(answer)
        return answer.status, answer.body

    def call(self, path, **members):
        """A call below /api/onboarding: its response object."""
        if self.is_plain:
            return self.phone.plain("/api/onboarding" + path, members)
        answer = self.phone.encrypted("/api/onboarding" + path, {"requestObject": members})
        assert answer["status"] == "OK", answer
        return answer.get("responseObject")

    def start(self, identification=None):
        found = self.call("/start", identification=KNOWN if identification is None else identification)
        self.process = found["processId"]
        return found

    def state(self):
        return self.call("/status", processId=self.process)["onboardingStatus"]

    def identity(self, code=CODE, process=None):
        return {"processId": process or self.process, "otpCode": code, "credentialsType": "ONBOARDING"}

    def activate(self, code=CODE, process=None, name="Ada's phone"):
        if not self.is_plain:
            return self.phone.activate("CUSTOM", self.identity(code, process), name=name)
        key = ec.generate_private_key(ec.SECP256R1())
        made = self.phone.plain("/pa/v3/activation/create", {
            "type": "CUSTOM", "identityAttributes": self.identity(code, process),
            "activationData": {"devicePublicKey": text(point(key.public_key())), "activationName": name}})
        self.phone.adopt(key, made["activationId"], data(made["serverPublicKey"]), data(made["ctrData"]))
        return made

    @classmethod
    def activated(cls, site, form, **options):
        device = cls(site, form, **options)
        device.start()
        device.activate()
        return device

    def standing(self):
        return self.phone.status()["state"]


def refused(call, code, status=400):
    """The error of a call, which has this code."""
    try:
        found = call()
    except Refused as error:
        assert (error.status, error.code) == (status, code), error
        assert isinstance(error.document["timestamp"], int), error
        return error
    raise AssertionError(f"the call was answered: {found}")


def tries(call):
    """The tries that a refused activation leaves."""
    return refused(call, "ERR_ACTIVATION").document["remainingAttempts"]


# Ways through


def a_phone_is_activated_in_every_form(world):
    site = world.plain
    for form, android in [(form, android) for form in FORMS for android in (False, True)]:
        device = Device(site, form, android=android)
        assert abs(device.phone.server_time() - time.time() * 1000) < 5_000
        started = device.start()
        assert started["onboardingStatus"] == "ACTIVATION_IN_PROGRESS" and device.state() == "ACTIVATION_IN_PROGRESS"
        device.activate()
        status = device.phone.status()
        assert (status["state"], status["failed"], status["most"], status["counter"]) == ("ACTIVE", 0, 5, 0), status
        assert status["isInStep"] and status["customObject"] == {"activationFlags": []}, status
        assert device.state() == "FINISHED"
        assert device.phone.validate() is None
        device.phone.validate(factors="possession")
        status = device.phone.status()
        assert status["counter"] == 2 and status["isInStep"], status


def the_code_is_sent_again_and_the_older_one_is_over(world):
    for form in FORMS:
        device = Device(world.plain, form)
        device.start()
        refused(lambda: device.call("/otp/resend", processId=device.process), "ONBOARDING_OTP_FAILED")
        world.plain.advance(30)
        device.call("/otp/resend", processId=device.process)
        device.activate()
        assert device.standing() == "ACTIVE"


def a_wrong_code_tells_the_tries_that_are_left(world):
    for form in FORMS:
        device = Device(world.plain, form)
        device.start()
        assert [tries(lambda: device.activate("00000000")) for _ in range(5)] == [4, 3, 2, 1, 0]
        assert device.state() == "FAILED"
        assert tries(device.activate) == 0, "the right code came after the last try"


def a_code_of_another_form_costs_no_try(world):
    for form in FORMS:
        device = Device(world.plain, form)
        device.start()
        assert tries(lambda: device.activate("00000000")) == 4
        for code in ("1234567", "123456789", "1234567x", "-2345678"):
            error = refused(lambda: device.activate(code), "INVALID_REQUEST")
            assert error.document["remainingAttempts"] == 4 and "otpCode" in str(error), error
        device.activate()


def a_late_code_costs_no_try(world):
    for form in FORMS:
        device = Device(world.plain, form)
        device.start()
        world.plain.advance(300)
        assert tries(device.activate) == 5
        device.call("/otp/resend", processId=device.process)
        device.activate()


def a_process_that_is_over_activates_nobody(world):
    for form in FORMS:
        device = Device(world.plain, form)
        device.start()
        device.call("/cleanup", processId=device.process)
        assert tries(device.activate) == 0
        device.start()
        world.plain.advance(10_800)
        assert device.state() == "FAILED" and tries(device.activate) == 0
        device.start()
        device.activate()
        assert tries(device.activate) == 0, "a code was good twice"


def somebody_unknown_gets_the_answers_of_a_wrong_code(world):
    for form in FORMS:
        device = Device(world.plain, form)
        device.start(UNKNOWN)
        assert [tries(lambda: device.activate(CODE)) for _ in range(5)] == [4, 3, 2, 1, 0]
        assert device.state() == "FAILED"


def a_process_that_there_is_not_is_answered_like_one_that_is_over(world):
    for form in FORMS:
        assert tries(lambda: Device(world.plain, form).activate(process=NOBODY)) == 0


def five_wrong_signatures_block_and_possession_alone_does_not_count(world):
    site = world.plain
    for form in FORMS:
        device = Device.activated(site, form)
        phone, pin = device.phone, device.phone.master_secret
        for _ in range(5):
            phone.master_secret = bytes(16)
            refused(lambda: phone.validate(factors="possession"), "ERR_AUTHENTICATION", 401)
            refused(phone.validate, "ERR_AUTHENTICATION", 401)
            phone.master_secret = pin
        status = phone.status()
        assert (status["state"], status["failed"]) == ("BLOCKED", 5), status
        refused(phone.validate, "ERR_AUTHENTICATION", 401)
        assert phone.status()["state"] == "BLOCKED"


def a_phone_removes_its_activation(world):
    for form in FORMS:
        device = Device.activated(world.plain, form)
        for factors in ("possession", "knowledge", "biometry"):
            refused(lambda: device.phone.remove(factors), "ERR_AUTHENTICATION", 401)
        assert device.phone.status()["failed"] == 0, "factors that a call does not take count nothing"
        assert device.phone.remove()["activationId"] == device.phone.activation_id
        assert device.standing() == "REMOVED"
        refused(device.phone.validate, "ERR_AUTHENTICATION", 401)
        refused(device.phone.remove, "ERR_AUTHENTICATION", 401)


def a_call_takes_the_factors_that_it_names(world):
    several = ["possession_knowledge", "possession_biometry", "possession_knowledge_biometry"]
    device = Device.activated(world.plain, "3.3")
    phone = device.phone
    for factors in ["possession", *several]:
        phone.validate(factors=factors)
        token, _ = phone.fetch_token(factors)
        assert phone.signed("/pa/v3/token/remove", {"tokenId": token}, factors)["tokenId"] == token
    for factors in ("knowledge", "biometry"):
        refused(lambda: phone.validate(factors=factors), "ERR_AUTHENTICATION", 401)
        refused(lambda: phone.fetch_token(factors), "ERR_AUTHENTICATION", 401)
    assert phone.status()["failed"] == 0


def an_operator_blocks_unblocks_and_removes_a_phone(world):
    server = world.plain.server
    for form in FORMS:
        device = Device.activated(world.plain, form)
        phone, name = device.phone, device.phone.activation_id

        def listed():
            lines = map(json.loads, server.command("devices", "list", "--client", "sandbox").splitlines())
            return next(line for line in lines if line["id"] == name)

        assert (listed()["kind"], listed()["status"], listed()["name"]) == ("activation", "active", "Ada's phone")
        pin, phone.master_secret = phone.master_secret, bytes(16)
        refused(phone.validate, "ERR_AUTHENTICATION", 401)
        phone.master_secret = pin
        assert listed()["failedAttempts"] == 1, listed()
        assert server.command("devices", "block", name) == "blocked\n"
        assert (listed()["reason"], device.standing()) == ("operator", "BLOCKED")
        refused(phone.validate, "ERR_AUTHENTICATION", 401)
        assert server.command("devices", "unblock", name) == "unblocked\n"
        assert (listed()["failedAttempts"], device.standing()) == (0, "ACTIVE")
        phone.validate()
        assert server.command("devices", "remove", name) == "removed\n"
        assert (listed()["status"], device.standing()) == ("removed", "REMOVED")
        refused(phone.validate, "ERR_AUTHENTICATION", 401)


def tokens_are_made_and_removed(world):
    for version in ("3.2", "3.3"):
        phone = Device.activated(world.plain, version).phone
        made = [phone.fetch_token() for _ in range(18)]
        assert len({token for token, _ in made}) == 18 and {len(secret) for _, secret in made} == {16}
        for token in (made[-1][0], made[0][0], NOBODY):
            assert phone.signed("/pa/v3/token/remove", {"tokenId": token}, "possession")["tokenId"] == token
        refused(lambda: phone.signed("/pa/v3/token/remove", {"tokenId": "x"}), "INVALID_REQUEST")
        body = compact_json(phone.envelope(TOKEN).seal_request(b"{}", phone.now()))
        for change in (lambda: phone.sign("POST", TOKEN, b"{}"), lambda: phone.sign("POST", "/pa/token/remove", body)):
            headers = {"Content-Type": "application/json", **change()}
            assert phone.post("/pa/v3/token/create", headers, body)[0] == 401
        # A good signature over an envelope for another use.
        body = compact_json(phone.envelope(ACTIVATION).seal_request(b"{}", phone.now()))
        headers = {"Content-Type": "application/json", **phone.sign("POST", TOKEN, body)}
        status, answer = phone.post("/pa/v3/token/create", headers, body)
        assert status == 400 and b"ERR_ENCRYPTION" in answer, answer


def a_phone_gets_the_key_of_its_vault(world):
    for version in ("3.2", "3.3"):
        phone = Device.activated(world.plain, version).phone
        assert phone.unlock_vault() == phone.vault_key == phone.unlock_vault(None)
        assert phone.unlock_vault("A.b-c_9", "possession_biometry") == phone.vault_key
        for factors in ("possession", "knowledge", "biometry"):
            refused(lambda: phone.unlock_vault(factors=factors), "ERR_AUTHENTICATION", 401)
        for reason in ("ab", "a b c", "x" * 256, "\u00e9\u00e9\u00e9"):
            assert "'reason'" in str(refused(lambda: phone.unlock_vault(reason), "INVALID_REQUEST"))
        body = compact_json(phone.envelope(TOKEN).seal_request(b"{}", phone.now()))
        headers = {"Content-Type": "application/json", **phone.sign("POST", VAULT, body)}
        status, answer = phone.post("/pa/v3/vault/unlock", headers, body)
        assert status == 400 and b"ERR_ENCRYPTION" in answer, answer
        assert phone.status()["failed"] == 0


# Calls to the operator's own backend


class Backend:
    """A backend that asks the server about signed calls, by its API client."""

    def __init__(self, site, client="sandbox"):
        self.caller = Caller(site.server.base_url)
        site.callers.append(self.caller)
        self.login = {"Authorization": "Basic " + base64.b64encode(f"{client}:{client}-secret".encode()).decode()}

    def ask(self, path, question):
        answer = self.caller.call(
            "POST", "/powerauth/rest/v3" + path, compact_json({"requestObject": question}),
            {"Content-Type": "application/json", **self.login})
        assert answer.status == 200, answer.body
        return answer["responseObject"]

    def verify(self, header, resource="/login", body=b"{}", method="POST"):
        pa = dict(re.findall(r'pa_(\w+)="([^"]*)"', header["X-PowerAuth-Authorization"]))
        return self.ask("/signature/verify", {
            "activationId": pa["activation_id"], "applicationKey": pa["application_key"],
            "data": "&".join((method, text(resource.encode()), pa["nonce"], text(body))), "signature": pa["signature"],
            "signatureType": pa["signature_type"].upper(), "signatureVersion": pa["version"]})

    def validate(self, header):
        token = dict(re.findall(r'(\w+)="([^"]*)"', header["X-PowerAuth-Token"]))
        return self.ask("/token/validate", {
            "tokenId": token["token_id"], "tokenDigest": token["token_digest"], "nonce": token["nonce"],
            "timestamp": int(token["timestamp"]), "protocolVersion": token["version"]})


def a_backend_checks_what_its_app_has_signed(world):
    """By the program of docs/onboarding/signatures.md, and by calls of its own."""
    site = world.plain
    page = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S)[1]
    program = {}
    exec(page.replace("http://127.0.0.1:8080", site.server.base_url), program)  # noqa: S102
    signer, backend = program["signer"], Backend(site)
    for form, android in [(form, android) for form in FORMS for android in (False, True)]:
        phone = Device.activated(site, form, android=android).phone
        for method, resource, body in (("POST", "/login", b'{"a":1}'), ("DELETE", "/basket", b"")):
            header = phone.sign(method, resource, body)["X-PowerAuth-Authorization"]
            assert signer(method, resource, body, header) == "+12001004014"
            assert signer(method, resource, body, header) is None, "a signature was good twice"
        for header in (None, "", "PowerAuth ", phone.sign("POST", "/login", b"", "possession")["X-PowerAuth-Authorization"]):
            assert signer("POST", "/login", b"", header) is None
        judged = backend.verify(phone.sign("POST", "/login", b"{}", "possession"))
        assert judged["signatureValid"] and judged["signatureType"] == "POSSESSION", judged
        # The phone's calls and the backend's share one counter.
        phone.validate()
        status = phone.status()
        assert status["isInStep"] and status["failed"] == 0, status


def another_backend_learns_nothing_of_a_phone(world):
    site = world.plain
    phone = Device.activated(site, "3.3").phone
    header = phone.sign("POST", "/login", b"{}")
    judged = Backend(site, "sandbox-2").verify(header)
    assert judged == {
        "signatureValid": False, "activationStatus": "REMOVED", "remainingAttempts": 0, "applicationRoles": [],
        "activationFlags": []}, judged
    assert Backend(site).verify(header)["signatureValid"], "the signature was used up"


def five_wrong_calls_to_a_backend_block_the_phone_and_tell_of_it(world):
    site = world.plain
    phone, backend = Device.activated(site, "3.2").phone, Backend(site)
    with Endpoint(site, None, "activation.blocked") as endpoint:
        left = []
        for _ in range(5):
            judged = backend.verify(phone.sign("POST", "/other", b"{}"))
            assert not judged["signatureValid"], judged
            left.append((judged["remainingAttempts"], judged["activationStatus"]))
        assert left == [(4, "ACTIVE"), (3, "ACTIVE"), (2, "ACTIVE"), (1, "ACTIVE"), (0, "BLOCKED")], left
        told = endpoint.receiver.wait_for("activation.blocked")
        assert told.data["reason"] == "failed_attempts", told.data
    judged = backend.verify(phone.sign("POST", "/login", b"{}"))
    assert not judged["signatureValid"] and judged["blockedReason"] == "MAX_FAILED_ATTEMPTS", judged
    entries = [json.loads(line) for line in site.server.command("audit", "export").splitlines()]
    assert any(
        entry.get("event") == "activation_blocked" and phone.activation_id in json.dumps(entry) for entry in entries)
    site.server.command("devices", "unblock", phone.activation_id)
    assert backend.verify(phone.sign("POST", "/login", b"{}"))["signatureValid"]


def a_backend_checks_what_a_token_has_signed(world):
    site = world.plain
    backend = Backend(site)
    for version in ("3.2", "3.3"):
        phone = Device.activated(site, version).phone
        token, secret = phone.fetch_token("possession_knowledge")
        judged = backend.validate(phone.token_header(token, secret))
        assert judged["tokenValid"] and judged["signatureType"] == "POSSESSION_KNOWLEDGE", judged
        assert judged["activationId"] == phone.activation_id and judged["userId"] == "+12001004014", judged
        assert not backend.validate(phone.token_header(token, bytes(16)))["tokenValid"]
        assert not Backend(site, "sandbox-2").validate(phone.token_header(token, secret))["tokenValid"]
        phone.signed("/pa/v3/token/remove", {"tokenId": token})
        assert not backend.validate(phone.token_header(token, secret))["tokenValid"]


def a_phone_may_skip_signatures_and_repeat_none(world):
    phone = Device.activated(world.plain, "3.3").phone
    phone.skip(19)
    phone.validate()
    phone.skip(20)
    refused(phone.validate, "ERR_AUTHENTICATION", 401)
    assert phone.status()["failed"] == 1
    phone = Device.activated(world.plain, "3.2").phone
    body = compact_json({"requestObject": {"reason": "twice"}})
    headers = {"Content-Type": "application/json", **phone.sign("POST", "/pa/signature/validate", body)}
    assert [phone.post("/pa/v3/signature/validate", headers, body)[0] for _ in range(2)] == [200, 401]
    assert phone.post("/pa/v3/activation/remove", headers, body)[0] == 401, "another call had the same signature"


# Envelopes


def keystore_gives_keys_to_apps_and_activations(world):
    device = Device.activated(world.plain, "3.3")
    keys = [device.phone.fetch_temporary_key(of) for of in (False, True, False)]
    assert len({key["sub"] for key in keys}) == 3
    wrong = device.phone.application.secret
    device.phone.application.secret = bytes(16)
    refused(device.phone.fetch_temporary_key, "ERR_TEMPORARY_KEY")
    device.phone.application.secret = wrong
    for token in ("", "a.b.c", "x" * 3000):
        refused(lambda: device.phone.plain("/pa/v3/keystore/create", {"jwt": token or "."}), "ERR_TEMPORARY_KEY")
    device.phone.remove()
    refused(lambda: device.phone.fetch_temporary_key(True), "ERR_TEMPORARY_KEY")


def no_other_version_is_served(world):
    phone = Device(world.plain, "3.2").phone
    for version in ("4.0", "3.1", "3.0", "3.20", ""):
        phone.version = version
        try:
            phone.encrypted("/api/onboarding/start", {"requestObject": {"identification": KNOWN}})
        except Refused as error:
            assert (error.status, error.code) == (400, "ERR_ENCRYPTION"), error
            if version:
                assert "3.2 and 3.3" in error.document["responseObject"]["detail"], error
            continue
        raise AssertionError(f"{version} was served")
    phone = Device.activated(world.plain, "3.3").phone
    phone.version = "4.0"
    error = refused(phone.validate, "ERR_AUTHENTICATION", 401)
    assert "3.2 and 3.3" in error.document["responseObject"]["detail"], error
    error = refused(lambda: phone.plain("/pa/v4/keystore/create"), "ERROR_NOT_FOUND", 404)
    assert "3.2 and 3.3" in error.document["responseObject"]["detail"], error


def envelope_of(phone, content, purpose=APPLICATION, now=None):
    return phone.envelope(purpose).seal_request(compact_json(content), now or phone.now())


def send(phone, body, path="/api/onboarding/status", headers=None):
    body = body if isinstance(body, bytes) else compact_json(body)
    status, answer = phone.post(
        path, {"Content-Type": "application/json", **(headers or phone.encryption_header())}, body)
    return status, json.loads(answer)


def every_fault_of_an_envelope_has_one_answer(world):
    device = Device(world.plain, "3.2")
    device.start()
    content = {"requestObject": {"processId": device.process}}
    stranger = ec.generate_private_key(ec.SECP256R1()).public_key()
    for version in ("3.2", "3.3"):
        phone = Device(world.plain, version).phone
        other = application(world.plain, "sandbox-2")
        good = envelope_of(phone, content)
        assert send(phone, good)[0] == 200
        answers = {}

        def note(name, body, headers=None):
            status, answer = send(phone, body, headers=headers)
            answer.pop("timestamp")
            answers[name] = (status, answer)

        note("replayed", good)
        for name in good:
            if name != "temporaryKeyId":
                note(f"without {name}", {key: value for key, value in envelope_of(phone, content).items() if key != name})
        for name in ("encryptedData", "mac", "nonce", "ephemeralPublicKey"):
            for kind, change in {
                "cut": lambda value: value[:-1], "longer": lambda value: value + b"\0", "empty": lambda value: b"",
                "flipped": lambda value: value[:-1] + bytes([value[-1] ^ 1]),
            }.items():
                fresh = envelope_of(phone, content)
                note(f"{kind} {name}", {**fresh, name: text(change(data(fresh[name])))})
            note(f"{name} of another", {**envelope_of(phone, content), name: envelope_of(phone, content)[name]})
        note("a number for a text", {**envelope_of(phone, content), "mac": 7})
        note("a text for a number", {**envelope_of(phone, content), "timestamp": "7"})
        note("no Base64", {**envelope_of(phone, content), "nonce": "*" * 24})
        note("a point off the curve", {**envelope_of(phone, content), "ephemeralPublicKey": text(b"\4" + bytes(63) + b"\1")})
        note("infinity", {**envelope_of(phone, content), "ephemeralPublicKey": text(bytes(33))})
        note("another's ephemeral key", {**envelope_of(phone, content), "ephemeralPublicKey": text(point(stranger))})
        note("other time", {**envelope_of(phone, content), "timestamp": phone.now() + 1})
        note("made for the inner layer", envelope_of(phone, content, ORDER))
        for minutes in (-60, -11, 11, 60):
            note(f"{minutes} min off", envelope_of(phone, content, now=phone.now() + minutes * 60_000))
        for value in (-1, 2 ** 53, 2 ** 63):
            note(f"time {value}", {**envelope_of(phone, content), "timestamp": value})
        keys = (f'version="{version}"', f'application_key="{phone.application.key}"')
        headers = {
            "another application": f'PowerAuth version="{version}", application_key="{other.key}"',
            "no application": f'PowerAuth version="{version}", application_key="{text(bytes(16))}"',
            "a key that is none": f'PowerAuth version="{version}", application_key="x"',
            "with an activation": "PowerAuth " + ", ".join((*keys, f'activation_id="{NOBODY}"')),
            "another scheme": "Bearer " + ", ".join(keys), "no version": "PowerAuth " + keys[1],
            "a pair twice": "PowerAuth " + ", ".join((*keys, keys[0])), "nothing": "PowerAuth ",
        }
        for name, value in headers.items():
            note(name, envelope_of(phone, content), {"X-PowerAuth-Encryption": value})
        note("plain in an envelope's place", content)
        note("no JSON", b"{")
        if version == "3.3":
            # Its temporary key is none of that application.
            assert answers.pop("another application")[1]["responseObject"]["code"] == "ERR_TEMPORARY_KEY"
        expected = (400, {"status": "ERROR", "responseObject": {
            "code": "ERR_ENCRYPTION", "message": "POWER_AUTH_ENCRYPTION_FAILED"}})
        wrong = {name: answer for name, answer in answers.items() if answer != expected}
        if version == "3.2":
            fresh = {**envelope_of(phone, content), "temporaryKeyId": NOBODY}
        else:
            fresh = {name: value for name, value in envelope_of(phone, content).items() if name != "temporaryKeyId"}
        assert send(phone, fresh)[1]["responseObject"]["code"] == "ERR_ENCRYPTION"
        assert not wrong, wrong
        assert send(phone, envelope_of(phone, content))[0] == 200


def an_unknown_temporary_key_is_told(world):
    phone = Device(world.plain, "3.3").phone
    body = envelope_of(phone, {})
    for key in (NOBODY, "x", "", body["temporaryKeyId"][:-1] + "0"):
        status, answer = send(phone, {**body, "temporaryKeyId": key})
        assert status == 400 and answer["responseObject"]["code"] in ("ERR_TEMPORARY_KEY", "ERR_ENCRYPTION"), answer
    site = world.site("killed")
    phone = Device(site, "3.3").phone
    before = envelope_of(phone, {})
    kill(site)
    # One from before the process is refused like a replay, as it may be one.
    assert send(phone, before)[1]["responseObject"]["code"] == "ERR_ENCRYPTION"
    # The server opens an envelope that the phone makes with the same key after the restart.
    answer = send(phone, envelope_of(phone, {"requestObject": {"processId": NOBODY}}))[1]
    assert answer["responseObject"]["code"] == "ONBOARDING_FAILED", answer


def a_temporary_key_is_good_until_its_end_whenever_the_server_is_killed(world):
    """The SDKs drop a key by their own clock only, whatever error they get."""
    site = world.site("killed")
    device = Device(site, "3.3")
    phone = device.phone
    device.start()
    of_application = phone.temporary[False]["sub"]
    kill(site)
    assert device.state() == "ACTIVATION_IN_PROGRESS"
    kill(site)
    device.activate()
    phone.fetch_token()
    of_activation = phone.temporary[True]["sub"]
    kill(site)
    phone.fetch_token()
    assert device.standing() == "ACTIVE"
    assert (phone.temporary[False]["sub"], phone.temporary[True]["sub"]) == (of_application, of_activation)


def an_inner_layer_that_does_not_open_costs_a_try(world):
    for version in ("3.2", "3.3"):
        device = Device(world.plain, version)
        phone = device.phone
        device.start()
        key = text(point(ec.generate_private_key(ec.SECP256R1()).public_key()))

        def order(inner, code=CODE):
            return {"type": "CUSTOM", "identityAttributes": device.identity(code), "activationData": inner}

        def refuse(inner, code=CODE):
            error = refused(lambda: phone.encrypted("/pa/v3/activation/create", order(inner, code)), "ERR_ENCRYPTION")
            return error.document["remainingAttempts"]

        inner = envelope_of(phone, {"devicePublicKey": key}, ORDER)
        assert refuse({**inner, "mac": text(bytes(32))}) == 4
        assert refuse(envelope_of(phone, {"devicePublicKey": key}, APPLICATION)) == 3
        assert refuse(envelope_of(phone, {"devicePublicKey": text(bytes(33))}, ORDER)) == 2
        assert tries(lambda: device.activate("00000000")) == 1
        assert refuse(envelope_of(phone, {"devicePublicKey": key[:-4]}, ORDER), "00000000") == 0
        assert device.state() == "FAILED"


def a_code_is_good_for_its_own_process_alone(world):
    mine, other = Device(world.plain, "3.3"), Device(world.plain, "3.2")
    mine.start()
    other.start({"clientNumber": "12348", "birthDate": "1990-02-28"})
    assert mine.process != other.process
    assert tries(lambda: other.activate("00000000", mine.process)) == 4
    stranger = Device(world.plain, "3.3", app=application(world.plain, "sandbox-2"))
    assert tries(lambda: stranger.activate(CODE, mine.process)) == 0
    assert refused(lambda: stranger.call("/status", processId=mine.process), "ONBOARDING_FAILED")
    mine.activate()
    mine.phone.application = stranger.phone.application
    refused(mine.phone.validate, "ERR_AUTHENTICATION", 401)


# Many at once, and bad days


def at_once(count, act):
    """What came of as many calls at the same time."""
    results, barrier = [], threading.Barrier(count)

    def run(number):
        barrier.wait()
        try:
            results.append(act(number))
        except Refused as error:
            results.append(error.code)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == count, results
    return results


def of_a_hundred_activations_by_one_code_one_wins(world):
    site = world.plain
    starter = Device(site, "plain")
    starter.start()
    app = application(site)
    devices = [Device(site, FORMS[number % 3], app=app) for number in range(100)]
    for device in devices:
        device.process = starter.process
    results = at_once(100, lambda number: devices[number].activate() and "made")
    assert sorted(results) == ["ERR_ACTIVATION"] * 99 + ["made"], results
    winner = devices[[bool(device.phone.activation_id) for device in devices].index(True)]
    assert winner.standing() == "ACTIVE" and starter.state() == "FINISHED"
    winner.phone.validate()


def of_two_equal_calls_to_a_backend_at_once_one_is_good(world):
    site = world.plain
    phone, backends = Device.activated(site, "3.3").phone, [Backend(site) for _ in range(2)]
    for _ in range(20):
        header = phone.sign("POST", "/login", b"{}")
        results = at_once(2, lambda number: backends[number].verify(header)["signatureValid"])
        assert sorted(results) == [False, True], results
        assert backends[0].verify(phone.sign("POST", "/login", b"{}"))["signatureValid"]


def a_judgement_lasts_whenever_the_server_is_killed(world):
    site = world.site("killed")
    phone = Device.activated(site, "3.3").phone
    for _ in range(3):
        header = phone.sign("POST", "/login", b"{}")
        assert Backend(site).verify(header)["signatureValid"]
        kill(site)
        assert not Backend(site).verify(header)["signatureValid"], "a signature was good twice"


def of_two_equal_signatures_at_once_one_wins(world):
    site = world.plain
    device = Device.activated(site, "3.3")
    senders = [Caller(site.server.base_url) for _ in range(2)]
    for _ in range(20):
        body = b"{}"
        headers = {"Content-Type": "application/json", **device.phone.sign("POST", "/pa/signature/validate", body)}
        results = at_once(
            2, lambda number: senders[number].call("POST", "/pa/v3/signature/validate", body, headers).status)
        assert sorted(results) == [200, 401], results
        device.phone.validate()
    for sender in senders:
        sender.close()


def a_code_lasts_and_is_used_once_whenever_the_server_is_killed(world):
    site = world.site("killed")
    app = application(site)
    for delay in [number * 0.0015 for number in range(12)]:
        device = Device(site, "3.3", app=app)
        device.start()
        device.phone.temporary_key()
        killer = threading.Timer(delay, site.server.kill)
        killer.start()
        answered = True
        try:
            device.activate()
        except Exception:
            answered = False
        killer.join()
        site.hang_up()
        site.server.start()
        device.phone.temporary.clear()
        if answered:
            assert device.standing() == "ACTIVE" and device.state() == "FINISHED"
            device.phone.validate()
        else:
            # Nothing happened, or all of it and nobody heard: then the code is used up.
            state = device.state()
            assert state in ("ACTIVATION_IN_PROGRESS", "FINISHED"), state
            if state == "FINISHED":
                assert tries(device.activate) == 0
            else:
                device.activate()
                device.phone.validate()


def an_unknown_activation_has_a_status_like_any_other(world):
    site = world.plain
    device = Device.activated(site, "3.2")
    sizes = set()
    for name in (device.phone.activation_id, NOBODY, "x", "x" * 500):
        answer = device.phone.plain(
            "/pa/v3/activation/status", {"activationId": name, "challenge": text(bytes(16))})
        assert answer["activationId"] == name and answer["customObject"] == {"activationFlags": []}, answer
        sizes.add((len(data(answer["encryptedStatusBlob"])), len(data(answer["nonce"])), tuple(answer)))
    assert sizes == {(32, 16, ("activationId", "encryptedStatusBlob", "nonce", "customObject"))}, sizes
    for challenge in ("", text(bytes(15)), text(bytes(17)), "*"):
        refused(lambda: device.phone.plain("/pa/v3/activation/status", {
            "activationId": NOBODY, "challenge": challenge}), "INVALID_REQUEST")


def plain_activations_can_be_turned_off(world):
    site = world.site("sealed", HOLDFAST_ONBOARDING_ACCEPT_PLAIN="false")
    plain, sealed = Device(site, "plain"), Device(site, "3.3")
    sealed.start()
    plain.process = sealed.process
    refused(plain.activate, "ERR_ENCRYPTION")
    sealed.activate()
    assert sealed.phone.validate() is None
    told = sealed.phone.encrypted("/api/configuration", {"requestObject": {"processType": "ONBOARDING"}})["responseObject"]
    assert told == {
        "enabled": True, "otpForIdentification": True, "otpForIdentityVerification": False,
        "useTemporaryActivation": False, "otpResendPeriodSeconds": 30,
        "documents": {"totalRequiredDocumentsCount": 0, "groups": []}, "onboarding": {"enabled": True}}, told


def keys_of_an_app_may_be_replaced(world):
    site = world.site("rotated")
    site.server.command("clients", "add", "shop")
    site.server.command("clients", "app-keys", "add", "shop")
    before = Device(site, "3.3", app=application(site, "shop"))
    before.start({"clientNumber": "0"})
    site.server.command("clients", "app-keys", "rotate", "shop")
    after = Device(site, "3.2", app=application(site, "shop"))
    assert before.state() == "ACTIVATION_IN_PROGRESS"
    after.process = before.process
    assert after.state() == "ACTIVATION_IN_PROGRESS"
    site.server.command("clients", "app-keys", "rotate", "shop", "--overlap-days", "0")
    refused(before.state, "ERR_TEMPORARY_KEY" if not before.phone.temporary else "ERR_ENCRYPTION")


def codes_and_keys_show_nowhere(world):
    for name, site in world.sites.items():
        output = site.server.output()
        for hidden in (CODE, *site.secrets):
            assert hidden not in output, f"a code or a secret is in the log of {name}"


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
