#!/usr/bin/env python3
"""Plays systemd and ssh on a machine of a walk.

    machine.py init                       the first process: runs units, and does what the others ask for
    machine.py systemctl COMMAND...       on this machine
    machine.py journalctl                 all that its services have written
    machine.py ssh MACHINE COMMAND...     on another machine, as root

Of a unit it plays the process, its user, directories, credentials and sockets, which stay open while the service starts
again, and Restart=. It plays no restrictions, and no start by a connection.
"""
import configparser
import fcntl
import json
import os
import pathlib
import pwd
import shlex
import shutil
import signal
import socket
import string
import subprocess
import sys
import threading

# Shared by all machines.
FOLDER = pathlib.Path("/machines")
NAME = os.environ["MACHINE"]
LOG = FOLDER / f"{NAME}.log"
UNITS = (pathlib.Path("/etc/systemd/system"), pathlib.Path("/usr/lib/systemd/system"))
# sd_listen_fds(3): the first socket has this number.
FIRST_SOCKET = 3
MOST_SOCKETS = 4
# Above the numbers of the sockets.
NOTHING = fcntl.fcntl(os.open(os.devnull, os.O_RDWR), fcntl.F_DUPFD_CLOEXEC, 100)
START_SECONDS = 30.0


def read(name):
    """A unit with its drop-ins, as one section of the last value of each setting."""
    unit = configparser.RawConfigParser(strict=False, delimiters="=", comment_prefixes="#")
    unit.optionxform = str
    file = next((folder / name for folder in UNITS if (folder / name).exists()), None)
    if file is None:
        raise LookupError(f"there is no unit {name}")
    unit.read([file, *sorted((UNITS[0] / f"{name}.d").glob("*.conf"))])
    return {key: value for section in unit.sections() for key, value in unit.items(section)}


class Sockets:
    """The sockets of units that are started, by the unit's name."""

    def __init__(self):
        self.listening = {}

    def start(self, name):
        if name in self.listening:
            return
        host, _, port = read(name)["ListenStream"].rpartition(":")
        family = socket.AF_INET if host else socket.AF_INET6
        self.listening[name] = socket.create_server(
            (host, int(port)), family=family, backlog=socket.SOMAXCONN, dualstack_ipv6=not host)

    def stop(self, name):
        if name in self.listening:
            self.listening.pop(name).close()


class Service:
    """The process of a service, and what starts it again."""

    def __init__(self, name, sockets):
        self.name, self.sockets = name, sockets
        self.process = self.follower = None
        # Commands come from several threads.
        self.lock = threading.RLock()
        self.is_stopped = threading.Event()

    def start(self):
        with self.lock:
            if self.follower and self.follower.is_alive():
                return
            self.is_stopped.clear()
            self._begin()
            self.follower = threading.Thread(target=self._follow, daemon=True)
            self.follower.start()

    def stop(self):
        self.is_stopped.set()
        # A start that is in progress comes first.
        with self.lock:
            self.kill(signal.SIGTERM)
        self.follower.join(int(self.unit.get("TimeoutStopSec", "90")))
        self.kill(signal.SIGKILL)
        self.follower.join()

    def kill(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)

    def _begin(self):
        self.unit = unit = read(self.name)
        names = unit.get("Sockets", "").split()
        for name in names:
            self.sockets.start(name)
        user = pwd.getpwnam(unit.get("User", "root"))
        environment = dict(word.split("=", 1) for word in shlex.split(unit.get("Environment", "")))
        environment |= {"PATH": os.environ["PATH"], **self._make_directories(user)}
        if "ExecStartPre" in unit and self._run(unit["ExecStartPre"], user, environment).wait():
            raise OSError("ExecStartPre failed")
        notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notices.settimeout(START_SECONDS)
        if unit.get("Type") == "notify":
            place = pathlib.Path("/run/notify")
            place.unlink(missing_ok=True)
            notices.bind(str(place))
            environment["NOTIFY_SOCKET"] = str(place)
        if names:
            environment |= {
                "LISTEN_FDS": str(len(names)),
                "LISTEN_FDNAMES": ":".join(read(name)["FileDescriptorName"] for name in names)}
        self.process = self._run(unit["ExecStart"], user, environment, names)
        if unit.get("Type") == "notify":
            while b"READY=1" not in notices.recv(4096):
                pass
        notices.close()

    def _make_directories(self, user):
        """The directories and credentials of the unit. Returns the variables that name them."""
        named = {}
        for kind, parent in (("State", "/var/lib"), ("Runtime", "/run")):
            for name in self.unit.get(f"{kind}Directory", "").split():
                path = named[f"{kind.upper()}_DIRECTORY"] = f"{parent}/{name}"
                os.makedirs(path, exist_ok=True)
                os.chown(path, user.pw_uid, user.pw_gid)
                os.chmod(path, int(self.unit[f"{kind}DirectoryMode"], 8))
        if "LoadCredential" in self.unit:
            prefix, folder = self.unit["LoadCredential"].split(":")
            place = pathlib.Path("/run/credentials") / self.name
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            named["CREDENTIALS_DIRECTORY"] = str(place)
            for file in pathlib.Path(folder).iterdir():
                copy = shutil.copy(file, place / f"{prefix}_{file.name}")
                os.chown(copy, user.pw_uid, user.pw_gid)
                os.chmod(copy, 0o400)
        return named

    def _run(self, line, user, environment, sockets=()):
        words = shlex.split(string.Template(line).substitute(environment))
        for number, name in enumerate(sockets):
            os.dup2(self.sockets.listening[name].fileno(), FIRST_SOCKET + number)
        try:
            with open(LOG, "ab") as log:
                return subprocess.Popen(
                    ["/bin/sh", "-c", 'export LISTEN_PID=$$; exec "$@"', "sh", *words], env=environment,
                    user=user.pw_uid, group=user.pw_gid, extra_groups=[], umask=int(self.unit.get("UMask", "0022"), 8),
                    stdin=NOTHING, stdout=log, stderr=log, cwd="/",
                    pass_fds=range(FIRST_SOCKET, FIRST_SOCKET + len(sockets)))
        finally:
            for number, _ in enumerate(sockets):
                os.dup2(NOTHING, FIRST_SOCKET + number)

    def _follow(self):
        while True:
            status = self.process.wait()
            for name in self.unit.get("RuntimeDirectory", "").split():
                shutil.rmtree(f"/run/{name}")
            ends = self.unit.get("RestartPreventExitStatus", "").split()
            is_failure = status not in (0, -signal.SIGTERM) and str(status) not in ends
            is_again = {"on-failure": is_failure, "always": True}.get(self.unit.get("Restart"), False)
            if not is_again or self.is_stopped.wait(float(self.unit.get("RestartSec", "0.1"))):
                return
            with self.lock:
                if self.is_stopped.is_set():
                    return
                self._begin()


