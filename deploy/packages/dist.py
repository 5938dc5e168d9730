#!/usr/bin/env python3
"""Builds the packages of Holdfast from a release build, into one folder with their checksums.

    dist.py --binary PROGRAM --output FOLDER [NAME...]      names: tarball deb wheel npm

`make dist` builds the program and calls it. The tarball, the wheel and the npm package carry the shared libraries that the
program was linked with, but those of glibc, so that they run on each Linux with glibc of this system or newer. The Debian package
depends on Debian's packages instead. Times in the packages are those of the commit: the same program makes the same bytes.
"""
import argparse
import base64
import datetime
import gzip
import hashlib
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import debian
import sbom
from libraries import bundled
from manual import page

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
# Works of others that the program contains, and their licences.
NOTICES = {"numbering-plan": "CPhoneNumber/NOTICE", "md4c": "CMarkdown/LICENSE.md", "lunr": "CBuiltInFiles/site/NOTICE.md"}
SHARED = {  # Files of the repository beside the program, under share/holdfast.
    "config": REPOSITORY / "config", "deploy": REPOSITORY / "deploy"}
ARCHITECTURES = {"x86_64": ("amd64", "x64"), "aarch64": ("arm64", "arm64")}


class Release:
    """One release build, and where its packages go."""

    def __init__(self, binary, output, work):
        self.output, self.work = Path(output), Path(work)
        source = (REPOSITORY / "Sources/Wiring/BuildInfo.swift").read_text()
        self.version = re.search(r'static let version = "([\d.]+)"', source)[1]
        self.machine = platform.machine()
        self.debian_machine, self.node_machine = ARCHITECTURES[self.machine]
        self.time = int(os.environ.get("SOURCE_DATE_EPOCH") or commit_time())
        self.program = self.work / "holdfast"
        # Both sections are hashes over paths of the build's folder.
        run("strip", "-R", ".swift_modhash", "-R", ".note.gnu.build-id", "-o", self.program, binary)
        self.libraries = bundled(self.program)

    @property
    def glibc(self):
        """The newest version of glibc whose symbols are used, such as (2, 36)."""
        newest = (2, 0)
        for file in [self.program, *(library.file for library in self.libraries)]:
            names = subprocess.run(["objdump", "-T", file], check=True, capture_output=True, text=True).stdout
            found = [tuple(map(int, name.split("."))) for name in re.findall(r"GLIBC_(\d+\.\d+)", names)]
            newest = max([newest, *found])
        return newest

    def tree(self):
        """A folder with the program, its libraries and what belongs beside them."""
        folder = self.work / f"holdfast-{self.version}"
        if folder.exists():
            return folder
        for name in ("bin", "lib", "share/doc/holdfast", "share/holdfast", "share/man/man1", "share/bash-completion/completions"):
            (folder / name).mkdir(parents=True)
        program = folder / "bin/holdfast"
        shutil.copy(self.program, program)
        program.chmod(0o755)
        # DT_RPATH, which the libraries of libraries are found by as well.
        run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN/../lib", program)
        for library in self.libraries:
            shutil.copy(library.file, folder / "lib" / library.name)
        self.documents(folder / "share/doc/holdfast")
        for library in self.libraries:
            text = library.licence
            (folder / "share/doc/holdfast/licences").mkdir(exist_ok=True)
            shutil.copy(text, folder / "share/doc/holdfast/licences" / library.package.split(":")[0])
        for name, source in SHARED.items():
            shutil.copytree(source, folder / "share/holdfast" / name, ignore=shutil.ignore_patterns("packages", "__pycache__"))
        self.help(folder / "share")
        (folder / "share/doc/holdfast/sbom.cdx.json").write_text(self.sbom())
        return folder

    def documents(self, folder):
        for name in ("LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md"):
            shutil.copy(REPOSITORY / name, folder / name)
        for name, source in NOTICES.items():
            shutil.copy(REPOSITORY / "Sources" / source, folder / f"NOTICE.{name}")

    def help(self, share):
        """The man page and the completions, as the program itself describes its commands."""
        described = json.loads(self.said("--experimental-dump-help"))
        (share / "man/man1/holdfast.1").write_text(page(described, self.version, self.time))
        (share / "bash-completion/completions/holdfast").write_text(self.completions())

    def completions(self):
        """A file that bash reads, and does not run: without the line that names an interpreter."""
        return self.said("--generate-completion-script", "bash").removeprefix("#!/bin/bash\n").lstrip()

    def said(self, *words):
        return subprocess.run([self.program, *words], check=True, capture_output=True, text=True).stdout

    def sbom(self):
        return sbom.document(self.version, self.said("--version"), self.time, self.libraries, REPOSITORY / "Package.resolved")


def commit_time():
    """In seconds since 1970."""
    return subprocess.run(
        ["git", "-C", REPOSITORY, "log", "-1", "--format=%ct"], check=True, capture_output=True, text=True).stdout


