#!/usr/bin/env python3
"""Runs the services of deploy/compose without a container engine, and sends a code through them with `send-code`.

Needs root; where this machine allows no namespaces, it says so and ends with status 0.
"""
import argparse
import subprocess
import sys

from engine import Engine
from namespaces import enter


def send(engine):
    # The published port is that of the container itself.
    with open(engine.copy / ".env", "a") as settings:
        settings.write(f"HOLDFAST_ADDRESS={engine.address('holdfast')}\n")
    subprocess.run([sys.executable, engine.copy / "send-code", "+12065550123"], check=True, env=engine.environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--compose", required=True, help="the docker-compose to read the file with")
    options = parser.parse_args()
    enter("deploy walk")
    with Engine("compose", options.binary, options.compose) as engine:
        engine.prepare()
        engine.up()
        print(f"{len(engine.containers)} services are up", flush=True)
        send(engine)
        status = engine.containers["holdfast"].stop()
        assert status == 0, f"holdfast ended with {status} after SIGTERM"
        print("holdfast ended with status 0 after SIGTERM")


main()
