"""Debian's PostgreSQL under test: a primary and its standbys on loopback, in a temporary directory, until `close()`."""
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from ports import free_port

PACKAGES = Path("/usr/lib/postgresql")
OLDEST = 15
START_SECONDS = 60.0
STOP_SECONDS = 10.0
POLL_SECONDS = 0.02
DATABASE, OWNER, SUPERUSER = "holdfast", "holdfast_owner", "postgres"

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    # A deadlock ends soon: its transaction runs again.
    "deadlock_timeout": "100ms",
    # Shared memory in files of the directory: nothing is left elsewhere after a kill.
    "dynamic_shared_memory_type": "mmap",
}
# Without a wait for the disk. Commits still wait for the standby.
FAST = {"fsync": "off", "full_page_writes": "off"}
# The sort order of the database is English: a text that must be sorted by bytes and does not say so is found.
ENCODING = {"encoding": "UTF8", "locale": "C.UTF-8", "locale-provider": "icu", "icu-locale": "en"}


def programs():
    """The folder of the newest PostgreSQL that is installed and new enough; `None`: there is none."""
    versions = [int(folder.name) for folder in PACKAGES.glob("*") if folder.name.isdigit()]
    found = [version for version in versions if version >= OLDEST and (PACKAGES / str(version) / "bin" / "postgres").exists()]
    return PACKAGES / str(max(found)) / "bin" if found else None


