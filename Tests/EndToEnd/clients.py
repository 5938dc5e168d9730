#!/usr/bin/env python3
"""HTTP, OAuth, JOSE and OpenAPI libraries that know nothing of this server, each used as its own documentation has it.

Starts its own server, and needs the packages of requirements.txt. The last line is "N passed, M failed".
"""
import argparse
import asyncio
import importlib
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import aiohttp
import httpx
import jwt
import requests
from authlib.integrations.requests_client import OAuth2Session as AuthlibSession
from jwcrypto.jwk import JWKSet
from jwcrypto.jwt import JWT
from oauthlib.oauth2 import BackendApplicationClient, InvalidClientError, TokenExpiredError
from openapi_core import OpenAPI
from openapi_core.contrib.requests import RequestsOpenAPIRequest, RequestsOpenAPIResponse
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

import scenes
from exchange import Answer
from holdfast import add_server_arguments, checked_arguments, expected
from parsing import read
from people import MILO, PEOPLE, name_of
from world import LORANT, RIGHT, SHORT_TERM, World, is_uuid

# One library insists on TLS otherwise, another one knows no DPoP.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
warnings.filterwarnings("ignore", "Unsupported scheme type")
ORDER = {"possessionType": "mobile", "phoneNumber": SHORT_TERM, "clientRequestId": "r-1"}
STRANGER = "00000000-0000-7000-8000-000000000000"
TOGETHER = 100
KILLS = 20


def url(world, path):
    return world.plain.server.base_url + path


def bearer(site):
    return {"Authorization": f"Bearer {site.platform.access_token}"}


def answered(response, status=200):
    """What is in an answer of `requests` or `httpx`, which SDKs can read as well."""
    request = response.request
    path = str(request.url).split("/", 3)[3]
    answer = Answer(
        response.status_code, {name.lower(): value for name, value in response.headers.items()}, response.content)
    read(request.method, "/" + path, answer)
    assert answer.status == status, answer
    return answer.json


def is_proven(session, world, **options):
    """Start and result by anything that posts as `requests` does."""
    started = answered(session.post(url(world, "/v3/unify"), json=ORDER, **options))
    world.plain.secrets.add(started["authToken"])
    result = answered(session.post(
        url(world, "/v3/unify-status"), json={"correlationId": started["correlationId"]}, **options))
    assert result["success"] == "true" and result["clientRequestId"] == "r-1", result
    return started["authToken"]


# OAuth 2

def requests_oauthlib_gets_its_token_by_form_and_by_basic(world):
    for how in ({"include_client_id": True, "client_secret": "sandbox-secret"},
                {"auth": HTTPBasicAuth("sandbox", "sandbox-secret")}):
        with OAuth2Session(client=BackendApplicationClient(client_id="sandbox")) as session:
            token = session.fetch_token(url(world, "/token"), **how)
            world.plain.secrets.add(token["access_token"])
            assert token["token_type"] == "Bearer" and token["expires_in"] == 3600, token
            is_proven(session, world)


def requests_oauthlib_knows_why_it_gets_none(world):
    with OAuth2Session(client=BackendApplicationClient(client_id="sandbox")) as session:
        try:
            session.fetch_token(url(world, "/token"), client_secret="wrong", include_client_id=True)
        except InvalidClientError as error:
            assert error.status_code == 401 and error.error == "invalid_client", error
        else:
            raise AssertionError("a wrong secret gets a token")


def requests_oauthlib_sees_its_token_expire_and_gets_another(world):
    with OAuth2Session(client=BackendApplicationClient(client_id="sandbox")) as session:
        how = {"include_client_id": True, "client_secret": "sandbox-secret"}
        old = session.fetch_token(url(world, "/token"), **how)
        session.token = {**old, "expires_at": 1}
        try:
            session.get(url(world, "/v3/domain/id"))
        except TokenExpiredError:
            new = session.fetch_token(url(world, "/token"), **how)
        assert new["access_token"] != old["access_token"]
        world.plain.secrets |= {old["access_token"], new["access_token"]}
        answered(session.get(url(world, "/v3/domain/id")))


def authlib_gets_its_token_by_basic_and_by_post(world):
    for method in ("client_secret_basic", "client_secret_post"):
        with AuthlibSession(
                "sandbox", "sandbox-secret", token_endpoint_auth_method=method,
                token_endpoint=url(world, "/token"), grant_type="client_credentials") as session:
            world.plain.secrets.add(session.fetch_token()["access_token"])
            is_proven(session, world)


# Tokens

