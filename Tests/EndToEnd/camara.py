#!/usr/bin/env python3
"""One Time Password SMS, Number Verification and SIM Swap as a CAMARA provider: each of the 85 scenarios that CAMARA publishes for
them, by its tag, and what they leave out. Tokens are asked for by Authlib, with private_key_jwt.

Starts servers of its own, and needs the packages of requirements.txt. The last line is "N passed, M failed".
"""
import argparse
import base64
import datetime
import hashlib
import json
import re
import sys
import threading
import time
import uuid

import jwt
import requests
from authlib.integrations.requests_client import OAuth2Session, OAuthError
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from authlib.oidc.discovery import OpenIDProviderMetadata
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from joserfc.jwk import ECKey

import samples
import scenes
import scripted
from holdfast import add_server_arguments, checked_arguments
from world import World

PHONE, RIGHT, WRONG = "+12001004014", "123456", "999999"
MESSAGE = "{{code}} is your code for Example"
PURPOSE, SCOPE = "dpv:FraudPreventionAndDetection", "one-time-password-sms:send-validate"
VERIFY, READ = "number-verification:verify", "number-verification:device-phone-number:read"
OWN = "ONE_TIME_PASSWORD_SMS."
SIM = f"{PURPOSE} sim-swap"
NOT_BY_NETWORK = "NUMBER_VERIFICATION.USER_NOT_AUTHENTICATED_BY_MOBILE_NETWORK"
INGE = "+12001004016"
TRIES = 3


def b64(number):
    return base64.urlsafe_b64encode(number.to_bytes(32, "big")).rstrip(b"=").decode()


class Key:
    """A key of a backend."""

    def __init__(self):
        self.private = ec.generate_private_key(ec.SECP256R1())
        numbers = self.private.public_key().public_numbers()
        self.jwk = {"kty": "EC", "crv": "P-256", "x": b64(numbers.x), "y": b64(numbers.y)}
        self.pem = self.private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


