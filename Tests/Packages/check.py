#!/usr/bin/env python3
"""The packages of a release build work where nothing else is installed, and a number is proven with each.

    check.py --binary PROGRAM            tarball and wheel (the gate)
    check.py --binary PROGRAM --all      the npm package too, the Debian package in a fresh Debian, and the image (the deep check)

The tarball's program sees glibc and nothing else of the machine.
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from fresh_debian import check_deb
from image import check_image
from proof import proven

REPOSITORY = Path(__file__).resolve().parents[2]
# All that the tarball's program may see of the machine.
GLIBC = ("ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libresolv.so.2", "libdl.so.2", "libpthread.so.0", "librt.so.1")


def build(binary, output, *names):
    subprocess.run(
        [REPOSITORY / "deploy/packages/dist.py", "--binary", binary, "--output", output, *names], check=True)


def check_sums(folder):
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
            sys.exit(f"{name} is not what SHA256SUMS names")


def check_twice(binary, first, work):
    """The same program makes the same packages, byte by byte, in another folder."""
    second = work / "second"
    build(binary, second, "tarball", "wheel", "npm", "deb")
    if (first / "SHA256SUMS").read_bytes() != (second / "SHA256SUMS").read_bytes():
        sys.exit("a second run makes other packages:\n" + (first / "SHA256SUMS").read_text() + (second / "SHA256SUMS").read_text())
    print("two runs make the same packages, byte by byte")


def check_bill(folder):
    """Each library that the tarball carries is in the bill of materials."""
    bill = json.loads(next(folder.glob("*.cdx.json")).read_text())
    listed = {one["value"] for part in bill["components"] for one in part.get("properties", [])}
    with tarfile.open(next(folder.glob("*.tar.gz"))) as tar:
        carried = {Path(name).name for name in tar.getnames() if "/lib/" in name}
    if carried != listed or not carried:
        sys.exit(f"the bill of materials and the tarball differ: {sorted(carried ^ listed)}")
    references = [part["bom-ref"] for part in bill["components"]]
    if len(references) != len(set(references)):
        sys.exit("the bill of materials has a reference twice")
    print(f"{len(references)} parts, {len(carried)} shared libraries in the bill of materials")


def check_tarball(file, work):
    began = time.monotonic()
    folder = work / "tarball"
    folder.mkdir()
    subprocess.run(["tar", "-xzf", file, "-C", folder], check=True)
    top = next(folder.iterdir())
    for path in ("bin/holdfast", "share/doc/holdfast/LICENSE", "share/man/man1/holdfast.1",
                 "share/bash-completion/completions/holdfast", "share/holdfast/config/live.example.json",
                 "share/holdfast/deploy/systemd/holdfast.service"):
        if not (top / path).is_file():
            sys.exit(f"the tarball has no {path}")
    libraries = Path("/usr/lib/x86_64-linux-gnu")
    room = ["bwrap", "--die-with-parent", "--dev", "/dev", "--proc", "/proc", "--dir", "/lib64", "--ro-bind", top, "/opt/holdfast"]
    for name in GLIBC:
        room += ["--ro-bind", libraries / name, f"/usr/lib/x86_64-linux-gnu/{name}"]
    room += ["--symlink", "usr/lib", "/lib", "--symlink", "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "/lib64/ld-linux-x86-64.so.2"]
    # The folder that it runs in is /work.
    room += ["--bind", ".", "/work", "--chdir", "/work"]
    proven("tarball", [*room, "/opt/holdfast/bin/holdfast"], began)


def check_wheel(file, work):
    place = work / "venv"
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    began = time.monotonic()
    subprocess.run(
        [place / "bin/pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", file], check=True)
    proven("wheel", [place / "bin/holdfast"], began)
    subprocess.run([place / "bin/python", "-m", "holdfast_sandbox", "--version"], check=True, stdout=subprocess.DEVNULL)


def check_npm(file, work):
    place = work / "npm"
    place.mkdir()
    began = time.monotonic()
    subprocess.run(
        ["npm", "install", "--offline", "--no-audit", "--no-fund", "--silent", "--prefix", place, file], check=True,
        env={**os.environ, "npm_config_cache": str(work / "npm-cache")})
    proven("npm", [place / "node_modules/.bin/holdfast"], began)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, type=Path)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="holdfast-packages-") as name:
        work = Path(name)
        made = work / "made"
        build(options.binary, made, *(() if options.all else ("tarball", "wheel")))
        check_sums(made)
        check_bill(made)
        check_tarball(next(made.glob("*.tar.gz")), work)
        check_wheel(next(made.glob("*.whl")), work)
        if options.all:
            check_npm(next(made.glob("*.tgz")), work)
            check_deb(next(made.glob("*.deb")), work)
            check_image(next(made.glob("*.tar.gz")), work)
            check_twice(options.binary, made, work)


if __name__ == "__main__":
    main()
