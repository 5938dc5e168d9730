#!/usr/bin/env python3
"""Programs, users and events of the pages of docs/, as they stand there, against one server: each does what its page says.

The commands of the pages are run by scripts/readme-walk. Programs in Python have the newest libraries, which the page names,
in an environment of their own. Needs the packages of requirements.txt and Node. The last line is "N passed, M failed".
"""
import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import requests

import samples
import scenes
from holdfast import REPOSITORY, add_server_arguments, checked_arguments, expected
from receiver import Receiver
from world import LORANT, RIGHT, World

PAGES = ("prelude.md", "prelude/webhooks.md", "otpless.md", "clients/statements.md", "testing.md")
NUMBER = "+1" + LORANT
# The lines that follow a program: the function of its page, called with each case of cases.json.
CALLS = """
import json, pathlib
for case in json.loads(pathlib.Path("cases.json").read_text()):
    try:
        print(json.dumps({call}))
    except Exception as error:
        print("refused:", type(error).__name__)
"""


def called(world, page, number, call, cases):
    """A line for each case: what the page's function returned, or the exception that it raised."""
    output = samples.run(
        page, world.newest, world.pages.server.base_url, {"cases.json": json.dumps(cases)}, number,
        CALLS.replace("{call}", call))
    return output.splitlines()


