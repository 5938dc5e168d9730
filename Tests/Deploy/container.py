"""One service of a compose file as its container runs it: command, environment, user, volumes and networks of the file,
a read-only root, no capabilities, and the file system of its image as far as this machine has it (bubblewrap).
"""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESTART_SECONDS = 0.1
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
USERS = {"root": 0, "haproxy": 99, "postgres": 999, "holdfast": 10001, "holdfast-kannel": 10002}
POSTGRES = "/usr/lib/postgresql/15/bin"


class Image:
    """- entry, command: without one in the compose file.
    - places: folders, with the owner that a new volume there gets.
    """

    def __init__(
            self, user="root", path=PATH, environment=None, entry=(), command=(), places=None, stop=signal.SIGTERM):
        self.user, self.places, self.stop = user, places or {}, stop
        self.entry, self.command = [*entry], [*command]
        self.environment = {**(environment or {}), "PATH": path}


def environment_of_holdfast():
    """The ENV of the repository's Dockerfile."""
    block = re.search(r"^ENV (.*?)\n(?=[A-Z])", (ROOT / "Dockerfile").read_text(), re.M | re.S)[1]
    return dict(re.findall(r"(\w+)=(\S+)", block))


IMAGES = {
    "holdfast": Image(
        "holdfast", f"/image:{PATH}", environment_of_holdfast(), ["holdfast"], ["serve"], {"/data": "holdfast"}),
    "holdfast-kannel": Image("holdfast-kannel"),
    "postgres": Image(path=f"{POSTGRES}:{PATH}", places={"/var/lib/postgresql/data": "postgres"}, stop=signal.SIGINT),
    "haproxy": Image("haproxy", stop=signal.SIGUSR1),
    # Debian itself.
    "machine": Image(),
}


def write_users(folder):
    """/etc/passwd and /etc/group of all images."""
    (folder / "passwd").write_text(
        "".join(f"{name}:x:{number}:{number}::/:/bin/sh\n" for name, number in USERS.items()))
    (folder / "group").write_text("".join(f"{name}:x:{number}:\n" for name, number in USERS.items()))


