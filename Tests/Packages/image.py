"""The image: the last stage of the Dockerfile, step by step in a Debian that was made for it. The image's user
proves a number on a root file system that is read-only, and the image's health check passes."""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from fresh_debian import debian
from proof import Sandbox

REPOSITORY = Path(__file__).resolve().parents[2]
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Steps that inform people, and tools that run containers.
ABOUT = ("LABEL", "EXPOSE", "VOLUME")


def last_stage():
    """`[("RUN", "apt-get update ..."), ...]`"""
    text = (REPOSITORY / "Dockerfile").read_text()
    lines = re.sub(r"^#.*\n", "", text, flags=re.M).replace("\\\n", " ").splitlines()
    steps = [tuple(line.split(maxsplit=1)) for line in lines if line.strip()]
    first = max(index for index, (name, _) in enumerate(steps) if name == "FROM")
    return steps[first + 1:]


class Image:
    def __init__(self, tarball, root):
        self.root, self.environment, self.user, self.folder = root, {"PATH": PATH}, "root", "/"
        self.health, self.entry, self.words, self.signal = None, None, None, None
        for name, rest in last_stage():
            self.step(name, rest, tarball)

    def step(self, name, rest, tarball):
        if name == "RUN":
            done = subprocess.run(
                ["chroot", self.root, "sh", "-ec", rest], capture_output=True, text=True,
                env={**os.environ, **self.environment, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"})
            if done.returncode != 0:
                sys.exit(f"RUN {rest} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        elif name == "COPY" and rest == "--from=build /out/holdfast /usr/local":
            subprocess.run(["tar", "-xzf", tarball, "-C", self.root / "usr/local", "--strip-components", "1"], check=True)
        elif name == "ENV":
            self.environment.update(word.split("=", 1) for word in shlex.split(rest))
        elif name == "USER":
            self.user = rest
        elif name == "WORKDIR":
            self.folder = rest
        elif name == "STOPSIGNAL":
            self.signal = rest
        elif name == "HEALTHCHECK":
            self.health = json.loads(rest.partition("CMD ")[2])
        elif name == "ENTRYPOINT":
            self.entry = json.loads(rest)
        elif name == "CMD":
            self.words = json.loads(rest)
        elif name not in ABOUT:
            sys.exit(f"this check knows no step {name} {rest} of the Dockerfile")

    def identifiers(self):
        """The numbers of the user and of the group."""
        lines = (self.root / "etc/passwd").read_text().splitlines()
        found = next(line.split(":") for line in lines if line.startswith(self.user + ":"))
        return int(found[2]), int(found[3])

    def command(self, volume, *words):
        """As the image's user, with nothing that can be written but /dev and the volume of the data."""
        user, group = self.identifiers()
        return ["bwrap", "--die-with-parent", "--cap-add", "ALL", "--ro-bind", self.root, "/", "--dev", "/dev", "--proc", "/proc",
                "--bind", volume, "/data", "--chdir", self.folder,
                "setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", "--bounding-set=-all", "--no-new-privs", *words]


def check_image(tarball, work):
    root = debian(work / "image")
    image = Image(tarball, root)
    if (image.words, image.signal) != (["serve"], "SIGTERM"):
        sys.exit(f"the image runs {image.words} and stops with {image.signal}")
    if image.user == "root":
        sys.exit("the image runs as root")
    with tempfile.TemporaryDirectory() as volume:
        os.chown(volume, *image.identifiers())
        sandbox = Sandbox(image.command(volume, *image.entry), volume, image.environment)
        try:
            sandbox.wait()
            status = sandbox.prove()
            if status.get("success") != "true":
                sys.exit(f"image: not proven: {status}")
            check_health(image, volume, sandbox.port, 0)
            sandbox.stop()
            check_health(image, volume, sandbox.port, 1)
        finally:
            if sandbox.process.poll() is None:
                sandbox.process.kill()
    size = sum(file.lstat().st_size for file in (root / "usr/local").rglob("*"))
    print(f"image: {size / 1e6:.0f} MB beside those of Debian; a number is proven as {image.user} on a read-only root")


def check_health(image, volume, port, status):
    done = subprocess.run(
        image.command(volume, *image.health), capture_output=True, text=True,
        env={**image.environment, "HOLDFAST_SERVER_PORT": str(port)})
    if done.returncode != status:
        sys.exit(f"the health check of the image ended with {done.returncode}, not {status}:\n{done.stdout}{done.stderr}")
