#!/usr/bin/env python3
"""Ports for what cannot choose its own, such as a server that keeps its port over a restart. As a program it prints one.

A port that the kernel chooses may be given to somebody's outgoing connection while nobody listens on it. So these are below
the range of outgoing connections, and checks that run beside each other draw them at random.
"""
import random
import socket
from pathlib import Path

OUTGOING = Path("/proc/sys/net/ipv4/ip_local_port_range")
LOWEST = 10_240


def free_port():
    """A port of loopback that nobody has."""
    below = int(OUTGOING.read_text().split()[0]) if OUTGOING.exists() else 32_768
    while True:
        # Where outgoing connections may have all of them, any will do.
        port = random.randrange(LOWEST, below) if below > 2 * LOWEST else 0
        with socket.socket() as drawn:
            try:
                drawn.bind(("127.0.0.1", port))
            except OSError:
                continue
            return drawn.getsockname()[1]


if __name__ == "__main__":
    print(free_port())