class Container:
    """- shared: the folder with volumes, logs and the files of the images.
    - namespace: `None` without a network.
    """

    def __init__(self, name, binary, shared, namespace):
        self.name, self.binary, self.shared, self.namespace = name, binary, shared, namespace
        self.log = shared / f"{name}.log"
        self.process = self.follower = self.last_status = None
        self.is_wanted, self.starts = False, 0
        # Held while the process begins or ends.
        self.lock = threading.RLock()

    def configure(self, value):
        """As the compose file describes it now. A process that runs stays as it is."""
        self.value = value
        self.image = IMAGES[value["image"].split(":")[0]]
        user = str(value.get("user") or USERS[self.image.user]).split(":")[0]
        kept = "".join(f",+{name.lower()}" for name in value.get("cap_add") or [])
        self.identity = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs",
                         f"--bounding-set=-all{kept}"]
        self.environment = self.image.environment | {
            key: str(text) for key, text in (value.get("environment") or {}).items()}

    # Commands

    def wrapper(self):
        """What runs a command in a new container."""
        words = ["nsenter", f"--net={self.namespace.path}"] if self.namespace else ["unshare", "--net"]
        words += ["bwrap", "--unshare-pid", "--unshare-ipc", "--as-pid-1", "--dev", "/dev", "--proc", "/proc",
                  "--perms", "1777", "--tmpfs", "/dev/shm"]
        # Folders that bubblewrap makes by itself are for root only.
        targets = [volume["target"] for volume in self.value.get("volumes") or []] + (self.value.get("tmpfs") or [])
        parents = {str(parent) for target in targets for parent in pathlib.PurePath(target).parents} - {"/", "/var/run"}
        for path in sorted(parents | {"/etc", "/image", "/run", "/var"}):
            words += ["--perms", "0755", "--dir", path]
        for path in ("/usr", "/etc/ssl", "/etc/nsswitch.conf", "/etc/ld.so.cache", "/etc/alternatives"):
            words += ["--ro-bind", path, path]
        for path in ("/bin", "/sbin", "/lib", "/lib64"):
            words += ["--symlink", "usr" + path, path]
        words += ["--symlink", "../run", "/var/run"]
        for name in ("passwd", "group", "hosts", "resolv.conf"):
            words += ["--ro-bind", self.shared / name, f"/etc/{name}"]
        if self.image is IMAGES["holdfast"]:
            # The image has these beside Debian's files. /usr is bound as a whole, so they come after it.
            words += ["--ro-bind", self.binary, "/image/holdfast"]
            words += ["--ro-bind", self.shared / "etc-holdfast", "/etc/holdfast"]
        for volume in self.value.get("volumes") or []:
            words += ["--ro-bind" if volume.get("read_only") else "--bind", self.source(volume), volume["target"]]
        for path in self.value.get("tmpfs") or []:
            words += ["--perms", "1777", "--tmpfs", path]
        if self.value.get("read_only"):
            words += ["--remount-ro", "/"]
        words += ["--clearenv"]
        for key, text in self.environment.items():
            words += ["--setenv", key, text]
        return [*map(str, words), "--cap-add", "ALL", *self.identity]

    def source(self, volume):
        if volume["type"] == "bind":
            return volume["source"]
        path = self.shared / "volumes" / volume["source"]
        if not path.exists():
            path.mkdir(parents=True)
            # An engine fills a new volume from the image, with the owner of that folder there.
            if owner := self.image.places.get(volume["target"]):
                os.chown(path, USERS[owner], USERS[owner])
                path.chmod(0o700)
        return path

    def inside(self, *words):
        """The command line that runs a command in the running container."""
        environment = [f"{key}={text}" for key, text in self.environment.items()]
        return ["nsenter", f"--target={self.pid()}", "--mount", "--pid", "--ipc", "--net", "env", "-i", *environment,
                *self.identity, *words]

    def in_new_one(self, entry, words):
        """The command line of `docker compose run`."""
        return [*self.wrapper(), *([entry] if entry else self.image.entry), *words]

    # Life

    def start(self):
        with self.lock:
            self.is_wanted = True
            self._begin()
            self.follower = threading.Thread(target=self._follow, daemon=True)
            self.follower.start()

    def _begin(self):
        if self.namespace:
            self.namespace.connect()
        entry, command = self.value.get("entrypoint"), self.value.get("command")
        words = [*(entry or self.image.entry), *(command or ([] if entry else self.image.command))]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*self.wrapper(), *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        self.starts += 1

    def _follow(self):
        """`restart: unless-stopped`"""
        while True:
            self.process.wait()
            with self.lock:
                self.last_status = self.process.returncode
                if self.namespace:
                    self.namespace.disconnect()
                if not self.is_wanted or self.value.get("restart") != "unless-stopped":
                    self.is_wanted = False
                    return
            time.sleep(RESTART_SECONDS)
            with self.lock:
                if not self.is_wanted:
                    return
                self._begin()

    def pid(self):
        """The first process of the container: the only child of bubblewrap."""
        found = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout.split()
        if not found:
            raise ProcessLookupError(f"{self.name} does not run")
        return int(found[0])

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        os.kill(self.pid(), number)

    def is_healthy(self):
        test = (self.value.get("healthcheck") or {}).get("test")
        try:
            return self.is_running and (
                test is None or subprocess.run(self.inside(*test[1:]), capture_output=True).returncode == 0)
        except ProcessLookupError:
            return False

    def stop(self, seconds=None):
        """As an engine does: the image's signal, and SIGKILL later.

        Returns the status; `None`: it did not end by itself.
        """
        with self.lock:
            self.is_wanted = False
        if not self.is_running:
            return None
        grace = re.findall(r"(\d+)([ms])", str(self.value.get("stop_grace_period", "10s")))
        seconds = seconds or sum(int(number) * {"m": 60, "s": 1}[unit] for number, unit in grace)
        own = self.value.get("stop_signal")
        with contextlib.suppress(ProcessLookupError):
            self.signal(signal.Signals[own] if own else self.image.stop)
        self.follower.join(seconds)
        if not self.follower.is_alive():
            return self.last_status
        self.kill()
        return None

    def kill(self):
        """It does not start again."""
        with self.lock:
            self.is_wanted = False
        if self.is_running:
            # The group of bubblewrap, and of the service unless that has made its own.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        if self.follower:
            self.follower.join()