class Init:
    def __init__(self):
        # So that these numbers are free for sockets.
        for number in range(FIRST_SOCKET, FIRST_SOCKET + MOST_SOCKETS):
            os.dup2(NOTHING, number)
        self.sockets, self.services = Sockets(), {}

    def serve(self):
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(FOLDER / f"{NAME}.sock"))
            listener.listen()
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        with connection:
            request, files, _, _ = socket.recv_fds(connection, 1 << 16, 3)
            program, *words = json.loads(request)
            try:
                status = self.systemctl(words) if program == "systemctl" else self.command(words, files)
            except (LookupError, OSError) as error:
                os.write(files[2], f"{program}: {error}\n".encode())
                status = 1
            finally:
                for file in files:
                    os.close(file)
            connection.sendall(bytes([status]))

    def command(self, words, files):
        """sshd gives the words to a shell."""
        environment = {"PATH": os.environ["PATH"], "MACHINE": NAME}
        done = subprocess.run(
            ["/bin/sh", "-c", " ".join(words)], stdin=files[0], stdout=files[1], stderr=files[2], env=environment,
            cwd="/root")
        return done.returncode % 256

    def systemctl(self, words):
        options = [word for word in words if word.startswith("--")]
        command, *units = [word for word in words if word not in options]
        for name in units:
            unit = name if name.endswith((".service", ".socket")) else f"{name}.service"
            match command, options:
                case ("start", []) | ("enable", ["--now"]):
                    self.start(unit)
                case "stop", []:
                    self.stop(unit)
                case "restart", []:
                    self.stop(unit)
                    self.start(unit)
                case "kill", [option]:
                    self.services[unit].kill(signal.Signals[f"SIG{option.removeprefix('--signal=')}"])
                case _:
                    raise LookupError(f"no {' '.join(words)} here")
        return 0

    def start(self, unit):
        if unit.endswith(".socket"):
            self.sockets.start(unit)
        else:
            self.services.setdefault(unit, Service(unit, self.sockets)).start()

    def stop(self, unit):
        if unit.endswith(".service"):
            if unit in self.services:
                self.services[unit].stop()
            return
        # The service requires its sockets.
        for service in list(self.services.values()):
            if unit in service.unit.get("Requires", "").split():
                service.stop()
        self.sockets.stop(unit)


def ask(machine, words):
    """Lets the first process of a machine do something. Returns the status."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(FOLDER / f"{machine}.sock"))
        socket.send_fds(connection, [json.dumps(words).encode()], [0, 1, 2])
        return connection.recv(1)[0]


def main():
    program, *words = sys.argv[1:]
    match program:
        case "init":
            Init().serve()
        case "systemctl":
            sys.exit(ask(NAME, [program, *words]))
        case "journalctl":
            sys.stdout.write(LOG.read_text(errors="replace"))
        case "ssh":
            sys.exit(ask(words[0], [program, *words[1:]]))


main()
