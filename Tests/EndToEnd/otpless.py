#!/usr/bin/env python3
"""OTPLESS's calls, made by OTPLESS's own library: only its base URLs are other ones.

Starts servers of its own, and needs the packages of requirements.txt. The last line is "N passed, M failed".
"""
import argparse
import base64
import hashlib
import hmac
import inspect
import json
import sys
import threading
import time
from datetime import datetime, timedelta
from unittest import mock
from urllib.parse import parse_qs, urlsplit

import jwt
import OTPLessAuthSDK as sdk
import requests

import scenes
import scripted
from holdfast import add_server_arguments, checked_arguments
from receiver import Receiver
from world import World

LORANT = "+12001004014"
# WhatsApp does not reach her.
FENNA = "+12001004091"
RIGHT, WRONG = "123456", "999999"
CLIENT = ("sandbox", "sandbox-secret")
PAGE = "https://app.example/done?lang=de&state=s-1"


def pointed_at(site):
    """The library with its base URLs set, as its attributes are read at each call."""
    base = f"{site.server.base_url}/otpless"
    sdk.OTPLESS_KEY_API = base + "/.well-known/openid-configuration"
    sdk.OIDC_USERINFO_TOKEN_API = base + "/auth/userInfo"
    sdk.MAGIC_LINK_URL = base + "/auth/v1/authorize"
    sdk.OTP_BASE_URL = base + "/auth/otp"
    return base


def send(number=LORANT, email=None, channel="SMS", order=None, expiry=60, length=6, client=CLIENT):
    return sdk.OTP.send_otp(number, email, channel, None, order, expiry, length, *client)


def verify(order, code, number=None, client=CLIENT):
    return sdk.OTP.veriy_otp(order, code, None, number, *client)


def refused(call, *texts):
    """The exception that the library must raise, with these texts."""
    try:
        answer = call()
    except Exception as error:  # the library raises nothing narrower
        assert type(error) is Exception and all(text in str(error) for text in texts), repr(error)
        return
    raise AssertionError(f"not refused: {answer}")


def post(base, path, body, client=CLIENT):
    """A call of the current API, for which this library has no function."""
    headers = {"clientId": client[0], "clientSecret": client[1]}
    return requests.post(base + path, json=body, headers=headers, timeout=20)


def at_once(count, call):
    """What as many calls at one moment return."""
    barrier, results = threading.Barrier(count), [None] * count

    def run(index):
        barrier.wait()
        results[index] = call()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def a_code_is_sent_and_checked(world):
    site = world.plain
    pointed_at(site)
    order = send()
    assert list(order) == ["orderId"], order
    message = site.sandbox.messages(LORANT)[-1]
    assert message["code"] == RIGHT and message["channel"] == "sms", message
    assert verify(order["orderId"], WRONG) == {"isOTPVerified": False, "reason": "OTP is incorrect"}
    assert verify(order["orderId"], RIGHT, LORANT) == {"isOTPVerified": True}
    assert verify(order["orderId"], RIGHT) == {"isOTPVerified": False, "reason": "OTP is already verified"}


def a_number_needs_no_plus_and_no_order(world):
    pointed_at(world.plain)
    send("12001004014")
    assert verify(None, RIGHT, "12001004014") == {"isOTPVerified": True}


def a_code_is_sent_again_five_times_in_all(world):
    site = world.simulated
    pointed_at(site)
    order = send("+12015551001")["orderId"]
    for _ in range(4):
        assert sdk.OTP.resend_otp(order, *CLIENT) == {"orderId": order}
    refused(lambda: sdk.OTP.resend_otp(order, *CLIENT), "429", "7022")
    codes = [message["code"] for message in site.sandbox.messages("+12015551001")]
    assert len(codes) == 5
    assert verify(order, codes[0]) == {"isOTPVerified": True}, "each of its codes is taken"
    refused(lambda: sdk.OTP.resend_otp(order, *CLIENT), "400", "7115")


def a_code_expires(world):
    site = world.plain
    pointed_at(site)
    order = send(expiry=30)["orderId"]
    site.advance(30)
    assert verify(order, RIGHT) == {"isOTPVerified": False, "reason": "OTP has expired"}
    assert sdk.OTP.resend_otp(order, *CLIENT) == {"orderId": order}
    assert verify(order, RIGHT) == {"isOTPVerified": True}
    order = send(expiry=30)["orderId"]
    site.advance(700)
    refused(lambda: sdk.OTP.resend_otp(order, *CLIENT), "400", "7303")


def wrong_codes_end_an_order(world):
    pointed_at(world.plain)
    order = send()["orderId"]
    for _ in range(5):
        assert verify(order, WRONG)["isOTPVerified"] is False
    assert verify(order, RIGHT) == {"isOTPVerified": False, "reason": "too many incorrect OTPs"}


def one_of_many_right_codes_passes(world):
    pointed_at(world.plain)
    order = send()["orderId"]
    answers = at_once(12, lambda: verify(order, RIGHT)["isOTPVerified"])
    assert answers.count(True) == 1, answers


def bad_values_are_refused(world):
    pointed_at(world.plain)
    refused(lambda: send(None), "400", "7106")
    refused(lambda: send(None, "a@shop.example"), "400", "7105")
    refused(lambda: send("12"), "400", "7101", "phoneNumber")
    refused(lambda: send(channel="PIGEON"), "400", "7103")
    refused(lambda: send(expiry=29), "400", "7113")
    refused(lambda: send(length=5), "400", "7116")
    refused(lambda: verify("mine", RIGHT), "400", "7114")
    refused(lambda: verify("0" * 32, RIGHT), "400", "7114")
    refused(lambda: verify("019b7907-8d58-7500-8000-000000000001", RIGHT), "400", "7114")
    refused(lambda: verify(send()["orderId"], None), "400", "7112")
    refused(lambda: sdk.OTP.resend_otp("", *CLIENT), "400", "7119")


def the_callers_order_id_names_the_order(world):
    site = world.simulated
    pointed_at(site)
    number, address = "+12015551017", "ada@shop.example"
    order = send(number, address, "SMS", length=4, order="order-7", expiry=60)
    assert order == {"orderId": "order-7"}, order
    assert send(number, address, "SMS", length=4, order="order-7", expiry=60) == order, "a repeat"
    assert len(site.sandbox.messages(number)) == 1, "a repeat sends nothing"
    refused(lambda: send("+12015551018", order="order-7"), "400", "7119", "orderId")
    assert sdk.OTP.resend_otp("order-7", *CLIENT) == order
    codes = [message["code"] for message in site.sandbox.messages(number)]
    assert len(codes) == 2 and len(codes[0]) == 4, codes
    for other in ((number, "someone@example.com"), ("+12015551018", None)):
        verified = sdk.OTP.veriy_otp("order-7", codes[1], other[1], other[0], *CLIENT)
        assert verified["isOTPVerified"] is False, (other, verified)
    assert sdk.OTP.veriy_otp("order-7", codes[1], address, number, *CLIENT) == {"isOTPVerified": True}
    other = ("sandbox-2", "sandbox-2-secret")
    assert send("+12015551019", order="order-7", client=other) == order, "another client's own"


