#!/usr/bin/env python3
"""The demo's backend, with a page for the guides' web code: backend.py PORT FILES

HOLDFAST names the server. FILES has the page and its script.
"""
import http.server
import os
import sys
from pathlib import Path

port, files = sys.argv[1:]
os.environ["PORT"] = port
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Demo"))
import backend  # noqa: E402

backend.PAGES |= {"/": (Path(files) / "page.html", "text/html"), "/app.js": (Path(files) / "app.js", "text/javascript")}


class Snippets(backend.Shop):
    def log_message(self, *arguments):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Snippets).serve_forever()
