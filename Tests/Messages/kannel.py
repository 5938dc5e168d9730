"""Kannel as Debian has it: bearerbox, smsbox, and the fake SMSC that plays the operator and its phones."""
import re
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path

from live import eventually, free_port

FAKE_SMSC = "/usr/lib/kannel/test/fakesmsc"
GOT = re.compile(r"Got message \d+: <(.*)>$", re.MULTILINE)
SECONDS = 20.0


class Kannel:
    """Listens on ports of its own, and ends with the scene."""

    def __init__(self, directory, user="holdfast", password="bar"):
        self.folder = Path(directory)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.smsc_port, self.admin_port, self.box_port, self.port = (free_port() for _ in range(4))
        self.processes = []
        (self.folder / "kannel.conf").write_text(f"""
group = core
admin-port = {self.admin_port}
admin-password = {password}
admin-allow-ip = "127.0.0.1"
smsbox-port = {self.box_port}
box-allow-ip = "127.0.0.1"
dlr-storage = internal

group = smsc
smsc = fake
smsc-id = FAKE
host = 127.0.0.1
port = {self.smsc_port}
connect-allow-ip = 127.0.0.1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = {self.port}

group = sendsms-user
username = {user}
password = {password}
max-messages = 3

group = sms-service
keyword = default
max-messages = 0
text = "none"
""")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        if not shutil.which("bearerbox") or not Path(FAKE_SMSC).exists():
            raise RuntimeError("Kannel is not installed: apt-get install kannel kannel-extras")
        try:
            self._run("bearerbox", "kannel.conf")
            eventually(self._is_admin_up, SECONDS, "Kannel's bearerbox")
            # The message makes it connect, and the interval keeps it from sending a second one.
            self._run(FAKE_SMSC, "-H", "127.0.0.1", "-r", str(self.smsc_port), "-i", "3600", "100 200 text hello")
            self._run("smsbox", "kannel.conf")
            eventually(self._is_smsbox_up, SECONDS, "Kannel's smsbox")
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def _run(self, program, *words):
        log = open(self.folder / f"{Path(program).name}.log", "wb")
        self.processes.append(subprocess.Popen(
            [program, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        log.close()

    def _is_admin_up(self):
        return self._status(f"http://127.0.0.1:{self.admin_port}/status.txt") is not None

    def _is_smsbox_up(self):
        text = self._status(f"http://127.0.0.1:{self.admin_port}/status.txt") or ""
        return "smsbox" in text.split("Box connections", 1)[-1] and "FAKE" in text and "online" in text

    @staticmethod
    def _status(url):
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                return answer.read().decode(errors="replace")
        except OSError:
            return None

    def cut_operator(self):
        """Ends the operator's side of the link, and waits until Kannel has seen it."""
        self.processes[1].terminate()
        self.processes[1].wait(5)
        eventually(lambda: "online" not in (self._status(f"http://127.0.0.1:{self.admin_port}/status.txt") or "").split(
            "SMSC connections", 1)[-1], SECONDS, "the end of the link")

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
        deadline = time.monotonic() + 5
        for process in self.processes:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []

    def phone(self):
        """What the phones of the fake operator got, oldest first, as text. A line break ends a line of the log."""
        text = (self.folder / "fakesmsc.log").read_text(errors="replace")
        return GOT.findall(text)