# The parameters of each function of the library, by what each is for.


class Parameters:
    """One scene a function: every parameter that its signature has is tried, and no other."""

    def __init__(self, function):
        self.function, self.left = function, set(inspect.signature(function).parameters)

    def __enter__(self):
        return self

    def __call__(self, name, holds, told=""):
        assert name in self.left, f"{name} is no parameter of {self.function.__name__}, or was tried before"
        self.left.remove(name)
        assert holds, f"{self.function.__name__}: {name} {told}"

    def __exit__(self, kind, *_):
        assert kind or not self.left, f"{self.function.__name__}: {self.left} was not tried"


APP_HASH = "FA+9qCX9VSu"


def parameters_site(world):
    """Gives every number a code of its own, and knows an app that reads codes."""
    is_new = "parameters" not in world.sites
    site = world.site("parameters", HOLDFAST_SANDBOX_UNKNOWN_NUMBERS="simulate")
    if is_new:
        site.server.command("clients", "update", "sandbox", "--app-hash", APP_HASH)
    pointed_at(site)
    return site


def every_parameter_of_send_otp_has_its_effect(world):
    site, number, address = parameters_site(world), "+12015552001", "ada@shop.example"
    for function, template in ((sdk.OTP.send_otp, ()), (sdk.send_otp, ("template_7",))):
        order = f"order-{len(template)}"
        sent = function(number, address, "WHATSAPP", APP_HASH, order, 60, 4, *CLIENT, *template)
        message = site.sandbox.messages(number)[-1]
        with Parameters(function) as tried:
            tried("phoneNumber", message["to"] == number, message)
            tried("channel", message["channel"] == "whatsapp", message)
            tried("orderId", sent == {"orderId": order}, sent)
            tried("otpLength", len(message["code"]) == 4, message)
            named = sdk.OTP.veriy_otp(order, message["code"], "eve@shop.example", None, *CLIENT)
            tried("email", named["isOTPVerified"] is False, "is the order's")
            sdk.OTP.send_otp(number, None, "SMS", APP_HASH, order + "-sms", 60, 4, *CLIENT)
            tried("hash", site.sandbox.messages(number)[-1]["text"].splitlines()[-1] == APP_HASH)
            refused(lambda: function(number, None, "SMS", "BBBBBBBBBBB", None, 60, 4, *CLIENT, *template), "400", "7121")
            refused(lambda: function(number, None, "SMS", None, None, 60, 4, "nobody", CLIENT[1], *template), "401", "7002")
            tried("client_id", True)
            refused(lambda: function(number, None, "SMS", None, None, 60, 4, CLIENT[0], "wrong", *template), "401", "7002")
            tried("client_secret", True)
            if template:
                tried("templateId", "template_7" not in message["text"], "has no effect")
            site.advance(60)
            late = verify(order, message["code"])
            tried("expiry", late == {"isOTPVerified": False, "reason": "OTP has expired"}, late)
    for channel, taken in (("SMS", "sms"), ("WHATSAPP", "whatsapp"), ("ALL", "whatsapp")):
        send(number, channel=channel)
        assert site.sandbox.messages(number)[-1]["channel"] == taken, channel
    # A parameter that is not given is absent.
    assert list(sdk.OTP.send_otp(number, None, None, None, None, None, None, *CLIENT)) == ["orderId"]
    assert len(site.sandbox.messages(number)[-1]["code"]) == 6


def every_parameter_of_resend_otp_has_its_effect(world):
    site, number = parameters_site(world), "+12015552002"
    order = send(number)["orderId"]
    with Parameters(sdk.OTP.resend_otp) as tried:
        tried("orderId", sdk.OTP.resend_otp(order, *CLIENT) == {"orderId": order})
        assert len(site.sandbox.messages(number)) == 2
        refused(lambda: sdk.OTP.resend_otp(order, "sandbox-2", "sandbox-2-secret"), "400", "7114")
        tried("client_id", True)
        refused(lambda: sdk.OTP.resend_otp(order, CLIENT[0], "wrong"), "401", "7002")
        tried("client_secret", True)


def every_parameter_of_veriy_otp_has_its_effect(world):
    site, number, address = parameters_site(world), "+12015552003", "ada@shop.example"
    order = send(number, address)["orderId"]
    code = site.sandbox.messages(number)[-1]["code"]

    def verified(*arguments, client=CLIENT):
        return sdk.OTP.veriy_otp(*arguments, *client)["isOTPVerified"]

    with Parameters(sdk.OTP.veriy_otp) as tried:
        refused(lambda: verified("order-of-nobody", code, None, None), "400", "7114")
        tried("orderId", True)
        tried("email", not verified(order, code, "eve@shop.example", number))
        tried("phoneNumber", not verified(order, code, address, "+12015552004"))
        refused(lambda: verified(order, code, None, None, client=("sandbox-2", "sandbox-2-secret")), "400", "7114")
        tried("client_id", True)
        refused(lambda: verified(order, code, None, None, client=(CLIENT[0], "wrong")), "401", "7002")
        tried("client_secret", True)
        other = str((int(code) + 1) % 10 ** 6).zfill(6)
        tried("otp", not verified(order, other, address, number) and verified(order, code, address, number))


def every_parameter_of_generate_magic_link_has_its_effect(world):
    site, address = parameters_site(world), "ada.king@example.com"
    number = "+12015552005"
    ask = sdk.UserDetail.generate_magic_link
    with Parameters(ask) as tried:
        begun = ask(number, None, *CLIENT, PAGE, "SMS")
        message = site.sandbox.messages(number)[-1]
        tried("mobile_number", begun.mobile_request_id is not None)
        tried("channel", message["channel"] == "sms", message)
        answer, _ = tap(world, newest_link(world, site, number))
        tried("redirect_uri", answer.headers["location"].startswith(PAGE + "&code="), answer.headers)
        begun = ask(None, address, *CLIENT, PAGE, None)
        newest_link(world, site, address)
        tried("email", begun.email_request_id is not None and site.sandbox.messages(address)[-1]["subject"])
        refused(lambda: ask(number, None, "nobody", CLIENT[1], PAGE, "SMS"), "401", "7002")
        tried("client_id", True)
        refused(lambda: ask(number, None, CLIENT[0], "wrong-secret-2", PAGE, "SMS"), "401", "7002")
        tried("client_secret", True)


def every_parameter_of_verify_code_has_its_effect(world):
    site, number = parameters_site(world), "+12015552006"

    def fresh():
        sdk.UserDetail.generate_magic_link(number, None, *CLIENT, PAGE, "SMS")
        return tap(world, newest_link(world, site, number))[1]

    def redeem(*arguments):
        return seconds_ahead(
            site.sandbox.clock()["offsetSeconds"], lambda: sdk.UserDetail.verify_code(*arguments))

    with Parameters(sdk.UserDetail.verify_code) as tried:
        code = fresh()
        refused(lambda: redeem(code, "sandbox-2", "sandbox-2-secret"), "400", "7118")
        tried("client_id", True)
        refused(lambda: redeem(code, CLIENT[0], "wrong-secret-2"), "401", "7002")
        tried("client_secret", True)
        told = redeem(code, *CLIENT)
        tried("code", told["success"] and "+" + told["phone_number"] == number, told)
        # The library checks by the client id, whatever it is given.
        tried("audience", redeem(fresh(), *CLIENT, "another")["success"])


def every_parameter_of_decode_id_token_has_its_effect(world):
    parameters_site(world)
    base = pointed_at(world.plain)
    token = id_token_of(base, token_of(base))
    ahead = jwt.decode(token, options={"verify_signature": False})["iat"] - time.time()

    def decode(*arguments):
        return seconds_ahead(ahead, lambda: sdk.UserDetail.decode_id_token(*arguments))

    with Parameters(sdk.UserDetail.decode_id_token) as tried:
        tried("id_token", decode(token, *CLIENT, CLIENT[0])["phone_number"] == LORANT[1:])
        refused(lambda: decode(token, *CLIENT, "sandbox-2"), "audience")
        refused(lambda: decode(token, *CLIENT), "audience")
        tried("audience", True)
        # The library sends neither.
        tried("client_id", decode(token, "nobody", CLIENT[1], CLIENT[0])["success"])
        tried("client_secret", decode(token, CLIENT[0], "wrong-secret-2", CLIENT[0])["success"])


def every_parameter_of_verify_token_has_its_effect(world):
    base = pointed_at(world.plain)
    token = token_of(base)
    with Parameters(sdk.UserDetail.verify_token) as tried:
        tried("token", sdk.UserDetail.verify_token(token, *CLIENT)["phone_number"] == LORANT[1:])
        refused(lambda: sdk.UserDetail.verify_token(token, "sandbox-2", "sandbox-2-secret"), "401", "7301")
        tried("client_id", True)
        refused(lambda: sdk.UserDetail.verify_token(token, CLIENT[0], "wrong-secret-2"), "401", "7002")
        tried("client_secret", True)


def no_function_of_the_library_is_left_out(world):
    functions = {
        name for owner in (sdk.OTP, sdk.UserDetail) for name, value in vars(owner).items() if isinstance(value, staticmethod)}
    tried = {
        name for scene in vars(sys.modules[__name__]) if scene.startswith("every_parameter_of_")
        for name in [scene.removeprefix("every_parameter_of_").removesuffix("_has_its_effect")]}
    assert functions == tried, functions ^ tried


def forged_credentials_and_other_clients_reach_nothing(world):
    pointed_at(world.plain)
    refused(lambda: send(client=("sandbox", "wrong")), "401", "7002")
    refused(lambda: send(client=("sandbox", "")), "401", "7012")
    order, other = send()["orderId"], ("sandbox-2", "sandbox-2-secret")
    refused(lambda: verify(order, RIGHT, client=other), "400", "7114")
    refused(lambda: sdk.OTP.resend_otp(order, *other), "400", "7114")
    assert verify(order, RIGHT) == {"isOTPVerified": True}


def the_current_calls_for_codes_answer(world):
    site = world.plain
    base = pointed_at(site)
    sent = post(base, "/auth/v1/initiate/otp", {"phoneNumber": LORANT, "channels": ["WHATSAPP", "SMS"], "expiry": 60})
    assert sent.status_code == 200 and list(sent.json()) == ["requestId"], sent.text
    assert site.sandbox.messages(LORANT)[-1]["channel"] == "whatsapp"
    request = sent.json()["requestId"]
    wrong = post(base, "/auth/v1/verify/otp", {"requestId": request, "otp": WRONG})
    assert (wrong.status_code, wrong.json()["errorCode"]) == (400, "7118"), wrong.text
    right = post(base, "/auth/v1/verify/otp", {"requestId": request, "otp": RIGHT})
    assert right.status_code == 200 and right.json()["isOTPVerified"] is True, right.text


def the_current_calls_take_an_address(world):
    site, address = world.plain, "ada.king@example.com"
    base = pointed_at(site)
    sent = post(base, "/auth/v1/initiate/otp", {"email": address, "channels": ["EMAIL"], "expiry": 60})
    assert sent.status_code == 200 and list(sent.json()) == ["requestId"], sent.text
    mail = site.sandbox.messages(address)[-1]
    assert mail["channel"] == "email" and mail["to"] == address and mail["subject"], mail
    request = sent.json()["requestId"]
    wrong = post(base, "/auth/v1/verify/otp", {"requestId": request, "otp": WRONG})
    assert (wrong.status_code, wrong.json()["errorCode"]) == (400, "7118"), wrong.text
    right = post(base, "/auth/v1/verify/otp", {"requestId": request, "otp": mail["code"]})
    assert right.status_code == 200 and right.json()["isOTPVerified"] is True, right.text
    for body, code in (({"email": "ada@gmail.com"}, "7104"), ({"email": address, "channels": ["SMS"]}, "7103")):
        answer = post(base, "/auth/v1/initiate/otp", body)
        assert (answer.status_code, answer.json()["errorCode"]) == (400, code), answer.text


def token_of(base, number=LORANT, client=CLIENT):
    """The token of a request that has succeeded."""
    request = post(base, "/auth/v1/initiate/otp", {"phoneNumber": number}, client).json()["requestId"]
    before = post(base, "/auth/v1/status", {"requestId": request}, client)
    assert before.json()["status"] == "PENDING" and "token" not in before.json(), before.text
    assert post(base, "/auth/v1/verify/otp", {"requestId": request, "otp": RIGHT}, client).status_code == 200
    after = post(base, "/auth/v1/status", {"requestId": request}, client)
    assert after.json()["status"] == "SUCCESS", after.text
    return after.json()["token"]


