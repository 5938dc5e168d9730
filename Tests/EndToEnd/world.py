"""What the scenes of one run share: the servers, and everything that must never show in a log."""
import re
import shutil
import tempfile
import uuid
from pathlib import Path

import scripted
from holdfast import Client, Platform, Sandbox, Server, expected

LORANT, LANEY, PENNY = "2001004014", "2001004015", "2001004041"
INGE, JESSE = "2001004016", "2001004017"
BERTIE, BONNIE, ALLISSA, WENDY, AMII = (f"+20010040{number}" for number in (25, 26, 27, 28, 43))
SHORT_TERM, SHORT_TERM_ABROAD = "2001004018", "+2001004029"
STRANGER = "2065550123"
RIGHT, WRONG = "1234", "1111"
TARGET = "https://app.example/done"


class Started:
    """A session as the backend holds it."""

    def __init__(self, site, platform, answer):
        self.site, self.platform = site, platform
        self.correlation_id, self.auth_token = answer["correlationId"], answer["authToken"]

    def client(self, **options):
        client = Client(self.site.server.base_url, self.auth_token, **options)
        self.site.callers.append(client)
        return client

    def status(self, success, **fields):
        """The session's result, which must have this success."""
        return expected(self.platform.status(self.correlation_id, **fields), 200, success=success)

    def result(self, success, phone_number, *members, evaluation=None):
        """The session's result: this number, these of proveId and deviceId, this evaluation, and nothing besides."""
        result = self.status(success).json
        assert result.pop("success") == success and result.pop("clientRequestId"), result
        for name in members:
            assert is_uuid(result.get(name)), f"{name} is missing: {result}"
        assert result.get("phoneNumber") == phone_number, f"{phone_number} is not in {result}"
        assert result.get("evaluation") == evaluation, f"{evaluation} is not the one of {result}"
        rest = set(result) - set(members) - {"phoneNumber", "evaluation"}
        assert not rest, f"{rest} should not be there: {result}"
        return result

    def bind(self, phone_number):
        return self.platform.bind(self.correlation_id, phone_number)

    def messages(self):
        return self.site.sandbox.messages_of(self.correlation_id)

    def links(self):
        """The links of the session's messages, oldest first."""
        links = [message["link"] for message in self.messages()]
        self.site.secrets |= {link.rsplit("/", 1)[-1] for link in links}
        return links

    def newest_link(self):
        return self.links()[-1]

    def timeline(self):
        """The names of what has happened, in order."""
        return [event["event"] for event in self.site.sandbox.events(self.correlation_id)]


class Site:
    """One server with a backend and a sandbox on it."""

    wrong = WRONG

    def __init__(self, server):
        self.server, self.callers, self.secrets = server, [], set()
        self.sandbox = Sandbox(server.base_url)
        self.platform = self.new_platform()

    def new_platform(self, client_id="sandbox"):
        return self._with_token(Platform(self.server.base_url, client_id, client_id + "-secret"))

    def _with_token(self, platform):
        expected(platform.token(), 200)
        self.callers.append(platform)
        self.secrets.add(platform.access_token)
        return platform

    def added_platform(self, client_id, *options):
        """A backend whose API client is added by command, with its rules."""
        printed = self.server.command("clients", "add", client_id, *options)
        platform = Platform(self.server.base_url, client_id, re.search(r"client_secret=(\S+)", printed)[1])
        self.secrets.add(platform.secret)
        return self._with_token(platform)

    def number(self):
        """A number for a session that ends in a code."""
        return LORANT

    def code_to(self, number):
        """The code of the message to a number."""
        return RIGHT

    def desktop(self, phone_number=LORANT, **fields):
        return self.unify(phone_number, "desktop", **{"finalTargetUrl": TARGET, **fields})

    def unify(self, phone_number=None, possession_type="mobile", platform=None, **fields):
        platform = platform or self.platform
        answer = expected(platform.unify(phone_number, possession_type, **fields), 200, success="pending")
        self.secrets.add(answer["authToken"])
        return Started(self, platform, answer)

    def hang_up(self):
        """Closes what is connected, so that a server that stops need not wait for it."""
        for caller in (self.sandbox, *self.callers):
            caller.close()

    def restart(self):
        """Stops and starts the server; connections to the old process are of no use any more."""
        self.hang_up()
        self.server.restart()

    def advance(self, seconds):
        """Moves the clock, and takes a new access token in case the old one is past its time."""
        expected(self.sandbox.advance(seconds), 200)
        expected(self.platform.token(), 200)
        self.secrets.add(self.platform.access_token)


class World:
    def __init__(self, options):
        self.options, self.sites, self.directories = options, {}, []

    def site(self, name, config=None, **environment):
        """The started server of this name; made at its first use."""
        if name not in self.sites:
            server = Server(self.options.binary, config or self.options.config, environment=environment)
            server.__enter__()
            self.sites[name] = Site(server)
        return self.sites[name]

    @property
    def plain(self):
        return self.site("plain")

    @property
    def still(self):
        """Its clock is never moved."""
        return self.site("still")

    @property
    def simulated(self):
        """Gives every number random codes that the inbox shows."""
        return self.site("simulated", HOLDFAST_SANDBOX_UNKNOWN_NUMBERS="simulate")

    @property
    def scripted(self):
        """Users and API clients of our own, addresses told by a proxy, operators that may take a second."""
        if "scripted" not in self.sites:
            self.directories.append(Path(tempfile.mkdtemp(prefix="holdfast-scripted-")))
            return self.site("scripted", scripted.write(self.directories[-1]))
        return self.sites["scripted"]

    @property
    def limited(self):
        """Holds to the limits over sessions, as live does."""
        return self.site("limited", HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX="true")

    @property
    def guarded(self):
        """Three messages that nobody answers close a prefix, and an API client may send five messages a day to anybody."""
        return self.site(
            "guarded", HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX="true", HOLDFAST_SANDBOX_UNKNOWN_NUMBERS="simulate",
            HOLDFAST_LIMITS_UNANSWERED_PER_PREFIX="3", HOLDFAST_GUARD_BUDGET_PER_CLIENT_PER_DAY="5")

    def fall(self):
        """The last words of a server that ended by itself, if one did."""
        for site in self.sites.values():
            process = site.server.process
            if process is not None and not site.server.is_serving():
                return f"a server has ended ({process.poll()}):\n{site.server.output()[-3000:]}"
        return None

    def close(self):
        for site in self.sites.values():
            site.server.close()
        for directory in self.directories:
            shutil.rmtree(directory, ignore_errors=True)


def is_uuid(text):
    return isinstance(text, str) and str(uuid.UUID(text)) == text
