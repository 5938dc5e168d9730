#!/usr/bin/env python3
"""Twilio Verify's calls, made by Twilio's own library: only the base URL is another one.

Starts servers of its own, and needs the packages of requirements.txt. The last line is "N passed, M failed".
"""
import argparse
import base64
import datetime
import json
import re
import sys
import tempfile
import threading
from pathlib import Path

from twilio.base.exceptions import TwilioException, TwilioRestException
from twilio.rest import Client

import samples
import scenes
from exchange import Caller
from holdfast import add_server_arguments, checked_arguments
from world import World

# What a call raises that no scene expects, fails the scene.
scenes.FAULTS = (*scenes.FAULTS, TwilioException)
LORANT, LANEY = "+12001004014", "+12001004015"
RIGHT, WRONG = "123456", "999999"


def backend(site, client_id="sandbox", secret=None):
    """The library, as its documentation has it, but for the base URL."""
    client = Client(client_id, secret or f"{client_id}-secret")
    client.verify.base_url = f"{site.server.base_url}/twilio-verify"
    return client


class Service:
    """The one service of an API client."""

    def __init__(self, site, client_id="sandbox", name=None, secret=None):
        self.client = backend(site, name or client_id, secret or f"{client_id}-secret")
        self.sid = self.client.verify.v2.services.list()[0].sid
        self.context = self.client.verify.v2.services(self.sid)

    def create(self, to=LORANT, channel="sms", **more):
        return self.context.verifications.create(to=to, channel=channel, **more)

    def check(self, code, to=LORANT, **more):
        return self.context.verification_checks.create(code=code, **({} if more else {"to": to}), **more)

    def verification(self, sid):
        return self.context.verifications(sid)


def refused(call, status, code):
    """The exception of the library that the call must raise."""
    try:
        answer = call()
    except TwilioRestException as error:
        assert type(error) is TwilioRestException and (error.status, error.code) == (status, code), repr(error)
        return error
    raise AssertionError(f"not refused: {answer}")


def refused_list(call, status, code):
    """The same of a list, for which the library keeps the response and reads no code."""
    try:
        answer = call()
    except TwilioException as error:
        response = error.args[1]
        assert (response.status_code, json.loads(response.text)["code"]) == (status, code), response
        return
    raise AssertionError(f"not refused: {answer}")


def codes(site, to):
    return [message["code"] for message in site.sandbox.messages(to)]


def at_once(count, call):
    """What as many calls at one moment return or raise."""
    barrier, results = threading.Barrier(count), [None] * count

    def run(index):
        barrier.wait()
        try:
            results[index] = call(index)
        except TwilioRestException as error:
            results[index] = error

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def fresh_number(site, made=[0]):
    """A number that no scene has used on this site."""
    made[0] += 1
    return f"+1201555{1000 + made[0]}"


def a_code_is_sent_and_checked(world):
    site = world.plain
    service = Service(site)
    sent = service.create()
    assert sent.sid.startswith("VE") and len(sent.sid) == 34 and sent.service_sid == service.sid
    assert (sent.to, sent.channel, sent.status, sent.valid) == (LORANT, "sms", "pending", False)
    assert sent.lookup == {} and (sent.amount, sent.payee, sent.sna) == (None, None, None)
    assert isinstance(sent.date_created, datetime.datetime) and isinstance(sent.date_updated, datetime.datetime)
    assert [attempt["channel"] for attempt in sent.send_code_attempts] == ["SMS"]
    message = site.sandbox.messages(LORANT)[-1]
    assert message["code"] == RIGHT and RIGHT in message["text"] and message["channel"] == "sms", message
    wrong = service.check(WRONG)
    assert (wrong.status, wrong.valid, wrong.sid) == ("pending", False, sent.sid)
    assert service.verification(sent.sid).fetch().status == "pending"
    assert service.verification(LORANT).fetch().sid == sent.sid, "by its number"
    right = service.check(RIGHT)
    assert (right.status, right.valid, right.sid) == ("approved", True, sent.sid)
    assert isinstance(right.date_created, datetime.datetime) and right.sna_attempts_error_codes == []
    refused(service.verification(sent.sid).fetch, 404, 20404)
    refused(lambda: service.check(RIGHT), 404, 20404)
    refused(lambda: service.verification(sent.sid).update(status="canceled"), 404, 20404)


def the_account_sid_is_told_and_taken(world):
    site = world.plain
    service = backend(site).verify.v2.services.list()[0]
    assert service.account_sid.startswith("AC") and service.sid.startswith("VA") and service.code_length == 6
    assert service.custom_code_enabled and not service.psd2_enabled
    again = Service(site, "sandbox", service.account_sid)
    assert again.sid == service.sid and again.context.fetch().friendly_name == service.friendly_name
    keyed = Client("SK" + service.account_sid[2:], "sandbox-secret", service.account_sid)
    keyed.verify.base_url = f"{site.server.base_url}/twilio-verify"
    assert keyed.verify.v2.services(service.sid).fetch().sid == service.sid


def a_code_is_sent_again_by_other_channels_and_five_times_at_most(world):
    site = world.simulated
    service, number = Service(site), fresh_number(site)
    first = service.create(number)
    for channel in ("call", "whatsapp", "sms", "sms"):
        again = service.create(number, channel)
        assert (again.sid, again.channel, again.status) == (first.sid, channel, "pending")
    error = refused(lambda: service.create(number), 429, 60203)
    assert "Max send attempts" in error.msg, error.msg
    sent = [message["channel"] for message in site.sandbox.messages(number)]
    assert sent == ["sms", "voice", "whatsapp", "sms", "sms"], sent
    attempts = service.verification(first.sid).fetch().send_code_attempts
    assert [one["channel"] for one in attempts] == ["SMS", "CALL", "WHATSAPP", "SMS", "SMS"], attempts
    assert len({one["attempt_sid"] for one in attempts}) == 5
    assert service.check(codes(site, number)[0], number).status == "approved", "the first code is still good"


def five_codes_may_be_wrong(world):
    site = world.simulated
    service, number = Service(site), fresh_number(site)
    service.create(number)
    code = codes(site, number)[-1]
    wrong = "1" * 6 if code != "1" * 6 else "2" * 6
    for _ in range(5):
        assert service.check(wrong, number).status == "pending"
    refused(lambda: service.check(code, number), 429, 60202)
    refused(lambda: service.create(number), 429, 60202)
    site.advance(600)
    refused(lambda: service.check(code, number), 404, 20404)
    assert service.create(number).status == "pending"


def a_verification_is_cancelled(world):
    service = Service(world.plain)
    sent = service.create(LANEY)
    ended = service.verification(sent.sid).update(status="canceled")
    assert (ended.status, ended.valid) == ("canceled", False)
    refused(lambda: service.check(RIGHT, LANEY), 404, 20404)
    again = service.create(LANEY)
    assert again.sid != sent.sid
    assert service.verification(again.sid).update(status="canceled").status == "canceled"


def a_code_of_the_backend_is_sent_and_its_word_taken(world):
    site = world.simulated
    service, number = Service(site), fresh_number(site)
    own = service.create(number, custom_code="20202020")
    assert codes(site, number) == ["20202020"]
    assert service.check("20202021", number).status == "pending"
    approved = service.verification(own.sid).update(status="approved")
    assert (approved.status, approved.valid) == ("approved", True)
    refused(lambda: service.check("20202020", number), 404, 20404)
    drawn = service.create(number)
    refused(lambda: service.verification(drawn.sid).update(status="approved"), 400, 60204)
    assert service.verification(drawn.sid).fetch().status == "pending"


def time_ends_a_verification(world):
    site = world.simulated
    service, number = Service(site), fresh_number(site)
    sent = service.create(number)
    code = codes(site, number)[-1]
    site.advance(590)
    assert service.verification(sent.sid).fetch().status == "pending"
    site.advance(10)
    refused(service.verification(sent.sid).fetch, 404, 20404)
    refused(lambda: service.check(code, number), 404, 20404)
    refused(lambda: service.check(code, verification_sid=sent.sid), 404, 20404)


def the_fixed_account_has_letters_and_digits_only(world):
    """The official Go library takes no other account and no other secret."""
    site = world.plain
    account, secret = "AC0123456789abcdef0123456789abcdef", "sandboxsecret"
    assert all(re.fullmatch("[a-zA-Z0-9]*", text) for text in (account, secret))
    service = backend(site, account, secret).verify.v2.services.list()[0]
    assert service.account_sid == account
    sent = backend(site, account, secret).verify.v2.services(service.sid).verifications.create(to=LANEY, channel="sms")
    assert (sent.account_sid, sent.status) == (account, "pending")


