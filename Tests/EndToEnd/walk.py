#!/usr/bin/env python3
"""Walks through a real server scene by scene: every user, every check, waiting, tokens, threats, restart, secrecy.

Starts its own servers on free ports with fresh data, and removes both. The last line is "N passed, M failed".
"""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("Walk")))

import scenes  # noqa: E402
import walk_added_users  # noqa: E402
import walk_app  # noqa: E402
import walk_attacks  # noqa: E402
import walk_audit  # noqa: E402
import walk_auth  # noqa: E402
import walk_chain_threats  # noqa: E402
import walk_device  # noqa: E402
import walk_guides  # noqa: E402
import walk_identity  # noqa: E402
import walk_isolation  # noqa: E402
import walk_link  # noqa: E402
import walk_mobile_auth  # noqa: E402
import walk_operations  # noqa: E402
import walk_otp  # noqa: E402
import walk_parsing  # noqa: E402
import walk_prefill  # noqa: E402
import walk_sdk  # noqa: E402
import walk_threats  # noqa: E402
import walk_tls  # noqa: E402
import walk_tokens  # noqa: E402
import walk_users  # noqa: E402
import walk_waiting  # noqa: E402
from holdfast import Server, add_server_arguments, checked_arguments  # noqa: E402
from world import World  # noqa: E402

# A stream is opened first, so that its heartbeat is due by the time somebody looks for it. The operations come last:
# they end by stopping the servers and reading what these left.
SCENES = [walk_waiting.a_quiet_stream_is_opened] + [
    scene
    for module in (
        walk_users, walk_added_users, walk_prefill, walk_auth, walk_app, walk_guides, walk_parsing, walk_sdk,
        walk_identity, walk_isolation, walk_otp, walk_link, walk_mobile_auth, walk_device, walk_waiting, walk_tokens,
        walk_attacks, walk_threats, walk_chain_threats, walk_tls, walk_audit, walk_operations)
    for scene in scenes.of(module) if scene is not walk_waiting.a_quiet_stream_is_opened]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--only", default="", metavar="TEXT", help="only scenes whose sentence has this text")
    parser.add_argument("--seconds", type=float, default=900.0, help="time limit of the run (default %(default)g)")
    parser.add_argument("--tls", action="store_true", help="every server speaks TLS")
    arguments = checked_arguments(parser)
    Server.over_tls = arguments.tls
    world = World(arguments)
    options = world.options
    try:
        scenes.run(SCENES, world, options.only, options.seconds)
    finally:
        world.close()


if __name__ == "__main__":
    main()
