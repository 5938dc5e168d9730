#!/usr/bin/env python3
"""Runs the commands of docs/operate/three-machines.md, block for block, while callers call.

Containers play the machines: Holdfast as docs/deploy.md installs it with systemd, a pair of PostgreSQL, and HAProxy.
`machine.py` plays systemd and ssh. It measures what callers notice. Needs root; where this machine allows no
namespaces, it says so and ends with status 0.
"""
import argparse
import collections
import ipaddress
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import time

from container import ROOT, USERS, Container, write_users
from namespaces import Namespace, Network, enter, ip
from traffic import CALLERS, Caller, Place, Traffic, answered_calls, succeeds, wait_until

PAGE = ROOT / "docs" / "operate" / "three-machines.md"
NAME = "verify.example.com"
SERVERS = ("one", "two", "three")
# The page names the address of `lb`.
ADDRESSES = {
    "lb": "192.0.2.10", "one": "192.0.2.11", "two": "192.0.2.12", "three": "192.0.2.13", "db1": "192.0.2.21",
    "db2": "192.0.2.22"}
# Names of the pair in deploy/postgres/pair.
PAIR = {"db1": "primary", "db2": "standby"}
# The program's restart by systemd, the balancer's view of it, and some time for a busy machine.
NOTICE_SECONDS = 5.0
BLOCK_SECONDS = 90.0
# The rights of root on a machine.
CAPABILITIES = (
    "CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "NET_BIND_SERVICE", "SETGID", "SETUID")
# The files of the package.
INSTALL = """
install -d /etc/holdfast /etc/systemd/system /etc/haproxy
install -d -m 0700 /etc/holdfast/secrets
cp /repository/config/texts.json /etc/holdfast/
cp /repository/config/live.example.json /etc/holdfast/live.json
cp /repository/deploy/systemd/* /etc/systemd/system/
"""
# For step 3 of docs/deploy.md: TLS in the server.
DIRECT = {
    "host": "0.0.0.0", "port": 443, "publicUrl": f"https://{NAME}", "trustedProxies": "",
    "tlsCertificateFile": "/etc/holdfast/tls/fullchain.pem", "tlsKeyFile": "/etc/holdfast/tls/privkey.pem"}

Block = collections.namedtuple("Block", "language target text")


def steps():
    """The page's steps: the number, the title and the blocks of each."""
    for section in re.split(r"^## ", PAGE.read_text(), flags=re.M)[1:]:
        if heading := re.match(r"(\d+)\. (.*)", section):
            blocks = [Block(*found) for found in re.findall(r"^```(\w+) (\S+)\n(.*?)^```$", section, re.M | re.S)]
            yield int(heading[1]), heading[2], blocks


def installation():
    """The commands of docs/deploy.md for TLS in the server, for the check, and for the start."""
    section = re.search(r"^## systemd$(.*?)^## ", (ROOT / "docs" / "deploy.md").read_text(), re.M | re.S)[1]
    blocks = re.findall(r"^ +```bash\n(.*?)^ +```$", section, re.M | re.S)
    assert len(blocks) == 3, f"docs/deploy.md has {len(blocks)} blocks in the steps of systemd"
    return [textwrap.dedent(block) for block in blocks]


class Machine(Container):
    def write(self, path, text):
        self.command("tee", path, text=text)

    def shell(self, text):
        return self.command("bash", "-euo", "pipefail", "-c", text)

    def command(self, *words, text=None):
        """As root, in the home directory of root. Returns what it printed."""
        try:
            return subprocess.run(
                self.inside("env", "-C", "/root", *words), input=(text or "").encode(), stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=BLOCK_SECONDS, check=True).stdout.decode()
        except subprocess.SubprocessError as error:
            raise AssertionError(f"{self.name}: {words[-1]}\n{(error.output or b'').decode()}{error}") from None


class Machines:
    """All machines of the page, and the folder that they share."""

    def __init__(self, binary):
        self.binary = str(pathlib.Path(binary).resolve())
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="holdfast-machines-"))
        self.folder.chmod(0o755)
        self.all = {}

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for machine in self.all.values():
            if kind:
                for log in (machine.log, self.log(machine.name)):
                    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
                    said = [line[:300] for line in lines if '"message":"request"' not in line]
                    print("\n".join([f"--- {log.relative_to(self.folder)}", *said[-15:]]))
            machine.kill()
            machine.namespace.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __getitem__(self, name):
        return self.all[name]

    def log(self, name):
        """The journal of a machine."""
        return self.folder / "machines" / f"{name}.log"

    def make(self):
        write_users(self.folder)
        (self.folder / "resolv.conf").touch()
        (self.folder / "hosts").write_text("127.0.0.1 localhost\n" + "".join(
            f"{address} {name} {PAIR.get(name, '')}\n" for name, address in ADDRESSES.items()))
        (self.folder / "machines").mkdir()
        self._make_programs()
        self.network = Network({"ipam": {"config": [{"subnet": "192.0.2.0/24"}]}})
        for name, address in ADDRESSES.items():
            namespace = Namespace(self.folder / f"{name}.net", [self.network], ipaddress.ip_address(address))
            machine = self.all[name] = Machine(name, self.binary, self.folder, namespace)
            machine.configure(self._database(name) if name in PAIR else self._debian(name))
        self._make_certificates()
        self._make_pair()

    def _make_programs(self):
        """/usr/local/bin of the machines."""
        programs = self.folder / "programs"
        programs.mkdir()
        (programs / "holdfast").touch()
        for name in ("systemctl", "journalctl", "ssh"):
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec python3 /repository/Tests/Deploy/machine.py {name} "$@"\n')
            program.chmod(0o755)

    def _debian(self, name):
        mounts = {
            ROOT: "/repository", self.folder / "programs": "/usr/local/bin", self.binary: "/usr/local/bin/holdfast",
            "/etc/pam.d": "/etc/pam.d", "/etc/security": "/etc/security"}
        volumes = [bind(source, target) for source, target in mounts.items()]
        return {
            "image": "machine", "cap_add": CAPABILITIES, "environment": {"MACHINE": name}, "tmpfs": ["/tmp", "/root"],
            "entrypoint": ["python3", "/repository/Tests/Deploy/machine.py", "init"],
            "volumes": [*volumes, bind(self.folder / "machines", "/machines", False)]}

    def _database(self, name):
        pair, settings = self.folder / "pair", self.folder / "pair-settings"
        user = str(USERS["postgres"])
        return {
            "image": "postgres", "cap_add": CAPABILITIES, "tmpfs": ["/tmp", "/root", "/var/run/postgresql"],
            "entrypoint": ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups",
                           "bash", "/etc/pair/start", PAIR[name]],
            "volumes": [
                bind(pair, "/pair", False), bind(settings, "/etc/pair"),
                bind("/etc/pam.d", "/etc/pam.d"), bind("/etc/security", "/etc/security"),
                {"type": "volume", "source": name, "target": "/var/lib/postgresql/data"}]}

    def _make_certificates(self):
        for authority, hosts in {"ca": {"tls": NAME}, "database-ca": {PAIR[name]: name for name in PAIR}}.items():
            self._openssl(authority, authority)
            for name, host in hosts.items():
                # Each of the pair has two names.
                self._openssl(
                    name, host, "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key",
                    "-addext", "basicConstraints=critical,CA:FALSE", "-addext", f"subjectAltName=DNS:{host},DNS:{name}")

    def _openssl(self, name, subject, *words):
        """A certificate with its key; without more words it is an authority."""
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "30", "-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={subject}", *words],
            cwd=self.folder, check=True, stderr=subprocess.DEVNULL)

    def _make_pair(self):
        """The pair of deploy/postgres, without roles for Holdfast and without its database."""
        settings, pair = self.folder / "pair-settings", self.folder / "pair"
        shutil.copytree(ROOT / "deploy" / "postgres" / "pair", settings)
        (settings / "roles.sql").write_text("CREATE ROLE replica LOGIN REPLICATION PASSWORD 'replica';\n")
        pair.mkdir()
        (pair / "replica.password").write_text("replica")
        for name in ("database-ca.pem", *(f"{name}.{end}" for name in PAIR.values() for end in ("pem", "key"))):
            shutil.copy(self.folder / name, pair)
        for path in (pair, *pair.iterdir()):
            shutil.chown(path, USERS["postgres"], USERS["postgres"])
            path.chmod(0o700 if path.is_dir() else 0o600)

    def start(self):
        for machine in self.all.values():
            machine.start()
        for name in ("lb", *SERVERS):
            wait_until((self.folder / "machines" / f"{name}.sock").exists, f"{name} does not start")
            self[name].shell(INSTALL)
        question = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        wait_until(lambda: self._ask_pair(question) == "1", "the pair has no synchronous standby")

    def _ask_pair(self, question):
        return subprocess.run(
            self["db1"].inside("runuser", "-u", "postgres", "--", "psql", "-XqAt", "-c", question), capture_output=True,
            text=True).stdout.strip()