def digits_without_a_plus_are_refused(world):
    site = world.simulated
    service = Service(site)
    for number in ("6582345678", " 6582345678"):
        error = refused(lambda: service.create(number), 400, 60200)
        assert ("%2B" if number[0] == " " else "E.164") in error.msg, error.msg
        refused(lambda: service.check(RIGHT, number), 400, 60200)
        refused(service.verification(number).fetch, 404, 20404)
    assert codes(site, "+16582345678") == []


def a_landline_gets_calls_only(world):
    site = world.simulated
    service = Service(site)
    refused(lambda: service.create("+442079460123"), 400, 60205)
    assert service.create("+442079460123", "call").channel == "call"


def bad_credentials_are_refused(world):
    site = world.plain
    sid = Service(site).sid
    for name, secret in (("sandbox", "wrong"), ("nobody", "x"), ("AC" + "0" * 32, "sandbox-secret"), ("sandbox-2", "sandbox-secret")):
        client = backend(site, name, secret)
        refused(lambda: client.verify.v2.services(sid).verifications.create(to=LORANT, channel="sms"), 401, 20003)
        refused(lambda: client.verify.v2.services(sid).fetch(), 401, 20003)


def bad_parameters_are_refused(world):
    service = Service(world.plain)
    for to, channel, more in (
            ("abc", "sms", {}), ("", "sms", {}), ("+1", "sms", {}), ("+12065550123", "sms", {}), (LORANT, "pigeon", {}),
            (LORANT, "sms", {"custom_code": "12"}),
            (LORANT, "sms", {"template_sid": "HJ" + "0" * 32}), (LORANT, "sms", {"send_digits": "ww1"}),
            (LORANT, "sms", {"rate_limits": {"ip": "1.2.3.4"}})):
        error = refused(lambda: service.create(to, channel, **more), 400, 60200)
        assert "Invalid parameter" in error.msg, error.msg
        assert not to or to == LORANT or to not in error.msg, "a message repeats the number"
    for more in ({"custom_message": "x"}, {"amount": "3", "payee": "Shop"}):
        refused(lambda: service.create(**more), 400, 60204)
    for channel in ("email", "sna", "auto"):
        refused(lambda: service.create(LORANT, channel), 403, 60223)
    refused(lambda: service.context.verification_checks.create(code=RIGHT), 400, 60221)
    refused(lambda: service.check("12"), 400, 60200)
    sent = service.create(
        device_ip="unknown", locale="de", app_hash="AAAAAAAAAAA", risk_check="disable", tags='{"a": "b"}',
        custom_friendly_name="Shop")
    assert service.verification(sent.sid).update(status="canceled").status == "canceled"


def another_clients_sids_are_404(world):
    site = world.simulated
    service, other, number = Service(site), Service(site, "sandbox-2"), fresh_number(site)
    assert service.sid != other.sid
    sent = service.create(number)
    code = codes(site, number)[-1]
    refused(other.verification(sent.sid).fetch, 404, 20404)
    refused(lambda: other.verification(sent.sid).update(status="canceled"), 404, 20404)
    refused(lambda: other.check(code, verification_sid=sent.sid), 404, 20404)
    refused(lambda: other.check(code, number), 404, 20404)
    stolen = other.client.verify.v2.services(service.sid)
    refused(stolen.fetch, 404, 20404)
    refused(lambda: stolen.verification_checks.create(code=code, to=number), 404, 20404)
    refused(lambda: stolen.verifications.create(to=number, channel="sms"), 404, 20404)
    started = site.unify(LORANT)
    refused(service.verification("VE" + started.correlation_id.replace("-", "")).fetch, 404, 20404)
    assert service.check(code, number).status == "approved"


def one_of_many_checks_at_once_wins(world):
    site = world.simulated
    number = fresh_number(site)
    services = [Service(site) for _ in range(16)]
    services[0].create(number)
    code = codes(site, number)[-1]
    results = at_once(16, lambda index: services[index].check(code, number))
    won = [one for one in results if getattr(one, "status", None) == "approved"]
    lost = [one for one in results if isinstance(one, TwilioRestException) and one.code == 20404]
    assert (len(won), len(lost)) == (1, 15), results
    services[0].create(number)
    code = codes(site, number)[-1]
    wrong = "1" * 6 if code != "1" * 6 else "2" * 6
    results = at_once(16, lambda index: services[index].check(wrong, number))
    pending = [one for one in results if getattr(one, "status", None) == "pending"]
    over = [one for one in results if isinstance(one, TwilioRestException) and one.code == 60202]
    assert (len(pending), len(over)) == (5, 11), results


