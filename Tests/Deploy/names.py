"""The DNS that a container engine has in each container: names of services that share a network with it."""
import selectors
import socket
import struct
import threading

ADDRESS = ("127.0.0.11", 53)
TYPE_A, CLASS_IN = 1, 1
NO_SUCH_NAME = 3
SECONDS = 1  # how long an answer may be kept


def question(message):
    """The name, the type, and the end of the only question."""
    labels, at = [], 12
    while message[at]:
        labels.append(message[at + 1:at + 1 + message[at]].decode())
        at += 1 + message[at]
    return ".".join(labels).lower(), struct.unpack_from("!H", message, at + 1)[0], at + 5


def answer(message, resolve):
    """- resolve: the addresses of a name; `None`: there is no such name."""
    name, kind, end = question(message)
    addresses = resolve(name)
    found = addresses if addresses and kind == TYPE_A else []
    # An answer with authority, recursion as it was asked for.
    flags = 0x8480 | message[2] << 8 & 0x0100 | (NO_SUCH_NAME if addresses is None else 0)
    records = b"".join(
        struct.pack("!HHHIH", 0xC00C, TYPE_A, CLASS_IN, SECONDS, 4) + address.packed for address in found)
    return message[:2] + struct.pack("!HHHHH", flags, 1, len(found), 0, 0) + message[12:end] + records


class Names:
    def __init__(self):
        self.selector = selectors.DefaultSelector()
        threading.Thread(target=self._serve, daemon=True).start()

    def serve(self, namespace, resolve):
        """Answers in a namespace."""
        listener = namespace.socket(socket.AF_INET, socket.SOCK_DGRAM)
        listener.bind(ADDRESS)
        self.selector.register(listener, selectors.EVENT_READ, resolve)

    def _serve(self):
        while True:
            for key, _ in self.selector.select(0.1):
                message, peer = key.fileobj.recvfrom(4096)
                key.fileobj.sendto(answer(message, key.data), peer)
