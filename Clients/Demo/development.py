#!/usr/bin/env python3
"""Serves the demo's files from the sources, and hands every other call to a sandbox server: no build of the server is needed.

    HOLDFAST_SERVER_PUBLIC_URL=http://127.0.0.1:8090 holdfast serve --config config/sandbox.json
    Clients/Demo/development.py --port 8090 --server http://127.0.0.1:8080
"""
import argparse
import http.client
import http.server
import sys
from pathlib import Path
from urllib.parse import urlsplit

HERE = Path(__file__).resolve().parent
FOLDERS = {"/demo/": HERE.parents[1] / "Sources" / "CBuiltInFiles" / "demo", "/sdk/": HERE.parent / "Web" / "dist"}
TYPES = {
    ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".map": "application/json"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}
# Longer than the longest wait that the server grants.
TIMEOUT_SECONDS = 60


def file_for(path):
    """The file behind a path, or nothing. Only names directly in a folder are served."""
    if path == "/demo":
        return FOLDERS["/demo/"] / "demo.html"
    for prefix, folder in FOLDERS.items():
        name = path.removeprefix(prefix)
        if path.startswith(prefix) and "/" not in name and Path(name).suffix in TYPES and not name.startswith("."):
            return folder / name
    return None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        file = file_for(urlsplit(self.path).path)
        if file is None:
            self.hand_on()
        elif file.is_file():
            self.answer(200, file.read_bytes(), {
                "Content-Type": TYPES[file.suffix], "Cache-Control": "no-store", "Content-Security-Policy": POLICY,
                "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
                # Pages of other origins use the library too.
                **({"Access-Control-Allow-Origin": "*"} if self.path.startswith("/sdk/") else {})})
        else:
            self.answer(404, b"not found\n", {"Content-Type": "text/plain"})

    def hand_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        connection = http.client.HTTPConnection(self.server.behind, timeout=TIMEOUT_SECONDS)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
            connection.request(self.command, self.path, body, headers)
            response = connection.getresponse()
            kept = {name: value for name, value in response.getheaders() if name.lower() not in HOP_BY_HOP}
            self.answer(response.status, response.read(), kept)
        except OSError as error:
            self.answer(502, f"{error}\n".encode(), {"Content-Type": "text/plain"})
        finally:
            connection.close()

    do_POST = do_PUT = do_DELETE = do_OPTIONS = do_HEAD = hand_on

    def answer(self, status, body, headers):
        try:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)
        except ConnectionError:
            # The browser has gone, as at the end of a long poll.
            self.close_connection = True

    def log_message(self, *_):
        pass


class DevelopmentServer(http.server.ThreadingHTTPServer):
    """`behind`: host and port of the sandbox server. It may be named later, since it must know this server's address first."""
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Browsers drop connections as they like."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def __init__(self, port=0, behind=None):
        super().__init__(("127.0.0.1", port), Handler)
        self.behind = behind

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8090, help="default %(default)s")
    parser.add_argument("--server", default="http://127.0.0.1:8080", help="the sandbox server (default %(default)s)")
    options = parser.parse_args()
    with DevelopmentServer(options.port, urlsplit(options.server).netloc) as server:
        print(f"open {server.url}/demo", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