def many_creates_at_once_begin_one_verification(world):
    site = world.simulated
    number = fresh_number(site)
    services = [Service(site) for _ in range(16)]
    results = at_once(16, lambda index: services[index].create(number))
    made = [one for one in results if not isinstance(one, TwilioRestException)]
    over = [one for one in results if isinstance(one, TwilioRestException) and one.code == 60203]
    assert (len(made), len(over)) == (5, 11), results
    assert len({one.sid for one in made}) == 1 and len(codes(site, number)) == 5


def what_is_not_there_raises_404(world):
    service = Service(world.plain)
    for call in (
            lambda: service.context.entities.create(identity="ff483d1ff591898a9942916050d2ca3f"),
            lambda: service.context.access_tokens.create(identity="a", factor_type="push")):
        refused(call, 404, 20404)
    refused_list(service.context.webhooks.list, 404, 20404)


def services_are_added_changed_and_removed(world):
    """As Terraform's resource does it, and as applications do when they start."""
    site = world.simulated
    services = Service(site).client.verify.v2.services
    made = services.create(
        friendly_name="Ada's Shop", code_length=8, lookup_enabled=True, skip_sms_to_landlines=True, psd2_enabled=False,
        dtmf_input_required=False, push_include_date=False, totp_issuer="Shop")
    assert (made.friendly_name, made.code_length, made.lookup_enabled, made.skip_sms_to_landlines) == (
        "Ada's Shop", 8, True, True)
    assert isinstance(made.date_created, datetime.datetime) and not made.custom_code_enabled
    site.restart()
    kept = services(made.sid).fetch()
    assert (kept.friendly_name, kept.code_length, kept.date_created) == (made.friendly_name, 8, made.date_created)
    number = fresh_number(site)
    sent = services(made.sid).verifications.create(to=number, channel="sms")
    message = site.sandbox.messages(number)[-1]
    assert sent.service_sid == made.sid and len(message["code"]) == 8, message
    assert "Ada's Shop" in message["text"], "a message names its service"
    first = Service(site)
    refused(first.verification(sent.sid).fetch, 404, 20404)
    refused(lambda: first.check(message["code"], number), 404, 20404)
    refused(lambda: services(made.sid).verifications.create(to=number, channel="sms", custom_code="12345678"), 400, 60204)
    changed = services(made.sid).update(friendly_name="Shop 2", custom_code_enabled=True)
    assert (changed.friendly_name, changed.code_length, changed.custom_code_enabled) == ("Shop 2", 8, True)
    assert services(made.sid).verification_checks.create(to=number, code=message["code"]).status == "approved"
    attempts = first.client.verify.v2.verification_attempts.list(verify_service_sid=made.sid)
    assert [(one.service_sid, one.verification_sid) for one in attempts] == [(made.sid, sent.sid)], attempts
    assert [one.sid for one in services.list(limit=20)] == [first.sid, made.sid]
    for wrong in ({"friendly_name": "x" * 33}, {"friendly_name": "Shop", "code_length": 11}):
        refused(lambda: services.create(**wrong), 400, 60200)
    refused(lambda: services.create(friendly_name="Shop", dtmf_input_required=True), 400, 60204)
    refused(lambda: services(first.sid).delete(), 400, 60204)
    other = backend(site, "sandbox-2").verify.v2.services(made.sid)
    refused(other.fetch, 404, 20404)
    refused(lambda: other.update(code_length=4), 404, 20404)
    assert services(made.sid).delete()
    refused(services(made.sid).fetch, 404, 20404)


