"""Network namespaces, and the bridges between them: the networks of a compose file on this machine.

All of it is inside a network namespace of the walk, and ends with it. The walk is the host: it has the first address of
each network.
"""
import ctypes
import ipaddress
import itertools
import os
import signal
import socket
import subprocess
import sys
import threading

CLONE_NEWNET = 0x40000000


def enter(what):
    """Starts the script again in namespaces of its own, so that all its processes end with it.

    Where this machine allows none, it ends with status 0.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if os.environ.get("HOLDFAST_WALK_INSIDE"):
        return
    alone = ["unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c",
             'ip link set lo up && exec "$@"', "sh"]
    attempt = "ip link add walk type bridge && bwrap --ro-bind / / true"
    if os.geteuid() != 0 or subprocess.run([*alone, "sh", "-c", attempt], capture_output=True).returncode:
        print(f"{what}: skipped, this machine allows no namespaces or this is not root")
        sys.exit(0)
    os.environ["HOLDFAST_WALK_INSIDE"] = "1"
    os.execvp(alone[0], [*alone, sys.executable, *sys.argv])


def ip(*words, inside=None):
    entry = ["nsenter", f"--net={inside}"] if inside else []
    subprocess.run([*entry, "ip", *map(str, words)], check=True)


class Network:
    """A bridge. Docker takes ranges of its own where the file names none."""

    numbers = itertools.count(1)

    def __init__(self, value):
        self.number = next(self.numbers)
        ranges = (value.get("ipam") or {}).get("config") or [{"subnet": f"172.{16 + self.number}.0.0/24"}]
        self.range = ipaddress.ip_network(ranges[0]["subnet"])
        self.is_internal = bool(value.get("internal"))
        self.host, *others = self.range.hosts()
        self.others, self.taken = itertools.cycle(others), set()
        self.bridge = f"bridge{self.number}"
        ip("link", "add", self.bridge, "type", "bridge")
        ip("address", "add", f"{self.host}/{self.range.prefixlen}", "dev", self.bridge)
        ip("link", "set", self.bridge, "up")

    def take(self):
        address = next(address for address in self.others if address not in self.taken)
        self.taken.add(address)
        return address


class Namespace:
    """The network namespace of a container, with one interface for each of its networks.

    - address: the same at each start; `None`: another one each time, as containers get it.
    """

    numbers = itertools.count(1)

    def __init__(self, path, networks, address=None):
        self.path, self.networks, self.address = path, networks, address
        self.addresses = {}
        path.touch()
        subprocess.run(["unshare", f"--net={path}", "true"], check=True)
        ip("link", "set", "lo", "up", inside=path)
        for number, network in enumerate(networks):
            outer = f"veth{next(self.numbers)}"
            ip("link", "add", outer, "type", "veth", "peer", "name", f"eth{number}", "netns", path)
            ip("link", "set", outer, "master", network.bridge, "up")

    def connect(self):
        for number, network in enumerate(self.networks):
            address = self.addresses[network] = self.address or network.take()
            # An address that goes to another container keeps its hardware address, so no neighbour has to forget it.
            hardware = "02:42:" + ":".join(f"{byte:02x}" for byte in address.packed)
            ip("link", "set", f"eth{number}", "address", hardware, "up", inside=self.path)
            ip("address", "add", f"{address}/{network.range.prefixlen}", "dev", f"eth{number}", inside=self.path)
        outside = [network for network in self.networks if not network.is_internal]
        if outside:
            ip("route", "add", "default", "via", outside[0].host, inside=self.path)

    def disconnect(self):
        for number, network in enumerate(self.networks):
            ip("address", "flush", "dev", f"eth{number}", inside=self.path)
            network.taken.discard(self.addresses.pop(network, None))

    def socket(self, *arguments):
        """A socket of this namespace."""
        made = []

        def make():
            with open(self.path) as file:
                if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "setns")
            made.append(socket.socket(*arguments))

        # The namespace belongs to the thread, which ends here.
        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        return made[0]

    def close(self):
        subprocess.run(["umount", str(self.path)], check=True)
