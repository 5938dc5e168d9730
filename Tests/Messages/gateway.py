"""A message gateway on loopback that does what a scene tells it to."""
import http.server
import json
import threading
import time
from urllib.parse import parse_qs, urlsplit


class Gateway:
    """Takes every message at once, until it is told otherwise.

    `behave` is asked for each call: it gets the gateway and the call, and returns status, headers and body, or `None` to cut
    the connection. It may wait.
    """

    def __init__(self, name, behave=None):
        self.name, self.behave = name, behave or (lambda gateway, call: gateway.taken(call))
        self.calls, self._lock, self._cut = [], threading.Lock(), threading.Event()
        gateway = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                gateway._answer(self)

            do_GET = do_PUT = do_POST

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._cut.set()
        self.server.shutdown()
        self.server.server_close()

    def wait(self, seconds):
        """Waits, but not longer than the gateway is there."""
        self._cut.wait(seconds)

    def _answer(self, handler):
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length)
        target = urlsplit(handler.path)
        call = Call(handler.command, target.path, dict(parse_qs(target.query)), dict(handler.headers.items()), body)
        with self._lock:
            self.calls.append(call)
        answer = self.behave(self, call)
        if answer is None:
            handler.connection.close()
            handler.close_connection = True
            return
        status, headers, content = answer
        try:
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(len(content)))
            handler.end_headers()
            handler.wfile.write(content)
        except OSError:
            pass

    def taken(self, call):
        return answer(200, {"id": f"{self.name}-{len(self.calls)}"})

    def messages(self):
        """The bodies of all calls so far, oldest first."""
        with self._lock:
            return [call.json for call in self.calls]


class Call:
    def __init__(self, method, path, query, headers, body):
        self.method, self.path, self.query, self.headers, self.body = method, path, query, headers, body
        self.at = time.monotonic()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def form(self):
        return {name: values[0] for name, values in parse_qs(self.body.decode()).items()}


def answer(status, value=None, **headers):
    """An answer in JSON."""
    body = b"" if value is None else json.dumps(value).encode()
    return status, {"Content-Type": "application/json", **{name.replace("_", "-"): text for name, text in headers.items()}}, body
