#!/usr/bin/env python3
"""SMS hooks, made after the sources and pages of the servers that call them, and signed by the library of Standard Webhooks.

Starts servers of its own, and needs the packages of requirements.txt. The last line is "N passed, M failed".
"""
import argparse
import base64
import datetime
import json
import os
import re
import subprocess
import sys
import threading
import urllib.parse
import uuid
from pathlib import Path

import _gojsonnet
import standardwebhooks

import scenes
from exchange import Caller
from holdfast import add_server_arguments, checked_arguments
from world import World

PAGES = Path(__file__).resolve().parents[2] / "docs" / "sms-hooks"


def fresh_number(made=[0]):
    """A number that no scene has used."""
    made[0] += 1
    return f"+1201556{1000 + made[0]}"


def secrets(site, client_id="sandbox"):
    """The two spellings of a hook secret, as the command prints them."""
    lines = dict(line.split("=", 1) for line in site.server.command("clients", "hook-secret", client_id).splitlines())
    assert lines["client_id"] == client_id and lines["signing_secret"].startswith("v1,whsec_"), list(lines)
    site.secrets |= {lines["hook_secret"], lines["signing_secret"].removeprefix("v1,whsec_")}
    assert lines["signing_secret"] == "v1,whsec_" + lines["hook_secret"] and lines["hook_secret"].isalnum(), "one secret"
    return lines["hook_secret"], lines["signing_secret"]


def post(site, path, body, headers):
    caller = Caller(site.server.base_url)
    try:
        return caller.call("POST", path, body, {"Content-Type": "application/json", **headers})
    finally:
        caller.close()


class Supabase:
    """The Send SMS hook, as internal/hooks/hookshttp of supabase/auth makes it: each try has an id and a signature of its own."""

    def __init__(self, site, client_id="sandbox", signing=None, age=0):
        self.site, self.path, self.age = site, f"/hooks/supabase/{client_id}", age
        self.signing = signing or [secrets(site, client_id)[1]]

    def try_once(self, number, code, sent=None, **members):
        digits = number.lstrip("+")
        body = json.dumps({
            "metadata": {"uuid": str(uuid.uuid4()), "time": "2026-01-01T10:00:00Z", "name": "send-sms", "ip_address": "192.0.2.7"},
            "user": {"id": str(uuid.uuid4()), "aud": "", "role": "", "email": "", "phone": digits, "app_metadata": {},
                     "user_metadata": {}, "identities": [], "is_anonymous": False},
            "sms": {"otp": code, "sms_type": "confirmation", "phone": digits}, **members})
        key = str(uuid.uuid4())
        now = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=self.age)
        signatures = [
            standardwebhooks.Webhook(secret.removeprefix("v1,")).sign(key, now, body) for secret in self.signing]
        return post(self.site, self.path, (sent or body).encode(), {
            "webhook-id": key, "webhook-timestamp": str(int(now.timestamp())), "webhook-signature": ", ".join(signatures),
            "Accept-Encoding": "identity"})

    def dispatch(self, number, code):
        """What Supabase Auth makes of the answers: `None`, or the error that its caller is told."""
        for _ in range(3):
            answer = self.try_once(number, code)
            if answer.status in (429, 503) and "retry-after" in answer.headers:
                continue
            assert answer.status in (200, 202, 204) and answer.headers["content-type"].startswith("application/json"), answer
            error = answer["error"]
            return None if error is None else (error["http_code"], error["message"])
        raise AssertionError("called three times")


def basic(name, secret):
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()}


def zitadel(site, number, secret, client_id="sandbox", **arguments):
    """The HTTP SMS provider: user and password of its address are sent as Go's HTTP client sends them."""
    body = {
        "contextInfo": {"eventType": "user.human.phone.code.added", "provider": {"id": "285181292935381355", "description": "h"},
                        "recipientPhoneNumber": number},
        "templateData": {"title": "Verify phone", "text": "Phone has been added", "url": ""},
        "args": {"domain": "zitadel.example.com", "displayName": "Ann", "lastPhone": number, **arguments}}
    return post(site, "/hooks/zitadel", json.dumps(body).encode(), {
        "ZITADEL-Signature": "t=1,v1=" + "0" * 64, **basic(client_id, secret)})