class Endpoint:
    """An endpoint of a vendor's format, and its receiver."""

    def __init__(self, site, form):
        self.site, self.receiver = site, Receiver()
        self.made = json.loads(site.server.command(
            "webhooks", "add", "--client", "sandbox", "--url", self.receiver.url, "--format", form, "--json"))
        site.secrets.add(self.made["secret"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.site.server.command("webhooks", "remove", self.made["id"])
        self.receiver.close()


def members(value):
    """The names of the members of an object, at all depths."""
    if not isinstance(value, dict):
        return None
    return {name: members(inner) for name, inner in value.items()}


def the_programs_of_two_vendors_prove_a_number(world):
    site = world.pages
    assert samples.run("prelude.md", world.newest, site.server.base_url, {}) == "success\n"
    assert site.sandbox.messages(NUMBER)[-1]["code"] == "123456"
    output = samples.run("otpless.md", world.newest, site.server.base_url, {})
    program = samples.blocks("otpless.md", "python")[0]
    promised = program.rsplit("# ", 1)[1]
    assert ast.literal_eval(output) == ast.literal_eval(promised) == {"isOTPVerified": True}, output


def a_receiver_of_preludes_events_takes_its_own_and_no_others(world):
    site = world.pages
    with Endpoint(site, "prelude") as endpoint:
        created = requests.post(
            site.server.base_url + "/prelude/v2/verification", headers={"Authorization": "Bearer hf_test_sandbox"},
            json={"target": {"type": "phone_number", "value": NUMBER}, "metadata": {"correlation_id": "order-7"}},
            timeout=20)
        assert created.status_code == 200, created.text
        told = endpoint.receiver.wait(
            lambda all_told: len(all_told) >= 3 and all_told, "three events of a verification")
    with urllib.request.urlopen(site.server.base_url + "/prelude/webhooks/public-key") as answer:
        pem = answer.read().decode()
    one = told[0]
    case = {"body": one.body.decode(), "signature": one.headers["x-webhook-signature"], "pem": pem, "client": "sandbox"}
    lines = called(
        world, "prelude/webhooks.md", 0,
        'event_of(case["body"].encode(), case["signature"], case["pem"].encode(), case["client"])["id"]',
        [case, {**case, "client": "sandbox-2"}, {**case, "body": told[1].body.decode()}, {**case, "signature": "x"}])
    assert lines[0] == json.dumps(one.json["id"]), lines
    assert [line.split(":")[0] for line in lines[1:]] == ["refused"] * 3, lines
    # The event of the page has the members of a real one, and no others.
    shown = json.loads(samples.blocks("prelude/webhooks.md", "json")[0])
    real = next(request.json for request in told if request.type == shown["type"])
    assert members(shown) == members(real), real


def a_receiver_of_otpless_events_knows_who_signed(world):
    site = world.pages
    with Endpoint(site, "otpless") as endpoint:
        sent = requests.post(
            site.server.base_url + "/otpless/auth/v1/initiate/otp",
            headers={"clientId": "sandbox", "clientSecret": "sandbox-secret"},
            json={"phoneNumber": NUMBER, "channels": ["WHATSAPP"], "metadata": {"order": "7"}}, timeout=20)
        assert sent.status_code == 200, sent.text
        told = endpoint.receiver.wait(lambda all_told: len(all_told) >= 3 and all_told, "three events of a request")
        secret = endpoint.made["secret"]
    case = {"body": told[0].body.decode(), "signature": told[0].headers["x-signature"], "secret": secret}
    lines = called(
        world, "otpless/webhooks.md", 0, 'is_signed(case["body"].encode(), case["signature"], case["secret"])',
        [case, {**case, "secret": secret + "x"}, {**case, "body": told[1].body.decode()}])
    assert lines == ["true", "false", "false"], lines
    shown = json.loads(samples.blocks("otpless/webhooks.md", "json")[0])
    real = [request.json for request in told if request.json["data"].get("status") == shown["data"]["status"]]
    assert [members(event) for event in real] == [members(shown)], real


def a_partner_takes_statements_about_its_own_session_only(world):
    site = world.pages
    session = site.unify(LORANT)
    expected(session.client().authenticate(RIGHT), 200, outcome="succeeded")
    answer = site.platform.status(session.correlation_id, statementAudience="https://partner.example")
    case = {"statement": expected(answer, 200)["statement"], "client": "sandbox", "txn": session.correlation_id}
    lines = called(
        world, "clients/statements.md", 0, 'proven_number(case["statement"], case["client"], case["txn"])',
        [case, {**case, "client": "sandbox-2"}, {**case, "txn": "another"}, {**case, "statement": site.platform.access_token}])
    assert lines[0] == json.dumps(NUMBER), lines
    assert [line.split(":")[0] for line in lines[1:]] == ["refused"] * 3, lines


# The page's snippet needs these: the library, a session, and a person who types the code.
AROUND_THE_SNIPPET = """
import fs from "node:fs";
import vm from "node:vm";
vm.runInThisContext(fs.readFileSync("holdfast.js", "utf8"));
const authToken = "{token}", isMobile = true;
const verify = async (authId) => console.log("over", authId);
const otpStart = async () => null, otpFinish = async () => ({ input: { otp: "{code}" }, resultType: 0 });
const linkStart = async () => null, linkRetry = async () => ({ resultType: 0 });
"""


def the_snippet_of_the_web_library_proves_a_number(world):
    site = world.pages
    session = site.unify(LORANT)
    library = (REPOSITORY / "Sources/CBuiltInFiles/sdk/holdfast.global.js").read_text()
    around = AROUND_THE_SNIPPET.replace("{token}", session.auth_token).replace("{code}", RIGHT)
    output = samples.run_node(
        around + samples.blocks("clients/libraries.md", "js")[0], site.server.base_url, {"holdfast.js": library})
    shown = site.sandbox.session(session.correlation_id).json
    assert output == f"over {shown['authId']}\n", output
    session.status("true")


def the_first_tests_of_a_developer_pass(world):
    server = world.site("first-tests").server
    tests = {"test_sign_up.py": samples.blocks("testing.md", "python")[0]}
    run = "import os, pytest, sys; os.environ['SANDBOX_URL'] = sys.argv[1]; sys.exit(pytest.main(['-q', 'test_sign_up.py']))"
    said = samples.execute(run, world.newest, server.base_url, server.base_url, files=tests)
    assert "3 passed" in said, said
    script = samples.DOCS / "testing/sign_up.test.mjs"
    done = subprocess.run(
        ["node", "--test", script], capture_output=True, text=True, timeout=60,
        env={**os.environ, "SANDBOX_URL": server.base_url})
    assert done.returncode == 0 and "pass 3" in done.stdout, done.stdout + done.stderr


def users_of_the_page_do_what_their_notes_say(world):
    site = world.pages
    slow = shown_user()
    listed = {user["phoneNumber"]: user for user in site.sandbox.users()["users"]}
    assert listed[slow["number"]]["note"] == slow["note"], list(listed)
    session = site.unify(slow["number"])
    client = session.client()
    client.to_code_entry()
    assert session.messages() == [], "messages come late"
    site.advance(slow["deliveryDelaySeconds"])
    assert [message["code"] for message in session.messages()] == [slow["codes"][0]]


def shown_user():
    return json.loads(samples.blocks("sandbox/users.md", "json")[0])


def imported_people_are_found_by_a_key_of_the_page(world):
    site = world.pages
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as people:
        people.write(samples.blocks("onboarding/people.md", "csv")[0])
        people.flush()
        assert "1 rows: 1 new" in site.server.command("people", "import", people.name)
    url = site.server.base_url + "/api/onboarding/"
    said = {"email": "ada@example.com", "birthDate": "1990-02-28"}
    started = requests.post(url + "start", json={"requestObject": {"identification": said}}, timeout=20).json()
    process = started["responseObject"]["processId"]
    # The number of the page is that of the slow user.
    site.advance(shown_user()["deliveryDelaySeconds"])
    detail = {"requestObject": {"processId": process, "otpType": "ACTIVATION"}}
    code = requests.post(url + "otp/detail", json=detail, timeout=20).json()["responseObject"]["otpCode"]
    assert [message["code"] for message in site.sandbox.messages_of(process, "+12015550123")] == [code]


def settings(directory):
    """The user of sandbox/users.md beside the shipped ones, and the keys of onboarding/people.md."""
    shipped = json.loads((REPOSITORY / "config" / "sandbox-users.json").read_text())["users"]
    users = Path(directory, "users.json")
    users.write_text(json.dumps({"users": [*shipped, shown_user()]}))
    shown = next(block for block in samples.blocks("onboarding/people.md", "json") if block.startswith('"identity"'))
    keys = json.loads("{" + shown + "}")["identity"]["keys"]
    return {"HOLDFAST_SANDBOX_USERS_FILE": str(users), "HOLDFAST_IDENTITY_KEYS": ",".join(keys)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_server_arguments(parser)
    parser.add_argument("--only", default="", help="scenes whose name has this text")
    options = checked_arguments(parser)
    world = World(options)
    world.newest = samples.Newest(*PAGES)
    try:
        with tempfile.TemporaryDirectory(prefix="holdfast-pages-") as directory:
            world.pages = world.site("pages", **settings(directory))
            scenes.run(scenes.of(sys.modules[__name__]), world, options.only)
    finally:
        world.newest.close()
        world.close()


if __name__ == "__main__":
    main()