def rate_limits_hold_for_each_value(world):
    site = world.simulated
    service = Service(site)
    made = service.client.verify.v2.services.create(friendly_name="Limited")
    limits = service.client.verify.v2.services(made.sid).rate_limits
    limit = limits.create(unique_name="end_user_ip_address", description="of a device")
    buckets = limits(limit.sid).buckets
    bucket = buckets.create(max=4, interval=60)
    assert (bucket.max, bucket.interval, bucket.rate_limit_sid) == (4, 60, limit.sid)
    assert limits(limit.sid).update(description="a device").fetch().description == "a device"
    assert buckets(bucket.sid).update(max=3).fetch().max == 3
    assert [one.unique_name for one in limits.list(limit=20)] == ["end_user_ip_address"]
    assert [one.interval for one in buckets.list()] == [60]
    refused(lambda: limits.create(unique_name="end_user_ip_address"), 400, 60208)
    refused(lambda: limits.create(unique_name="not a name"), 400, 60209)
    refused(lambda: buckets.create(max=9, interval=60), 400, 60211)
    refused(lambda: buckets.create(max=9, interval=0), 400, 60200)
    services = [backend(site).verify.v2.services(made.sid) for _ in range(12)]
    numbers = [fresh_number(site) for _ in services]

    def create(index, ip="192.0.2.7"):
        return services[index].verifications.create(
            to=numbers[index], channel="sms", rate_limits={"end_user_ip_address": ip})

    results = at_once(12, create)
    sent = [one for one in results if not isinstance(one, TwilioRestException)]
    over = [one for one in results if isinstance(one, TwilioRestException) and (one.status, one.code) == (429, 20429)]
    assert (len(sent), len(over)) == (3, 9), results
    site.restart()
    place = results.index(over[0])
    refused(lambda: create(place), 429, 20429)
    assert create(place, "192.0.2.8").status == "pending", "another value has a count of its own"
    site.advance(60)
    assert create(place).status == "pending"
    refused(
        lambda: services[0].verifications.create(to=numbers[0], channel="sms", rate_limits={"other": "a"}), 400, 60200)
    assert buckets(bucket.sid).delete() and limits(limit.sid).delete()
    refused(limits(limit.sid).fetch, 404, 20404)
    assert limits.list() == []


def an_allowed_number_passes_the_clients_own_block(world):
    site = world.simulated
    service, number = Service(site), fresh_number(site)
    listed = service.client.verify.v2.safelist
    refused(listed(number).fetch, 404, 20404)
    caller = Caller(site.server.base_url)
    prelude = "/prelude/v2/verification/management/phone-numbers"
    key = {"Authorization": "Bearer hf_test_sandbox"}
    answer = caller.call(
        "POST", f"{prelude}/block", json.dumps({"phone_number": number}).encode(),
        {**key, "Content-Type": "application/json"})
    assert answer.status == 200, answer
    refused(lambda: service.create(number), 403, 60410)
    made = listed.create(phone_number=number)
    assert made.sid.startswith("GN") and made.phone_number == number
    assert listed(number).fetch().sid == made.sid
    allowed = caller.call("GET", f"{prelude}/allow", headers=key)
    assert number in [one["phone_number"] for one in allowed["phone_numbers"]], "one list for all surfaces"
    assert service.create(number).status == "pending"
    assert listed(number).delete()
    refused(lambda: service.create(number), 403, 60410)
    caller.close()


def a_text_of_the_operator_is_named(world):
    folder = Path(tempfile.mkdtemp(prefix="holdfast-texts-"))
    world.directories.append(folder)
    (folder / "texts.json").write_text(json.dumps({
        "defaultLocale": "en",
        "texts": [
            {"purpose": "code", "channel": "sms", "locale": "en", "text": "{code} is your {brand} code."},
            {"purpose": "link", "channel": "sms", "locale": "en", "text": "{brand}: {link}"}],
        "templates": [
            {"id": "order", "locale": "en", "text": "{code} confirms the order {order} at {brand}."},
            {"id": "order", "locale": "de", "text": "{code} confirms {order}, in German."}]}))
    site = world.site(
        "worded", HOLDFAST_MESSAGING_TEXTS_FILE=str(folder / "texts.json"),
        HOLDFAST_SANDBOX_UNKNOWN_NUMBERS="simulate")
    service = Service(site)
    template, = service.client.verify.v2.templates.list()
    assert (template.friendly_name, set(template.translations)) == ("order", {"en", "de"})
    number = fresh_number(site)
    service.create(
        number, template_sid=template.sid, template_custom_substitutions=json.dumps({"order": "A-7"}),
        custom_friendly_name="Shop")
    message = site.sandbox.messages(number)[-1]
    assert message["text"] == f"{message['code']} confirms the order A-7 at Shop.", message
    assert service.check(message["code"], number).status == "approved"
    refused(lambda: service.create(number, template_sid=template.sid), 400, 60200)