def kratos(site, number, secret, client_id="sandbox", template="login_code_valid", **data):
    """A courier channel: the body is made by the template of the page, as Kratos makes it."""
    context = {
        "recipient": number, "subject": "", "body": "Your login code is: x", "template_type": template,
        "template_data": {"to": number, "identity": {"traits": {"name": "Ann"}}, "request_url": "", "transient_payload": {},
                          "expires_in_minutes": 60, **data},
        "message_type": "phone"}
    page = re.search(r"```jsonnet\n(.*?)```", (PAGES / "servers.md").read_text(), re.S)[1]
    body = _gojsonnet.evaluate_snippet("holdfast.jsonnet", f"({page})({json.dumps(context)})")
    has_code = any(name.endswith("_code") for name in data)
    assert set(json.loads(body)) == {"to", "code" if has_code else "send"}, "nothing else of the person"
    return post(site, "/hooks/kratos", body.encode(), basic(client_id, secret))


def bearer(name, secret):
    return {"Authorization": f"Bearer {name}.{secret}"}


def logto(site, number, code, secret, **payload):
    """The HTTP SMS connector: numbers have no plus sign, and `authorization` of its settings is sent as it is."""
    body = {"to": number.lstrip("+"), "type": "SignIn", "payload": {"code": code, "locale": "en", **payload}, "ip": "192.0.2.9"}
    return post(site, "/hooks/logto", json.dumps(body).encode(), bearer("sandbox", secret))


def authgear(site, number, code, secret):
    """The webhook of a custom SMS gateway."""
    body = {
        "to": number, "body": f"{code} is your verification code.", "app_id": "shop", "template_name": "verification_sms.txt",
        "language_tag": "en", "template_variables": {"app_name": "Shop", "client_id": "a", "code": code, "phone": number}}
    return post(site, "/hooks/authgear", json.dumps(body).encode(), {
        "x-authgear-body-signature": "0" * 64, **basic("sandbox", secret)})


def fusionauth(site, number, code, secret):
    """A generic messenger with Basic authentication."""
    body = {"code": code, "phoneNumber": number, "textMessage": f"Your code is {code}", "type": "SMS", "userId": str(uuid.uuid4())}
    return post(site, "/hooks/kratos", json.dumps(body).encode(), basic("sandbox", secret))


def casdoor(site, number, code, secret, mapped=True):
    """Custom HTTP SMS: a form of the number and a parameter; newer versions map names and send JSON, with headers."""
    if mapped:
        return post(site, "/hooks/kratos", json.dumps({"to": number, "code": code}).encode(), bearer("sandbox", secret))
    form = urllib.parse.urlencode({"phoneNumber": number, "code": code}).encode()
    return post(site, "/hooks/kratos", form, {"Content-Type": "application/x-www-form-urlencoded", **basic("sandbox", secret)})


def keycloak(site, number, code, secret, form=False):
    """The SMS authenticator of keycloak-mfa-plugins, whose message is the code."""
    members = {"code": code, "to": number, "from": "Shop"}
    if not form:
        return post(site, "/hooks/kratos", json.dumps(members).encode(), basic("sandbox", secret))
    return post(site, "/hooks/kratos", urllib.parse.urlencode(members).encode(), {
        "Content-Type": "application/x-www-form-urlencoded", **basic("sandbox", secret)})


def codes(site, number):
    return [message["code"] for message in site.sandbox.messages(number)]


def a_message_without_a_code_is_taken(world):
    """Kratos would call again for ever."""
    site, number = world.simulated, fresh_number()
    secret = secrets(site)[0]
    for template in ("verification_code_invalid", "recovery_code_invalid", "verifiable_address_changed"):
        answer = kratos(site, number, secret, template=template)
        assert answer.status == 200 and codes(site, number) == [], answer


