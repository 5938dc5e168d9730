#!/usr/bin/env python3
"""A shop's backend, as small as it can be: starts a session, hands the page its token, reads the result, takes the form.

    HOLDFAST=http://127.0.0.1:8080 CLIENT=sandbox SECRET=sandbox-secret PORT=8081 Clients/Demo/backend.py
"""
import http.server
import json
import os
import secrets
import urllib.error
import urllib.parse
import urllib.request
from http.cookies import SimpleCookie
from pathlib import Path

HOLDFAST, PORT = os.environ.get("HOLDFAST", "http://127.0.0.1:8080"), int(os.environ.get("PORT", "8081"))
HERE = Path(__file__).resolve().parent
PAGES = {"/": (HERE / "shop/shop.html", "text/html"), "/shop.js": (HERE / "shop/shop.js", "text/javascript"),
         "/holdfast.js": (HERE.parents[1] / "Sources/CBuiltInFiles/sdk/holdfast.global.js", "text/javascript")}
runs = {}  # Cookie -> correlation ID. It never goes to the page. A real shop has its sessions here, and their end.


def post(path, body, content_type, **headers):
    request = urllib.request.Request(HOLDFAST + path, body, {"Content-Type": content_type, **headers})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as response:
        return json.load(response)


def holdfast(path, **members):
    """Calls /v3. A busy backend keeps the access token for its hour."""
    client = {"client_id": os.environ.get("CLIENT", "sandbox"), "client_secret": os.environ.get("SECRET", "sandbox-secret")}
    form = urllib.parse.urlencode({"grant_type": "client_credentials", **client}).encode()
    access = post("/token", form, "application/x-www-form-urlencoded")["access_token"]
    return post(path, json.dumps(members).encode(), "application/json", Authorization=f"Bearer {access}")


class Shop(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        file, kind = PAGES.get(self.path.partition("?")[0], (None, "text/plain"))
        self.answer(200 if file else 404, file.read_bytes() if file else b"not found", f"{kind}; charset=utf-8")

    def do_POST(self):
        try:
            sent = json.loads(self.rfile.read(min(int(self.headers.get("Content-Length") or 0), 4096)) or "{}")
            run = getattr(SimpleCookie(self.headers.get("Cookie")).get("run"), "value", None)
            if self.path == "/initialize":
                started = holdfast("/v3/start", phoneNumber=sent["phoneNumber"], flowType=sent["flowType"], ssn=sent["ssn"],
                                   finalTargetUrl=f"http://127.0.0.1:{PORT}/")
                run = secrets.token_urlsafe(18)
                runs[run] = started["correlationId"]
                return self.answer(200, {"authToken": started["authToken"]}, cookie=run)
            if run not in runs or self.path not in ("/verify", "/finish"):
                return self.answer(404, {"message": "there is no such run"})
            if self.path == "/finish":
                person = {name: sent[name] for name in ("firstName", "lastName")}
                taken = holdfast("/v3/complete", correlationId=runs[run], individual=person)
                return self.answer(200, {"success": taken["success"]})
            if not holdfast("/v3/validate", correlationId=runs[run])["success"]:
                return self.answer(200, {"success": False})
            known = holdfast("/v3/challenge", correlationId=runs[run])
            self.answer(200, {"success": known["success"], **{
                name: known.get("individual", {}).get(name, "") for name in ("firstName", "lastName")}})
        except urllib.error.HTTPError as error:
            self.answer(error.code, {"message": json.load(error).get("message", "")})
        except (KeyError, TypeError, AttributeError, ValueError):
            self.answer(400, {"message": "a field is missing or malformed"})

    def answer(self, status, body, kind="application/json", cookie=None):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if cookie:
            self.send_header("Set-Cookie", f"run={cookie}; HttpOnly; SameSite=Lax; Path=/")
        self.end_headers()
        self.wfile.write(data)


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Shop).serve_forever()
