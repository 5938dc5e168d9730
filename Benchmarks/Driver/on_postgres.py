"""Servers on PostgreSQL. Each one has a database of its own in the PostgreSQL of the run."""
import os
import re
import signal
import sys
import types
from pathlib import Path

from servers import BENCHMARKS, REPOSITORY, TICKS, Holdfast

OURS = "HOLDFAST_TEST_"


def end(number, _):
    """Ends this program and its servers."""
    for other in (signal.SIGINT, signal.SIGTERM):
        signal.signal(other, signal.SIG_IGN)
    sys.exit(128 + number)


def beside_postgres():
    """The PostgreSQL of this run. If there is none, this program starts again as the command of scripts/with-postgres."""
    if f"{OURS}DATABASE_URL" not in os.environ:
        script = str(REPOSITORY / "scripts" / "with-postgres")
        # PostgreSQL keeps its data on the disk of SQLite's data, and a commit waits for that disk.
        environment = {"TMPDIR": str(BENCHMARKS / ".build-run"), **os.environ}
        environment.pop(f"{OURS}FAST", None)
        os.execve(script, [script, "--standby", "0", sys.executable, *sys.argv], environment)
    # An interrupt comes from the terminal and from with-postgres. The servers end once.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    # Last in the path: both folders have modules with the same names.
    sys.path.append(str(REPOSITORY / "Tests" / "EndToEnd"))
    from engines import ENGINE
    # The server warns of settings that it does not know.
    for name in [name for name in os.environ if name.startswith(OURS)]:
        del os.environ[name]
    if ENGINE.query("SHOW fsync") != ["on"]:
        sys.exit("PostgreSQL must wait for the disk: HOLDFAST_TEST_FAST must not be set")
    return ENGINE


def processor_seconds(postgres):
    """Processor time of PostgreSQL's processes, also of those that have ended."""
    first = (postgres.cluster / "postmaster.pid").read_text().split()[0]
    children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    ticks = 0
    for process in (first, *children):
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # It has ended since.
        ticks += sum(map(int, fields[11:15]))
    return ticks / TICKS


class OnPostgres(Holdfast):
    """A server whose role only reads and writes rows. If there is a `wire`, its port takes the connections."""

    def __init__(self, postgres, settings, wire=None):
        super().__init__(postgres.name, settings=settings)
        self.postgres, self.wire, self.place = postgres, wire, None

    def start(self):
        access = self.postgres.prepare(types.SimpleNamespace(
            binary=self.binary, config=self.configuration, data=self.directory / "data", directory=self.directory,
            environment=os.environ))
        url = access["HOLDFAST_DATABASE_URL"]
        self.place = url.rpartition("/")[2]
        self.settings |= access
        if self.wire:
            self.settings["HOLDFAST_DATABASE_URL"] = re.sub(r"@[^/]+", f"@127.0.0.1:{self.wire.port}", url)
        super().start()

    def rows(self):
        return tuple(map(int, self.postgres.query(
            "SELECT count(*) FROM sessions; SELECT count(*) FROM session_events", self.place)))

    def close(self):
        super().close()
        if self.place:
            self.postgres.query(f"DROP DATABASE {self.place} WITH (FORCE)")
