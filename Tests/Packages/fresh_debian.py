"""The Debian package in a Debian that was made for it: installed, used, upgraded with data, removed and purged."""
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from proof import proven

SUITE, MIRROR = "bookworm", "http://deb.debian.org/debian"


def check_deb(file, work):
    lint(file)
    root = debian(work / "debian", "adduser", "ca-certificates", "tzdata", "init-system-helpers")
    inside = Inside(root)
    older = earlier(file, work)
    fetch(root, older)
    began = time.monotonic()
    inside.run("dpkg", "--install", "/tmp/" + older.name)
    inside.run("holdfast", "--version")
    proven("deb", inside.command("holdfast"), began)
    for path in ("/etc/holdfast/live.json", "/lib/systemd/system/holdfast.service", "/usr/share/man/man1/holdfast.1.gz"):
        if not (root / path.lstrip("/")).exists():
            sys.exit(f"the package has no {path}")
    # As a service has it: its own user, data in /var/lib/holdfast, and a configuration that the operator edited.
    inside.run("install", "-d", "-o", "holdfast", "-g", "holdfast", "-m", "0700", "/var/lib/holdfast")
    edited = root / "etc/holdfast/live.json"
    edited.write_text(edited.read_text().replace("verify.example.com", "verify.example.org"))
    migrate = ("runuser", "-u", "holdfast", "--", "holdfast", "migrate", "--config", "/etc/holdfast/live.json")
    inside.run(*migrate)
    before = data(root)
    shutil.copy(file, root / "tmp" / file.name)
    inside.run("dpkg", "--install", "/tmp/" + file.name)
    if "verify.example.org" not in edited.read_text():
        sys.exit("the upgrade has lost the operator's configuration")
    if data(root) != before or not before:
        sys.exit("the upgrade has changed the data")
    inside.run(*migrate)
    inside.run("dpkg", "--purge", "holdfast")
    left = [path for path in ("etc/holdfast", "var/lib/holdfast", "usr/bin/holdfast", "usr/share/doc/holdfast") if (root / path).exists()]
    if left or "holdfast" in (root / "etc/passwd").read_text():
        sys.exit(f"the purge has left {left or 'the user'}")
    print("deb: installed, upgraded with data, purged")


def debian(root, *packages):
    """A new, minimal Debian in this folder, with these packages."""
    included = [f"--include={','.join(packages)}"] if packages else []
    subprocess.run(
        ["debootstrap", "--variant=minbase", *included, SUITE, root, mirror()], check=True, stdout=subprocess.DEVNULL)
    return root


class Inside:
    """Commands of the fresh Debian, run by root. They see its files, /proc and /dev."""

    def __init__(self, root):
        self.room = ["bwrap", "--die-with-parent", "--cap-add", "ALL", "--bind", root, "/", "--dev", "/dev", "--proc", "/proc"]

    def command(self, *words):
        """With the working folder as /work."""
        return [*self.room, "--bind", ".", "/work", "--chdir", "/work", *words]

    def run(self, *words):
        """Fails with what the command said, unless it ended with 0. Returns what it said."""
        done = subprocess.run(
            [*self.room, *words], capture_output=True, text=True,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"})
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout


def mirror():
    """The mirror that this machine uses."""
    for file in [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]:
        found = re.search(r"(https?://\S+/debian)/?\s", file.read_text() + "\n") if file.is_file() else None
        if found:
            return found[1]
    return MIRROR


def fetch(root, file):
    """Puts the package there, and installs what it depends on."""
    shutil.copy(file, root / "tmp" / file.name)
    depends = subprocess.run(["dpkg-deb", "--field", file, "Depends"], check=True, capture_output=True, text=True).stdout
    names = [re.match(r"\s*([\w.+-]+)", one)[1] for one in depends.split(",")]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    for words in (["update", "-q"], ["install", "-y", "-q", "--no-install-recommends", *names]):
        done = subprocess.run(["chroot", root, "apt-get", *words], capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            sys.exit(f"apt-get {' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def earlier(file, work):
    """The same package under an earlier version: what an upgrade begins with."""
    folder = work / "earlier"
    subprocess.run(["dpkg-deb", "--raw-extract", file, folder], check=True)
    control = folder / "DEBIAN/control"
    control.write_text(re.sub(r"^Version: (.*)$", r"Version: \1~1", control.read_text(), flags=re.M))
    made = work / "earlier.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", folder, made], check=True, stdout=subprocess.DEVNULL)
    return made


def lint(file):
    """No error of lintian's."""
    said = subprocess.run(["lintian", "--fail-on", "error", file], capture_output=True, text=True)
    print(said.stdout, end="")
    if said.returncode != 0:
        sys.exit(f"lintian finds errors in {file.name}:\n{said.stderr}")


def data(root):
    folder = root / "var/lib/holdfast"
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
