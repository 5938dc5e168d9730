"""The sandbox surface: inbox, clock, users, sessions."""
from urllib.parse import quote

from exchange import Caller


class Sandbox:
    def __init__(self, base_url):
        self.caller = Caller(base_url)

    def _get(self, path):
        answer = self.caller.call("GET", path)
        assert answer.status == 200, f"GET {path}: {answer}"
        return answer.json

    def messages(self, to=None, after=None, wait=None):
        query = [("to", to), ("after", after), ("wait", wait)]
        text = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in query if value is not None)
        return self._get("/sandbox/messages" + ("?" + text if text else ""))["messages"]

    def messages_of(self, correlation_id, to=None):
        return [message for message in self.messages(to) if message["correlationId"] == correlation_id]

    def advance(self, seconds):
        return self.caller.post("/sandbox/clock", {"advanceSeconds": seconds})

    def reset_clock(self):
        return self.caller.post("/sandbox/clock", {"reset": True})

    def clock(self):
        return self._get("/sandbox/clock")

    def users(self):
        return self._get("/sandbox/users")

    def sessions(self):
        return self._get("/sandbox/sessions")

    def session(self, correlation_id):
        return self.caller.call("GET", f"/sandbox/sessions/{correlation_id}")

    def events(self, correlation_id):
        """The timeline of a session, as a list of its events."""
        value = self.session(correlation_id).json
        return value.get("events", value.get("timeline", []))

    def complete(self, correlation_id, outcome):
        return self.caller.post(f"/sandbox/sessions/{correlation_id}/complete", {"outcome": outcome})

    def close(self):
        self.caller.close()
