#!/usr/bin/env python3
"""An app of OTPLESS's headless SDK walks every state of its guide against a sandbox, by named sandbox users.

Starts servers of its own. The last line is "N passed, M failed".
"""
import argparse
import base64
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import requests

import scenes
from headless import Headless
from holdfast import REPOSITORY, add_server_arguments, checked_arguments
from otpless import CLIENT, RIGHT, WRONG, at_once, post
from world import World

# The user or the step that leads to each state (docs/otpless/apps.md).
LORANT, INGE, PENNY = "2001004014", "2001004016", "2001004041"
NO_WHATSAPP, NOTHING_HEARD, NOTHING_WORKS = "2001004091", "2001004092", "2001004095"
HASH = "FA+9qCX9VSu"
PAGE = "https://app.example/opened"


def app_of(site, app_id="sandbox"):
    return Headless(site.server.base_url + "/otpless", app_id)


def started(site, app_id="sandbox"):
    app = app_of(site, app_id)
    assert app.start().kind == "SDK_READY", app.callbacks
    return app


def message_to(site, number):
    return site.sandbox.messages(number)[-1]


def follow_link(link):
    """As the phone does, over its cellular connection."""
    answer = requests.get(link, timeout=20)
    assert answer.status_code == 200, answer.text


def leave_link(link):
    """A phone without a cellular connection."""


def is_known_to_the_backend(site, callback, number):
    """What the guide leaves to the app's backend: whose token it is."""
    assert callback.kind == "ONETAP" and callback.status == 200, callback
    token = callback.response["data"]["token"]
    told = post(site.server.base_url + "/otpless", "/auth/v1/validate/token", {"token": token})
    assert told.status_code == 200, told.text
    (identity,) = told.json()["identities"]
    assert identity["identityValue"] == "1" + number and identity["verified"] is True, identity
    assert told.json()["userId"] == callback.response["data"]["userId"], told.text
    return identity


def the_sdk_is_ready(world):
    app = started(world.plain)
    assert [callback.status for callback in app.callbacks] == [200], app.callbacks
    # The SDK keeps its state as long as the app is installed.
    site = world.site("keeping")
    kept = started(site)
    site.advance(400 * 86_400)
    callback = kept.start()
    assert (callback.kind, callback.status) == ("SDK_READY", 200), callback


def an_unknown_or_revoked_app_fails(world):
    for app_id in ("nobody", "", "sandbox/../sandbox"):
        callback = app_of(world.plain, app_id).start()
        assert (callback.kind, callback.status) == ("FAILED", 5003), callback
    site = world.site("revoking")
    app = started(site)
    site.server.command("clients", "revoke", "sandbox")
    assert app_of(site).start().status == 5003
    callback = app.initiate(LORANT, "+1", deliveryMethod="SMS")
    assert (callback.kind, callback.status, callback.response["errorCode"]) == ("INITIATE", 401, "401"), callback


def a_code_arrives_and_passes(world):
    site = world.plain
    app = started(site)
    app.initiate(LORANT, "+1", deliveryMethod="WHATSAPP")
    app.follow()
    assert message_to(site, LORANT)["channel"] == "whatsapp"
    app.verify(WRONG)
    app.verify("")
    callback = app.verify(RIGHT)
    assert app.kinds == ["SDK_READY", "INITIATE", "DELIVERY_STATUS", "VERIFY", "VERIFY", "ONETAP"], app.callbacks
    initiated, delivered, wrong, empty = app.callbacks[1:5]
    assert initiated.response["authType"] == "OTP" and initiated.response["deliveryChannel"] == "WHATSAPP", initiated
    assert initiated.response["requestId"], initiated
    assert delivered.response == {
        "authType": "OTP", "deliveryChannel": "WHATSAPP", "communicationDelivered": True}, delivered
    assert (wrong.status, wrong.response["errorCode"], wrong.response["authType"]) == (400, "7118", "OTP"), wrong
    assert empty.response["errorCode"] == "7112", empty
    assert is_known_to_the_backend(site, callback, LORANT)["methods"] == ["WHATSAPP"]
    again = app.verify(RIGHT)
    assert (again.kind, again.response["errorCode"]) == ("VERIFY", "7115"), again


def a_code_that_whatsapp_does_not_deliver_falls_back(world):
    site = world.plain
    app = started(site)
    app.initiate(NO_WHATSAPP, "+1", open_link=leave_link)
    app.follow()
    callback = app.verify(message_to(site, NO_WHATSAPP)["code"])
    assert app.kinds[-4:] == ["INITIATE", "FALLBACK_TRIGGERED", "DELIVERY_STATUS", "ONETAP"], app.callbacks
    initiated, fallback, delivered = app.callbacks[-4:-1]
    assert initiated.response["deliveryChannel"] == "WHATSAPP", initiated
    assert fallback.response["deliveryChannel"] == "SMS" and fallback.response["authType"] == "OTP", fallback
    assert fallback.response["requestId"] == initiated.response["requestId"], "the same request"
    assert delivered.response["deliveryChannel"] == "SMS", delivered
    assert is_known_to_the_backend(site, callback, NO_WHATSAPP)["methods"] == ["SMS"]


