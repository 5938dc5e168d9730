"""The shared libraries that a program is linked with, and the Debian packages that they come from."""
import os
import re
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

# Parts of glibc. They belong to the dynamic linker of the machine, and are never carried.
GLIBC = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|nsl|anl|BrokenLocale|nss_\w+|thread_db))\.so\.")


@dataclass(frozen=True)
class Library:
    # As programs name it, such as libssl.so.3.
    name: str
    file: Path

    @cached_property
    def package(self):
        """The Debian package, such as libssl3:amd64."""
        for path in (self.file, Path("/usr") / self.file.relative_to("/"), Path("/") / self.file.relative_to("/usr")):
            found = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True)
            if found.returncode == 0:
                return found.stdout.split(": ")[0].split(",")[0]
        raise SystemExit(f"no package has {self.file}")

    @cached_property
    def version(self):
        return subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version}", self.package], check=True, capture_output=True, text=True).stdout

    @property
    def licence(self):
        return Path("/usr/share/doc") / self.package.split(":")[0] / "copyright"


def bundled(program):
    """All libraries that the program loads, but glibc's, by name."""
    said = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^\s*(\S+) => (/\S+)", said, re.M)
    missing = re.findall(r"^\s*(\S+) => not found", said, re.M)
    if missing:
        raise SystemExit(f"not on this machine: {', '.join(missing)}")
    libraries = [Library(name, Path(os.path.realpath(file))) for name, file in found if not GLIBC.match(name)]
    return sorted(libraries, key=lambda library: library.name)