def pyjwt_and_jwcrypto_verify_the_tokens_by_the_published_keys(world):
    base, path = world.plain.server.base_url, "/.well-known/jwks.json"
    auth_token = is_proven(requests, world, headers=bearer(world.plain))
    client = jwt.PyJWKClient(url(world, path))
    keys = JWKSet.from_json(requests.get(url(world, path), timeout=10).text)
    for token, audience in ((auth_token, "/client/v1"), (world.plain.platform.access_token, "/v3")):
        key = client.get_signing_key_from_jwt(token)
        claims = jwt.decode(
            token, key, algorithms=["ES256"], audience=base + audience, issuer=base,
            options={"require": ["iss", "aud", "sub", "jti", "iat", "nbf", "exp"]})
        JWT(jwt=token, key=keys, check_claims={"iss": base, "aud": base + audience, "sub": claims["sub"]})
        head, body, signature = token.split(".")
        try:
            jwt.decode(f"{head}.{body[:-2]}AA.{signature}", key, algorithms=["ES256"], audience=base + audience)
        except jwt.InvalidTokenError:
            continue
        raise AssertionError("a changed token is taken for one of ours")


def what_is_signed_after_twenty_kills_is_valid_at_once(world):
    site = world.site("killed")
    for _ in range(KILLS):
        site.unify(LORANT)
        site.hang_up()
        site.server.kill()
        site.server.start()
    platform = site.new_platform()
    session = site.unify(LORANT)
    expected(session.client().authenticate(RIGHT), 200, outcome="succeeded")
    audience = "https://partner.example"
    statement = expected(platform.status(session.correlation_id, statementAudience=audience), 200)["statement"]
    keys = jwt.PyJWKClient(site.server.base_url + "/.well-known/jwks.json")
    for token, known in ((statement, audience), (platform.access_token, site.server.base_url + "/v3")):
        jwt.decode(token, keys.get_signing_key_from_jwt(token), algorithms=["ES256"], audience=known, leeway=0)


def example_of_the_documentation(issuer):
    """`proven_number` of docs/clients/statements.md, as a partner of the server at `issuer` has it."""
    page = (Path(__file__).parents[2] / "docs/clients/statements.md").read_text()
    code = page.split("```python\n")[1].split("```")[0]
    names = {}
    exec(compile(code.replace("https://verify.example.com", issuer), "docs/clients/statements.md", "exec"), names)
    return names["proven_number"], names["AUDIENCE"]


def a_partner_takes_statements_of_one_api_client_about_one_session(world):
    site = world.site("statements")
    proven_number, audience = example_of_the_documentation(site.server.base_url)
    other = site.added_platform("other", "--calling-code", "1")

    def stated(platform):
        session = site.unify(LORANT, platform=platform)
        expected(session.client().authenticate(RIGHT), 200, outcome="succeeded")
        answer = platform.status(session.correlation_id, statementAudience=audience)
        return session.correlation_id, expected(answer, 200)["statement"]

    txn, statement = stated(site.platform)
    assert proven_number(statement, "sandbox", txn) == "+1" + LORANT
    # The other client proves a number of its own for the same partner, and shows the statement in the name of the first.
    other_txn, foreign = stated(other)
    assert proven_number(foreign, "other", other_txn) == "+1" + LORANT
    # Issuer, audience and type are right in it.
    keys = jwt.PyJWKClient(site.server.base_url + "/.well-known/jwks.json")
    jwt.decode(foreign, keys.get_signing_key_from_jwt(foreign), algorithms=["ES256"], audience=audience,
               issuer=site.server.base_url)
    assert jwt.get_unverified_header(foreign)["typ"] == "possession+jwt"
    next_txn, next_one = stated(site.platform)
    for shown, client, session in (
            (foreign, "sandbox", txn), (foreign, "sandbox", other_txn), (foreign, "other", txn), (next_one, "sandbox", txn),
            (site.platform.access_token, "sandbox", txn)):
        try:
            proven_number(shown, client, session)
        except jwt.InvalidTokenError:
            continue
        raise AssertionError(f"taken as a statement for {client} of {session}")
    # With a list of partners the other client gets none for this one.
    site.server.command("clients", "update", "other", "--statement-audience", "https://its-own.example")
    expected(other.status(other_txn, statementAudience=audience), 400, code=8001)
    expected(other.status(other_txn, statementAudience="https://its-own.example"), 200)
    for reserved in (site.server.base_url, site.server.base_url + "/v3", "*"):
        expected(site.platform.status(txn, statementAudience=reserved), 400, code=8001)


# HTTP

def httpx_sends_bodies_in_chunks_and_keeps_its_connection(world):
    def parts():
        yield b'{"possessionType":"mobile",'
        yield f'"phoneNumber":"{SHORT_TERM}"}}'.encode()

    with httpx.Client(headers=bearer(world.plain)) as client:
        for _ in range(3):
            response = client.post(
                url(world, "/v3/unify"), content=parts(), headers={"Content-Type": "application/json"})
            assert response.request.headers["transfer-encoding"] == "chunked", response.request.headers
            world.plain.secrets.add(answered(response)["authToken"])
        is_proven(client, world)


