"""Holds a sandbox server against its own descriptions.

First each document is judged by itself, then schemathesis makes requests from it: no 5xx, no status, header or shape
that is not described, for a bounded time.

    check.py [--seconds 90] [--document FILE]      SANDBOX_URL names the server (scripts/with-sandbox)
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

import exact
import openapi_spec_validator

HERE = pathlib.Path(__file__).resolve().parent

# Where the server shows its documents, and the share of the time that each one gets.
DOCUMENTS = {
    "/openapi.json": 0.5,
    "/prelude/openapi.json": 0.2,
    "/twilio-verify/openapi.json": 0.1,
    "/otpless/openapi.json": 0.1,
    "/hooks/openapi.json": 0.1,
    "/camara/openapi.json": 0.1,
}
# The same calls as in /openapi.json: judged alone.
PARTS = ["/openapi/session.json"]

# Twilio has methods at paths of ours that this server has not. They answer 404 in Twilio's form, and are not described
# (docs/twilio-verify.md, "What answers 404").
CHECKS_LEFT_OUT = {"/twilio-verify/openapi.json": "unsupported_method,allow_header_conformance"}


def shown(path):
    with urllib.request.urlopen(os.environ["SANDBOX_URL"] + path, timeout=10) as answer:
        assert answer.headers["Content-Type"] == "application/json", answer.headers["Content-Type"]
        assert answer.headers["ETag"] and answer.headers["X-Request-Id"]
        return json.load(answer)


def judge(name, described, seconds, others):
    """The exit status of schemathesis."""
    validate(name, described)

    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory, "openapi.json")
        file.write_text(json.dumps(exact.exactly(described)))
        tester = [pathlib.Path(sys.executable).with_name("schemathesis"), "--config-file", HERE / "schemathesis.toml"]
        run = ["run", file, "--url", os.environ["SANDBOX_URL"], "--checks", "all", "--max-time", seconds]
        more = ["--request-timeout", 35, "--no-color", *others]
        if name in CHECKS_LEFT_OUT:
            more += ["--exclude-checks", CHECKS_LEFT_OUT[name]]
        environment = os.environ | {"SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE)}
        command = [str(part) for part in tester + run + more]
        return subprocess.run(command, cwd=directory, env=environment).returncode


def validate(name, described):
    openapi_spec_validator.validate(described)
    count = sum(len(item) for item in described["paths"].values())
    version = described["openapi"]
    print(f"openapi-check: {name} is a valid OpenAPI {version} document with {count} operations", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=90, help="how long requests are made, over all documents")
    parser.add_argument("--only", choices=DOCUMENTS, help="one document of the server, for the whole time")
    parser.add_argument("--document", help="a file instead of the server's own documents")
    arguments, others = parser.parse_known_args()

    if arguments.document:
        # Of another build, which may not show a description of its own.
        others += ["--exclude-path", "/openapi.json", "--exclude-path", "/docs"]
        described = json.loads(pathlib.Path(arguments.document).read_text())
        return judge(arguments.document, described, arguments.seconds, others)
    for path in PARTS:
        validate(path, shown(path))
    shares = {arguments.only: 1} if arguments.only else DOCUMENTS
    results = [judge(path, shown(path), round(arguments.seconds * share), others) for path, share in shares.items()]
    return max(results)


if __name__ == "__main__":
    sys.exit(main())