def bind(source, target, is_read_only=True):
    return {"type": "bind", "source": str(source), "target": target, "read_only": is_read_only}


class Walk:
    def __init__(self, machines):
        self.machines = machines
        # Where the public name leads to.
        self.public = "one"

    def say(self, step, figures):
        print(f"{time.monotonic() - self.began:6.1f} s  {step}: {figures}", flush=True)

    def run(self):
        self.began = time.monotonic()
        self.machines.make()
        self.machines.start()
        self.install()
        self.call()
        checks = {3: self.check_move, 5: self.check_balancer, 6: self.check_kill}
        try:
            for number, title, blocks in steps():
                moment = time.monotonic()
                self.count()
                for block in blocks:
                    self.perform(block)
                figures = checks.get(number, self.check_silence)(moment)
                self.say(f"{number}. {title}", figures)
        finally:
            self.traffic.end()
        assert number == 7, f"the page has {number} steps"
        self.look_up()

    def install(self):
        """The single server that the page begins with."""
        one = self.machines["one"]
        settings = json.loads(re.sub(r"^\s*//.*\n", "", one.command("cat", "/etc/holdfast/live.json"), flags=re.M))
        settings["server"] |= DIRECT
        one.write("/etc/holdfast/live.json", json.dumps(settings))
        # The commands of both pages find these in the working directory.
        files = {"fullchain.pem": "tls.pem", "privkey.pem": "tls.key", "database-ca.pem": "database-ca.pem"}
        for target, source in files.items():
            one.write(target, (self.machines.folder / source).read_text())
        for block in installation():
            one.shell(block)
        one.shell("until holdfast healthcheck --config /etc/holdfast/live.json --path /readyz; do sleep 0.2; done")
        self.say("the single server", f"{one.command('holdfast', '--version').splitlines()[0]}, with SQLite")

    def call(self):
        one = self.machines["one"]
        client = json.loads(one.shell(
            "runuser -u holdfast -- holdfast clients add walk --json --no-mobile-auth --calling-code US "
            "--requests-per-second 0 --config /etc/holdfast/live.json"))
        for address in CALLERS:
            ip("address", "add", f"{address}/32", "dev", self.machines.network.bridge)
        place = Place(NAME, 443, lambda: ADDRESSES[self.public], self.machines.folder / "ca.pem")
        # The last one calls only between the steps.
        *self.callers, self.visitor = [
            Caller(place, address, number % 2 == 1, "walk", client["secret"])
            for number, address in enumerate([*CALLERS, CALLERS[0]])]
        for caller in (*self.callers, self.visitor):
            wait_until(lambda: succeeds(caller.log_in), "the callers are not logged in")
        self.visitor.begin()
        self.traffic = Traffic(self.callers)
        self.wait_until_answered()

    def perform(self, block):
        match block.language, block.target:
            case "bash", name:
                self.machines[name].shell(block.text)
                if name == "lb":
                    # As the page says there.
                    self.public = "lb"
                    self.count()
            case "json", "live.json":
                one = self.machines["one"]
                settings = json.loads(one.command("cat", "/etc/holdfast/live.json"))
                for section, values in json.loads(block.text).items():
                    settings[section] = settings.get(section, {}) | values
                one.write("/etc/holdfast/live.json", json.dumps(settings))
            case "haproxy", "haproxy.cfg":
                self.machines["lb"].write("/etc/haproxy/haproxy.cfg", block.text)
            case _:
                raise AssertionError(f"{PAGE.name} has a block `{block.language} {block.target}`")

    # The view of the callers

    def requests(self, name):
        log = self.machines.log(name)
        return answered_calls(log) if log.exists() else []

    def count(self):
        self.counts = {name: len(self.requests(name)) for name in SERVERS}

    def new_requests(self, name):
        """Since `count`."""
        return self.requests(name)[self.counts[name]:]

    def wait_until_answered(self):
        moment = time.monotonic()

        def answers():
            return [call for call in self.traffic.since(moment).calls if call.began > moment and not call.fault]

        wait_until(lambda: len(answers()) > len(CALLERS), "calls are not answered")

    def check_silence(self, moment):
        """No call fails."""
        self.wait_until_answered()
        figures = self.traffic.since(moment)
        figures.assert_none_failed()
        return figures

    def check_move(self, moment):
        self.wait_until_answered()
        figures = self.traffic.since(moment)
        # The token and the session are from SQLite, and the client's secret.
        self.visitor.ask(self.visitor.sessions[0])
        self.visitor.log_in()
        return f"{figures.gap:.1f} s without service; {figures}; session, token and secret from before are valid"

    def check_balancer(self, moment):
        wait_until(lambda: min(len(self.new_requests(name)) for name in SERVERS) >= 10, "a server gets no calls")
        peers = {line["peer"] for name in SERVERS for line in self.new_requests(name)}
        assert peers == {*CALLERS}, f"the servers see calls from {peers}"
        figures = self.check_silence(moment)
        counts = [len(self.new_requests(name)) for name in SERVERS]
        return f"{figures}; calls of the servers {counts}, from the callers' own {len(peers)} addresses"

    def check_kill(self, moment):
        wait_until(lambda: self.new_requests("two"), "two gets no calls")
        self.wait_until_answered()
        figures = self.traffic.since(moment)
        text = f"{figures}, the last failure after {figures.last_failure:.1f} s"
        assert figures.last_failure < NOTICE_SECONDS, text
        return text

    def look_up(self):
        """Each session that a caller has begun is there."""
        for caller in (*self.callers, self.visitor):
            for session in caller.sessions:
                wait_until(lambda: succeeds(lambda: caller.ask(session)), f"{session} is not found")
        self.say("acknowledged sessions", f"{sum(len(caller.sessions) for caller in self.callers)}, 0 lost")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    options = parser.parse_args()
    enter("machines walk")
    with Machines(options.binary) as machines:
        Walk(machines).run()


main()