def aiohttp_makes_a_hundred_calls_at_once(world):
    async def prove(session):
        async with session.post("/v3/unify", json=ORDER) as response:
            started = await response.json()
        async with session.post("/v3/unify-status", json={"correlationId": started["correlationId"]}) as response:
            return started["authToken"], (await response.json())["success"]

    async def all_together():
        async with aiohttp.ClientSession(world.plain.server.base_url, headers=bearer(world.plain)) as session:
            return await asyncio.gather(*(prove(session) for _ in range(TOGETHER)))

    results = asyncio.run(all_together())
    world.plain.secrets |= {token for token, _ in results}
    assert [success for _, success in results] == ["true"] * TOGETHER, results


# OpenAPI

def openapi_core_finds_requests_and_answers_as_described(world):
    description = OpenAPI.from_dict(requests.get(url(world, "/openapi.json"), timeout=10).json())

    def call(method, path, value=None, status=200):
        response = requests.request(method, url(world, path), json=value, headers=bearer(world.plain), timeout=10)
        answered(response, status)
        request = RequestsOpenAPIRequest(response.request)
        if status == 200:
            description.validate_request(request)
        description.validate_response(request, RequestsOpenAPIResponse(response))
        return response.json()

    def step(name, **fields):
        return call("POST", f"/v3/{name}", {"correlationId": run, **fields})

    run = call("POST", "/v3/start", {"flowType": "mobile", "phoneNumber": MILO})["correlationId"]
    assert step("validate")["success"]
    assert step("challenge", dob=PEOPLE[MILO]["dob"])["individual"] == PEOPLE[MILO]
    assert step("complete", individual=name_of(MILO))["success"]
    call("POST", "/v3/validate", {"correlationId": "x"}, 400)
    identity = call("POST", "/v3/identity", {"phoneNumber": "+1" + SHORT_TERM})["proveId"]
    for path in ("/v3/identity?limit=10", f"/v3/identity/{identity}", f"/v3/identity/+1{SHORT_TERM}/lookup",
                 f"/v3/discover?proveId={identity}", "/v3/domain/id", "/v3/domain/linked"):
        call("GET", path)
    call("DELETE", f"/v3/identity/{identity}")
    call("DELETE", f"/v3/identity/{identity}", status=404)


def a_client_generated_from_the_description_works(world):
    with tempfile.TemporaryDirectory(prefix="holdfast-generated-") as folder:
        generated = subprocess.run(
            [Path(sys.executable).with_name("openapi-python-client"), "generate", "--meta", "none",
             "--url", url(world, "/openapi.json"), "--output-path", f"{folder}/generated_client"],
            capture_output=True, text=True, timeout=120)
        assert generated.returncode == 0, generated.stdout + generated.stderr
        assert "Endpoint will not be generated" not in generated.stdout, generated.stdout
        sys.path.insert(0, folder)
        try:
            uses_the_generated_client(world.plain)
        finally:
            sys.path.remove(folder)


def uses_the_generated_client(site):
    def operation(name):
        return importlib.import_module(f"generated_client.api.platform.{name}")

    def body(name, **fields):
        module = importlib.import_module(f"generated_client.models.{name}_body")
        kind, = (value for name, value in vars(module).items() if name.endswith("Body"))
        return kind.from_dict(fields)

    client = importlib.import_module("generated_client").AuthenticatedClient(
        base_url=site.server.base_url, token=site.platform.access_token)
    with client:
        started = operation("start_unify").sync(client=client, body=body("start_unify", **ORDER))
        site.secrets.add(started.auth_token)
        result = operation("read_unify_status").sync(
            client=client, body=body("read_unify_status", correlationId=str(started.correlation_id)))
        assert result.success == "true" and is_uuid(str(result.prove_id)), result
        refused = operation("read_unify_status").sync_detailed(
            client=client, body=body("read_unify_status", correlationId=STRANGER))
        assert refused.status_code == 400 and refused.parsed.code == 8008, refused
        enrolled = operation("enrol_identity").sync(
            client=client, body=body("enrol_identity", phoneNumber="+1" + SHORT_TERM))
        found = operation("look_up_identity").sync(f"+1{SHORT_TERM}", client=client)
        assert enrolled.prove_id in [item.prove_id for item in found.items], found
        assert operation("remove_identity").sync(enrolled.prove_id, client=client).success is True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--only", default="", metavar="TEXT", help="only scenes whose sentence has this text")
    parser.add_argument("--seconds", type=float, default=180.0, help="time limit of the run (default %(default)g)")
    options = checked_arguments(parser)
    world = World(options)
    try:
        scenes.run(scenes.of(sys.modules[__name__]), world, options.only, options.seconds)
    finally:
        world.close()


if __name__ == "__main__":
    main()