def id_token_of(base, token):
    answer = post(base, "/auth/v1/validate/token", {"token": token})
    assert answer.status_code == 200, answer.text
    return answer.json()["idToken"]


def decoded(text, audience=CLIENT[0]):
    """What the library reads of an ID token, by the sandbox's clock."""
    ahead = jwt.decode(text, options={"verify_signature": False})["iat"] - time.time()
    return seconds_ahead(ahead, lambda: sdk.UserDetail.decode_id_token(text, *CLIENT, audience=audience))


def seconds_ahead(seconds, call):
    """Runs a call of the library, which looks at the times of an ID token, by a clock that is ahead."""
    class SandboxClock(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(seconds=seconds)

    with mock.patch("jwt.api_jwt.datetime", SandboxClock):
        return call()


PERSON = {
    "success": True, "phone_number": "12001004014", "email": None, "name": None, "country_code": "+1",
    "national_phone_number": "2001004014"}


def a_token_tells_whose_it_is(world):
    base = pointed_at(world.plain)
    token = token_of(base)
    told = sdk.UserDetail.verify_token(token, *CLIENT)
    assert {**told, "auth_time": None} == {**PERSON, "auth_time": None}, told
    validated = post(base, "/auth/v1/validate/token", {"token": token}).json()
    (identity,) = validated["identities"]
    assert identity["identityValue"] == "12001004014" and identity["methods"] == ["SMS"], validated
    for moment in (validated["timestamp"], identity["verifiedAt"]):
        assert isinstance(moment, str) and moment.endswith("Z"), validated
    raw = requests.post(
        base + "/auth/userInfo", timeout=20,
        data={"token": token, "client_id": CLIENT[0], "client_secret": CLIENT[1]}).json()
    assert isinstance(raw["auth_time"], str) and int(raw["auth_time"]) == told["auth_time"], raw
    assert raw["sub"] == validated["userId"], raw


def an_id_token_is_read_by_the_library(world):
    base = pointed_at(world.plain)
    token = token_of(base)
    text = id_token_of(base, token)
    told = decoded(text)
    assert {**told, "auth_time": None} == {**PERSON, "auth_time": None}, told
    header, claims = jwt.get_unverified_header(text), jwt.decode(text, options={"verify_signature": False})
    assert header["alg"] == "RS256" and header["typ"] == "JWT", header
    assert claims["exp"] == claims["iat"] + 300 and claims["aud"] == CLIENT[0] and claims["token"] == token, claims
    assert isinstance(claims["auth_time"], str) and claims["sub"].startswith("MO-"), claims
    assert json.loads(claims["authentication_details"])["phone"]["auth_state"] == "verified", claims
    refused(lambda: decoded(text, "sandbox-2"), "audience")
    head, body, signature = text.split(".")
    spoiled = ("B" if signature[0] == "A" else "A") + signature[1:]
    refused(lambda: decoded(f"{head}.{body}.{spoiled}"))


def newest_link(world, site, to):
    """Of the last message; its token must never show in a log."""
    link = site.sandbox.messages(to)[-1]["link"]
    world.link_secrets.add(link.rsplit("/", 1)[-1])
    return link


def tap(world, link, decision="approve"):
    """What a browser is answered whose person presses a button of the page, and the code that it is given."""
    answer = requests.post(link, data={"decision": decision}, allow_redirects=False, timeout=20)
    page = urlsplit(answer.headers.get("location", ""))
    code = parse_qs(page.query).get("code", [None])[0]
    if code:
        world.link_secrets.add(code)
    return answer, code


def redeemed(site, code):
    """What the library reads of the ID token that a code gives."""
    ahead = site.sandbox.clock()["offsetSeconds"]
    return seconds_ahead(ahead, lambda: sdk.UserDetail.verify_code(code, *CLIENT))


def a_link_ends_in_an_id_token(world):
    site = world.plain
    pointed_at(site)
    begun = sdk.UserDetail.generate_magic_link(LORANT, None, *CLIENT, PAGE, "WHATSAPP")
    assert begun.success and begun.mobile_request_id and not begun.email_request_id, begun
    message = site.sandbox.messages(LORANT)[-1]
    assert message["channel"] == "whatsapp" and "code" not in message and message["link"] in message["text"], message
    link = newest_link(world, site, LORANT)
    for call in (requests.get, requests.head, requests.get):
        seen = call(link, timeout=20)
        assert seen.status_code == 200 and "code=" not in seen.text, "a scanner has used the link"
    answer, code = tap(world, link)
    assert answer.status_code == 303 and answer.headers["location"].startswith(PAGE + "&code="), answer.headers
    assert answer.headers["referrer-policy"] == "no-referrer" and answer.headers["cache-control"] == "no-store"
    told = redeemed(site, code)
    assert {**told, "auth_time": None} == {**PERSON, "auth_time": None}, told
    refused(lambda: sdk.UserDetail.verify_code(code, *CLIENT), "400", "Invalid Request", "7118")
    used = requests.get(link, timeout=20)
    assert used.status_code == 410 and "used already" in used.text, used.text
    assert tap(world, link)[0].status_code == 410


def a_link_goes_to_an_address(world):
    site, address = world.plain, "ada.king@example.com"
    pointed_at(site)
    begun = sdk.UserDetail.generate_magic_link(None, address, *CLIENT, PAGE, "EMAIL")
    assert begun.email_request_id and not begun.mobile_request_id, begun
    assert site.sandbox.messages(address)[-1]["subject"]
    _, code = tap(world, newest_link(world, site, address))
    told = redeemed(site, code)
    assert told["email"] == address and told["phone_number"] is None, told


def a_link_that_cannot_be_asked_for_is_refused(world):
    pointed_at(world.plain)
    ask = sdk.UserDetail.generate_magic_link
    refused(lambda: ask(LORANT, None, "sandbox", "wrong-secret-2", PAGE, "SMS"), "401", "7002")
    refused(lambda: ask(LORANT, None, "sandbox", None, PAGE, "SMS"), "401", "7002")
    refused(lambda: ask(LORANT, None, *CLIENT, "otpless.sandbox://otpless", "SMS"), "400", "redirect_uri")
    refused(lambda: ask(LORANT, None, *CLIENT, "https://a.example@b.example/", "SMS"), "400", "redirect_uri")
    refused(lambda: ask(LORANT, None, *CLIENT, "", "SMS"), "400", "redirect_uri")
    refused(lambda: ask(None, None, *CLIENT, PAGE, None), "400", "7106", "mobile_number")
    refused(lambda: ask(LORANT, None, *CLIENT, PAGE, "FAX"), "400", "7103")
    refused(lambda: sdk.UserDetail.verify_code("nothing", *CLIENT), "400", "message")
    refused(lambda: sdk.UserDetail.verify_code("nothing", "sandbox", "wrong-secret-2"), "401", "Unauthorized")


def a_code_of_a_link_is_good_once_for_a_minute_and_one_client(world):
    site = world.plain
    base = pointed_at(site)
    body = {"phoneNumber": LORANT, "redirectURI": PAGE}
    request = post(base, "/auth/v1/initiate/magiclink", body).json()["requestId"]
    link = newest_link(world, site, LORANT)
    (_, former), (_, code) = tap(world, link), tap(world, link)
    assert post(base, "/auth/v1/status", {"requestId": request}).json()["status"] == "PENDING"
    for bad, client in ((former, CLIENT), (code, ("sandbox-2", "sandbox-2-secret")), ("x" * 43, CLIENT)):
        answer = post(base, "/auth/v1/verify/code", {"code": bad}, client)
        assert (answer.status_code, answer.json()["errorCode"]) == (400, "7118"), answer.text
    answers = at_once(16, lambda: post(base, "/auth/v1/verify/code", {"code": code}).status_code)
    assert sorted(answers) == [200] + [400] * 15, answers
    done = post(base, "/auth/v1/status", {"requestId": request}).json()
    assert done["status"] == "SUCCESS" and done["identities"][0]["channel"] == "MAGICLINK", done

    post(base, "/auth/v1/initiate/magiclink", body)
    _, late = tap(world, newest_link(world, site, LORANT))
    site.advance(60)
    assert post(base, "/auth/v1/verify/code", {"code": late}).status_code == 400
    site.advance(240)
    assert requests.get(newest_link(world, site, LORANT), timeout=20).status_code == 410


def a_challenge_needs_its_verifier(world):
    site = world.plain
    base = pointed_at(site)
    verifier = "v-" + "0123456789._~" * 4
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = {"client_id": CLIENT[0], "client_secret": CLIENT[1], "redirect_uri": PAGE, "mobile_number": LORANT,
             "code_challenge": challenge}
    plain = requests.get(base + "/auth/v1/authorize", {**query, "code_challenge_method": "plain"}, timeout=20)
    assert plain.status_code == 400 and "code_challenge_method" in plain.text, plain.text
    begun = requests.get(base + "/auth/v1/authorize", {**query, "code_challenge_method": "S256"}, timeout=20)
    assert begun.status_code == 200, begun.text
    _, code = tap(world, newest_link(world, site, LORANT))
    form = {"code": code, "client_id": CLIENT[0], "client_secret": CLIENT[1], "grant_type": "authorization_code"}
    for extra in ({}, {"code_verifier": verifier + "0"}):
        assert requests.post(base + "/auth/token", {**form, **extra}, timeout=20).status_code == 400
    told = requests.post(base + "/auth/token", {**form, "code_verifier": verifier}, timeout=20)
    assert told.status_code == 200 and told.json()["id_token"].count(".") == 2, told.text
    assert told.headers["cache-control"] == "no-store"
    assert verifier not in site.server.output()


def a_message_with_code_and_link_is_answered_by_either(world):
    site = world.plain
    base = pointed_at(site)
    for by_link in (True, False):
        body = {"phoneNumber": LORANT, "redirectURI": PAGE, "otpLength": 6}
        request = post(base, "/auth/v1/initiate/otplink", body).json()["requestId"]
        message = site.sandbox.messages(LORANT)[-1]
        assert message["code"] == RIGHT and RIGHT in message["text"] and message["link"] in message["text"], message
        _, code = tap(world, newest_link(world, site, LORANT))
        by_code = {"requestId": request, "otp": RIGHT}
        if by_link:
            verified = post(base, "/auth/v1/verify/code", {"code": code})
            assert verified.status_code == 200 and verified.json()["requestId"] == request, verified.text
            assert post(base, "/auth/v1/verify/otp", by_code).json()["errorCode"] == "7115"
        else:
            assert post(base, "/auth/v1/verify/otp", by_code).status_code == 200
            assert post(base, "/auth/v1/verify/code", {"code": code}).json()["errorCode"] == "7118"
        assert post(base, "/auth/v1/status", {"requestId": request}).json()["status"] == "SUCCESS"


def a_provider_is_played(world):
    site = world.plain
    base = pointed_at(site)
    body = {"channels": ["GMAIL", "GITHUB"], "redirectURI": PAGE}
    begun = post(base, "/auth/v1/initiate/oauth", body)
    assert begun.status_code == 200 and set(begun.json()) == {"requestId", "link"}, begun.text
    link, before = begun.json()["link"], len(site.sandbox.messages())
    world.link_secrets.add(link.rsplit("/", 1)[-1])
    assert "Lorant" in requests.get(link, timeout=20).text
    assert requests.post(link, data={"decision": "approve"}, timeout=20).status_code == 400, "nobody was picked"
    answer = requests.post(link, data={"decision": "approve", "person": LORANT}, allow_redirects=False, timeout=20)
    (code,) = parse_qs(urlsplit(answer.headers["location"]).query)["code"]
    world.link_secrets.add(code)
    told = redeemed(site, code)
    assert told["name"].startswith("Lorant") and told["phone_number"] == PERSON["phone_number"], told
    assert len(site.sandbox.messages()) == before
    unknown = post(base, "/auth/v1/initiate/oauth", {**body, "channels": ["PIGEON"]})
    assert (unknown.status_code, unknown.json()["errorCode"]) == (400, "7103"), unknown.text


def scripted_people_answer_their_links(world):
    site = world.scripted
    base = pointed_at(site)
    people = (("+1" + scripted.WARY, "DECLINE", False), (scripted.OTHER_PHONE, "PENDING", False),
              ("+1" + scripted.EAGER, "PENDING", True))
    for number, standing, is_given in people:
        body = {"phoneNumber": number, "redirectURI": PAGE}
        request = post(base, "/auth/v1/initiate/magiclink", body).json()["requestId"]
        link = newest_link(world, site, number)
        status = post(base, "/auth/v1/status", {"requestId": request}).json()["status"]
        assert status == standing, "an approval needs a browser, which the code goes to"
        answer, code = tap(world, link)
        assert (code is not None) == is_given, answer.headers


def an_id_token_opens_nothing_here(world):
    site = world.plain
    base = pointed_at(site)
    text = id_token_of(base, token_of(base))
    server = site.server.base_url
    platform = requests.get(server + "/.well-known/jwks.json", timeout=20).json()["keys"]
    own = requests.get(base + "/.well-known/jwks", timeout=20)
    assert {key["kty"] for key in platform} == {"EC"} and {key["kty"] for key in own.json()["keys"]} == {"RSA"}
    assert own.headers["cache-control"] == "public, max-age=300", own.headers
    assert not {key["kid"] for key in platform} & {key["kid"] for key in own.json()["keys"]}
    bearer = {"Authorization": f"Bearer {text}"}
    for path in ("/v3/unify-status", "/v3/unify"):
        answer = requests.post(server + path, json={}, headers=bearer, timeout=20)
        assert answer.status_code == 401, (path, answer.text)
    answer = requests.post(server + "/client/v1/redeem", json={}, headers=bearer, timeout=20)
    assert answer.status_code in (401, 404), answer.text


def a_rotation_leaves_no_library_without_a_key(world):
    site = world.site("rotated")
    base = pointed_at(site)
    token = token_of(base)
    first = requests.get(base + "/.well-known/jwks", timeout=20)
    assert first.json() == {"keys": []} and first.headers["cache-control"] == "no-store", first.text

    def read():
        text = id_token_of(base, token)
        told = decoded(text)
        assert told["phone_number"] == PERSON["phone_number"], told
        keys = [key["kid"] for key in requests.get(base + "/.well-known/jwks", timeout=20).json()["keys"]]
        assert jwt.get_unverified_header(text)["kid"] == keys[0], keys
        return keys

    (old,) = read()
    listed = site.server.command("keys", "rotate")
    assert "idToken" in listed and old in listed, listed
    assert len(read()) == 2 and read()[0] == old
    site.advance(240)
    assert read()[0] == old
    site.advance(60)
    new, last = read()
    assert last == old and new != old
    site.advance(330)
    assert read() == [new]


def a_token_is_good_for_an_hour_and_one_client(world):
    site = world.plain
    base = pointed_at(site)
    token, other = token_of(base), ("sandbox-2", "sandbox-2-secret")
    refused(lambda: sdk.UserDetail.verify_token(token, *other), "401", "7301")
    refused(lambda: sdk.UserDetail.verify_token(token, CLIENT[0], "wrong"), "401", "7002")
    refused(lambda: sdk.UserDetail.verify_token(token, CLIENT[0], None), "401", "7012")
    refused(lambda: sdk.UserDetail.verify_token(token[:-1] + ("A" if token[-1] != "A" else "E"), *CLIENT), "7301")
    site.advance(3590)
    assert sdk.UserDetail.verify_token(token, *CLIENT)["success"]
    site.advance(10)
    refused(lambda: sdk.UserDetail.verify_token(token, *CLIENT), "401", "7301")


def what_stands_in_a_url_is_not_read_and_not_logged(world):
    base = pointed_at(world.plain)
    token = token_of(base)
    query = f"?token={token}&client_id={CLIENT[0]}&client_secret=url-secret-1"
    for data, code in (({"token": token}, "7012"), ({"token": token, "client_id": CLIENT[0]}, "7012")):
        answer = requests.post(base + "/auth/userInfo" + query, data=data, timeout=20)
        assert (answer.status_code, answer.json()["errorCode"]) == (401, code), answer.text
        assert token not in answer.text and "url-secret-1" not in answer.text, answer.text
    refusal = requests.get(base + "/auth/v1/authorize" + query, timeout=20)
    assert "url-secret-1" not in refusal.text, refusal.text
    requests.get(base + "/auth/v1/authorize/" + query, timeout=20)
    requests.post(base + "/auth/v1/authorize" + query, timeout=20)
    requests.get(base + "/auth/userInfo" + query, timeout=20)
    output = world.plain.server.output()
    assert token not in output and "url-secret-1" not in output


# Silent proofs

INGE, JESSE, TOMAS, ORLA, NILS = (f"1{number}" for number in (
    "2001004016", "2001004017", "2001004093", "2001004094", "2001004095"))


def sna(base, number, client=CLIENT, **more):
    """A silent proof that has begun: its id, and the link for the phone."""
    answer = post(base, "/auth/v1/initiate/sna", {"phoneNumber": number, **more}, client)
    assert answer.status_code == 200 and answer.json()["status"] == "INIT", answer.text
    return answer.json()["requestId"], answer.json()["link"]


def detail(base, request, client=CLIENT):
    headers = {"clientId": client[0], "clientSecret": client[1]}
    return requests.get(base + "/auth/v2/status", params={"requestId": request}, headers=headers, timeout=20)


def factor(base, request):
    """How the request stands, and the code of its error."""
    answer = detail(base, request)
    assert answer.status_code == 200, answer.text
    (told,) = answer.json()["auths"]
    return told["status"], told.get("error", {}).get("errorCode")


def hop(url, method="GET", headers=None):
    """One address of a chain, as a phone opens it."""
    assert url.startswith("http"), url
    return requests.request(method, url, headers=headers, allow_redirects=False, timeout=20)


def follow(link):
    """The addresses of a chain, of which the last one has not been opened."""
    chain = [link]
    while "/otpless/silent/end" not in chain[-1]:
        answer = hop(chain[-1])
        assert answer.status_code in (302, 303), (chain[-1], answer.status_code, answer.text)
        chain.append(answer.headers["location"])
    return chain


def a_phone_proves_its_number_silently(world):
    base = pointed_at(world.plain)
    before = len(world.plain.sandbox.messages("+" + INGE))
    request, link = sna(base, INGE, expiry=60, correlationId="login-1", mcc="310", mnc="41")
    assert factor(base, request) == ("PENDING", None)
    chain = follow(link)
    assert len(chain) >= 4 and factor(base, request) == ("PENDING", None), chain
    for url in (chain[0], chain[-1]):
        assert hop(url, "HEAD").status_code == 405
    for _ in range(2):
        assert hop(chain[-1]).json() == {"status": "SUCCESS"}
    told = detail(base, request).json()
    assert told["auths"][0]["channel"] == "SILENT_AUTH" and told["auths"][0]["verifiedTimestamp"] > 0, told
    for url in chain[:-1]:
        assert hop(url).status_code != 302 or "/sandbox/operator/" in url, url
    assert factor(base, request) == ("SUCCESS", None)
    status = post(base, "/auth/v1/status", {"requestId": request}).json()
    assert sdk.UserDetail.verify_token(status["token"], *CLIENT)["phone_number"] == INGE
    assert len(world.plain.sandbox.messages("+" + INGE)) == before
    refused = detail(base, request, ("sandbox-2", "sandbox-2-secret"))
    assert (refused.status_code, refused.json()["errorCode"]) == (400, "7114"), refused.text


def a_silent_proof_that_fails_says_why(world):
    base = pointed_at(world.site("impatient", HOLDFAST_MOBILE_AUTH_TIMEOUT_SECONDS="1"))
    for number, code in (
            (JESSE, "SP40011"), (NILS, "SP40011"), (LORANT[1:], "SP40015"), (TOMAS, "SP40014"), (ORLA, "SP40010")):
        request, link = sna(base, number)
        end = follow(link)[-1]
        assert factor(base, request) == ("FAILED", code), number
        assert hop(end).json() == {"status": "FAILED"}
        assert factor(base, request) == ("FAILED", code), number


def a_link_that_nobody_opens_in_time_is_dead(world):
    site = world.plain
    base = pointed_at(site)
    request, link = sna(base, INGE)
    late, second = sna(base, INGE)
    chain = follow(second)
    site.advance(60)
    assert factor(base, request) == ("FAILED", "SP40012")
    assert hop(link).json() == {"status": "FAILED"}
    assert hop(chain[-1]).json() == {"status": "FAILED"}
    assert factor(base, late) == ("FAILED", "SP40014")


def another_ticket_leads_nowhere(world):
    base = pointed_at(world.plain)
    request, link = sna(base, INGE)
    assert hop(link + "x").json() == {"status": "FAILED"}
    assert hop(link.split("?")[0]).status_code == 400
    assert hop(base + "/silent/end?vfp=none").json() == {"status": "FAILED"}
    assert hop(follow(link)[-1]).json() == {"status": "SUCCESS"}


def a_browser_asks_its_person_first(world):
    base = pointed_at(world.plain)
    request, link = sna(base, INGE)
    browser = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Accept": "text/html"}
    page = hop(link, headers=browser)
    assert page.status_code == 200 and "<form" in page.text and page.headers["x-frame-options"] == "DENY", page.text
    assert hop(link, "POST", browser).status_code == 200
    tapped = hop(link, "POST", {**browser, "Sec-Fetch-Site": "same-origin"})
    assert tapped.status_code == 303 and factor(base, request) == ("PENDING", None)
    end = hop(follow(tapped.headers["location"])[-1], headers=browser)
    assert "Your number is confirmed" in end.text and factor(base, request) == ("SUCCESS", None)


def of_many_ends_one_ends_the_request(world):
    base = pointed_at(world.plain)
    request, link = sna(base, INGE)
    end = follow(link)[-1]
    assert at_once(20, lambda: hop(end).json()["status"]) == ["SUCCESS"] * 20
    events = [event["event"] for event in world.plain.sandbox.events(request)]
    assert events.count("succeeded") == 1, events


def a_restart_in_the_middle_of_a_chain_loses_nothing(world):
    site = world.site("restarted")
    base = pointed_at(site)
    request, link = sna(base, INGE)
    first = hop(link).headers["location"]
    site.restart()
    assert hop(link).headers["location"].split("?")[0] == first.split("?")[0]
    end = follow(first)[-1]
    site.restart()
    assert factor(base, request) == ("PENDING", None)
    assert hop(end).json() == {"status": "SUCCESS"}
    site.restart()
    assert factor(base, request) == ("SUCCESS", None) and hop(end).json() == {"status": "SUCCESS"}


def an_id_is_made_for_the_app(world):
    site = world.plain
    base = pointed_at(site)
    created = post(base, "/auth/v1/create", {"phoneNumber": "2001004016", "countryCode": "1", "expiry": 60})
    request = created.json()["requestId"]
    assert created.status_code == 200 and request.startswith("ARID_") and len(request) == 37, created.text
    assert factor(base, request) == ("PENDING", None)
    site.advance(60)
    assert factor(base, request) == ("FAILED", "7303")
    for other, code in (("ARID_x", "7119"), ("ARID_" + "0" * 32, "7114")):
        assert detail(base, other).json()["errorCode"] == code


def a_session_of_another_surface_is_not_found(world):
    site = world.plain
    pointed_at(site)
    started = site.unify()
    refused(lambda: verify(started.correlation_id, RIGHT), "400", "7114")
    order = send()["orderId"]
    assert site.platform.status(order).status == 404 or "success" not in site.platform.status(order).json


class Endpoint:
    """An endpoint of the format `otpless`, added by command, and its receiver."""

    def __init__(self, site, *options):
        self.site, self.receiver = site, Receiver()
        self.made = self._command("add", "--client", "sandbox", "--url", self.receiver.url, "--format", "otpless", *options)

    def _command(self, *words):
        made = json.loads(self.site.server.command("webhooks", *words, "--json"))
        self.site.secrets.add(made["secret"])
        return made

    def rotate(self):
        self.made = self._command("rotate", self.made["id"])

    def is_signed(self, told):
        """By the text of the secret, as a receiver of this vendor computes it."""
        digest = hmac.new(self.made["secret"].encode(), told.body, hashlib.sha256).digest()
        return hmac.compare_digest(base64.b64encode(digest).decode(), told.headers["x-signature"])

    def told(self, request, count):
        """So many events of a request, each signed."""
        def of_request(requests):
            return [told for told in requests if request.encode() in told.body]

        told = self.receiver.wait(
            lambda requests: len(of_request(requests)) >= count and of_request(requests), f"{count} events")
        assert len(told) == count and all(self.is_signed(one) for one in told), [one.body for one in told]
        assert all("webhook-signature" not in one.headers for one in told)
        return [one.json for one in told]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.site.server.command("webhooks", "remove", self.made["id"])
        self.receiver.close()


def a_request_is_told_of_in_the_vendors_words(world):
    site = world.plain
    base = pointed_at(site)
    with Endpoint(site, "--ordering", "session") as endpoint:
        metadata = {"order": "7", "shop": "Zoë & Söhne"}
        request = post(base, "/auth/v1/initiate/otp", {
            "phoneNumber": FENNA, "channels": ["WHATSAPP", "SMS"], "metadata": metadata}).json()["requestId"]
        assert post(base, "/auth/v1/verify/otp", {"requestId": request, "otp": WRONG}).status_code == 400
        assert post(base, "/auth/v1/verify/otp", {"requestId": request, "otp": RIGHT}).status_code == 200
        told = endpoint.told(request, 7)
        words = [(event["eventType"], event["data"]["status"], event["data"].get("channel")) for event in told]
        assert words == [
            ("AUTH", "INITIATED", None), ("DLR", "SENT", "WHATSAPP"), ("DLR", "FAILED", "WHATSAPP"),
            ("AUTH", "FALLBACK", None), ("DLR", "SENT", "SMS"), ("DLR", "DELIVERED", "SMS"), ("AUTH", "SUCCESS", None),
        ], words
        assert (told[3]["data"]["fromChannel"], told[3]["data"]["toChannel"]) == ("WHATSAPP", "SMS"), told[3]
        for event in told:
            assert set(event) == {"eventType", "timestamp", "data"} and event["data"]["metaData"] == metadata, event
            assert isinstance(event["timestamp"], int) and event["timestamp"] > 10 ** 12, event
            if event["eventType"] == "AUTH":
                assert event["data"]["authenticationDetails"] == {"phone": {
                    "requestId": request, "method": "OTP", "channel": ["WHATSAPP", "SMS"],
                    "phoneNumber": FENNA[2:], "countryCode": "+1"}}, event
            else:
                assert event["data"]["identity"] == FENNA[1:], event
        token = told[-1]["data"]["token"]
        validated = post(base, "/auth/v1/validate/token", {"token": token}).json()
        assert validated["identities"][0]["identityValue"] == FENNA[1:], validated
        assert post(base, "/auth/v1/validate/token", {"token": token}, ("sandbox-2", "sandbox-2-secret")).status_code == 401
        assert token not in site.server.output() and "Söhne" not in site.server.output()


def the_new_secret_signs_and_others_are_told_nothing(world):
    site = world.plain
    base = pointed_at(site)
    with Endpoint(site) as endpoint:
        old = endpoint.made["secret"]
        endpoint.rotate()
        assert endpoint.made["secret"] != old
        other = post(
            base, "/auth/v1/initiate/otp", {"phoneNumber": LORANT}, ("sandbox-2", "sandbox-2-secret")).json()["requestId"]
        site.unify()
        request = post(base, "/auth/v1/initiate/otp", {"phoneNumber": LORANT, "channels": ["VIBER"]}).json()["requestId"]
        endpoint.told(request, 3)
        assert not any(other.encode() in told.body or b'"unify"' in told.body for told in endpoint.receiver.all())


def a_message_ends_with_the_hash_of_a_registered_app(world):
    site = world.site("hashed")
    base, app_hash = pointed_at(site), "FA+9qCX9VSu"
    body = {"phoneNumber": LORANT, "channels": ["SMS"], "appHash": app_hash}

    def sends():
        answer = post(base, "/auth/v1/initiate/otp", body)
        assert answer.status_code == 200, answer.text
        return site.sandbox.messages(LORANT)[-1]["text"]

    answer = post(base, "/auth/v1/initiate/otp", body)
    assert (answer.status_code, answer.json()["errorCode"]) == (400, "7121"), answer.text
    site.server.command("clients", "update", "sandbox", "--app-hash", app_hash)
    assert sends().splitlines()[-1] == app_hash
    answer = post(base, "/auth/v1/initiate/otp", {**body, "appHash": "short"})
    assert (answer.status_code, answer.json()["errorCode"]) == (400, "7121"), answer.text


def a_number_that_nobody_has_is_told_the_way_out(world):
    base = pointed_at(world.plain)
    wayout = "add one to the sandbox users file"
    refused(lambda: send("+12065550199"), "400", "7101", wayout)
    for path in ("/auth/v1/initiate/otp", "/auth/v1/initiate/sna"):
        answer = post(base, path, {"phoneNumber": "+12065550199"})
        assert answer.status_code == 400 and wayout in answer.json()["description"], answer.text


def a_call_of_the_sandbox_ends_a_request_as_its_surface_would(world):
    site = world.plain
    base = pointed_at(site)
    for path, body, ways in (
            ("otp", {"phoneNumber": LORANT, "channels": ["SMS"]}, ("OTP", ["SMS"])),
            ("magiclink", {"phoneNumber": LORANT, "channels": ["SMS"], "redirectURI": PAGE}, ("MAGICLINK", ["SMS"])),
            ("sna", {"phoneNumber": INGE}, ("SILENT_AUTH", ["SILENT_AUTH"]))):
        request = post(base, "/auth/v1/initiate/" + path, body).json()["requestId"]
        if path == "magiclink":
            newest_link(world, site, LORANT)
        assert site.sandbox.complete(request, "success").status == 200
        told = post(base, "/auth/v1/status", {"requestId": request}).json()
        identity = told["identities"][0]
        assert told["status"] == "SUCCESS" and (identity["channel"], identity["methods"]) == ways, told
        assert "name" not in identity and sdk.UserDetail.verify_token(told["token"], *CLIENT)["name"] is None, told
    request = post(base, "/auth/v1/initiate/otp", {"phoneNumber": LORANT}).json()["requestId"]
    assert site.sandbox.complete(request, "failure").status == 200
    assert post(base, "/auth/v1/status", {"requestId": request}).json()["status"] == "DECLINE"


def limits_hold(world):
    site = world.site(
        "spaced", HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX="true", HOLDFAST_SANDBOX_UNKNOWN_NUMBERS="simulate",
        HOLDFAST_LIMITS_SECONDS_BETWEEN_SENDS="30")
    pointed_at(site)
    send("+12015551001")
    refused(lambda: send("+12015551001"), "429", "7022")
    assert len(site.sandbox.messages("+12015551001")) == 1
    site.advance(30)
    send("+12015551001")


def the_description_is_its_own(world):
    answer = requests.get(world.plain.server.base_url + "/otpless/openapi.json", timeout=20)
    assert answer.status_code == 200 and answer.json()["openapi"].startswith("3.1"), answer.text[:200]
    assert all(path.startswith("/otpless/") for path in answer.json()["paths"])


def numbers_and_secrets_show_nowhere(world):
    for name, site in world.sites.items():
        output = site.server.output()
        for text in (
                "2015551001", LORANT[2:], FENNA[2:], INGE[1:], "vfp=", "?t=", "ada.king", "clientSecret",
                "client_secret="):
            assert text not in output, f"{text} is in the log of {name}"
        assert world.link_secrets and not any(secret in output for secret in world.link_secrets), f"a link or code: {name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_server_arguments(parser)
    parser.add_argument("--only", default="", help="scenes whose name has this text")
    options = checked_arguments(parser)
    world = World(options)
    world.link_secrets = {"wrong-secret-2"}
    try:
        scenes.run(scenes.of(sys.modules[__name__]), world, options.only)
    finally:
        world.close()


if __name__ == "__main__":
    main()
