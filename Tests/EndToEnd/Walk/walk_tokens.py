"""Scenes of credentials: proofs, replays, lifetimes, tenants."""
import json
import time
import uuid

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from holdfast import Client, Key, Platform, claims_of, expected
from jose import base64url, base64url_decoded, compact_json
from world import LORANT, RIGHT, WRONG


def every_defect_of_a_proof_is_refused(world):
    client = world.plain.unify(LORANT).client()
    expected(client.start(), 200)
    path = "/client/v1/session"
    defects = {
        "another method": {"htm": "POST"}, "another URL": {"htu": client.caller.base_url + "/client/v1/session/otp"},
        "another host": {"htu": "https://evil.example" + path}, "another token": {"ath": base64url(b"x" * 32)},
        "another nonce": {"nonce": "x" * 22}, "61 s old": {"iat": int(time.time()) - 75},
        "ahead of time": {"iat": int(time.time()) + 75}, "time as text": {"iat": str(int(time.time()))},
        "no jti": {"jti": ""}, "jti as number": {"jti": 7},
    }
    for name, change in defects.items():
        answer = client.call("GET", "/session", proof=client.proof("GET", path, **change))
        assert answer.status == 401 and answer["error"] == "invalid_dpop_proof", f"{name}: {answer}"
    for name, proof in {"none": "", "text": "x.y.z", "two proofs": client.proof("GET", path) + ", x"}.items():
        answer = client.call("GET", "/session", proof=proof or " ")
        assert answer.status == 401, f"{name}: {answer}"
    expected(client.current(), 200)


def a_proof_counts_once(world):
    client = world.plain.unify(LORANT).client()
    expected(client.start(), 200)
    proof = client.proof("GET", "/client/v1/session")
    expected(client.call("GET", "/session", proof=proof), 200)
    answer = expected(client.call("GET", "/session", proof=proof), 401, error="invalid_dpop_proof", code=20002)
    assert answer.headers["www-authenticate"].startswith("DPoP"), answer.headers


def forged_tokens_open_nothing(world):
    session = world.plain.unify(LORANT)
    header, claims, signature = session.auth_token.split(".")
    none = base64url(compact_json({"alg": "none", "typ": "client-auth+jwt"}))
    stranger = Key()
    longer_life = base64url(compact_json({**claims_of(session.auth_token), "exp": 4_000_000_000}))
    own = stranger.jws({"typ": "client-auth+jwt"}, session.client().claims)
    forged = [
        f"{none}.{claims}.", f"{none}.{claims}.{signature}", f"{header}.{claims}.", f"{header}.{claims}",
        f"{header}.{claims}.{'A' * 86}", own, world.plain.platform.access_token, session.auth_token + "=",
        f"{header}.{longer_life}.{signature}",
    ]
    for token in forged:
        client = session.client()
        client.auth_token = token
        answer = client.start()
        assert answer.status == 401 and answer["error"] == "invalid_token", f"{token[:40]}…: {answer}"
    expected(session.client().start(), 200)


def an_auth_token_is_no_access_token(world):
    session = world.plain.unify(LORANT)
    platform = world.plain.new_platform()
    platform.access_token = session.auth_token
    answer = expected(platform.status(session.correlation_id), 401, code=8002)
    assert answer.headers["www-authenticate"].startswith("Bearer"), answer.headers


def tokens_are_signed_by_a_key_of_the_jwks(world):
    is_signed_by_a_key_of_the_jwks(world, world.plain.unify(LORANT).auth_token, "client-auth+jwt")


def a_statement_tells_a_third_party_of_a_proven_number(world):
    session = world.plain.unify(LORANT)
    audience = "https://partner.example/é\"\\"
    asked = {"statementAudience": audience}
    assert expected(world.plain.platform.status(session.correlation_id, **asked), 200)["statement"] is None
    expected(session.client().authenticate(RIGHT), 200, outcome="succeeded")
    assert expected(world.plain.platform.status(session.correlation_id), 200)["statement"] is None
    statement = expected(world.plain.platform.status(session.correlation_id, **asked), 200)["statement"]
    is_signed_by_a_key_of_the_jwks(world, statement, "possession+jwt")
    claims = claims_of(statement)
    assert claims["aud"] == audience and claims["iss"] == claims_of(session.auth_token)["iss"], claims
    assert claims["phone_number"] == "+1" + LORANT and claims["phone_number_verified"] is True, claims
    assert claims["method"] == "otp" and claims["txn"] == session.correlation_id, claims
    assert claims["exp"] - claims["iat"] == 900 and claims["auth_time"] <= claims["iat"], claims
    assert set(claims) == {"iss", "aud", "jti", "client_id", "txn", "phone_number", "phone_number_verified", "method",
                           "auth_time", "iat", "nbf", "exp"}, claims
    # It opens nothing here.
    platform = world.plain.new_platform()
    platform.access_token = statement
    expected(platform.status(session.correlation_id), 401, code=8002)


