"""Streams of requests that parsers may read in different ways: made from the grammar with known oddities, from the cases
of the conformance tests, and from the corpus of the fuzzer; then damaged."""
import random
import sys

METHODS = [b"GET", b"POST", b"POST", b"PUT", b"HEAD", b"OPTIONS", b"DELETE", b"CONNECT", b"PATCH", b"get", b"QUERY", b""]
TARGETS = [
    b"/", b"/", b"/a", b"/a?b=%20", b"*", b"http://a.example", b"http://a.example/x?y", b"HTTP://A.example:80?q",
    b"https://[::1]:8/", b"a.example:443", b"//a", b"/\xc3\xa9", b"/a#b", b"/%zz", b"/%", b"/a b", b"ftp://a/", b"",
    b"/\\", b"/\"<>", b"http:///a", b"http://u@a/", b"/a?", b"?",
]
VERSIONS = [
    b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.0", b"HTTP/1.2", b"HTTP/2.0", b"HTTP/0.9", b"http/1.1",
    b"HTTP/1.10", b"HTTP/ 1.1", b"HTTP/1,1", b"",
]
HOSTS = [
    b"Host: a.example", b"Host: a.example", b"Host: a.example", b"host:a.example:80", b"Host: ", b"Host: a b",
    b"Host: [::1]", b"Host: [::1]:80", b"Host: a/b", b"Host: a,b", b"Host: u@a", b"Host: a:b", b"Host: a%20b", b"Host : a",
]
FIELDS = [
    b"X-A: b", b"X-A:", b"X-A:\tb\t", b"X-A: b  c", b"X-A : b", b" X-A: b", b"X-A: b\r\n c", b"X_A: b", b"X-A", b": b",
    b"X-A: \x00", b"X-A: \x01", b"X-A: \x7f", b"X-A: \xff\xfe", b"X-A: b\rc", b"X-A: b\nX-B: c", b"X(A): b",
    b"X-\xc3\xa9: b", b"Connection: close", b"Connection: keep-alive", b"Connection: Close, X-A", b"Connection: upgrade",
    b"Upgrade: websocket", b"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings", b"Expect: 100-continue", b"Expect: x",
    b"Authorization: a\r\nAuthorization: b", b"TE: trailers", b"Trailer: X-T", b"Proxy-Connection: close",
    b"Keep-Alive: timeout=5", b"X-A: b\x0b", b"X-A: b\x0c", b"X-A:\x0bb", b"Connection: \"close\"", b"X-A: \xa0",
]
LENGTHS = [
    b"Content-Length: %d", b"Content-Length: %d", b"Content-Length: %d", b"content-length:%d", b"Content-Length: +%d",
    b"Content-Length: -%d", b"Content-Length: 0%d", b"Content-Length: %d\r\nContent-Length: %d", b"Content-Length: %d, %d",
    b"Content-Length: %d ", b"Content-Length: 0x%d", b"Content-Length: %d.0", b"Content-Length: %d_0", b"Content-Length:",
    b"Content-Length: %d\r\nContent-Length: 1%d", b"Content-Length : %d", b"Content-Length: %d\r\n", b"Content_Length: %d",
    b"Content-Length: 99999999999999999999%d", b"Content-Length: \x0b%d", b"Content-Length: %d;", b"Content-Length: \"%d\"",
]
CODINGS = [
    b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked",
    b"transfer-encoding:Chunked", b"Transfer-Encoding: gzip, chunked", b"Transfer-Encoding: chunked, chunked",
    b"Transfer-Encoding: chunked, gzip", b"Transfer-Encoding: identity", b"Transfer-Encoding: xchunked",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: \tchunked ",
    b"Transfer-Encoding: chunked;q=1", b"Transfer-Encoding: \"chunked\"", b"Transfer-Encoding: ,chunked",
    b"Transfer-Encoding: chunked,", b"Transfer-Encoding:", b"Transfer-Encoding : chunked", b"Transfer_Encoding: chunked",
    b"Transfer-Encoding: \x0bchunked", b"Transfer-Encoding: chunked\r\n ", b"Transfer-Encoding: gzip\r\n"
    b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked\r\nContent-Length: 3",
    b"Content-Length: 3\r\nTransfer-Encoding: chunked",
]
SIZES = [
    b"%x", b"%x", b"%x", b"%X", b"0%x", b"0000000000000000%x", b"0x%x", b"+%x", b"-%x", b"%x ", b" %x", b"%x\t", b"%x;", b"%x;a",
    b"%x;a=b", b"%x;a=\"b\"", b"%x;a=\"\\\"\"", b"%x ;a", b"%x; a", b"%x;a = b", b"%x;a=\"", b"%x;\x00", b"%x\x00", b"%xg", b"",
    b"1%016x", b"%x;a\rb", b"%x;a\nb", b"%x_0", b"%x;;", b"%x;=b", b"%x;a;b=c", b"%x;a=\"b", b"%x;a=b c", b"%x;\x7f",
]
TRAILERS = [
    b"", b"", b"", b"X-T: 1\r\n", b"X-T: 1\r\nX-U:2\r\n", b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n",
    b"Host: b\r\n", b" X-T: 1\r\n", b"X-T : 1\r\n", b"X-T\r\n", b"X-T: 1\n", b"X-T: \x00\r\n", b"X-T: 1\r\n c\r\n", b": 1\r\n",
    b"Authorization: x\r\n", b"Connection: close\r\n", b"Trailer: X\r\n",
]
ENDS = [b"\r\n"] * 20 + [b"\n", b"\r", b"\r\r\n", b"\n\r", b""]
BEFORE = [b""] * 12 + [b"\r\n", b"\r\n\r\n", b"\n", b" ", b"\r", b"\x00", b"\xef\xbb\xbf"]
WORDS = [
    b"\r\n", b"\n", b"\r", b"\0", b" ", b"\t", b":", b",", b";", b"\r\n\r\n", b"0\r\n\r\n", b"\x0b", b"\x0c", b"\x7f", b"\x80", b"\xff",
    b"HTTP/1.1", b"chunked", b"Content-Length: 0\r\n", b"Transfer-Encoding: chunked\r\n", b"\"", b"\\", b"=", b"0", b"a",
]
# Behind half of the streams, so that a request that still waits for bytes gets some.
LAST = b"GET /last HTTP/1.1\r\nHost: last.example\r\n\r\n"


