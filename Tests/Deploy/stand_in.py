#!/usr/bin/env python3
"""Takes the place of `docker` in a walk: asks the walk's engine.

    stand_in.py SOCKET COMMAND...
"""
import json
import os
import socket
import sys


def main():
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(sys.argv[1])
        connection.sendall(json.dumps(sys.argv[2:]).encode() + b"\n")
        reply = json.loads(connection.makefile("rb").read())
    if "exec" in reply:
        os.execvp(reply["exec"][0], reply["exec"])
    sys.stdout.write(reply.get("output", ""))
    sys.stderr.write(reply.get("error", ""))
    sys.exit(reply.get("status", 0))


main()
