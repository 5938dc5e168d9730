"""Runs the programs of pages as they stand there, with the newest libraries, in an environment of their own."""
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
# A sample calls the sandbox at its usual address, or a server of the reader's.
SERVERS = ("http://127.0.0.1:8080", "https://verify.example.com")


def blocks(page, language):
    """The blocks of a page that are fenced as this language, in their order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (DOCS / page).read_text(), re.M | re.S)


def packages(page):
    """The packages that the page names for its programs."""
    commands = re.findall(r"(?:`|^    )pip install ([A-Za-z0-9 .\[\]-]+)(?:`| &&)", (DOCS / page).read_text(), re.M)
    return [package for command in commands for package in command.split()]


class Newest:
    """An environment that is made while other scenes run: its packages have no versions, so they are the newest."""

    def __init__(self, *pages):
        self.folder = tempfile.TemporaryDirectory(prefix="holdfast-samples-")
        self.packages = sorted({package for page in pages for package in packages(page)})
        self.fault = None
        self.thread = threading.Thread(target=self._make)
        self.thread.start()

    def _make(self):
        try:
            for command in (
                    [sys.executable, "-m", "venv", self.folder.name],
                    [self.folder.name + "/bin/pip", "install", "--quiet", "--disable-pip-version-check", *self.packages]):
                subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
        except subprocess.SubprocessError as error:
            self.fault = f"{error}: {error.stderr}"

    def python(self):
        self.thread.join()
        assert self.fault is None, self.fault
        return self.folder.name + "/bin/python"

    def close(self):
        self.thread.join()
        self.folder.cleanup()


def run(page, newest, base_url, files, place=0, then=""):
    """Runs a program of a page against a server, beside these files, and goes on with `then`. Returns what it printed."""
    return execute(blocks(page, "python")[place] + then, newest, base_url, files=files)


def execute(program, newest, base_url, *arguments, files=()):
    """Runs a program with the newest libraries. Returns what it printed."""
    return output_of([newest.python(), "-I", "-c"], program, base_url, files, *arguments)


def run_node(program, base_url, files):
    """The same by Node, for JavaScript."""
    return output_of(["node", "--input-type=module", "--eval"], program, base_url, files)


def output_of(command, program, base_url, files, *arguments):
    for server in SERVERS:
        program = program.replace(server, base_url)
    with tempfile.TemporaryDirectory(prefix="holdfast-sample-") as folder:
        for name, text in dict(files).items():
            Path(folder, name).write_text(text)
        done = subprocess.run([*command, program, *arguments], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout
