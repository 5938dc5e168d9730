#!/usr/bin/env python3
"""Runs the services of deploy/compose/compose.yaml without a container engine, and sends a code through them.

Each service runs as in its container: the command, environment, user and volumes of the file, a read-only root, no
capabilities, and the file system of its image as far as this machine has it (bubblewrap). All share a network of their own,
where the names of the services lead to one address. What an engine adds is not shown: building the images, and networks that
are apart. Needs root; where this machine allows no namespaces, it says so and ends with status 0.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
USERS = {"holdfast": 10001, "holdfast-kannel": 10002}
SECONDS = 30


def image_environment():
    """The ENV of the repository's Dockerfile."""
    block = re.search(r"^ENV (.*?)\n(?=[A-Z])", (ROOT / "Dockerfile").read_text(), re.M | re.S)[1]
    return dict(re.findall(r"(\w+)=(\S+)", block))


class Service:
    def __init__(self, name, value, world):
        self.name, self.value, self.world = name, value, world
        self.image = value["image"]
        user = str(value.get("user") or USERS[self.image]).split(":")[0]
        words = ["bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--dev", "/dev", "--proc", "/proc"]
        # Folders that bubblewrap makes by itself are for root only.
        for path in ("/etc", "/image", "/run", "/to", "/from", "/data"):
            words += ["--perms", "0755", "--dir", path]
        for path in ("/usr", "/etc/ssl", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/ld.so.cache", "/etc/alternatives"):
            words += ["--ro-bind", path, path]
        for path in ("/bin", "/sbin", "/lib", "/lib64"):
            words += ["--symlink", "usr" + path, path]
        words += ["--ro-bind", str(world.folder / "hosts"), "/etc/hosts"]
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        if self.image == "holdfast":
            environment |= image_environment()
            # What the image has beside Debian's files. /usr is bound as a whole, so these stand above it.
            words += ["--ro-bind", world.binary, "/image/holdfast"]
            words += ["--ro-bind", world.folder / "etc-holdfast", "/etc/holdfast"]
            environment["PATH"] = "/image:" + environment["PATH"]
        for volume in value.get("volumes", []):
            words += ["--ro-bind" if volume.get("read_only") else "--bind", self.source(volume), volume["target"]]
        for path in value.get("tmpfs", []):
            words += ["--perms", "1777", "--tmpfs", path]
        if value.get("read_only"):
            words += ["--remount-ro", "/"]
        environment |= {key: str(text) for key, text in (value.get("environment") or {}).items()}
        words += ["--clearenv"]
        for key, text in environment.items():
            words += ["--setenv", key, text]
        kept = [name.lower() for name in value.get("cap_add", [])]
        caps = "-all" + "".join(f",+{name}" for name in kept)
        words += ["--cap-add", "ALL", "setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs",
                  f"--bounding-set={caps}"]
        self.wrapper = [str(word) for word in words]
        entry = value.get("entrypoint") or (["holdfast"] if self.image == "holdfast" else [])
        self.command = [*entry, *(value.get("command") or (["serve"] if self.image == "holdfast" else []))]
        self.process, self.log = None, world.folder / f"{name}.log"

    def source(self, volume):
        if volume["type"] == "bind":
            return volume["source"]
        path = self.world.folder / "volumes" / volume["source"]
        if not path.exists():
            path.mkdir(parents=True)
            # An engine fills a new volume from the image, with the owner of that directory there.
            if volume["target"] == "/data":
                os.chown(path, USERS[self.image], USERS[self.image])
                path.chmod(0o700)
        return path

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*self.wrapper, *self.command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def is_healthy(self):
        test = self.value["healthcheck"]["test"]
        return subprocess.run([*self.wrapper, *test[1:]], capture_output=True).returncode == 0

    def stop(self):
        """As an engine does: SIGTERM to the service, then SIGKILL. The wrapper's child is the service."""
        if self.process is None or self.process.poll() is not None:
            return None
        seconds = int(str(self.value.get("stop_grace_period", "10s")).rstrip("s"))
        for child in subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout.split():
            inner = subprocess.run(["pgrep", "-P", child], capture_output=True, text=True).stdout.split()
            for pid in inner or [child]:
                os.kill(int(pid), signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None


class World:
    def __init__(self, binary, compose):
        self.binary, self.compose = str(pathlib.Path(binary).resolve()), compose
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="holdfast-deploy-"))
        self.folder.chmod(0o755)
        self.copy = self.folder / "deploy" / "compose"

    def prepare(self):
        """A copy of the folder, so that the walk leaves no secrets behind in the repository."""
        shutil.copytree(ROOT / "deploy" / "compose", self.copy, ignore=shutil.ignore_patterns("secrets", ".env"))
        # send-code finds the tests' modules two folders above itself, and compose.yaml the Dockerfile.
        (self.folder / "Tests").symlink_to(ROOT / "Tests")
        # The second run finds everything there.
        for _ in range(2):
            subprocess.run([self.copy / "prepare"], check=True)
        (self.folder / "etc-holdfast").mkdir()
        for name in ("live.json", "routes.json"):
            # Where the file is mounted over.
            (self.folder / "etc-holdfast" / name).touch()
        shown = subprocess.run(
            [self.compose, "-f", self.copy / "compose.yaml", "config", "--format", "json"],
            check=True, capture_output=True, text=True).stdout
        self.file = json.loads(shown)
        names = set(self.file["services"])
        for value in self.file["services"].values():
            for network in (value.get("networks") or {}).values():
                names |= set((network or {}).get("aliases", []))
        (self.folder / "hosts").write_text(f"127.0.0.1 localhost {' '.join(sorted(names))}\n")

    def run(self):
        waiting = {name: Service(name, value, self) for name, value in self.file["services"].items()}
        self.services = dict(waiting)
        done = set()
        try:
            deadline = time.monotonic() + SECONDS
            while waiting:
                for name, service in list(waiting.items()):
                    if set(service.value.get("depends_on", {})) <= done:
                        service.start()
                        self.await_condition(service, deadline)
                        done.add(name)
                        del waiting[name]
                        print(f"{name} is up", flush=True)
            self.send()
            status = self.services["holdfast"].stop()
            assert status == 0, f"holdfast ended with {status} after SIGTERM"
            print("holdfast ended with status 0 after SIGTERM")
        except BaseException:
            for service in self.services.values():
                if service.log.exists():
                    print(f"--- {service.name}\n" + "\n".join(service.log.read_text(errors="replace").splitlines()[-15:]))
            raise
        finally:
            for service in self.services.values():
                service.stop()

    def await_condition(self, service, deadline):
        conditions = {
            value.get("depends_on", {}).get(service.name, {}).get("condition") for value in self.file["services"].values()}
        if "service_completed_successfully" in conditions:
            assert service.process.wait(SECONDS) == 0, f"{service.name} failed"
            return
        if "test" not in service.value.get("healthcheck", {}):
            return
        while not service.is_healthy():
            assert service.process.poll() is None, f"{service.name} has ended"
            assert time.monotonic() < deadline, f"{service.name} is not healthy after {SECONDS} s"
            time.sleep(0.1)

    def send(self):
        """send-code as it stands, with this file in the place of `docker compose`."""
        state = self.folder / "state.json"
        state.write_text(json.dumps({
            name: {"wrapper": service.wrapper, "log": str(service.log)} for name, service in self.services.items()}))
        command = f"{shlex.quote(sys.executable)} {shlex.quote(__file__)} --as-compose {shlex.quote(str(state))}"
        subprocess.run(
            [sys.executable, self.copy / "send-code", "+12065550123"], check=True,
            env={**os.environ, "HOLDFAST_COMPOSE": command})

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def as_compose(state, words):
    """`exec -T SERVICE COMMAND...` and `logs SERVICE`."""
    services = json.loads(pathlib.Path(state).read_text())
    if words[:2] == ["exec", "-T"]:
        os.execvp("bwrap", [*services[words[2]]["wrapper"], *words[3:]])
    if words[0] == "logs":
        sys.stdout.write(pathlib.Path(services[words[1]]["log"]).read_text(errors="replace"))
        return
    sys.exit(f"compose_walk: no such command: {words}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--compose", required=True, help="the docker-compose to read the file with")
    options = parser.parse_args()
    if not os.environ.get("HOLDFAST_WALK_INSIDE"):
        alone = ["unshare", "--net", "--mount", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
        if os.geteuid() != 0 or subprocess.run([*alone, "bwrap", "--ro-bind", "/", "/", "true"], capture_output=True).returncode:
            print("deploy walk: skipped, this machine allows no namespaces or this is not root")
            return
        os.environ["HOLDFAST_WALK_INSIDE"] = "1"
        os.execvp(alone[0], [*alone, sys.executable, *sys.argv])
    world = World(options.binary, options.compose)
    try:
        world.prepare()
        world.run()
    finally:
        world.close()


if sys.argv[1:2] == ["--as-compose"]:
    as_compose(sys.argv[2], sys.argv[3:])
else:
    main()
