"""HTTP calls over one kept connection, and what comes back."""
import http.client
import json
import time
from urllib.parse import urlsplit

from encryption import http_connection
from parsing import read


class Lost(Exception):
    """No answer came: the call may have happened or not."""


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        try:
            return json.loads(self.body) if self.body else {}
        except ValueError as error:
            raise AssertionError(f"the answer {self.status} is no JSON: {self.body[:200]!r}") from error

    def __getitem__(self, name):
        return self.json.get(name)

    def __repr__(self):
        return f"{self.status} {self.body[:400].decode('utf-8', 'replace')}"


class Caller:
    """One keep-alive connection. For one thread; opened again after a loss, but no call is ever repeated by itself.

    A connection without a call for IDLE_SECONDS is left: the server closes it after 60, and may do so as the next call leaves.
    """

    IDLE_SECONDS = 30.0

    def __init__(self, base_url, timeout=35.0):
        parts = urlsplit(base_url)
        self.base_url, self.host, self.port, self.timeout = base_url, parts.hostname, parts.port, timeout
        self.parts = parts
        self.connection = None
        self.used = 0.0

    def call(self, method, path, body=None, headers=None):
        if time.monotonic() - self.used > self.IDLE_SECONDS:
            self.close()
        if self.connection is None:
            self.connection = http_connection(self.parts, self.timeout)
        try:
            self.connection.request(method, path, body=body, headers=headers or {})
            response = self.connection.getresponse()
            answer = Answer(
                response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Lost(f"{method} {path}: {error!r}") from error
        self.used = time.monotonic()
        return read(method, path, answer)

    def post(self, path, value, headers=None):
        return self.call("POST", path, json_bytes(value), {"Content-Type": "application/json", **(headers or {})})

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


def json_bytes(value):
    return json.dumps(value, separators=(",", ":")).encode()


def raw_request(method, path, host, headers, body=b""):
    """The same call as bytes, for those who want to choose the moment of every byte."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if method != "GET":
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
