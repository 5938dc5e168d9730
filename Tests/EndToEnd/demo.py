#!/usr/bin/env python3
"""The demo page in a real browser: each check is played through, on large and small screens, in the dark and by keyboard.

Needs Debian's chromium and the packages of requirements.txt. With --url, the demo of a running sandbox server is
played; otherwise this starts one.
The last line is "N passed, M failed".
"""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("Pages")))

import pages_demo  # noqa: E402
import pages_demo_looks  # noqa: E402
import pages_demo_shop  # noqa: E402
import scenes  # noqa: E402
from demo_stage import DemoStage  # noqa: E402
from holdfast import add_server_arguments  # noqa: E402
from playwright.sync_api import Error  # noqa: E402

SCENES = [scene for module in (pages_demo, pages_demo_looks, pages_demo_shop) for scene in scenes.of(module)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--url", help="the base address of a running sandbox server")
    parser.add_argument("--only", default="", metavar="TEXT", help="only scenes whose sentence has this text")
    parser.add_argument("--seconds", type=float, default=900.0, help="time limit of the run (default %(default)g)")
    parser.add_argument("--screenshots", metavar="FOLDER", help="keep pictures of the page there")
    options = parser.parse_args()
    if not (options.url or options.binary):
        parser.error("no build found; build first, or give --binary or --url")
    # A thing that does not appear is a failure of its scene.
    scenes.FAULTS = (*scenes.FAULTS, Error)
    stage = DemoStage(options)
    try:
        scenes.run(SCENES, stage, options.only, options.seconds)
    finally:
        stage.close()


if __name__ == "__main__":
    main()
