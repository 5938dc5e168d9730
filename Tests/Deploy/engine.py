"""The parts of a container engine and of Docker Compose that the compose files of deploy/ need."""
import argparse
import json
import os
import pathlib
import shlex
import shutil
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

from container import ROOT, Container, write_users
from names import ADDRESS, Names
from namespaces import Namespace, Network

SECONDS = 120
POLL_SECONDS = 0.1


class Engine:
    """The containers of a folder of deploy/, and a copy of it: the walk leaves no secrets behind in the repository."""

    def __init__(self, name, binary, compose):
        self.binary, self.compose = str(pathlib.Path(binary).resolve()), compose
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="holdfast-deploy-"))
        self.folder.chmod(0o755)
        self.copy = self.folder / "deploy" / name
        self.containers = {}

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            for container in self.containers.values():
                if container.log.exists():
                    lines = container.log.read_text(errors="replace").splitlines()
                    said = [line[:300] for line in lines if "/readyz" not in line]
                    print("\n".join([f"--- {container.name}", *said[-15:]]))
        for container in self.containers.values():
            container.kill()
            if container.namespace:
                container.namespace.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # Preparation

    def prepare(self):
        shutil.copytree(ROOT / "deploy" / self.copy.name, self.copy, ignore=shutil.ignore_patterns("secrets", ".env"))
        # Scripts of deploy/ find the tests' modules two folders above themselves, and compose.yaml the Dockerfile.
        (self.folder / "Tests").symlink_to(ROOT / "Tests")
        # The second run finds everything there.
        for _ in range(2):
            subprocess.run([self.copy / "prepare"], check=True)
        write_users(self.folder)
        (self.folder / "hosts").write_text("127.0.0.1 localhost\n")
        (self.folder / "resolv.conf").write_text(f"nameserver {ADDRESS[0]}\n")
        (self.folder / "etc-holdfast").mkdir()
        for name in ("live.json", "routes.json"):
            # Where the file is mounted over.
            (self.folder / "etc-holdfast" / name).touch()
        file = self.read()
        self.networks = {name: Network(value) for name, value in file["networks"].items()}
        names = Names()
        for name, value in file["services"].items():
            networks = [self.networks[network] for network in value.get("networks") or {}]
            namespace = Namespace(self.folder / f"{name}.net", networks) if networks else None
            container = self.containers[name] = Container(name, self.binary, self.folder, namespace)
            container.configure(value)
            if namespace:
                names.serve(namespace, lambda asked, container=container: self.resolve(container, asked))
        self.take_place_of_docker()

    def read(self):
        """The compose file as Docker Compose understands it now."""
        shown = subprocess.run(
            [self.compose, "-f", self.copy / "compose.yaml", "config", "--format", "json"],
            check=True, capture_output=True, text=True).stdout
        return json.loads(shown.replace("$$", "$"))

    def resolve(self, asking, name):
        """The addresses of a name in the networks of a container; `None`: there is no such name."""
        found = []
        for container in self.containers.values():
            for network, value in (container.value.get("networks") or {}).items():
                is_named = name in (container.name, *((value or {}).get("aliases") or []))
                if is_named and network in (asking.value.get("networks") or {}):
                    found.append(container.namespace.addresses.get(self.networks[network]))
        return [address for address in found if address] or None

    def address(self, name):
        """Where the host reaches the published port of a service."""
        namespace = self.containers[name].namespace
        return str(next(
            address for network, address in namespace.addresses.items() if not network.is_internal))

    # Docker Compose

    def up(self):
        """Starts all in their order. Returns when all are healthy."""
        waiting = dict(self.containers)
        deadline = time.monotonic() + SECONDS
        while waiting:
            for name, container in list(waiting.items()):
                conditions = container.value.get("depends_on") or {}
                if all(self.satisfies(other, value["condition"]) for other, value in conditions.items()):
                    container.start()
                    del waiting[name]
            assert time.monotonic() < deadline, f"after {SECONDS} s these wait for others: {', '.join(waiting)}"
            time.sleep(POLL_SECONDS)
        for name, container in self.containers.items():
            if container.last_status != 0:
                self.await_health(name)

    def satisfies(self, name, condition):
        container = self.containers[name]
        if container.last_status is not None and not container.is_wanted:
            assert container.last_status == 0, f"{name} failed"
        return {
            "service_started": lambda: container.starts > 0,
            "service_healthy": container.is_healthy,
            "service_completed_successfully": lambda: container.last_status == 0,
        }[condition]()

    def await_health(self, name):
        container = self.containers[name]
        deadline = time.monotonic() + SECONDS
        while not container.is_healthy():
            assert time.monotonic() < deadline, f"{name} is not healthy after {SECONDS} s"
            time.sleep(POLL_SECONDS)

    def up_one(self, name, waits):
        container = self.containers[name]
        value = self.read()["services"][name]
        if not container.is_running or value != container.value:
            container.stop()
            container.configure(value)
            container.start()
        if waits:
            self.await_health(name)

    # The stand-in for `docker`

    def take_place_of_docker(self):
        """Scripts of deploy/ that call `docker` reach this engine. They are as they are."""
        engine = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                try:
                    reply = engine.perform(json.loads(self.rfile.readline()))
                except (AssertionError, ProcessLookupError) as error:
                    reply = {"status": 1, "error": f"{error}\n"}
                self.wfile.write(json.dumps(reply).encode())

        place = self.folder / "engine.sock"
        server = socketserver.ThreadingUnixStreamServer(str(place), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        programs = self.folder / "bin"
        programs.mkdir()
        words = shlex.join([sys.executable, str(pathlib.Path(__file__).parent / "stand_in.py"), str(place)])
        (programs / "docker").write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        (programs / "docker").chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}

    def script(self, name, *words):
        """Runs a script of the folder. Returns what it printed."""
        done = subprocess.run([self.copy / name, *words], env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{name} {' '.join(words)}: status {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    def docker(self, *words):
        """`docker compose` on the copy, by the stand-in."""
        return subprocess.run(
            ["docker", "compose", "-f", self.copy / "compose.yaml", *words], env=self.environment, check=True,
            capture_output=True, text=True).stdout

    def perform(self, words):
        """`exec`: a command line that the stand-in becomes. Otherwise what it prints, and its status."""
        options = docker_arguments().parse_args(words)
        if options.command == "inspect":
            assert options.format == "{{.State.Running}}", options.format
            return {"output": f"{str(self.containers[options.service].is_running).lower()}\n"}
        if options.verb == "ps" and options.services:
            running = [name for name, container in self.containers.items() if container.is_running]
            return {"output": "".join(f"{name}\n" for name in running)}
        container = self.containers[options.service]
        match options.verb:
            case "exec":
                return {"exec": container.inside(*options.words)}
            case "run":
                return {"exec": container.in_new_one(options.entrypoint, options.words)}
            case "logs":
                return {"output": container.log.read_text(errors="replace")}
            case "ps":
                # The name is the ID.
                return {"output": f"{options.service}\n" if container.starts else ""}
            case "stop":
                container.stop(options.timeout)
            case "up":
                self.up_one(options.service, options.wait)
        return {}


def docker_arguments():
    """The commands of `docker` that scripts of deploy/ use."""
    parser = argparse.ArgumentParser("docker")
    commands = parser.add_subparsers(dest="command", required=True)
    inspect = commands.add_parser("inspect")
    inspect.add_argument("--format")
    inspect.add_argument("service")
    compose = commands.add_parser("compose")
    compose.add_argument("-f", dest="file")
    verbs = compose.add_subparsers(dest="verb", required=True)
    flags = {
        "exec": ["-T"], "logs": [], "ps": ["--all", "--quiet", "--services"], "run": ["--rm", "--no-deps", "-T"],
        "stop": [], "up": ["-d", "--no-deps", "--wait"]}
    for verb, names in flags.items():
        sub = verbs.add_parser(verb)
        for name in names:
            sub.add_argument(name, action="store_true")
        if verb == "stop":
            sub.add_argument("--timeout", type=int)
        if verb == "run":
            sub.add_argument("--entrypoint")
        sub.add_argument("service", nargs="?" if verb == "ps" else None)
        if verb in ("exec", "run"):
            sub.add_argument("words", nargs=argparse.REMAINDER)
    return parser