def digits_without_a_plus_are_refused(world):
    site = world.simulated
    secret = secrets(site)[0]
    for call, member in (
            (lambda: kratos(site, "6582345678", secret, login_code="123456"), "'to'"),
            (lambda: zitadel(site, "6582345678", secret, code="123456"), "'contextInfo.recipientPhoneNumber'")):
        answer = call()
        assert answer.status == 400 and member in answer["error"]["message"], answer
    assert codes(site, "+16582345678") == []
    assert Supabase(site).dispatch("6582345678", "123456") is None and codes(site, "+6582345678") == ["123456"]


def servers_with_bodies_of_their_own_have_their_codes_sent(world):
    site, number = world.simulated, fresh_number()
    secret = secrets(site)[0]
    assert logto(site, number, "111111", secret).json == {}
    answer = authgear(site, number, "222222", secret)
    assert answer.status == 200 and answer.json == {"code": "ok"}, answer
    for place, call in enumerate((
            lambda code: fusionauth(site, number, code, secret), lambda code: casdoor(site, number, code, secret),
            lambda code: casdoor(site, number, code, secret, mapped=False),
            lambda code: keycloak(site, number, code, secret), lambda code: keycloak(site, number, code, secret, form=True))):
        answer = call(f"33333{place}")
        assert answer.status == 200, answer
    assert codes(site, number) == ["111111", "222222"] + [f"33333{place}" for place in range(5)]
    for code in ("ABC123", "12"):
        assert authgear(site, number, code, secret)["code"] == "delivery_rejected"
        assert logto(site, number, code, secret).status == 400
    assert authgear(site, "2065550123", "444444", secret)["code"] == "invalid_phone_number"
    answer = authgear(site, number, "444444", "wrong")
    assert (answer.status, answer["code"]) == (401, "authentication_failed"), answer
    assert post(site, "/hooks/kratos", b'{"to":"+12065550123","code":"1234"}', bearer("sandbox-2", secret)).status == 401


def the_samples_of_the_pages_call_as_they_should(world):
    """authentik's mapping by Python, the programs of the pages by Node, against the server."""
    site, text = world.simulated, "\n".join((PAGES / name).read_text() for name in ("servers.md", "others.md"))
    secret, number = secrets(site)[0], fresh_number()
    mapping = re.search(r"```\n(return \{.*?\})\n```", text)[1].removeprefix("return ")
    device = type("Device", (), {"phone_number": number})
    body = eval(mapping, {"device": device, "token": "515151", "str": str})
    assert post(site, "/hooks/kratos", json.dumps(body).encode(), basic("sandbox", secret)).status == 200
    script, better, auth0 = (
        program.replace("https://verify.example.com", site.server.base_url).replace('"auth:"', '"sandbox:"')
        for program in re.findall(r"```(?:ts|js)\n(.*?)```", text, re.S))
    programs = (
        f"let sent; const phoneNumber = (plugin) => {{ sent = plugin.sendOTP({{ phoneNumber: NUMBER, code: '525252' }}); }};\n{better}\nawait sent;",
        f"const exports = {{}};\n{auth0}\nconst fail = (why) => {{ throw new Error(why); }};"
        "\nconst api = { notification: { retry: fail, drop: fail } };\nconst event = { secrets: process.env, notification: { recipient: NUMBER, code: '535353' } };"
        "\nawait exports.onExecuteCustomPhoneProvider(event, api);\nevent.notification.code = undefined;"
        "\nawait exports.onExecuteCustomPhoneProvider(event, api);",
        f"{script.replace('export default ', 'const send = ')}"
        "\nconst answer = await send({ to: NUMBER, template_variables: { code: '545454' } });\nif (answer.code !== 'ok') throw new Error(answer.code);")
    for program in programs:
        done = subprocess.run(
            ["node", "--input-type=module", "-e", f"const NUMBER = '{number}';\n{program}"], capture_output=True, text=True,
            timeout=60, env={**os.environ, "HOOK_SECRET": secret})
        assert done.returncode == 0, done.stderr
    assert codes(site, number) == ["515151", "525252", "535353", "545454"]


