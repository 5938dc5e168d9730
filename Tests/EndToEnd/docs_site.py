#!/usr/bin/env python3
"""The documentation of a running sandbox in a real browser, and the samples of each call's page, run.

Needs Debian's chromium and curl and the packages of requirements.txt.
The last line is "N passed, M failed".
"""
import argparse
import json
import sys
from pathlib import Path
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).with_name("Pages")))

import pages_docs  # noqa: E402
import scenes  # noqa: E402
from holdfast import Platform, Server, add_server_arguments, checked_arguments, expected  # noqa: E402
from pages_browser import Browser  # noqa: E402
from playwright.sync_api import Error  # noqa: E402

DOCUMENTS = {
    "holdfast": "/openapi.json", "prelude": "/prelude/openapi.json", "otpless": "/otpless/openapi.json",
    "onboarding": "/onboarding/openapi.json", "twilio-verify": "/twilio-verify/openapi.json",
    "camara": "/camara/openapi.json", "sms-hooks": "/hooks/openapi.json"}


class DocsStage:
    """What the scenes share."""

    def __init__(self, options):
        self.server = Server(options.binary, options.config)
        self.server.start()
        self.base = self.server.base_url
        self.browser = Browser([self.base], options.screenshots)

    def calls(self):
        """Each call that is described, as ((surface, operation), page)."""
        for name, path in DOCUMENTS.items():
            with urlopen(self.base + path) as answer:
                document = json.load(answer)
            for methods in document["paths"].values():
                for method, operation in methods.items():
                    if method != "options":
                        yield (name, operation), f"/docs/reference/{name}/{operation['operationId']}"

    def token(self):
        platform = Platform(self.base)
        token = expected(platform.token(), 200)["access_token"]
        platform.caller.close()
        return token

    def fall(self):
        return None if self.server.is_running() else f"the server has ended:\n{self.server.output()[-2000:]}"

    def close(self):
        self.browser.close()
        self.server.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--only", default="", metavar="TEXT", help="only scenes whose sentence has this text")
    parser.add_argument("--seconds", type=float, default=900.0, help="time limit of the run (default %(default)g)")
    parser.add_argument("--screenshots", metavar="FOLDER", help="keep pictures of the pages there")
    options = checked_arguments(parser)
    scenes.FAULTS = (*scenes.FAULTS, Error)
    stage = DocsStage(options)
    try:
        scenes.run(scenes.of(pages_docs), stage, options.only, options.seconds)
    finally:
        stage.close()


if __name__ == "__main__":
    main()
