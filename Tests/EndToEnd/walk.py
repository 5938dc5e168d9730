#!/usr/bin/env python3
"""Walks through a real server scene by scene: codes, device keys, tokens, sandbox, restart, secrecy.

Starts its own servers on free ports with fresh data, and removes both. The last line is "N passed, M failed".
"""
import argparse

import scenes
import walk_attacks
import walk_device
import walk_operations
import walk_otp
import walk_tokens
from holdfast import add_server_arguments, checked_arguments
from world import World

# The operations come last: they end by stopping the servers and reading what these left.
SCENES = [
    scene
    for module in (walk_otp, walk_device, walk_tokens, walk_attacks, walk_operations)
    for scene in scenes.of(module)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--only", default="", metavar="TEXT", help="only scenes whose sentence has this text")
    parser.add_argument("--seconds", type=float, default=240.0, help="time limit of the run (default %(default)g)")
    world = World(checked_arguments(parser))
    options = world.options
    try:
        scenes.run(SCENES, world, options.only, options.seconds)
    finally:
        world.close()


if __name__ == "__main__":
    main()
