"""Holds a sandbox server against its own description.

First the document is judged by itself, then schemathesis makes requests from it: no 5xx, no status, header or shape
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

import openapi_spec_validator

HERE = pathlib.Path(__file__).resolve().parent


def document(file):
    if file:
        return json.loads(pathlib.Path(file).read_text())
    with urllib.request.urlopen(os.environ["SANDBOX_URL"] + "/openapi.json", timeout=10) as answer:
        assert answer.headers["Content-Type"] == "application/json", answer.headers["Content-Type"]
        assert answer.headers["ETag"] and answer.headers["X-Request-Id"]
        return json.load(answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=90, help="how long requests are made")
    parser.add_argument("--document", help="instead of the server's own /openapi.json")
    arguments, others = parser.parse_known_args()

    described = document(arguments.document)
    openapi_spec_validator.validate(described)
    count = sum(len(item) for item in described["paths"].values())
    print(f"openapi-check: a valid OpenAPI {described['openapi']} document with {count} operations")

    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory, "openapi.json")
        file.write_text(json.dumps(described))
        tester = [pathlib.Path(sys.executable).with_name("schemathesis"), "--config-file", HERE / "schemathesis.toml"]
        run = ["run", file, "--url", os.environ["SANDBOX_URL"], "--checks", "all", "--max-time", arguments.seconds]
        more = ["--request-timeout", 35, "--no-color", *others]
        if arguments.document:
            # Of another build, which may not show a description of its own.
            more += ["--exclude-path", "/openapi.json", "--exclude-path", "/docs"]
        environment = os.environ | {"SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE)}
        command = [str(part) for part in tester + run + more]
        return subprocess.run(command, cwd=directory, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
