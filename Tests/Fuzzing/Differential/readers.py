"""How a stream of requests is read: by the server, by h11 and by llhttp, each as a `Reading`."""
import json
import re
import struct
import subprocess
from dataclasses import dataclass, field

import h11
import llhttp

# How a reading ends. Between two requests; inside one; with a request after which the connection closes; with a refusal.
IDLE, OPEN, CLOSED, REFUSED = "idle", "open", "closed", "refused"
ABSOLUTE = re.compile(rb"https?://[^/?]*", re.IGNORECASE)
PIECE = 65536


@dataclass
class Message:
    method: bytes
    target: bytes
    fields: list
    body: bytes = b""

    def named(self, method, target):
        """The target as the server has it: without an authority, and without a query that is empty."""
        absolute = ABSOLUTE.match(target)
        if method == b"CONNECT":
            return b"authority"
        if absolute:
            rest = target[absolute.end():]
            if not rest and method == b"OPTIONS":
                return b"*"
            target = rest if rest.startswith(b"/") else b"/" + rest
        return target[:-1] if target.endswith(b"?") and target.count(b"?") == 1 else target

    @property
    def is_connect_with_body(self):
        framing = {b"content-length", b"transfer-encoding"}
        return self.method == b"CONNECT" and any(name.lower() in framing for name, _ in self.fields)

    def compared(self):
        fields = []
        for name, value in self.fields:
            name = name.lower()
            # h11 writes codings in lower case, and of equal lengths one.
            value = value.lower() if name == b"transfer-encoding" else value
            fields.append((name, value.decode("utf-8", "replace").encode()))
        return self.method, self.named(self.method, self.target), fields, self.body


@dataclass
class Reading:
    messages: list = field(default_factory=list)
    end: str = IDLE
    reason: str = ""
    # Of the server's reading: where each message ends in the stream.
    ends: list = field(default_factory=list)


class Server:
    """The server's parser, in a process of its own that reads one stream after the other."""

    def __init__(self, binary):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def read(self, stream):
        self.process.stdin.write(struct.pack(">I", len(stream)) + stream)
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server's parser has ended on {stream!r}")
        told = json.loads(line)
        reading = Reading(reason=told["refusal"] or "")
        for message in told["messages"]:
            texts = [bytes.fromhex(text) for text in message["fields"]]
            reading.messages.append(Message(
                bytes.fromhex(message["method"]), bytes.fromhex(message["target"]),
                list(zip(texts[::2], texts[1::2])), bytes.fromhex(message["body"])))
            reading.ends.append(message["end"])
        if reading.reason:
            reading.end = REFUSED
        elif told["messages"] and not told["messages"][-1]["keepsAlive"]:
            reading.end = CLOSED
        else:
            reading.end = IDLE if told["isIdle"] else OPEN
        return reading

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=10)


def read_h11(stream):
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=PIECE)
    connection.receive_data(stream)
    reading, message = Reading(), None
    try:
        while True:
            event = connection.next_event()
            if isinstance(event, h11.Request):
                message = Message(event.method, event.target, [(bytes(n), bytes(v)) for n, v in event.headers])
            elif isinstance(event, h11.Data):
                message.body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                reading.messages.append(message)
                message = None
                # An answer that refuses every upgrade, so that the next request can be read.
                connection.send(h11.Response(status_code=404, headers=[("Content-Length", "0")]))
                connection.send(h11.EndOfMessage())
                if connection.our_state is not h11.DONE or connection.their_state is not h11.DONE:
                    reading.end = CLOSED
                    return reading
                connection.start_next_cycle()
            else:
                idle = connection.their_state is h11.IDLE and not connection.trailing_data[0]
                reading.end = IDLE if idle else OPEN
                return reading
    except h11.RemoteProtocolError as error:
        reading.end, reading.reason = REFUSED, str(error)
        return reading


class _Parser(llhttp.Request):
    def __init__(self):
        self.reading, self.message, self.part = Reading(), None, None
        self.in_trailer = False

    def on_message_begin(self):
        self.message, self.in_trailer = Message(b"", b"", []), False

    def on_method(self, part):
        self.message.method += bytes(part)

    def on_url(self, part):
        self.message.target += bytes(part)

    def on_header_field(self, part):
        if self.in_trailer:
            return
        if self.part != "name":
            self.message.fields.append((b"", b""))
        self.part = "name"
        name, value = self.message.fields[-1]
        self.message.fields[-1] = (name + bytes(part), value)

    def on_header_value(self, part):
        if self.in_trailer:
            return
        self.part = "value"
        name, value = self.message.fields[-1]
        self.message.fields[-1] = (name, value + bytes(part))

    def on_header_value_complete(self):
        self.part = None

    def on_headers_complete(self):
        self.in_trailer, self.part = True, None

    def on_body(self, part):
        self.message.body += bytes(part)

    def on_message_complete(self):
        self.message.fields = [(name, value.rstrip(b" \t")) for name, value in self.message.fields]
        self.reading.messages.append(self.message)
        self.message = None
        if not self.should_keep_alive:
            self.reading.end = CLOSED


def read_llhttp(stream):
    parser = _Parser()
    reading = parser.reading
    rest = stream
    try:
        while rest:
            taken = parser.execute(rest)
            if taken == len(rest):
                break
            # It stands behind a request that asks for another protocol, which it is refused.
            rest = rest[taken:]
            if parser.is_upgrading:
                parser.upgrade()
    except llhttp.Error as error:
        if reading.end != CLOSED:
            reading.end, reading.reason = REFUSED, str(error)
        return reading
    if reading.end != CLOSED and parser.message is not None:
        reading.end = OPEN
    return reading


READERS = {"h11": read_h11, "llhttp": read_llhttp}