def a_channel_that_says_nothing_falls_back_after_its_time(world):
    site = world.site("silence")
    app = started(site)
    app.initiate(NOTHING_HEARD, "+1", open_link=leave_link)
    assert app.follow(times=2) is None
    site.advance(19)
    assert app.follow(times=2) is None
    site.advance(1)
    assert app.follow(times=2) is None
    assert app.kinds[-2:] == ["INITIATE", "FALLBACK_TRIGGERED"], app.callbacks
    whatsapp, sms = site.sandbox.messages(NOTHING_HEARD)
    assert (whatsapp["channel"], sms["channel"]) == ("whatsapp", "sms") and whatsapp["code"] == sms["code"]
    is_known_to_the_backend(site, app.verify(sms["code"]), NOTHING_HEARD)


def the_operator_vouches_for_the_number(world):
    site = world.plain
    app = started(site)
    callback = app.initiate(INGE, "+1", open_link=follow_link)
    assert app.kinds == ["SDK_READY", "INITIATE", "ONETAP"], app.callbacks
    assert app.callbacks[1].response["authType"] == "SILENT_AUTH", app.callbacks
    identity = is_known_to_the_backend(site, callback, INGE)
    assert (identity["channel"], identity["methods"]) == ("SILENT_AUTH", ["SILENT_AUTH"]), identity


def a_code_follows_where_the_operator_does_not_vouch(world):
    site = world.plain
    for number, open_link in ((PENNY, follow_link), (INGE, leave_link)):
        app = started(site)
        app.initiate(number, "+1", open_link=open_link)
        app.follow()
        callback = app.verify(message_to(site, number)["code"])
        assert app.kinds == [
            "SDK_READY", "INITIATE", "VERIFY", "INITIATE", "DELIVERY_STATUS", "ONETAP"], app.callbacks
        silent, failed, code = app.callbacks[1:4]
        assert [step.response["authType"] for step in (silent, failed, code)] == ["SILENT_AUTH", "SILENT_AUTH", "OTP"]
        assert failed.status == 400 and code.response["deliveryChannel"] == "WHATSAPP", app.callbacks
        assert is_known_to_the_backend(site, callback, number)["channel"] == "OTP"


def nothing_works(world):
    app = started(world.plain)
    callback = app.initiate(NOTHING_WORKS, "+1", open_link=follow_link)
    assert app.kinds == ["SDK_READY", "INITIATE", "VERIFY"], app.callbacks
    assert (callback.status, callback.response["authType"]) == (9106, "SILENT_AUTH"), callback
    assert callback.response["errorCode"] == "9106", callback
    assert app.follow_refused() == ("400", "9106")


def an_app_begins_what_its_backend_has_created(world):
    site = world.plain
    base = site.server.base_url + "/otpless"
    created = post(base, "/auth/v1/create", {"phoneNumber": INGE, "countryCode": "1"}).json()["requestId"]
    app = started(site)
    callback = app.begin_created(created, follow_link)
    is_known_to_the_backend(site, callback, INGE)
    again = app.begin_created(created, leave_link)
    assert (again.kind, again.response["errorCode"]) == ("INITIATE", "7114"), again


def android_reads_the_code_of_the_message(world):
    site = world.site("hashed", configured(world.directories))
    app = started(site)
    app.initiate(LORANT, "+1", deliveryMethod="SMS", deviceInfo=json.dumps({"platform": "Android"}))
    callback = app.read_from_message(message_to(site, LORANT), HASH)
    is_known_to_the_backend(site, app.verify(callback.response["otp"]), LORANT)
    assert "OTP_AUTO_READ" in app.kinds, app.callbacks
    app.initiate(LORANT, "+1", deliveryMethod="SMS")
    assert HASH not in message_to(site, LORANT)["text"], "an iPhone reads no hash"


def configured(directories):
    """A sandbox whose API client has an Android app."""
    directory = Path(tempfile.mkdtemp())
    directories.append(directory)
    file = directory / "hashed.json"
    file.write_text(json.dumps({
        "mode": "sandbox", "data": {"directory": str(directory / "data"), "migrations": str(REPOSITORY / "migrations")},
        "sandbox": {
            "usersFile": str(REPOSITORY / "config" / "sandbox-users.json"),
            "clients": {"sandbox": {"secret": "sandbox-secret", "appHashes": [HASH]}}}}))
    return file


