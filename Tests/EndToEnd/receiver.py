"""A system that is told by webhooks: it keeps every request, and answers as it is told."""
import collections
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import encryption

WAIT_SECONDS = 15.0
POLL_SECONDS = 0.01


class Told:
    """One request: its headers by lower-case name, its bytes, when it came, and when its answer had left."""

    def __init__(self, path, headers, body):
        self.path, self.body, self.at, self.answered_at = path, body, time.monotonic(), None
        self.headers = {name.lower(): value for name, value in headers.items()}

    @property
    def id(self):
        return self.headers["webhook-id"]

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def type(self):
        event = self.json
        return (event["type"] if "type" in event else event["eventType"]).removeprefix("com.holdfast.")

    @property
    def data(self):
        """What the event tells: Prelude's format has another word for it."""
        event = self.json
        return event["payload"] if "payload" in event else event["data"]


class Receiver:
    """Listens on a free loopback port. `answer` makes the status, the headers and the body of each answer; with `None`
    it hangs up.

    With `certificate`, a pair of encryption.py, it speaks TLS.
    `allows` are the headers of the answer to each OPTIONS; `asked` are the headers of these requests.
    """

    def __init__(self, answer=None, certificate=None):
        self.requests, self._counts, self._lock = [], collections.Counter(), threading.Lock()
        self.allows, self.asked = {}, []
        self.answer = answer or (lambda told, count: (204, {}, b""))
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                told = Told(self.path, dict(self.headers), body)
                with owner._lock:
                    owner.requests.append(told)
                    owner._counts[told.headers.get("webhook-id")] += 1
                    count = owner._counts[told.headers.get("webhook-id")]
                answered = owner.answer(told, count)
                if answered is None:
                    self.close_connection = True
                    return
                status, headers, answer = answered
                try:
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    if "Content-Length" not in headers:
                        self.send_header("Content-Length", str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer)
                    told.answered_at = time.monotonic()
                except OSError:
                    self.close_connection = True

            def do_OPTIONS(self):
                with owner._lock:
                    owner.asked.append({name.lower(): value for name, value in self.headers.items()})
                self.send_response(200)
                for name, value in {"Allow": "POST", "Content-Length": "0", **owner.allows}.items():
                    self.send_header(name, value)
                self.end_headers()

            def do_GET(self):
                with owner._lock:
                    owner.requests.append(Told(self.path, dict(self.headers), b"{}"))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, request, client_address):
                """A peer that hangs up is no news."""

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.scheme = "https" if certificate else "http"
        if certificate:
            # The thread of a connection shakes hands, so that a slow peer delays no other one.
            self._server.socket = encryption.server_context(certificate).wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def port(self):
        return self._server.server_address[1]

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}/hooks"

    def all(self):
        with self._lock:
            return list(self.requests)

    def of(self, session=None, type=None):
        """The requests about a session, of a type."""
        return [told for told in self.all() if told.body != b"{}"
                and (session is None or told.data.get("sessionId") == session) and (type is None or told.type == type)]

    def wait(self, condition, what, seconds=WAIT_SECONDS):
        """What the condition makes of all requests, once that is something."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = condition(self.all())
            if value:
                return value
            time.sleep(POLL_SECONDS)
        seen = [(told.type, told.data.get("sequence")) for told in self.of()]
        raise AssertionError(f"no {what} within {seconds:g} s; seen: {seen[-20:]}")

    def wait_for(self, type, session=None, seconds=WAIT_SECONDS):
        """The first request of a type."""
        return self.wait(lambda _: self.of(session, type), f"{type} of {session}", seconds)[0]

    def close(self):
        self._server.shutdown()
        self._server.server_close()
