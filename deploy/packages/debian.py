"""The Debian package: program, units, configuration of a live server, man page and completions."""
import datetime
import gzip
import hashlib
import os
import re
import shutil
import subprocess
from email.utils import format_datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent / "debian"
REPOSITORY = HERE.parents[2]
# Configuration that an operator edits: an upgrade keeps the edits.
CONFIGURATION = {"live.json": "config/live.example.json", "texts.json": "config/texts.json"}


def package(release):
    """Builds the package, and names its file."""
    root = release.work / "deb"
    share, documents = root / "usr/share", root / "usr/share/doc/holdfast"
    for folder in (root / "DEBIAN", root / "usr/bin", documents, share / "man/man1", share / "bash-completion/completions",
                   share / "lintian/overrides", root / "lib/systemd/system"):
        folder.mkdir(parents=True)
    shutil.copy(release.program, root / "usr/bin/holdfast")
    # It finds its libraries where Debian has them.
    subprocess.run(["patchelf", "--remove-rpath", root / "usr/bin/holdfast"], check=True)
    release.help(share)
    squeeze(share / "man/man1/holdfast.1")
    for unit in sorted((REPOSITORY / "deploy/systemd").iterdir()):
        text = unit.read_text().replace("/usr/local/bin/holdfast", "/usr/bin/holdfast")
        (root / "lib/systemd/system" / unit.name).write_text(text)
    secrets = root / "etc/holdfast/secrets"
    secrets.mkdir(parents=True)
    for name, source in CONFIGURATION.items():
        shutil.copy(REPOSITORY / source, root / "etc/holdfast" / name)
    for name in ("README.md", "SECURITY.md"):
        shutil.copy(REPOSITORY / name, documents / name)
    shutil.copy(REPOSITORY / "Sources/CPhoneNumber/NOTICE", documents / "NOTICE.numbering-plan")
    (documents / "sbom.cdx.json").write_text(release.sbom())
    shutil.copy(REPOSITORY / "CHANGELOG.md", documents / "changelog")
    shutil.copy(HERE / "copyright", documents / "copyright")
    (documents / "changelog.Debian").write_text(changelog(release))
    for name in ("changelog", "changelog.Debian"):
        squeeze(documents / name)
    overrides = HERE / "overrides"
    shutil.copy(overrides, share / "lintian/overrides/holdfast")
    control(release, root)
    settle(root, release.time)
    name = f"holdfast_{release.version}_{release.debian_machine}.deb"
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, release.output / name], check=True,
        stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": str(release.time)})
    return name


def control(release, root):
    folder = root / "DEBIAN"
    for name in ("postinst", "prerm", "postrm"):
        shutil.copy(HERE / name, folder / name)
    (folder / "conffiles").write_text("".join(f"/etc/holdfast/{name}\n" for name in sorted(CONFIGURATION)))
    content = [file for file in sorted(root.rglob("*")) if file.is_file() and folder not in file.parents]
    sums = [f"{hashlib.md5(file.read_bytes()).hexdigest()}  {file.relative_to(root)}\n" for file in content]
    (folder / "md5sums").write_text("".join(sums))
    size = sum(-(-file.stat().st_size // 1024) for file in content)
    text = (HERE / "control").read_text()
    for name, value in {
            "VERSION": release.version, "ARCHITECTURE": release.debian_machine, "SIZE": size,
            "DEPENDS": depends(release)}.items():
        text = text.replace(f"@{name}@", str(value))
    (folder / "control").write_text(text)


def depends(release):
    """The packages that the program needs, as Debian's own tool finds them."""
    folder = release.work / "shlibs"
    (folder / "debian").mkdir(parents=True)
    (folder / "debian/control").write_text("Source: holdfast\n\nPackage: holdfast\nArchitecture: any\n")
    said = subprocess.run(
        ["dpkg-shlibdeps", "-O", release.program], cwd=folder, check=True, capture_output=True, text=True).stdout
    return re.search(r"^shlibs:Depends=(.*)$", said, re.M)[1]


def changelog(release):
    day = format_datetime(datetime.datetime.fromtimestamp(release.time, datetime.UTC))
    return (
        f"holdfast ({release.version}) stable; urgency=medium\n\n  * See /usr/share/doc/holdfast/changelog.gz.\n\n"
        f" -- The Holdfast developers <holdfast@packages.invalid>  {day}\n")


def squeeze(file):
    """gzip without name and time."""
    packed = gzip.compress(file.read_bytes(), 9, mtime=0)
    file.with_name(file.name + ".gz").write_bytes(packed)
    file.unlink()


def settle(root, time):
    """Modes as Debian has them, and the time of the commit."""
    runs = {root / "usr/bin/holdfast", *(root / "DEBIAN" / name for name in ("postinst", "prerm", "postrm"))}
    for path in sorted(root.rglob("*"), reverse=True):
        path.chmod(0o755 if path.is_dir() or path in runs else 0o644)
        os.utime(path, (time, time))
    (root / "etc/holdfast/secrets").chmod(0o700)
    os.utime(root / "etc/holdfast/secrets", (time, time))
    root.chmod(0o755)
    os.utime(root, (time, time))
