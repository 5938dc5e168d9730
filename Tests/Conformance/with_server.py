#!/usr/bin/env python3
"""Starts a sandbox server with fresh data on a free port, gets an access token, runs a command against it, stops it.

The command finds HOLDFAST_TEST_PORT and HOLDFAST_TEST_TOKEN in its environment; its exit status is this script's.

    with_server.py path/to/holdfast -- sh -c 'curl http://127.0.0.1:$HOLDFAST_TEST_PORT/healthz'
"""
import argparse
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "EndToEnd"))
from platform_api import Platform  # noqa: E402
from server import Server  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="the holdfast executable")
    parser.add_argument("--config", help="configuration file (default: config/sandbox.json of the repository)")
    parser.add_argument("--seconds", type=float, default=580.0, help="time limit of the command (default %(default)g)")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="after --: the command and its arguments")
    options = parser.parse_args()
    # Cases name these hosts.
    names = {"HOLDFAST_SERVER_HOST_NAMES": "h,example.com"}
    with Server(options.binary, options.config, environment=names) as server:
        platform = Platform(server.base_url)
        answer = platform.token()
        if answer.status != 200:
            sys.exit(f"no access token: {answer}")
        environment = {
            **os.environ, "HOLDFAST_TEST_PORT": str(server.port), "HOLDFAST_TEST_TOKEN": platform.access_token}
        try:
            status = subprocess.run(options.command, env=environment, timeout=options.seconds).returncode
        except subprocess.TimeoutExpired:
            sys.stderr.write(f"the command took longer than {options.seconds:g} s\n")
            status = 1
        if not server.is_running():
            sys.stderr.write("the server ended by itself\n")
            status = status or 1
    sys.exit(status)


if __name__ == "__main__":
    main()