def run(*words, **more):
    subprocess.run([str(word) for word in words], check=True, **more)


def executable(file):
    return bool(file.stat().st_mode & 0o100)


def files(folder):
    return sorted(file for file in folder.rglob("*") if file.is_file())


def archive(output, folder, top, time):
    """A tar file in gzip whose bytes depend on the files' names, modes and contents only."""
    with open(output, "wb") as raw, gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=time) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for file in files(folder):
                entry = tarfile.TarInfo(f"{top}/{file.relative_to(folder)}")
                entry.size, entry.mtime, entry.mode = file.stat().st_size, time, 0o755 if executable(file) else 0o644
                with open(file, "rb") as content:
                    tar.addfile(entry, content)


def tarball(release):
    name = f"holdfast-{release.version}-linux-{release.machine}.tar.gz"
    archive(release.output / name, release.tree(), f"holdfast-{release.version}", release.time)
    return name


def carried(release):
    """What the wheel and the npm package have of the tree: the program, its libraries, licences and the bill of materials."""
    folder = release.work / "carried"
    if not folder.exists():
        for name in ("bin", "lib", "share/doc"):
            shutil.copytree(release.tree() / name, folder / name)
    return folder


def wheel(release):
    distribution, glibc = "holdfast_sandbox", "_".join(map(str, release.glibc))
    tag = f"py3-none-manylinux_{glibc}_{release.machine}"
    info = f"{distribution}-{release.version}.dist-info"
    module = HERE / "python" / distribution
    entries = {f"{distribution}/{file.relative_to(module)}": file.read_bytes() for file in files(module) if file.suffix == ".py"}
    modes = {}
    for file in files(carried(release)):
        path = f"{distribution}/holdfast/{file.relative_to(carried(release))}"
        entries[path], modes[path] = file.read_bytes(), 0o755 if executable(file) else 0o644
    metadata = (HERE / "python/METADATA").read_text().replace("@VERSION@", release.version)
    entries[f"{info}/METADATA"] = (metadata + (HERE / "python/DESCRIPTION.md").read_text()).encode()
    entries[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: holdfast\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    entries[f"{info}/entry_points.txt"] = f"[console_scripts]\nholdfast = {distribution}:main\n".encode()
    entries[f"{info}/licenses/LICENSE"] = (REPOSITORY / "LICENSE").read_bytes()
    record = io.StringIO()
    for path, content in sorted(entries.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.write(f"{path},sha256={digest},{len(content)}\n")
    record.write(f"{info}/RECORD,,\n")
    entries[f"{info}/RECORD"] = record.getvalue().encode()
    name = f"{distribution}-{release.version}-{tag}.whl"
    time = datetime.datetime.fromtimestamp(release.time, datetime.UTC).timetuple()[:6]
    with zipfile.ZipFile(release.output / name, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as file:
        for path in sorted(entries, key=lambda path: (path.startswith(info), path)):
            entry = zipfile.ZipInfo(path, time)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | modes.get(path, 0o644)) << 16
            file.writestr(entry, entries[path])
    return name


def npm(release):
    folder = release.work / "npm"
    shutil.copytree(HERE / "npm", folder)
    shutil.copytree(carried(release), folder / "holdfast")
    shutil.copy(REPOSITORY / "LICENSE", folder / "LICENSE")
    described = json.loads((folder / "package.json").read_text())
    described |= {"version": release.version, "os": ["linux"], "cpu": [release.node_machine], "libc": ["glibc"]}
    (folder / "package.json").write_text(json.dumps(described, indent=2) + "\n")
    name = f"holdfast-sandbox-{release.version}.tgz"
    archive(release.output / name, folder, "package", release.time)
    return name


def deb(release):
    return debian.package(release)


KINDS = {"tarball": tarball, "deb": deb, "wheel": wheel, "npm": npm}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, type=Path)
    parser.add_argument("--output", required=True, type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    unknown = set(options.names) - KINDS.keys()
    if unknown:
        sys.exit(f"dist: no such package: {', '.join(sorted(unknown))}; there are: {', '.join(KINDS)}")
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        release = Release(options.binary, options.output, work)
        made = [make(release) for name, make in KINDS.items() if name in (options.names or KINDS)]
        (options.output / f"holdfast-{release.version}.cdx.json").write_text(release.sbom())
    made.append(f"holdfast-{release.version}.cdx.json")
    lines = [f"{hashlib.sha256((options.output / name).read_bytes()).hexdigest()}  {name}\n" for name in sorted(made)]
    (options.output / "SHA256SUMS").write_text("".join(lines))
    for name in sorted(made):
        print(f"{(options.output / name).stat().st_size / 1e6:7.1f} MB  {name}")


if __name__ == "__main__":
    main()