def unprivileged_user():
    """The user that the instances run as: root cannot run them. `None`: the caller, who is not root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RuntimeError("no user postgres or nobody, and root cannot run PostgreSQL")


def identity_in(directory):
    """How programs of PostgreSQL run in a directory, for `subprocess`."""
    # Nothing of the caller's environment: a PGPORT or PGDATA there is for another database. Sessions of their own: an
    # interrupt at the terminal is for the command, not for the database.
    identity = {"cwd": directory, "start_new_session": True,
                "env": {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"}}
    if user := unprivileged_user():
        identity |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    return identity


class Instance:
    """One PostgreSQL. Its port and its directory stay the same over restarts."""

    def __init__(self, cluster, name):
        self.cluster, self.name = cluster, name
        self.data, self.log = cluster.directory / name, cluster.directory / f"{name}.log"
        self.port, self.process = free_port(), None

    def configure(self, settings):
        with open(self.data / "postgresql.conf", "a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in {**settings, "port": self.port}.items())

    def start(self):
        """Starts it and waits until it answers."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.cluster.programs / "postgres", "-D", self.data], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                **self.cluster.identity)
        deadline = time.monotonic() + START_SECONDS
        question = [self.cluster.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        while subprocess.run(question, **self.cluster.identity).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{self.name} of PostgreSQL did not start:\n{self.log.read_text()[-2000:]}")
            time.sleep(POLL_SECONDS)


class Cluster:
    """A primary with its standbys. A commit waits for one of the standbys, if there are any."""

    def __init__(self, standbys=0, is_fast=False):
        self.programs, self.is_fast = programs(), is_fast
        if self.programs is None:
            raise RuntimeError(f"PostgreSQL {OLDEST} or newer is not installed")
        self.directory = Path(tempfile.mkdtemp(prefix="holdfast-postgres-"))
        self.identity = identity_in(self.directory)
        if "user" in self.identity:
            os.chown(self.directory, self.identity["user"], self.identity["group"])
        self.passwords = {role: secrets.token_hex(16) for role in (OWNER, SUPERUSER)}
        self.primary = Instance(self, "primary")
        self.standbys = [Instance(self, f"standby{number + 1}") for number in range(standbys)]

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def url(self, role=OWNER, instance=None):
        port = (instance or self.primary).port
        return f"postgresql://{role}:{self.passwords[role]}@127.0.0.1:{port}/{DATABASE}"

    def query(self, sql, instance=None, database=DATABASE):
        """Runs statements as the superuser; the rows, a line for each."""
        command = [self.programs / "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1",
                   "-p", str((instance or self.primary).port), "-U", SUPERUSER, "-d", database]
        return self._run(command, text=sql).splitlines()

    def _run(self, command, text=""):
        identity = {**self.identity, "env": {**self.identity["env"], "PGPASSWORD": self.passwords[SUPERUSER]}}
        ended = subprocess.run(command, input=text, capture_output=True, text=True, **identity)
        if ended.returncode != 0:
            raise RuntimeError(f"{command[0]} ended with {ended.returncode}: {ended.stderr[-2000:]}")
        return ended.stdout

    def _start(self):
        # initdb reads the password from a file, which must be its own user's.
        self._run(["sh", "-c", 'umask 077 && cat > password && "$@" && rm password', "sh",
                   self.programs / "initdb", "-D", self.primary.data, "-U", SUPERUSER,
                   *(f"--{name}={value}" for name, value in ENCODING.items()),
                   "--no-sync", "--auth=scram-sha-256", "--pwfile=password"],
                  text=self.passwords[SUPERUSER])
        self.primary.configure(self.settings)
        self.primary.start()
        self._create_database()
        for standby in self.standbys:
            # A slot: the primary keeps what a stopped standby has not read yet.
            self._run([self.programs / "pg_basebackup", "-D", standby.data, "-R", "-C", "-S", standby.name, "-c", "fast", "--no-sync",
                       "-d", f"host=127.0.0.1 port={self.primary.port} user={SUPERUSER} application_name={standby.name}"])
            standby.configure({})
            standby.start()
        if self.standbys:
            self.query("ALTER SYSTEM SET synchronous_standby_names = "
                       f"'ANY 1 ({', '.join(standby.name for standby in self.standbys)})';\nSELECT pg_reload_conf();")
            self._await_standbys()

    @property
    def settings(self):
        return SETTINGS | (FAST if self.is_fast else {})

    def _create_database(self):
        self.query(f"CREATE ROLE {OWNER} LOGIN PASSWORD '{self.passwords[OWNER]}';\n"
                   f"CREATE DATABASE {DATABASE} OWNER {OWNER};", database="postgres")

    def _await_standbys(self):
        deadline = time.monotonic() + START_SECONDS
        question = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'quorum'"
        while self.query(question) != [str(len(self.standbys))]:
            if time.monotonic() > deadline:
                raise RuntimeError(f"the standbys did not connect:\n{self.primary.log.read_text()[-2000:]}")
            time.sleep(POLL_SECONDS)

    def close(self):
        """Ends all instances, also stopped ones, and removes the directory."""
        # A test may have started them again, so they are found by their folder.
        instances = {process for process, words in command_lines().items() if words[0].endswith(b"/postgres")
                     and any(word.startswith(bytes(self.directory) + b"/") for word in words)}
        everything = instances | descendants(instances)
        # The data is not needed any more, so there is no orderly end. A stopped process must go on to see the signal.
        send(signal.SIGQUIT, instances)
        send(signal.SIGCONT, everything)
        await_end(everything)
        for instance in (self.primary, *self.standbys):
            if instance.process is not None:
                instance.process.wait()
            self._remove_shared_memory(instance)
        shutil.rmtree(self.directory)

    def _remove_shared_memory(self, instance):
        """A killed instance leaves its file, which names its segment of shared memory."""
        try:
            segment = (instance.data / "postmaster.pid").read_text().splitlines()[6].split()[1]
        except (OSError, IndexError):
            return
        subprocess.run(["ipcrm", "-m", segment], stderr=subprocess.DEVNULL)


def command_lines():
    """The words that started each process, by its ID."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            found[int(folder.name)] = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # It has ended since.
    return found


def descendants(processes):
    """The process IDs of the children of these processes, of their children, and so on."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # It has ended since.
    found, newest = set(), set(processes)
    while newest:
        newest = {process for process, parent in parents.items() if parent in newest}
        found |= newest
    return found


def send_to_instance(data, number):
    """Sends a signal to all processes of the instance with these data."""
    own = {int((data / "postmaster.pid").read_text().splitlines()[0])}
    send(number, own | descendants(own))


def send(number, processes):
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def await_end(processes, seconds=STOP_SECONDS):
    """Waits for the end of these processes, and kills them after some seconds."""
    deadline = time.monotonic() + seconds
    while any(_is_running(process) for process in processes):
        if time.monotonic() > deadline:
            send(signal.SIGKILL, processes)
        time.sleep(POLL_SECONDS)


def _is_running(process):
    """Whether it is there and not only waits for its parent to see its end."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