def a_link_opens_the_app(world):
    site = world.plain
    for way, verifier in (("MAGICLINK", None), ("OTP_LINK", "v" * 43)):
        app = started(site)
        custom = {"channel": way, "redirectURI": PAGE, "deliveryMethod": "SMS"}
        if verifier:
            digest = hashlib.sha256(verifier.encode()).digest()
            custom |= {"code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
                       "code_challenge_method": "S256"}
        initiated = app.initiate(LORANT, "+1", **custom)
        assert initiated.response["authType"] == way, initiated
        app.follow(times=2)
        link = message_to(site, LORANT)["link"] or message_to(site, LORANT)["text"].split()[-1]
        assert requests.get(link, timeout=20, allow_redirects=False).status_code == 200, "a scanner"
        tapped = requests.post(link, data={"decision": "approve"}, timeout=20, allow_redirects=False)
        assert tapped.status_code == 303 and tapped.headers["location"].startswith(PAGE + "?"), tapped.headers
        code = parse_qs(urlsplit(tapped.headers["location"]).query)["code"][0]
        stranger = started(site)
        refused = stranger.verify_code(code)
        assert (refused.kind, refused.response["errorCode"]) == ("VERIFY", "7114"), refused
        if verifier:
            assert app.verify_code(code).response["errorCode"] == "7118"
        callback = app.verify_code(code, **({"code_verifier": verifier} if verifier else {}))
        assert is_known_to_the_backend(site, callback, LORANT)["channel"] == "MAGICLINK"
        assert app.verify_code(code).response["errorCode"] == "7118"


def a_code_expires(world):
    site = world.site("expiring")
    app = started(site)
    app.initiate(LORANT, "+1", expiry="30")
    site.advance(30)
    late = app.verify(RIGHT)
    assert (late.kind, late.status, late.response["errorCode"]) == ("VERIFY", 400, "7303"), late


def an_address_gets_a_code(world):
    site = world.plain
    app = started(site)
    assert app.initiate(email="ada.king@shop.example").response["deliveryChannel"] == "EMAIL", app.callbacks
    message = message_to(site, "ada.king@shop.example")
    data = app.verify(message["text"].split()[0] if "code" not in message else message["code"]).response["data"]
    assert data["identities"][0]["identityValue"] == "ada.king@shop.example", data
    refused = app.initiate(email="nobody")
    assert (refused.kind, refused.response["errorCode"]) == ("INITIATE", "7104"), refused


def bad_intents_are_refused(world):
    app = started(world.plain)
    for number, custom, code in (
            ("12", {}, "7101"), (LORANT, {"otpLength": "5"}, "7116"), (LORANT, {"expiry": "29"}, "7113"),
            (LORANT, {"deliveryMethod": "FAX"}, "7103"), (LORANT, {"channel": "DEVICE"}, "7103")):
        custom = custom or {"deliveryMethod": "SMS"}
        callback = app.initiate(number, "+1", **custom)
        assert (callback.kind, callback.status) == ("INITIATE", 400), callback
        assert callback.response["errorCode"] == code and callback.response["errorMessage"], callback


def a_status_is_asked_twenty_times_a_second(world):
    site = world.plain
    app = started(site)
    app.initiate(LORANT, "+1", deliveryMethod="SMS")
    sent = len(site.sandbox.messages(LORANT))
    statuses = at_once(20, lambda: app.get(app.transaction("status"))["authDetail"]["status"])
    assert statuses == ["PENDING"] * 20 and len(site.sandbox.messages(LORANT)) == sent, statuses
    assert app.verify(RIGHT).kind == "ONETAP"


def a_request_of_one_surface_is_not_finished_by_another(world):
    site = world.plain
    app = started(site)
    app.initiate(LORANT, "+1", deliveryMethod="SMS")
    unify = site.unify(LORANT)
    client = unify.client()
    client.start(), client.otp()
    assert app.verify(RIGHT).kind == "ONETAP"
    unify.status("pending")
    stranger = started(site, "sandbox-2")
    stranger.token, stranger.as_id, stranger.way = app.token, app.as_id, "OTP"
    callback = stranger.verify(RIGHT)
    assert (callback.kind, callback.response["errorCode"]) == ("VERIFY", "7114"), callback


def a_restart_loses_nothing(world):
    site = world.site("restarted")
    app = started(site)
    app.initiate(LORANT, "+1", deliveryMethod="SMS")
    site.restart()
    assert app.verify(WRONG).response["errorCode"] == "7118"
    is_known_to_the_backend(site, app.verify(RIGHT), LORANT)


def numbers_and_states_show_nowhere(world):
    for name, site in world.sites.items():
        output = site.server.output()
        for text in (LORANT, NO_WHATSAPP, NOTHING_HEARD, "appId=", "ada.king"):
            assert text not in output, f"{text} is in the log of {name}"


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