class Provider:
    """The gateway as a backend sees it, with an API client of its own."""

    def __init__(self, site, name=None, *options):
        self.site, self.name, self.key = site, name or f"camara-{uuid.uuid4().hex[:8]}", Key()
        self.base = f"{site.server.base_url}/camara"
        site.server.command("clients", "add", self.name, "--public-key", json.dumps(self.key.jwk), *options)
        self.token = self.fetch()["access_token"]
        site.secrets.add(self.token)

    def fetch(self, scope=f"{PURPOSE} {SCOPE}", key=None, name=None):
        """A token, as an OAuth library of others asks for one."""
        configuration = requests.get(f"{self.base}/.well-known/openid-configuration", timeout=20).json()
        endpoint = configuration["token_endpoint"]
        # An assertion may live for five minutes at most; the library's own is an hour.
        method = PrivateKeyJWT(endpoint, claims={"exp": int(time.time()) + 120}, alg="ES256")
        client = OAuth2Session(
            name or self.name, ECKey.import_key((key or self.key).pem), token_endpoint_auth_method=method)
        try:
            return client.fetch_token(self.here(endpoint), grant_type="client_credentials", scope=scope)
        except OAuthError as error:
            raise RuntimeError(error.error) from None
        finally:
            client.close()

    def about(self, subject, scope=None, jti=None):
        """A token about somebody, by a JWT bearer grant; its answer."""
        configuration = requests.get(f"{self.base}/.well-known/openid-configuration", timeout=20).json()
        now = int(time.time())
        claims = {
            "iss": self.name, "sub": subject, "aud": configuration["token_endpoint"], "iat": now, "exp": now + 120,
            "jti": jti or str(uuid.uuid4()), "scope": scope or f"{PURPOSE} {VERIFY} {READ}"}
        assertion = jwt.encode(claims, self.key.pem, "ES256")
        return requests.post(
            f"{self.base}/token", timeout=20,
            data={"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion})

    def about_phone(self, number, **options):
        """A token about the phone with this number, by way of its operator."""
        given = requests.post(
            f"{self.site.server.base_url}/sandbox/operator/operator-token", data={"login_hint": f"tel:{number}"}, timeout=20)
        answer = self.about("operatortoken:" + given.json()["operator_token"], **options)
        assert answer.status_code == 200, answer.text
        self.site.secrets.add(answer.json()["access_token"])
        return answer.json()["access_token"]

    def verify_number(self, body, token, **options):
        return self.ask("POST", "number-verification/v2/verify", body, token, **options)

    def read_number(self, token, **options):
        return self.ask("GET", "number-verification/v2/device-phone-number", None, token, **options)

    def sim(self, call, body, token="", **options):
        """A question about a SIM, with a token of client credentials unless there is another one."""
        return self.ask("POST", f"sim-swap/v2/{call}", body, self.fetch(SIM)["access_token"] if token == "" else token, **options)

    def about_number(self, number):
        """A token of three legs, by a grant that names the number."""
        answer = self.about(f"tel:{number}", scope=SIM)
        assert answer.status_code == 200, answer.text
        return answer.json()["access_token"]

    def here(self, url):
        """The public URL may be another one than the test's."""
        return re.sub(r"^https?://[^/]+", self.site.server.base_url, url)

    def call(self, name, body, token="", correlator="", raw=None, headers=()):
        return self.ask("POST", f"one-time-password-sms/v1/{name}", body, token, correlator, raw, headers)

    def ask(self, method, path, body, token="", correlator="", raw=None, headers=()):
        """A call, and that its x-correlator came back."""
        sent = dict(headers)
        token = self.token if token == "" else token
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        correlator = f"c-{uuid.uuid4()}" if correlator == "" else correlator
        if correlator is not None:
            sent["x-correlator"] = correlator
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
            raw = json.dumps(body)
        answer = requests.request(method, f"{self.base}/{path}", data=raw, headers=sent, timeout=20)
        assert answer.headers.get("x-correlator") == correlator, f"{answer.status_code} {answer.headers}"
        if answer.status_code != 204:
            assert answer.headers["content-type"] == "application/json", answer.headers
        return answer

    def send(self, number=PHONE, message=MESSAGE, **options):
        return self.call("send-code", {"phoneNumber": number, "message": message}, **options)

    def validate(self, authentication_id, code=RIGHT, **options):
        return self.call("validate-code", {"authenticationId": authentication_id, "code": code}, **options)

    def sent(self, number=PHONE):
        answer = self.send(number)
        assert answer.status_code == 200, answer.text
        return answer.json()["authenticationId"]


def refused(answer, status, code):
    body = answer.json()
    assert answer.status_code == status and body["status"] == status and body["code"] == code, answer.text
    assert set(body) == {"status", "code", "message"} and 10 < len(body["message"]) <= 512, body
    return body["message"]


def provider(shared):
    return Provider(shared.plain)


# The scenarios of send-code, each named as its tag.

def otp_send_code_01_send_code_success_scenario(world):
    here = provider(world)
    answer = here.send()
    assert answer.status_code == 200 and list(answer.json()) == ["authenticationId"], answer.text
    assert len(answer.json()["authenticationId"]) <= 36
    assert world.plain.sandbox.messages(PHONE)[-1]["text"].startswith("123456 is your code for Example")


def otp_send_code_02_send_code_success_scenario_without_x_correlator(world):
    assert provider(world).send(correlator=None).status_code == 200


def otp_send_code_400_1_send_code_no_request_body(world):
    refused(provider(world).call("send-code", None), 400, "INVALID_ARGUMENT")


def otp_send_code_400_2_send_code_empty_request_body(world):
    refused(provider(world).call("send-code", {}), 400, "INVALID_ARGUMENT")


def otp_send_code_400_3_send_code_incorrect_phone_number_request_body(world):
    assert "phoneNumber" in refused(provider(world).send("3301"), 400, "INVALID_ARGUMENT")


def otp_send_code_400_4_send_code_missing_message(world):
    assert "message" in refused(provider(world).call("send-code", {"phoneNumber": PHONE}), 400, "INVALID_ARGUMENT")


def otp_send_code_400_5_send_code_missing_code_request_body(world):
    refused(provider(world).send(message="message without code"), 400, "INVALID_ARGUMENT")


def otp_send_code_400_6_send_code_message_too_long(world):
    refused(provider(world).send(message="{{code}} " + "x" * 152), 400, "INVALID_ARGUMENT")


def otp_send_code_401_1_send_code_no_authorization_header(world):
    refused(provider(world).send(token=None), 401, "UNAUTHENTICATED")


def otp_send_code_401_2_send_code_expired_access_token(world):
    here = provider(world)
    world.plain.advance(3700)
    refused(here.send(), 401, "UNAUTHENTICATED")


def otp_send_code_401_3_send_code_invalid_access_token(world):
    refused(provider(world).send(token="invalid"), 401, "UNAUTHENTICATED")


def otp_send_code_403_1_send_code_max_otp_code(world):
    site = world.limited
    here = Provider(site)
    number = "+12001004015"
    for _ in range(40):
        answer = here.send(number)
        if answer.status_code != 200:
            break
        # In live one message at a time goes to a number.
        site.advance(61)
        here.token = here.fetch()["access_token"]
    refused(answer, 403, OWN + "MAX_OTP_CODES_EXCEEDED")
    assert int(answer.headers["retry-after"]) > 0


def otp_send_code_403_2_send_code_phone_number_not_allowed(world):
    refused(Provider(world.simulated).send("+18002255288"), 403, OWN + "PHONE_NUMBER_NOT_ALLOWED")


def otp_send_code_403_3_send_code_phone_number_not_allowed_landline(world):
    # In Germany, where landlines have numbers of their own.
    refused(Provider(world.simulated).send("+4930123456"), 403, OWN + "PHONE_NUMBER_NOT_ALLOWED")


def otp_send_code_403_4_send_code_phone_number_blocked(world):
    refused(Provider(world.scripted).send("+1" + scripted.NO_DELIVERY), 403, OWN + "PHONE_NUMBER_BLOCKED")


def otp_send_code_404_1_send_code_phone_number_not_belong_to_operator(world):
    refused(provider(world).send("+12065550123"), 404, "NOT_FOUND")


# The scenarios of validate-code.

def otp_validate_code_01_validate_code_success_scenario(world):
    here = provider(world)
    answer = here.validate(here.sent())
    assert answer.status_code == 204 and not answer.content


def otp_validate_code_02_validate_code_success_scenario_without_x_correlator(world):
    here = provider(world)
    assert here.validate(here.sent(), correlator=None).status_code == 204


def otp_validate_code_400_1_validate_code_no_request_body(world):
    refused(provider(world).call("validate-code", None), 400, "INVALID_ARGUMENT")


def otp_validate_code_400_2_validate_code_empty_request_body(world):
    refused(provider(world).call("validate-code", {}), 400, "INVALID_ARGUMENT")


def otp_validate_code_400_3_validate_code_missing_authenticationId(world):
    refused(provider(world).call("validate-code", {"code": RIGHT}), 400, "INVALID_ARGUMENT")


def otp_validate_code_400_4_validate_code_exceed_code_max_length(world):
    here = provider(world)
    refused(here.validate(here.sent(), "thisCodeExceedsTenCharacters"), 400, "INVALID_ARGUMENT")


def otp_validate_code_400_5_validate_code_invalid_otp_scenario(world):
    here = provider(world)
    refused(here.validate(here.sent(), WRONG), 400, OWN + "INVALID_OTP")


def otp_validate_code_400_6_validate_code_verification_expired_scenario_1(world):
    here = provider(world)
    code = here.sent()
    world.plain.advance(300)
    refused(here.validate(code), 400, OWN + "VERIFICATION_EXPIRED")


def otp_validate_code_400_7_validate_code_verification_expired_scenario_2(world):
    here = provider(world)
    first, second = here.sent(), here.sent()
    refused(here.validate(first), 400, OWN + "VERIFICATION_EXPIRED")
    assert here.validate(second).status_code == 204


def otp_validate_code_400_8_validate_code_verification_expired_scenario_3(world):
    here = provider(world)
    code = here.sent()
    assert here.validate(code).status_code == 204
    refused(here.validate(code), 400, OWN + "VERIFICATION_EXPIRED")


def otp_validate_code_400_9_validate_code_verification_failed_scenario(world):
    here = provider(world)
    code = here.sent()
    for _ in range(TRIES - 1):
        refused(here.validate(code, WRONG), 400, OWN + "INVALID_OTP")
    refused(here.validate(code, WRONG), 400, OWN + "VERIFICATION_FAILED")
    refused(here.validate(code), 400, OWN + "VERIFICATION_FAILED")


def otp_validate_code_400_10_validate_code_missing_code(world):
    here = provider(world)
    refused(here.call("validate-code", {"authenticationId": here.sent()}), 400, "INVALID_ARGUMENT")


def otp_validate_code_401_1_validate_code_no_authorization_header(world):
    here = provider(world)
    refused(here.validate(here.sent(), token=None), 401, "UNAUTHENTICATED")


def otp_validate_code_401_2_validate_code_expired_access_token(world):
    here = provider(world)
    code = here.sent()
    world.plain.advance(3700)
    refused(here.validate(code), 401, "UNAUTHENTICATED")


def otp_validate_code_401_3_validate_code_invalid_access_token(world):
    here = provider(world)
    refused(here.validate(here.sent(), token="a.b.c"), 401, "UNAUTHENTICATED")


def otp_validate_code_404_validate_code_resource_not_found(world):
    here = provider(world)
    for unknown in (str(uuid.uuid4()), "nothing"):
        refused(here.validate(unknown), 404, "NOT_FOUND")


# The scenarios of phoneNumberVerify.

def hashed(number):
    return hashlib.sha256(number.encode()).hexdigest()


def verified(world, body):
    here = provider(world)
    answer = here.verify_number(body, here.about_phone(INGE))
    assert answer.status_code == 200 and list(answer.json()) == ["devicePhoneNumberVerified"], answer.text
    return answer.json()["devicePhoneNumberVerified"]


def phone_number_verify_01_generic_success_scenario(world):
    assert verified(world, {"phoneNumber": INGE}) in (True, False)


def phone_number_verify_02_validate_phone_number_success_true(world):
    assert verified(world, {"phoneNumber": INGE}) is True


def phone_number_verify_03_validate_phone_number_success_false(world):
    assert verified(world, {"phoneNumber": PHONE}) is False


def phone_number_verify_04_validate_hashed_phone_number_success_true(world):
    assert verified(world, {"hashedPhoneNumber": hashed(INGE)}) is True
    assert verified(world, {"hashedPhoneNumber": hashed(INGE).upper()}) is True


def phone_number_verify_05_validate_hashed_phone_number_success_false(world):
    assert verified(world, {"hashedPhoneNumber": hashed(PHONE)}) is False


def questioned(world, body):
    here = provider(world)
    return here.verify_number(body, here.about_phone(INGE))


def phone_number_verify_400_1_no_request_body(world):
    refused(questioned(world, None), 400, "INVALID_ARGUMENT")


def phone_number_verify_400_2_empty_request_body(world):
    refused(questioned(world, {}), 400, "INVALID_ARGUMENT")


def phone_number_verify_400_3_invalid_request_non_existing_property(world):
    refused(questioned(world, {"additional_property": "foo_value"}), 400, "INVALID_ARGUMENT")


def phone_number_verify_400_4_both_phone_number_and_hashed_in_request(world):
    refused(questioned(world, {"phoneNumber": INGE, "hashedPhoneNumber": hashed(INGE)}), 400, "INVALID_ARGUMENT")


def phone_number_verify_401_1_no_authorization_header(world):
    refused(provider(world).verify_number({"phoneNumber": INGE}, None), 401, "UNAUTHENTICATED")


def phone_number_verify_401_2_expired_access_token(world):
    here = provider(world)
    token = here.about_phone(INGE)
    world.plain.advance(3700)
    refused(here.verify_number({"phoneNumber": INGE}, token), 401, "UNAUTHENTICATED")


def phone_number_verify_401_3_invalid_access_token(world):
    refused(provider(world).verify_number({"phoneNumber": INGE}, "invalid"), 401, "UNAUTHENTICATED")


def phoneNumberVerify_403_1_invalid_token_permissions(world):
    here = provider(world)
    token = here.about_phone(INGE, scope=f"{PURPOSE} {READ}")
    refused(here.verify_number({"phoneNumber": INGE}, token), 403, "PERMISSION_DENIED")


def phoneNumberVerify_403_2_not_authenticated_using_network_or_sim_based_authentication(world):
    here = provider(world)
    token = here.about(f"tel:{INGE}").json()["access_token"]
    refused(here.verify_number({"phoneNumber": INGE}, token), 403, NOT_BY_NETWORK)
    token = here.fetch(f"{PURPOSE} {VERIFY}")["access_token"]
    refused(here.verify_number({"phoneNumber": INGE}, token), 403, NOT_BY_NETWORK)


def phone_number_verify_C02_01_phone_number_not_schema_compliant(world):
    here = provider(world)
    token = here.fetch(f"{PURPOSE} {VERIFY}")["access_token"]
    for number in ("foo", "2001004016", "+0123456789", "+1234567890123456"):
        refused(here.verify_number({"phoneNumber": number}, token), 400, "INVALID_ARGUMENT")


# The scenarios of phoneNumberShare.

def phone_number_share_01_generic_success_scenario(world):
    here = provider(world)
    answer = here.read_number(here.about_phone(INGE))
    assert answer.status_code == 200 and list(answer.json()) == ["devicePhoneNumber"], answer.text


def phone_number_share_02_success_scenario(world):
    here = provider(world)
    assert here.read_number(here.about_phone(INGE)).json()["devicePhoneNumber"] == INGE


def phone_number_share_401_1_no_authorization_header(world):
    refused(provider(world).read_number(None), 401, "UNAUTHENTICATED")


def phone_number_share_401_2_expired_access_token(world):
    here = provider(world)
    token = here.about_phone(INGE)
    world.plain.advance(3700)
    refused(here.read_number(token), 401, "UNAUTHENTICATED")


def phone_number_share_401_3_invalid_access_token(world):
    refused(provider(world).read_number("invalid"), 401, "UNAUTHENTICATED")


def phoneNumberShare_403_1_invalid_token_permissions(world):
    here = provider(world)
    refused(here.read_number(here.about_phone(INGE, scope=f"{PURPOSE} {VERIFY}")), 403, "PERMISSION_DENIED")


def phoneNumberShare_403_2_not_authenticated_using_network_or_sim_based_authentication(world):
    here = provider(world)
    refused(here.read_number(here.about(f"tel:{INGE}").json()["access_token"]), 403, NOT_BY_NETWORK)


# The scenarios of checkSimSwap, each with tokens of two legs and of three.

def sim_answers(world, call, number, **members):
    """The answer to both ways of asking, which must be the same."""
    here = Provider(world.scripted)
    answers = [
        here.sim(call, {"phoneNumber": "+1" + number, **members}), here.sim(call, members, here.about_number("+1" + number))]
    assert [answer.status_code for answer in answers] == [200, 200], [answer.text for answer in answers]
    assert answers[0].json() == answers[1].json(), answers
    return answers[0].json()


def swapped(world, number, **members):
    answer = sim_answers(world, "check", number, **members)
    assert set(answer) == {"swapped"} and isinstance(answer["swapped"], bool), answer
    return answer["swapped"]


NEVER = "2001004014"


def check_sim_swap_1_generic_success_scenario(world):
    assert swapped(world, NEVER) in (True, False)


def check_sim_swap_2_valid_sim_swap_no_max_age(world):
    assert swapped(world, scripted.SWAPPED[12]) is True


def check_sim_swap_3_valid_sim_swap_max_age(world):
    for hours, number in scripted.SWAPPED.items():
        assert swapped(world, number, maxAge=hours + 1) is True and swapped(world, number, maxAge=2400) is True


def check_sim_swap_4_more_than_240_hours(world):
    assert swapped(world, scripted.SWAPPED[260]) is False


def check_sim_swap_5_out_of_max_age(world):
    for hours, number in scripted.SWAPPED.items():
        assert swapped(world, number, maxAge=hours - 1) is False


def check_sim_swap_6_no_sim_swap_no_max_age(world):
    assert swapped(world, NEVER) is False


def check_sim_swap_7_no_sim_swap_with_max_age(world):
    for hours in (260, 120, 24, 12):
        assert swapped(world, NEVER, maxAge=hours) is False


def check_sim_swap_8_phone_number_not_supported(world):
    here = Provider(world.scripted)
    refused(here.sim("check", {"phoneNumber": "+1" + scripted.NO_SIM_SERVICE}), 422, "SERVICE_NOT_APPLICABLE")


def check_sim_swap_9_phone_number_provided_both_in_the_body_and_via_the_token(world):
    here = provider(world)
    for token in (here.about_number(PHONE), here.about_phone(INGE, scope=SIM)):
        refused(here.sim("check", {"phoneNumber": PHONE}, token), 422, "UNNECESSARY_IDENTIFIER")


def check_sim_swap_10_phone_number_not_provided_and_cannot_be_deducted_from_access_token(world):
    refused(provider(world).sim("check", {}), 422, "MISSING_IDENTIFIER")


def check_sim_swap_401_1_no_authorization_header(world):
    refused(provider(world).sim("check", {"phoneNumber": PHONE}, None), 401, "UNAUTHENTICATED")


def expired(world, call):
    here = provider(world)
    token = here.fetch(SIM)["access_token"]
    world.plain.advance(3700)
    refused(here.sim(call, {"phoneNumber": PHONE}, token), 401, "UNAUTHENTICATED")


def check_sim_swap_401_2_expired_access_token(world):
    expired(world, "check")


def check_sim_swap_401_3_invalid_access_token(world):
    refused(provider(world).sim("check", {"phoneNumber": PHONE}, "invalid"), 401, "UNAUTHENTICATED")


def check_sim_swap_400_1_invalid_phone_number(world):
    here = provider(world)
    for number in ("foo", "2001004014", "+0123456789", "+1234567890123456", 12001004014):
        assert "phoneNumber" in refused(here.sim("check", {"phoneNumber": number}), 400, "INVALID_ARGUMENT")


def check_sim_swap_400_2_invalid_max_age(world):
    here = provider(world)
    for age in ("24", 24.5, [], True):
        refused(here.sim("check", {"phoneNumber": PHONE, "maxAge": age}), 400, "INVALID_ARGUMENT")


def check_sim_swap_400_3_invalid_max_age_value(world):
    here = provider(world)
    for age in (100000, 2401, 0, -1):
        refused(here.sim("check", {"phoneNumber": PHONE, "maxAge": age}), 400, "OUT_OF_RANGE")


def check_sim_swap_400_4_max_age_out_of_monitored_period(world):
    here = Provider(world.scripted)
    body = {"phoneNumber": "+1" + scripted.MONITORED, "maxAge": 721}
    assert "30 days" in refused(here.sim("check", body), 400, "OUT_OF_RANGE")
    assert swapped(world, scripted.MONITORED, maxAge=720) is False


# The scenarios of retrieveSimSwapDate.

def sim_date(world, number):
    answer = sim_answers(world, "retrieve-date", number)
    assert "latestSimChange" in answer and set(answer) <= {"latestSimChange", "monitoredPeriod"}, answer
    return answer


def retrieve_sim_swap_date_1_generic_success_scenario(world):
    sim_date(world, NEVER)


def retrieve_sim_swap_date_2_valid_sim_swap(world):
    told = datetime.datetime.fromisoformat(sim_date(world, scripted.SWAPPED[12])["latestSimChange"])
    age = datetime.datetime.now(datetime.timezone.utc) - told
    assert datetime.timedelta(hours=12) <= age < datetime.timedelta(hours=13), age


def retrieve_sim_swap_date_3_no_sim_swap_returns_activation_date(world):
    assert sim_date(world, NEVER) == {"latestSimChange": "2020-01-01T00:00:00Z"}


def retrieve_sim_swap_date_4_sim_never_associated(world):
    assert sim_date(world, scripted.NO_SIM) == {"latestSimChange": None}


def retrieve_sim_swap_date_5_no_sim_swap_or_activation_date_due_to_legal_constrain(world):
    assert sim_date(world, scripted.MONITORED) == {"latestSimChange": None, "monitoredPeriod": 30}


def retrieve_sim_swap_date_401_1_no_authorization_header(world):
    refused(provider(world).sim("retrieve-date", {"phoneNumber": PHONE}, None), 401, "UNAUTHENTICATED")


def retrieve_sim_swap_date_401_2_expired_access_token(world):
    expired(world, "retrieve-date")


def retrieve_sim_swap_date_401_3_invalid_access_token(world):
    refused(provider(world).sim("retrieve-date", {"phoneNumber": PHONE}, "invalid"), 401, "UNAUTHENTICATED")


def retrieve_sim_swap_date_C02_01_phone_number_not_schema_compliant(world):
    here = provider(world)
    for number in ("foo", "2001004014", "+0123456789", ["+12001004014"]):
        refused(here.sim("retrieve-date", {"phoneNumber": number}), 400, "INVALID_ARGUMENT")


def retrieve_sim_swap_date_C02_02_phone_number_not_found(world):
    refused(provider(world).sim("retrieve-date", {"phoneNumber": "+12065550123"}), 404, "IDENTIFIER_NOT_FOUND")


def retrieve_sim_swap_date_C02_03_unnecessary_phone_number(world):
    here = provider(world)
    refused(here.sim("retrieve-date", {"phoneNumber": PHONE}, here.about_number(PHONE)), 422, "UNNECESSARY_IDENTIFIER")


def retrieve_sim_swap_date_C02_04_missing_phone_number(world):
    refused(provider(world).sim("retrieve-date", {}), 422, "MISSING_IDENTIFIER")


def retrieve_sim_swap_date_C02_05_phone_number_not_supported(world):
    here = Provider(world.scripted)
    number = "+1" + scripted.NO_SIM_SERVICE
    refused(here.sim("retrieve-date", {"phoneNumber": number}), 422, "SERVICE_NOT_APPLICABLE")
    refused(here.sim("retrieve-date", {}, here.about_number(number)), 422, "SERVICE_NOT_APPLICABLE")


# Beyond the scenarios.

def each_call_about_a_sim_has_its_scope(world):
    here = provider(world)
    for call, other in (("check", "retrieve-date"), ("retrieve-date", "check")):
        token = here.fetch(f"{PURPOSE} sim-swap:{call}")["access_token"]
        assert here.sim(call, {"phoneNumber": PHONE}, token).status_code == 200
        refused(here.sim(other, {"phoneNumber": PHONE}, token), 403, "PERMISSION_DENIED")


def a_swap_grows_old_with_the_clock(world):
    site = world.site("ageing")
    here = Provider(site)
    body = {"phoneNumber": "+12001004096", "maxAge": 24}
    date = here.sim("retrieve-date", {"phoneNumber": "+12001004096"}).json()
    assert here.sim("check", body).json() == {"swapped": True}
    site.advance(12 * 3600)
    assert here.sim("check", body).json() == {"swapped": False}
    assert here.sim("retrieve-date", {"phoneNumber": "+12001004096"}).json() == date


def questions_about_a_number_are_limited_and_audited(world):
    site = world.limited
    here = Provider(site)
    token = here.fetch(SIM)["access_token"]
    answers = [here.sim("check", {"phoneNumber": "+12001004041"}, token) for _ in range(21)]
    assert [answer.status_code for answer in answers] == [200] * 20 + [429], answers
    refused(answers[-1], 429, "TOO_MANY_REQUESTS")
    assert 3000 < int(answers[-1].headers["retry-after"]) <= 3600
    lines = [json.loads(line) for line in site.server.command("audit", "export").splitlines()]
    asked = [line for line in lines if line["event"] == "sim_swap_asked" and line["client"] == here.name]
    assert len(asked) == 20 and all(line["detail"] == {"question": "check"} and line["subject"] for line in asked), asked
    assert "2001004041" not in json.dumps(asked)


NOKIA = """
import sys
import network_as_code
from network_as_code.core.api_error import ApiError

base, key, token = sys.argv[1:]
client = network_as_code.NetworkAsCodeApi(base_url=base, api_key=key)
assert client.sim_swap.check(phone_number="+12001004096", max_age=24).swapped is True
assert client.sim_swap.check(phone_number="+12001004014").swapped is False
assert client.sim_swap.retrieve_date(phone_number="+12001004014").latest_sim_change.year == 2020
for wrong, code in (({"phone_number": "+12001004014", "max_age": 2401}, "OUT_OF_RANGE"), ({}, "MISSING_IDENTIFIER")):
    try:
        client.sim_swap.check(**wrong)
    except ApiError as error:
        assert error.body["code"] == code, error.body
    else:
        raise AssertionError(wrong)
phone = network_as_code.NetworkAsCodeApi(base_url=base, api_key="-", headers={"Authorization": "Bearer " + token})
verification = phone.number_verification
assert verification.get_device_phone_number_v2().device_phone_number == "+12001004016"
assert verification.verify(phone_number="+12001004016").device_phone_number_verified is True
assert verification.verify_v2(request={"phone_number": "+12001004014"}).device_phone_number_verified is False
"""


def the_client_library_of_nokia_asks(world):
    """The newest network-as-code, as it is: an API key stands in x-rapidapi-key, a token in Authorization."""
    site, here = world.plain, provider(world)
    samples.execute(NOKIA, world.newest, site.server.base_url, here.base, "hf_test_sandbox", here.about_phone(INGE))
    output = samples.run("camara.md", world.newest, site.server.base_url, {})
    assert output == "True\n2020-01-01 00:00:00+00:00\n", output


def a_phone_token_is_good_once_and_a_grant_too(world):
    here = provider(world)
    given = requests.post(
        f"{world.plain.server.base_url}/sandbox/operator/operator-token", data={"login_hint": f"tel:{INGE}"}, timeout=20)
    subject = "operatortoken:" + given.json()["operator_token"]
    assert here.about(subject, jti="once").status_code == 200
    again = here.about(subject)
    assert again.status_code == 400 and again.json()["error"] == "invalid_grant", again.text
    replayed = here.about(f"tel:{INGE}", jti="once")
    assert replayed.status_code == 401 and replayed.json()["error"] == "invalid_client", replayed.text
    for wrong in ("operatortoken:unknown", "ipport:192.0.2.1:80", "tel:12", "shop"):
        answer = here.about(wrong)
        assert answer.status_code == 400 and answer.json()["error"] == "invalid_grant", answer.text


def a_token_names_no_number_and_shows_its_client_only(world):
    here, other = provider(world), provider(world)
    token = here.about_phone(INGE)
    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    assert INGE[1:] not in json.dumps(claims) and claims["client_id"] == here.name, claims
    unify = world.plain.platform.status(claims["txn"])
    assert unify.status in (400, 404), "the session behind it is no session of the platform"
    assert other.read_number(token).json()["devicePhoneNumber"] == INGE, "whoever has the token has what it is good for"



def a_key_of_another_gets_no_token(world):
    one, other = provider(world), provider(world)
    for key, name in ((one.key, other.name), (Key(), one.name), (one.key, "nobody")):
        try:
            one.fetch(key=key, name=name)
        except RuntimeError as error:
            assert "invalid_client" in str(error), repr(error)
        else:
            raise AssertionError("a token was given out")


def a_scope_that_is_not_there_is_refused(world):
    for scope in (SCOPE, PURPOSE, f"{PURPOSE} kyc-match:match"):
        try:
            provider(world).fetch(scope)
        except RuntimeError as error:
            assert "invalid_scope" in str(error), repr(error)
        else:
            raise AssertionError(scope)


def keys_are_changed_by_an_operator(world):
    here = provider(world)
    newer = Key()
    keys = [option for key in (here.key, newer) for option in ("--public-key", json.dumps(key.jwk))]
    world.plain.server.command("clients", "update", here.name, *keys)
    assert here.fetch()["access_token"] and here.fetch(key=newer)["access_token"]
    world.plain.server.command("clients", "update", here.name, "--public-key", json.dumps(newer.jwk))
    try:
        here.fetch()
    except RuntimeError as error:
        assert "invalid_client" in str(error), repr(error)
    else:
        raise AssertionError("the old key still counts")
    world.plain.server.command("clients", "revoke", here.name)
    refused(here.send(), 401, "UNAUTHENTICATED")


def a_session_stays_with_its_client_and_surface(world):
    one, other = provider(world), provider(world)
    code = one.sent()
    refused(other.validate(code), 404, "NOT_FOUND")
    unify = world.plain.unify("2001004014")
    refused(one.validate(unify.correlation_id), 404, "NOT_FOUND")
    assert unify.status("pending")
    assert world.plain.platform.status(code).status in (400, 404)
    assert one.validate(code).status_code == 204


def of_right_codes_at_one_moment_one_counts(world):
    here = provider(world)
    code = here.sent()
    barrier, answers = threading.Barrier(8), []

    def run():
        barrier.wait()
        answers.append(here.validate(code))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status_code for answer in answers) == [204] + [400] * 7
    for answer in answers:
        if answer.status_code == 400:
            refused(answer, 400, OWN + "VERIFICATION_EXPIRED")


def of_wrong_codes_at_one_moment_three_count(world):
    here = provider(world)
    code = here.sent()
    barrier, answers = threading.Barrier(8), []

    def run():
        barrier.wait()
        answers.append(here.validate(code, WRONG).json()["code"])

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers.count(OWN + "INVALID_OTP") == TRIES - 1, answers
    assert answers.count(OWN + "VERIFICATION_FAILED") == 8 - TRIES + 1, answers


def what_was_sent_lives_over_a_kill(world):
    site = world.site("killed")
    here = Provider(site)
    code = here.sent()
    site.server.kill()
    site.server.start()
    assert here.validate(code).status_code == 204
    site.server.kill()
    site.server.start()
    refused(here.validate(code), 400, OWN + "VERIFICATION_EXPIRED")


def foreign_members_and_types_are_refused(world):
    here = provider(world)
    refused(here.call("send-code", {"phoneNumber": PHONE, "message": MESSAGE, "channel": "sms"}), 400, "INVALID_ARGUMENT")
    for body in ([], "text", {"phoneNumber": 1, "message": MESSAGE}, {"phoneNumber": PHONE, "message": [MESSAGE]}):
        refused(here.call("send-code", None, raw=json.dumps(body), headers={"Content-Type": "application/json"}), 400,
                "INVALID_ARGUMENT")
    refused(here.call("send-code", None, raw="{", headers={"Content-Type": "application/json"}), 400, "INVALID_ARGUMENT")
    refused(here.call("send-code", None, raw="a=b", headers={"Content-Type": "text/plain"}), 415, "UNSUPPORTED_MEDIA_TYPE")
    assert "x-correlator" in refused(
        requests.post(f"{here.base}/one-time-password-sms/v1/send-code", json={"phoneNumber": PHONE, "message": MESSAGE},
                      headers={"Authorization": f"Bearer {here.token}", "x-correlator": "a b"}, timeout=20),
        400, "INVALID_ARGUMENT")


def the_metadata_is_complete(world):
    """By the parsers of Authlib, which demand https and all that the specifications call required."""
    site = world.site("https", HOLDFAST_SERVER_PUBLIC_URL="https://verify.example.com")
    for path, form in (
            ("/camara/.well-known/openid-configuration", OpenIDProviderMetadata),
            ("/.well-known/oauth-authorization-server/camara", AuthorizationServerMetadata),
            ("/otpless/.well-known/openid-configuration", OpenIDProviderMetadata)):
        answer = requests.get(site.server.base_url + path, timeout=20)
        assert answer.status_code == 200 and answer.headers["content-type"].startswith("application/json"), path
        document = answer.json()
        form(document).validate()
        assert [] not in document.values(), "a list without elements must not be there (RFC 8414 section 3.2)"
        assert path.replace("/.well-known/oauth-authorization-server", "").startswith(
            document["issuer"].removeprefix("https://verify.example.com")), document["issuer"]


def the_issuer_of_a_token_is_that_of_the_metadata(world):
    here = provider(world)
    configuration = requests.get(f"{here.base}/.well-known/openid-configuration", timeout=20).json()
    claims = jwt.decode(here.token, options={"verify_signature": False})
    assert claims["iss"] == configuration["issuer"], claims["iss"]
    asked = requests.get(here.here(configuration["authorization_endpoint"]), timeout=20)
    assert (asked.status_code, asked.json()["error"]) == (400, "unsupported_response_type"), asked.text


def the_sample_of_the_page_runs_with_the_newest_library(world):
    site = world.plain
    here = Provider(site, "shop")
    before = len(site.sandbox.messages(PHONE))
    output = samples.run("camara.md", world.newest, site.server.base_url, {"key.pem": here.key.pem}, place=1)
    assert len(site.sandbox.messages(PHONE)) == before + 1, output


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_server_arguments(parser)
    parser.add_argument("--only", default="", help="scenes whose name has this text")
    options = checked_arguments(parser)
    world = World(options)
    world.newest = samples.Newest("camara.md")
    try:
        scenes.run(scenes.of(sys.modules[__name__]), world, options.only)
    finally:
        world.newest.close()
        world.close()


if __name__ == "__main__":
    main()
