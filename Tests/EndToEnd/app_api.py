"""The app surface as a page or an app calls it: with the cookie it was given, or with the flow token it keeps."""
from http.cookies import SimpleCookie

from exchange import Caller

COOKIE = "holdfast_flow"


class App:
    """One run. `carries` says how its calls name it: `cookie`, `bearer`, or `nothing`."""

    def __init__(self, base_url, carries="cookie"):
        self.caller, self.carries = Caller(base_url), carries
        self.flow_token = self.auth_token = None

    def post(self, path, value, headers=None):
        return self.caller.post(path, value, {**self.credential(), **(headers or {})})

    def credential(self):
        if self.flow_token is None or self.carries == "nothing":
            return {}
        if self.carries == "bearer":
            return {"Authorization": f"Bearer {self.flow_token}"}
        return {"Cookie": f"theme=dark; {COOKIE}={self.flow_token}"}

    def initialize(self, phone_number=None, flow_type="mobile", headers=None, **fields):
        value = {"flowType": flow_type, **fields}
        if phone_number is not None:
            value["phoneNumber"] = phone_number
        answer = self.post("/initialize", value, headers)
        if answer.status == 200:
            self.flow_token, self.auth_token = answer["flowToken"], answer["authToken"]
        return answer

    def verify(self, **fields):
        return self.post("/verify", fields)

    def finish(self, **fields):
        return self.post("/finish", fields)

    def close(self):
        self.caller.close()


def cookie_of(answer):
    """The one cookie an answer sets, or None."""
    cookies = SimpleCookie(answer.headers.get("set-cookie", ""))
    assert set(cookies) <= {COOKIE}, f"other cookies are set: {set(cookies)}"
    return cookies.get(COOKIE)