def each_server_has_its_code_sent(world):
    site, number = world.simulated, fresh_number()
    secret = secrets(site)[0]
    assert Supabase(site).dispatch(number, "111111") is None
    assert zitadel(site, number, secret, code="222222").status == 200
    assert zitadel(site, number, secret, oTP="33333333").status == 200
    for kind, code in (("login", "444444"), ("registration", "555555"), ("verification", "666666"), ("recovery", "777777")):
        answer = kratos(site, number, secret, **{f"{kind}_code": code})
        assert answer.status == 200 and answer.json == {}, answer
    assert codes(site, number) == ["111111", "222222", "33333333", "444444", "555555", "666666", "777777"]
    message = site.sandbox.messages(number)[0]
    assert "111111" in message["text"] and message["channel"] == "sms", message


def a_repeated_call_sends_one_message(world):
    site, number = world.simulated, fresh_number()
    supabase, secret = Supabase(site), secrets(site)[0]
    for _ in range(3):
        assert supabase.dispatch(number, "121212") is None
    assert kratos(site, number, secret, login_code="121212").status == 200
    assert codes(site, number) == ["121212"]
    assert supabase.dispatch(number, "343434") is None
    assert supabase.dispatch(number, "121212") is None, "a late one"
    assert codes(site, number) == ["121212", "343434"]
    site.advance(600)
    assert supabase.dispatch(number, "121212") is None
    assert codes(site, number) == ["121212", "343434", "121212"]


