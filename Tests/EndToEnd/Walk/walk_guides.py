"""The requests of the published client guides, as each HTTP client puts them on the wire, unchanged."""
import json
from http.cookies import SimpleCookie

from holdfast import Client, Key, expected
from parsing import checked
from people import MARCIA, name_of
from prefill import DONE, IDENTIFIED
from volley import ANSWER_SECONDS, answer_on
from world import RIGHT

SSN = "6227"

# Header lines as the clients send them, in their order. `{credential}` is where a cookie or token goes.
WEB_FETCH = """Host: {host}
Connection: keep-alive
Content-Length: {length}
sec-ch-ua-platform: "Android"
User-Agent: Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile
Accept: application/json
sec-ch-ua: "Chromium";v="141", "Not?A_Brand";v="8"
Content-Type: application/json
sec-ch-ua-mobile: ?1
Origin: http://localhost:3000
Sec-Fetch-Site: same-site
Sec-Fetch-Mode: cors
Sec-Fetch-Dest: empty
Referer: http://localhost:3000/
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: en-US,en;q=0.9
{credential}"""
URL_SESSION = """Host: {host}
Content-Type: application/json
Connection: keep-alive
Accept: application/json
{credential}User-Agent: Example/1 CFNetwork/1568.100.1 Darwin/24.0.0
Content-Length: {length}
Accept-Language: en-US,en;q=0.9
Accept-Encoding: gzip, deflate
"""
OKHTTP = """{credential}Content-Type: application/json; charset=utf-8
Content-Length: {length}
Host: {host}
Connection: Keep-Alive
Accept-Encoding: gzip
User-Agent: okhttp/4.12.0
"""
HTTP_URL_CONNECTION = """Content-Type: application/json; charset=UTF-8
{credential}User-Agent: Dalvik/2.1.0 (Linux; U; Android 15; Pixel 9 Build/AP3A.241005.015)
Host: {host}
Connection: Keep-Alive
Accept-Encoding: gzip
Content-Length: {length}
"""


class Wire:
    """One kept connection of such a client, with what it remembers between calls."""

    def __init__(self, site, head, keeps):
        self.site, self.head, self.keeps, self.credential = site, head, keeps, ""
        self.host = f"127.0.0.1:{site.server.port}"
        self.socket = site.server.connect(ANSWER_SECONDS)

    def post(self, path, value, separators=(",", ":")):
        body = json.dumps(value, separators=separators).encode()
        head = self.head.format(host=self.host, length=len(body), credential=self.credential)
        self.socket.sendall(f"POST {path} HTTP/1.1\n{head}\n".replace("\n", "\r\n").encode() + body)
        answer = checked(path, answer_on(self.socket))
        self._remember(answer)
        return answer

    def _remember(self, answer):
        if self.keeps == "cookie" and "set-cookie" in answer.headers:
            name, cookie = next(iter(SimpleCookie(answer.headers["set-cookie"]).items()))
            self.credential = f"Cookie: {name}={cookie.value}\n"
        if self.keeps == "token" and answer["flowToken"]:
            self.credential = f"Authorization: Bearer {answer['flowToken']}\n"
        self.site.secrets |= {value for value in (answer["flowToken"], answer["authToken"]) if value}

    def close(self):
        self.socket.close()


def walked(site, head, keeps, initialize, verify, finish, separators=(",", ":")):
    """The calls of a guide, each answer taken as its snippet takes it."""
    wire = Wire(site, head, keeps)
    try:
        auth_token = expected(wire.post("/initialize", initialize, separators), 200)["authToken"]
        client = Client(site.server.base_url, auth_token, device_key=Key())
        expected(client.authenticate(RIGHT), 200, outcome="succeeded")
        fill = {"AUTH_ID": client.auth_id}
        client.close()
        sent = {name: fill.get(value, value) for name, value in verify.items()}
        expected(wire.post("/verify", sent, separators), 200, **name_of(MARCIA))
        sent = {name: fill.get(value, value) for name, value in finish.items()}
        results = expected(wire.post("/finish", sent, separators), 200).json
        assert results == {
            "success": True, "next": DONE, "changeDetected": False, "evaluation": IDENTIFIED}, results
    finally:
        wire.close()


def the_web_guides_fetch_calls_work(world):
    walked(world.plain, WEB_FETCH, "cookie", {"phoneNumber": MARCIA, "flowType": "mobile", "ssn": SSN}, {},
           name_of(MARCIA))


def the_ios_guides_url_session_calls_work(world):
    """Its cookie storage is shared. Members come in no certain order."""
    for initialize in (
            {"ssn": SSN, "flowType": "mobile", "phoneNumber": MARCIA},
            {"flowType": "mobile", "phoneNumber": MARCIA, "ssn": SSN}):
        walked(world.plain, URL_SESSION, "cookie", initialize, {"authId": "AUTH_ID"},
               dict(reversed(name_of(MARCIA).items())))


def the_android_guides_calls_work_over_okhttp(world):
    """It keeps no cookie unless told to: with the flow token, or with `authId` alone where that is set."""
    initialize = {"phoneNumber": MARCIA, "ssn": SSN, "flowType": "mobile"}
    walked(world.plain, OKHTTP, "token", initialize, {"authId": "AUTH_ID"}, name_of(MARCIA))
    walked(world.plain, OKHTTP, "nothing", initialize, {"authId": "AUTH_ID"},
           {"authId": "AUTH_ID", **name_of(MARCIA)})
    walked(world.plain, OKHTTP, "cookie", initialize, {"authId": "AUTH_ID"}, name_of(MARCIA))


def the_android_guides_calls_work_over_http_url_connection(world):
    """Java's JSON writers may put spaces between."""
    initialize = {"phoneNumber": MARCIA, "ssn": SSN, "flowType": "mobile"}
    for keeps in ("cookie", "token"):
        walked(
            world.plain, HTTP_URL_CONNECTION, keeps, initialize, {"authId": "AUTH_ID"}, name_of(MARCIA), (", ", ": "))
