"""Server-sent events as a client reads them with fetch: line by line, for as long as the server talks."""
import http.client
import json
from urllib.parse import urlsplit

from encryption import http_connection
from exchange import Answer, Lost


class Event:
    def __init__(self, fields):
        self.name, self.id = fields.get("event"), fields.get("id")
        self.retry = int(fields["retry"]) if "retry" in fields else None
        self.comment = fields.get("")
        self.state = json.loads(fields["data"]) if "data" in fields else None

    def __repr__(self):
        return f"event {self.name} id {self.id} retry {self.retry} comment {self.comment!r} {self.state}"


class EventStream:
    """One open stream. `answer` stands for a refusal, and then there are no events."""

    def __init__(self, base_url, path, headers, seconds=20.0):
        self.connection = http_connection(urlsplit(base_url), seconds)
        self.connection.request("GET", path, headers={"Accept": "text/event-stream", **headers})
        self.socket = self.connection.sock
        self.response = self.connection.getresponse()
        self.headers = {name.lower(): value for name, value in self.response.getheaders()}
        self.status = self.response.status
        self.answer = None if self.status == 200 else Answer(self.status, self.headers, self.response.read())

    def next(self, seconds=10.0):
        """The next block, a comment included; `None` at the end of the stream."""
        self.socket.settimeout(seconds)
        fields = {}
        try:
            while True:
                line = self.response.readline()
                if not line:
                    assert not fields, f"the stream ends inside a block: {fields}"
                    return None
                text = line.decode().rstrip("\r\n")
                if not text:
                    return Event(fields)
                name, _, value = text.partition(":")
                fields[name] = fields.get(name, "") + value.removeprefix(" ")
        except (OSError, http.client.HTTPException) as error:
            raise Lost(f"no event within {seconds:g} s: {error!r}") from error

    def state(self, seconds=10.0):
        """The next state, past comments and the retry time."""
        while True:
            event = self.next(seconds)
            if event is None or event.state is not None:
                return event

    def close(self):
        self.connection.close()