def the_messages_of_a_verification_are_listed(world):
    site = world.simulated
    service, number = Service(site), fresh_number(site)
    sent = service.create(number)
    service.create(number, "call")
    service.check(codes(site, number)[-1], number)
    attempts = service.client.verify.v2.verification_attempts
    listed = attempts.list(verification_sid=sent.sid)
    assert [(one.channel, one.conversion_status) for one in listed] == [("call", "converted"), ("sms", "unconverted")]
    assert [one.sid for one in attempts.list(channel_data_to=number)] == [one.sid for one in listed]
    one = service.client.verify.v2.verification_attempts(listed[0].sid).fetch()
    assert (one.verification_sid, one.service_sid, one.channel_data["to"]) == (sent.sid, service.sid, number)
    assert isinstance(one.date_created, datetime.datetime)
    newest = attempts.list(limit=3)
    assert len(newest) == 3 and [one.sid for one in newest][:2] == [one.sid for one in listed]
    assert [one.sid for one in attempts.list(page_size=1, limit=3)] == [one.sid for one in newest], "page by page"
    since = sent.date_created - datetime.timedelta(seconds=1)
    assert all(one.date_created >= since for one in attempts.list(date_created_after=since, country="US", channel="call"))
    summary = service.client.verify.v2.verification_attempts_summary().fetch()
    assert summary.total_attempts == summary.total_converted + summary.total_unconverted >= 2, summary.total_attempts
    refused_list(lambda: attempts.list(country="Germany"), 400, 60200)
    other = Service(site, "sandbox-2").client.verify.v2
    assert other.verification_attempts.list(verification_sid=sent.sid) == []
    refused(other.verification_attempts(listed[0].sid).fetch, 404, 20404)


def one_message_at_a_time_goes_to_a_number_where_limits_hold(world):
    site = world.site(
        "spaced", HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX="true", HOLDFAST_SANDBOX_UNKNOWN_NUMBERS="simulate",
        HOLDFAST_LIMITS_SECONDS_BETWEEN_SENDS="30")
    number, services = fresh_number(site), [Service(site) for _ in range(8)]
    results = at_once(8, lambda index: services[index].create(number, device_ip="192.0.2.7"))
    made = [one for one in results if not isinstance(one, TwilioRestException)]
    over = [one for one in results if isinstance(one, TwilioRestException) and one.code == 20429]
    assert (len(made), len(over), len(codes(site, number))) == (1, 7, 1), results
    caller, login = Caller(site.server.base_url), base64.b64encode(b"sandbox:sandbox-secret").decode()
    answer = caller.call(
        "POST", f"/twilio-verify/v2/Services/{services[0].sid}/Verifications", f"To=%2B{number[1:]}&Channel=sms".encode(),
        {"Content-Type": "application/x-www-form-urlencoded", "Authorization": f"Basic {login}"})
    assert answer.status == 429 and 1 <= int(answer.headers["retry-after"]) <= 30, answer
    caller.close()
    site.advance(30)
    assert services[0].create(number, device_ip="192.0.2.7").sid == made[0].sid


def the_description_is_its_own(world):
    answer = world.plain.sandbox.caller.call("GET", "/twilio-verify/openapi.json")
    assert answer.status == 200 and answer["openapi"].startswith("3.1"), answer
    paths = answer["paths"]
    assert all(path.startswith("/twilio-verify/v2/") for path in paths) and len(paths) == 15, list(paths)


def the_sample_of_the_page_runs_with_the_newest_library(world):
    site = world.plain
    before = len(codes(site, LORANT))
    output = samples.run("twilio-verify.md", world.newest, site.server.base_url, {})
    assert codes(site, LORANT)[before:] == [RIGHT], output
    account = Service(site, "AC0123456789abcdef0123456789abcdef", secret="sandboxsecret")
    refused(lambda: account.check(RIGHT), 404, 20404)
    assert samples.run("twilio-verify/services.md", world.newest, site.server.base_url, {}).strip() == "approved"


def codes_and_numbers_show_nowhere(world):
    for name, site in world.sites.items():
        output = site.server.output()
        for number in [f"201555{1000 + place}" for place in range(1, 30)] + [LORANT[2:]]:
            assert number not in output, f"a number is in the log of {name}"
        assert "20202020" not in output, f"a code is in the log of {name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_server_arguments(parser)
    parser.add_argument("--only", default="", help="scenes whose name has this text")
    options = checked_arguments(parser)
    world = World(options)
    world.newest = samples.Newest("twilio-verify.md")
    try:
        scenes.run(scenes.of(sys.modules[__name__]), world, options.only)
    finally:
        world.newest.close()
        world.close()


if __name__ == "__main__":
    main()
