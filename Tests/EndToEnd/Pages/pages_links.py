"""Where the links of the page checks come from: desktop sessions of a sandbox server, and the app's own site."""
import html
import http.server
import threading
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from holdfast import expected
from pages_browser import STRANGE_HOST
from world import LORANT, World

LINK_SECONDS = 180
# The API client whose links ask for the match code.
CODE_CLIENT = "match"
GUIDE_PAGE = (Path(__file__).parent / "guide_page.html").read_bytes()


class FinalTarget:
    """The app's own site, on another origin than the server: links end at `/done`, `/app` goes on to a second host, and
    `/guide` is the page of the web guide."""

    def __init__(self):
        target = self
        self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                target.requests.append((self.path, dict(self.headers.items())))
                parts = urlsplit(self.path)
                if parts.path == "/app":
                    self.send_response(302)
                    self.send_header("Location", f"{target.second_origin}/landed?{parts.query}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                if parts.path == "/guide":
                    self._page(GUIDE_PAGE)
                    return
                framed = html.escape(parse_qs(parts.query).get("frame", [""])[0])
                body = "<!doctype html><html lang=en><title>app</title><link rel=icon href='data:,'><h1>app</h1>"
                body += f"<iframe src='{framed}'></iframe>" if framed else ""
                self._page(body.encode())

            def _page(self, body):
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.second_origin = f"http://localhost:{self.server.server_port}"
        self.strange_origin = f"http://{STRANGE_HOST}:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Link:
    """One link on its way to a phone. `code`: the match code that the waiting page shows."""

    def __init__(self, url, auth_id, code=None, client=None, started=None):
        self.url, self.auth_id, self.code, self.client, self.started = url, auth_id, code, client, started

    def success(self):
        """What the backend is told: `true`, `false` or `pending`."""
        if self.started is None:
            return None
        return expected(self.started.platform.status(self.started.correlation_id), 200)["success"]


class SandboxLinks:
    """Links of a sandbox server with the scripted API clients."""

    def __init__(self, options, target):
        self.world, self.target = World(options), target
        self.site = self.world.scripted
        self.origin = self.site.server.base_url
        self.asking = self.site.new_platform(CODE_CLIENT)

    def new(self, code=False, path="/done?kept=1"):
        """A link just sent; without `path`, of a session on the phone itself, which has no final target."""
        platform = self.asking if code else self.site.platform
        if path is None:
            started = self.site.unify(LORANT, platform=platform, mobileAuthEnabled=False)
            client = started.client()
            client.to_link_wait(fallback="link")
        else:
            started = self.site.desktop(platform=platform, finalTargetUrl=self.target.origin + path)
            client = started.client()
            client.to_link_wait()
        return self._newest(started, client)

    def newer(self, link):
        """Sends again; the link given is superseded."""
        expected(link.client.link_resend(), 200)
        return self._newest(link.started, link.client)

    def let_expire(self):
        self.site.advance(LINK_SECONDS + 1)

    def unknown(self):
        return f"{self.origin}/l/" + "A" * 22

    @staticmethod
    def _newest(started, client):
        return Link(started.newest_link(), client.auth_id, client.state["link"].get("matchCode"), client, started)

    def fall(self):
        return self.world.fall()

    def close(self):
        self.world.close()
