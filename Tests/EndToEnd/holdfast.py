"""Driving a real Holdfast from outside: the server process, its backends, its clients, its sandbox.

    with Server("…/holdfast") as server:
        session = Platform(server.base_url).unify("2001004014").json
        Client(server.base_url, session["authToken"], device_key=Key()).authenticate("1234")
"""
from client_api import Client, Overloaded, expected
from exchange import Answer, Caller, Lost
from jose import Key, claims_of
from phone import Phone, target_of
from platform_api import Platform
from sandbox_api import Sandbox
from server import REPOSITORY, Server

__all__ = [
    "Answer", "Caller", "Client", "Key", "Lost", "Overloaded", "Phone", "Platform", "REPOSITORY", "Sandbox", "Server", "claims_of",
    "expected", "target_of",
]


def default_binary():
    """The newest build of the repository."""
    builds = [REPOSITORY / ".build" / kind / "holdfast" for kind in ("release", "debug")]
    found = [build for build in builds if build.exists()]
    return str(max(found, key=lambda build: build.stat().st_mtime)) if found else None


def add_server_arguments(parser):
    parser.add_argument("--binary", default=default_binary(), help="the holdfast executable (default: the last build)")
    parser.add_argument("--config", default=str(REPOSITORY / "config" / "sandbox.json"), help="default %(default)s")


def checked_arguments(parser):
    options = parser.parse_args()
    if not options.binary:
        parser.error("no build found; build first or give --binary")
    return options
