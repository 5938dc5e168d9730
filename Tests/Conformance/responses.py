"""Strict incremental reading of HTTP/1.1 responses (RFC 9112 sections 4-7)."""
import re
from dataclasses import dataclass, field

HEADER_LIMIT = 256 * 1024
TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
STATUS_LINE = re.compile(rb"HTTP/1\.([01]) ([1-5][0-9]{2})( [\t\x20-\x7e\x80-\xff]*)?")
CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


class Violation(Exception):
    """The server sent bytes that are no correct HTTP/1.1 response."""


@dataclass
class Response:
    minor: int
    status: int
    fields: list = field(default_factory=list)  # (lower-case name, value), in order
    body: bytes = b""
    ends_with_connection: bool = False
    seconds: float = 0.0  # after the start of the exchange

    def values(self, name):
        return [value for known, value in self.fields if known == name]

    def tokens(self, name):
        items = ",".join(self.values(name)).split(",")
        return {item.strip().lower() for item in items if item.strip()}

    @property
    def is_final(self):
        return self.status >= 200


class ResponseReader:
    """Turns received bytes into responses. `method_of(n)` names the method that final response `n` answers."""

    def __init__(self, method_of):
        self.method_of = method_of
        self.buffer = bytearray()
        self.ended = False
        self.finals = []
        self.interims = []

    def feed(self, data, seconds):
        self.buffer += data
        self._drain(seconds)

    def end(self, seconds):
        self.ended = True
        self._drain(seconds)

    @property
    def rest(self):
        return bytes(self.buffer)

    def _drain(self, seconds):
        while self.buffer:
            response, used = self._next()
            if response is None:
                return
            response.seconds = seconds
            del self.buffer[:used]
            (self.finals if response.is_final else self.interims).append(response)

    def _next(self):
        """The first response of the buffer and the bytes it takes, or (None, 0) while it is incomplete."""
        self._refuse_wrong_start()
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self.buffer) > HEADER_LIMIT:
                raise Violation("a response header over 256 KiB")
            return None, 0
        response = parse_head(bytes(self.buffer[:end]))
        start = end + 4
        lengths = response.values("content-length")
        codings = response.values("transfer-encoding")
        check_framing(response, lengths, codings)
        method = self.method_of(len(self.finals))
        if not response.is_final or response.status in (204, 304) or method == "HEAD":
            return response, start
        if codings:
            return self._chunked(response, start)
        if lengths:
            stop = start + int(lengths[0])
            if len(self.buffer) < stop:
                return None, 0
            response.body = bytes(self.buffer[start:stop])
            return response, stop
        if not self.ended:
            return None, 0
        response.body = bytes(self.buffer[start:])
        response.ends_with_connection = True
        return response, len(self.buffer)

    def _refuse_wrong_start(self):
        """What cannot become a response is told at once, without waiting for a header end that never comes."""
        start = bytes(self.buffer[:5])
        if not b"HTTP/".startswith(start[:5]):
            raise Violation(f"no status line: {bytes(self.buffer[:60])!r}")
        line, found, _ = self.buffer.partition(b"\n")
        if found and not line.endswith(b"\r"):
            raise Violation("the status line ends in a bare LF")

    def _chunked(self, response, position):
        body = bytearray()
        while True:
            line, position = self._line(position)
            if line is None:
                return None, 0
            size_text = line.split(b";", 1)[0]
            if not re.fullmatch(rb"[0-9A-Fa-f]{1,16}", size_text):
                raise Violation(f"bad chunk size {line[:40]!r}")
            size = int(size_text, 16)
            if size == 0:
                return self._trailer(response, bytes(body), position)
            if len(self.buffer) < position + size + 2:
                return None, 0
            body += self.buffer[position:position + size]
            position += size + 2
            if self.buffer[position - 2:position] != b"\r\n":
                raise Violation("chunk data without CRLF at its end")

    def _trailer(self, response, body, position):
        while True:
            line, position = self._line(position)
            if line is None:
                return None, 0
            if not line:
                response.body = body
                return response, position
            if b":" not in line:
                raise Violation("bad trailer line")

    def _line(self, position):
        end = self.buffer.find(b"\r\n", position)
        if end < 0:
            return None, position
        return bytes(self.buffer[position:end]), end + 2


def parse_head(head):
    lines = head.split(b"\r\n")
    match = STATUS_LINE.fullmatch(lines[0])
    if not match:
        raise Violation(f"bad status line {lines[0][:80]!r}")
    response = Response(int(match[1]), int(match[2]))
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        if not colon or not TOKEN.fullmatch(name):
            raise Violation(f"bad field line {line[:80]!r}")
        value = value.strip(b" \t")
        if CONTROL.search(value):
            raise Violation(f"control character in field {name!r}")
        response.fields.append((name.decode("ascii").lower(), value.decode("latin-1")))
    return response


def check_framing(response, lengths, codings):
    if len(lengths) > 1:
        raise Violation("Content-Length more than once")
    if lengths and not re.fullmatch(r"[0-9]{1,18}", lengths[0]):
        raise Violation(f"bad Content-Length {lengths[0]!r}")
    if lengths and codings:
        raise Violation("Content-Length and Transfer-Encoding together")
    if (response.status < 200 or response.status == 204) and (lengths or codings):
        raise Violation(f"a {response.status} response with a body length")
    if codings and [coding.lower() for coding in codings] != ["chunked"]:
        raise Violation(f"Transfer-Encoding is {codings!r}")
