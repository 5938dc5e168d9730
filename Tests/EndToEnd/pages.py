#!/usr/bin/env python3
"""A real browser: the pages of instant links as a person sees and presses them, and an app's own page that calls.

Starts its own server, and needs Debian's chromium and the packages of requirements.txt.
The last line is "N passed, M failed".
"""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("Pages")))

import pages_app  # noqa: E402
import pages_looks  # noqa: E402
import pages_walk  # noqa: E402
import scenes  # noqa: E402
from holdfast import add_server_arguments, checked_arguments  # noqa: E402
from pages_browser import Browser  # noqa: E402
from pages_links import FinalTarget, SandboxLinks  # noqa: E402

# The walk comes last: it moves the clock.
SCENES = [scene for module in (pages_app, pages_looks, pages_walk) for scene in scenes.of(module)]


class Stage:
    """What the scenes share: links, a browser that opens them, and where they lead."""

    def __init__(self, make_links, screenshots):
        self.target = FinalTarget()
        self.links = make_links(self.target)
        self.browser = Browser(
            [self.links.origin, self.target.origin, self.target.second_origin, self.target.strange_origin], screenshots)
        self.visit = self.browser.visit

    def fall(self):
        return self.links.fall()

    def close(self):
        self.browser.close()
        self.links.close()
        self.target.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--only", default="", metavar="TEXT", help="only scenes whose sentence has this text")
    parser.add_argument("--seconds", type=float, default=900.0, help="time limit of the run (default %(default)g)")
    parser.add_argument("--screenshots", metavar="FOLDER", help="keep pictures of the pages there")
    options = checked_arguments(parser)
    stage = Stage(lambda target: SandboxLinks(options, target), options.screenshots)
    try:
        scenes.run(SCENES, stage, options.only, options.seconds)
    finally:
        stage.close()


if __name__ == "__main__":
    main()