def many_calls_at_once_send_one_message(world):
    site, number = world.simulated, fresh_number()
    supabase, barrier, results = Supabase(site), threading.Barrier(16), [None] * 16

    def run(index):
        barrier.wait()
        results[index] = supabase.try_once(number, "565656").status

    threads = [threading.Thread(target=run, args=(index,)) for index in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [200] * 16 and codes(site, number) == ["565656"], results


def a_killed_server_does_not_send_twice(world):
    site = world.site("killed", HOLDFAST_SANDBOX_UNKNOWN_NUMBERS="simulate")
    number, supabase = fresh_number(), Supabase(site)
    assert supabase.dispatch(number, "787878") is None
    site.server.kill()
    site.server.start()
    assert secrets(site)[1] == supabase.signing[0], "the secret is the same"
    before = len(codes(site, number))
    assert supabase.dispatch(number, "787878") is None
    assert len(codes(site, number)) == before, codes(site, number)


def forged_calls_are_refused(world):
    site, number = world.simulated, fresh_number()
    secret, signing = secrets(site)
    forged = "v1,whsec_" + base64.b64encode(b"\1" * 32).decode()
    other = secrets(site, "sandbox-2")
    for caller in (
            Supabase(site, signing=[forged]), Supabase(site, signing=[other[1]]), Supabase(site, "nobody", [signing]),
            Supabase(site, "sandbox-2", [signing]), Supabase(site, signing=[signing], age=320),
            Supabase(site, signing=[signing], age=-320)):
        assert caller.try_once(number, "111111").status == 401
    body = json.dumps({"sms": {"otp": "999999", "phone": number[1:]}})
    assert Supabase(site).try_once(number, "111111", sent=body).status == 401, "another body than the signed one"
    assert post(site, "/hooks/supabase/sandbox", body.encode(), {}).status == 401
    for name, shown in (("sandbox", "sandbox-secret"), ("sandbox", other[0]), ("sandbox-2", secret), ("nobody", secret), ("sandbox", "")):
        assert kratos(site, number, shown, name, login_code="111111").status == 401
        assert zitadel(site, number, shown, name, code="111111").status == 401
    assert codes(site, number) == []
    assert Supabase(site, signing=[forged, signing]).dispatch(number, "111111") is None, "one of two secrets is right"


def the_hook_secret_opens_nothing_else(world):
    site = world.simulated
    secret = secrets(site)[0]
    caller = Caller(site.server.base_url)
    answer = caller.call(
        "POST", "/token", f"grant_type=client_credentials&client_id=sandbox&client_secret={secret}".encode(),
        {"Content-Type": "application/x-www-form-urlencoded"})
    assert answer.status == 401, answer
    assert caller.call("GET", "/twilio-verify/v2/Services", None, basic("sandbox", secret)).status == 401
    caller.close()


def a_new_secret_of_the_client_makes_a_new_hook_secret(world):
    site, number = world.site("rotated", HOLDFAST_SANDBOX_UNKNOWN_NUMBERS="simulate"), fresh_number()
    site.server.command("clients", "add", "auth")
    first = secrets(site, "auth")
    assert Supabase(site, "auth", [first[1]]).dispatch(number, "111111") is None
    site.server.command("clients", "rotate-secret", "auth", "--overlap", "1")
    second = secrets(site, "auth")
    assert second != first
    for place, pair in enumerate((first, second)):
        assert kratos(site, number, pair[0], "auth", login_code=f"22222{place}").status == 200
    site.server.command("clients", "rotate-secret", "auth", "--overlap", "0")
    third = secrets(site, "auth")
    for place, pair in enumerate((first, second)):
        assert Supabase(site, "auth", [pair[1]]).try_once(number, "333333").status == 401
    assert Supabase(site, "auth", [third[1]]).dispatch(number, "333333") is None
    site.server.command("clients", "revoke", "auth")
    assert Supabase(site, "auth", [third[1]]).try_once(number, "444444").status == 401


def what_cannot_be_sent_is_told_as_each_server_reads_it(world):
    site, secret = world.simulated, secrets(world.simulated)[0]
    supabase = Supabase(site)
    for number, code in (("+1", "111111"), ("+12015560001", "12"), ("+12015560001", "ABC123"), ("+12015560001", "12345678901")):
        status, message = supabase.dispatch(number, code)
        assert status == 400 and code not in message and number[1:] not in message.split(), message
        assert kratos(site, number, secret, login_code=code).status == 400
        assert zitadel(site, number, secret, code=code).status == 400
    unclear = supabase.try_once(
        "+12015560001", "111111", user={"phone": "12015560001", "new_phone": "12015560002"}, sms={"otp": "111111"})
    assert unclear.status == 200 and unclear["error"]["http_code"] == 400, unclear
    assert codes(site, "+12015560001") == []


def limits_of_a_number_hold(world):
    site = world.site(
        "spaced", HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX="true", HOLDFAST_SANDBOX_UNKNOWN_NUMBERS="simulate",
        HOLDFAST_LIMITS_SECONDS_BETWEEN_SENDS="30")
    number, supabase = fresh_number(), Supabase(site)
    assert supabase.dispatch(number, "111111") is None
    assert supabase.dispatch(number, "111111") is None, "nothing is sent"
    assert supabase.dispatch(number, "222222")[0] == 429
    answer = kratos(site, number, secrets(site)[0], login_code="222222")
    assert answer.status == 429 and 1 <= int(answer.headers["retry-after"]) <= 30, answer
    site.advance(30)
    assert supabase.dispatch(number, "222222") is None
    assert codes(site, number) == ["111111", "222222"]


def the_description_is_its_own(world):
    answer = world.plain.sandbox.caller.call("GET", "/hooks/openapi.json")
    assert answer.status == 200 and set(answer["paths"]) == {
        "/hooks/supabase/{client_id}", "/hooks/zitadel", "/hooks/kratos", "/hooks/logto", "/hooks/authgear"}, answer


def codes_numbers_and_secrets_show_nowhere(world):
    for name, site in world.sites.items():
        output = site.server.output()
        for hidden in [f"201556{1000 + place}" for place in range(1, 20)] + ["787878", *site.secrets]:
            assert hidden not in output, f"a code, a number or a secret is in the log of {name}"


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