def is_signed_by_a_key_of_the_jwks(world, token, kind):
    header, claims, signature = token.split(".")
    name = json.loads(base64url_decoded(header))
    assert name["alg"] == "ES256" and name["typ"] == kind, name
    answer = world.plain.sandbox.caller.call("GET", "/.well-known/jwks.json")
    keys = {key["kid"]: key for key in expected(answer, 200)["keys"]}
    assert not {"d", "p", "q", "k"} & set().union(*(set(key) for key in keys.values())), "a private member"
    key = keys[name["kid"]]
    point = [int.from_bytes(base64url_decoded(key[axis]), "big") for axis in "xy"]
    raw = base64url_decoded(signature)
    ec.EllipticCurvePublicNumbers(*point, ec.SECP256R1()).public_key().verify(
        encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")),
        f"{header}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))


def a_retry_with_its_requestId_gets_the_same_bytes(world):
    session = world.plain.unify(LORANT, allowOTPRetry=True)
    client = session.client()
    client.to_code_entry()
    first = expected(client.verify(WRONG, requestId="r-1"), 400, error="otp_mismatch")
    again = client.verify(WRONG, requestId="r-1")
    assert (again.status, again.body) == (first.status, first.body), f"{first} and then {again}"
    assert client.state["otp"]["attemptsLeft"] == 2, client.state
    expected(client.verify(RIGHT, requestId="r-1"), 422, error="request_id_reused", code=20012)
    sent = expected(client.resend(requestId="r-2"), 200)
    assert client.resend(requestId="r-2").body == sent.body
    assert len(session.messages()) == 2
    right = expected(client.verify(RIGHT, requestId="r-3"), 200, outcome="succeeded")
    assert client.verify(RIGHT, requestId="r-3").body == right.body


def a_sandbox_session_can_be_walked_with_a_bearer_token(world):
    key = Key()
    session = world.plain.unify(LORANT)
    client = session.client(device_key=key, bearer=True)
    expected(client.authenticate(RIGHT), 200, outcome="succeeded")
    assert session.status("true")["deviceId"]
    again = world.plain.unify(LORANT)
    expected(again.client(device_key=key, bearer=True).to_code_entry(), 200, outcome="succeeded")
    proven = Client(client.caller.base_url, session.auth_token)
    expected(proven.current(), 401, error="token_already_used")


def unknown_members_are_refused_on_the_client_surface(world):
    client = world.plain.unify(LORANT).client()
    expected(client.start(extra=1), 400, error="invalid_request", code=1001)
    expected(client.start(), 200)


def an_auth_token_lives_900_seconds_and_30_of_grace(world):
    session, late = world.plain.unify(LORANT), world.plain.unify(LORANT)
    world.plain.advance(899)
    expected(session.client().start(), 200)
    world.plain.advance(32)
    expected(late.client().start(), 401, error="invalid_token", code=20001)


def an_access_token_lives_3600_seconds_and_30_of_grace(world):
    platform = world.plain.new_platform()
    unknown = str(uuid.uuid4())
    world.plain.advance(3599)
    expected(platform.status(unknown), 400, code=8008)
    world.plain.advance(32)
    expected(platform.status(unknown), 401, code=8002)


def a_result_is_readable_for_15_minutes_after_its_end(world):
    session = world.plain.unify(LORANT)
    expected(session.client().authenticate(RIGHT), 200)
    world.plain.advance(898)
    session.status("true")
    world.plain.advance(4)
    expected(session.platform.status(session.correlation_id), 400, code=8008)


def a_session_that_nobody_redeemed_is_pending_then_false_then_unknown(world):
    session = world.plain.unify(LORANT)
    world.plain.advance(898)
    session.status("pending")
    world.plain.advance(3)
    session.status("false")
    world.plain.advance(902)
    expected(session.platform.status(session.correlation_id), 400, code=8008)


def an_access_token_answer_has_the_types_the_sdks_insist_on(world):
    answer = world.plain.new_platform().token()
    value = expected(answer, 200, token_type="Bearer").json
    assert value["expires_in"] == 3600 and b'"expires_in":3600' in answer.body.replace(b" ", b""), answer
    assert answer.headers["cache-control"] == "no-store", answer.headers


def wrong_credentials_get_no_token(world):
    base = world.plain.server.base_url
    for client_id, secret in (("sandbox", "wrong"), ("nobody", "sandbox-secret"), ("sandbox", "sandbox-2-secret")):
        expected(Platform(base, client_id, secret).token(), 401, code=8002)
    expected(Platform(base, "", "").token(), 400, code=8001)


def two_api_clients_do_not_see_each_others_sessions(world):
    session = world.plain.unify(LORANT, "none")
    other = world.plain.new_platform("sandbox-2")
    foreign = expected(other.status(session.correlation_id), 400, code=8008)
    unknown = expected(other.status(str(uuid.uuid4())), 400, code=8008)
    assert foreign["message"] == unknown["message"], "the answers tell a foreign session from none"
    expected(other.bind(session.correlation_id, LORANT), 400, code=8008)
    session.status("pending")
