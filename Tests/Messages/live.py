"""A server in live mode, with gateways of the test's own, and a backend and clients that call it."""
import json
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "EndToEnd"))
from holdfast import Caller, Client, Platform, Server, expected  # noqa: E402
from live_settings import WIDE_LIMITS  # noqa: E402
from ports import free_port  # noqa: E402

__all__ = ["Caller", "Client", "Live", "Run", "eventually", "expected", "free_port", "metric"]

REPOSITORY = Path(__file__).resolve().parents[2]
CLIENT = "acme"


def eventually(condition, seconds=10.0, what="a condition"):
    """The first true value of a condition."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what} did not come within {seconds:g} s")


def metric(base_url, name, **labels):
    """The sum of a metric's series that have these labels."""
    caller = Caller(base_url)
    text = caller.call("GET", "/metrics").body.decode()
    caller.close()
    total = 0.0
    for line in text.splitlines():
        if line.startswith((name + "{", name + " ")) and all(
                f'{key}="{value}"' in line for key, value in labels.items()):
            total += float(line.rsplit(" ", 1)[1])
    return total


class Live(Server):
    """`holdfast serve` in live mode on loopback, with one API client."""

    def __init__(self, binary, directory, routes, settings=None):
        self.folder = Path(directory)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.routes = self.folder / "routes.json"
        self.write_routes(routes)
        port, operations = free_port(), free_port()
        configuration = {
            "mode": "live",
            "server": {
                "host": "127.0.0.1", "port": port, "publicUrl": f"http://127.0.0.1:{port}", "operationsPort": operations},
            "data": {"directory": str(self.folder / "data"), "migrations": str(REPOSITORY / "migrations")},
            "messaging": {"routesFile": str(self.routes), "presets": str(REPOSITORY / "config" / "gateways")},
            # The scenes send more than one person would.
            "limits": {
                **WIDE_LIMITS, "sendsPerNumberPerQuarterHour": 1000, "sendsPerNumberPerDay": 1000, "secondsBetweenSends": 1},
        }
        for name, members in (settings or {}).items():
            configuration.setdefault(name, {}).update(members)
        path = self.folder / "live.json"
        path.write_text(json.dumps(configuration))
        super().__init__(binary, config=path, data=self.folder / "data", port=port)
        self.operations_url = f"http://127.0.0.1:{operations}"
        self.secret = None

    def write_routes(self, routes):
        self.routes.write_text(json.dumps(routes))

    def secret_file(self, name, text):
        """The path of a file that holds a secret."""
        path = self.folder / name
        path.write_text(text + "\n")
        path.chmod(0o600)
        return str(path)

    def start(self):
        super().start()
        if self.secret is None:
            added = self.command(
                "clients", "add", CLIENT, "--no-mobile-auth", "--calling-code", "1", "--calling-code", "49")
            self.secret = added.strip().rsplit("client_secret=", 1)[1]

    def explain(self, number):
        """What `holdfast numbers explain` tells of a number."""
        result = subprocess.run(
            [self.binary, "numbers", "explain", "--config", self.config, "--data", str(self.data)], text=True,
            input=number + "\n", capture_output=True, timeout=20)
        assert result.returncode == 0, result.stderr
        return [json.loads(line) for line in result.stdout.splitlines()]

    def platform(self):
        return Platform(self.base_url, CLIENT, self.secret)

    def metric(self, name, **labels):
        return metric(self.operations_url, name, **labels)

    def lines(self):
        """The log so far, as objects."""
        return [json.loads(line) for line in self.output().splitlines() if line.startswith("{")]


class Run:
    """One session of one number, as backend and client have it."""

    def __init__(self, live, number, platform=None, **fields):
        self.live, self.number = live, number
        self.platform = platform or live.platform()
        answer = expected(self.platform.unify(number, **fields), 200)
        self.correlation_id = answer["correlationId"]
        self.client = Client(live.base_url, answer["authToken"])

    def ask(self):
        """Asks for the first code; the answer."""
        expected(self.client.start(), 200)
        return self.client.otp()

    def result(self):
        return self.platform.status(self.correlation_id)