def _request(chance):
    """One request: mostly sound, with an oddity or a few."""
    odd = chance.choice((0.0, 0.03, 0.06, 0.12))

    def pick(choices):
        return chance.choice(choices) if chance.random() < odd * 3 else choices[0 if odd else chance.randrange(2)]

    def end():
        return chance.choice(ENDS) if chance.random() < odd else b"\r\n"

    body = bytes(chance.randrange(256) for _ in range(chance.choice((0, 1, 3, 5, 17))))
    head = chance.choice(BEFORE) if chance.random() < odd else b""
    method = chance.choice(METHODS[:3]) if chance.random() > odd * 2 else chance.choice(METHODS)
    blank = chance.choice((b" ", b"  ", b"\t", b"")) if chance.random() < odd else b" "
    head += method + blank + pick(TARGETS) + b" " + pick(VERSIONS) + end()
    lines = [pick(HOSTS)]
    if chance.random() < odd:
        lines = chance.choice(([], lines * 2))
    lines += [chance.choice(FIELDS) for _ in range(chance.choice((0, 0, 1, 2))) if chance.random() < 0.3 + odd * 3]
    way = chance.randrange(4)
    if way == 0:
        lines.append(pick(LENGTHS).replace(b"%d", b"%d" % len(body)))
    elif way == 1:
        lines.append(pick(CODINGS))
        body = _chunks(chance, body, pick, end)
    else:
        body = b""
    chance.shuffle(lines)
    return head + b"".join(line + end() for line in lines) + end() + body


def _chunks(chance, body, pick, end):
    coded = b""
    while body:
        count = chance.randint(1, len(body))
        coded += pick(SIZES).replace(b"%016x", b"%016x" % count).replace(b"%x", b"%x" % count).replace(
            b"%X", b"%X" % count) + end() + body[:count] + end()
        body = body[count:]
    return coded + pick([b"0", b"0", b"00", b"0;a", b"-0", b"0x0", b"0 ", b""]) + end() + pick(TRAILERS) + end()


class Streams:
    """The streams of one seed: the same number is the same stream."""

    def __init__(self, seed, known):
        self.seed, self.known = seed, known

    def stream(self, number):
        if number < len(self.known):
            return self.known[number]
        chance = random.Random(f"{self.seed}/{number}")
        if self.known and chance.random() < 0.3:
            data = chance.choice(self.known)
        else:
            data = b"".join(_request(chance) for _ in range(chance.choice((1, 1, 1, 2, 3))))
        for _ in range(chance.choice((0, 0, 0, 1, 1, 2))):
            data = self._damaged(data, chance)
        return data + LAST if chance.random() < 0.5 else data

    def _damaged(self, data, chance):
        if not data:
            return data
        at = chance.randrange(len(data))
        end = min(len(data), at + chance.choice((1, 1, 2, 4, 16)))
        way = chance.randrange(7)
        if way == 0:
            return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1:]
        if way == 1:
            return data[:at] + data[end:]
        if way == 2:
            return data[:end] + data[at:]
        if way == 3:
            return data[:at]
        if way == 4:
            return data[:at] + chance.choice(WORDS) + data[end:]
        return data[:at] + chance.choice(WORDS) + data[at:]


def known_streams(repository):
    """The corpus of the fuzzer, then the cases of the conformance tests."""
    corpus = [file.read_bytes() for file in sorted((repository / "Tests" / "Fuzzing" / "Corpus" / "http").iterdir())]
    folder = repository / "Tests" / "Conformance"
    sys.path.insert(0, str(folder))
    import cases
    target = cases.Target("a.example", 80, "/v3/unify", "t", "a.example")
    told = []
    for case in cases.load(sorted(folder.glob("*.jsonl"))):
        if "raw" in case:
            told.append(cases.filled(case["raw"], target))
    # What is longer than any limit is refused for its length, by each parser at another one.
    return [stream for stream in corpus + told if len(stream) <= 16_384]
