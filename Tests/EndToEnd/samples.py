"""Runs the Python samples of pages as they stand there, with the newest libraries, in an environment of their own."""
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
SANDBOX = "http://127.0.0.1:8080"


def sample(page, place=0):
    """A program of a page, and the packages that the page says before it that it needs."""
    text = (DOCS / page).read_text()
    program = list(re.finditer(r"```python\n(.*?)```", text, re.S))[place]
    packages = re.findall(r"`pip install ([a-z0-9 .-]+)`", text[:program.start()])[-1].split()
    return program[1], packages


def count(page):
    return (DOCS / page).read_text().count("```python\n")


class Newest:
    """An environment that is made while other scenes run: its packages have no versions, so they are the newest."""

    def __init__(self, *pages):
        self.folder = tempfile.TemporaryDirectory(prefix="holdfast-samples-")
        self.packages = sorted({
            package for page in pages for place in range(count(page)) for package in sample(page, place)[1]})
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


def run(page, newest, base_url, files, place=0):
    """Runs a program of a page against a server, beside these files. Returns what it printed."""
    program = sample(page, place)[0]
    assert SANDBOX in program, "a sample calls the sandbox at its usual address"
    return execute(program.replace(SANDBOX, base_url), newest, files=files)


def execute(program, newest, *arguments, files=()):
    """Runs a program with the newest libraries. Returns what it printed."""
    with tempfile.TemporaryDirectory(prefix="holdfast-sample-") as folder:
        for name, text in dict(files).items():
            Path(folder, name).write_text(text)
        done = subprocess.run(
            [newest.python(), "-I", "-c", program, *arguments], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout
