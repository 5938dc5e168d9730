"""What the scenes of one run share: the servers, and everything that must never show in a log."""
import uuid

from holdfast import Client, Platform, Sandbox, Server, expected

LORANT, LANEY, PENNY = "2001004014", "2001004015", "2001004041"
BERTIE, BONNIE = "+2001004025", "+2001004026"
SHORT_TERM, SHORT_TERM_ABROAD = "2001004018", "+2001004029"
STRANGER = "2065550123"
RIGHT, WRONG = "1234", "1111"


class Started:
    """A session as the backend holds it."""

    def __init__(self, site, platform, answer):
        self.site, self.platform = site, platform
        self.correlation_id, self.auth_token = answer["correlationId"], answer["authToken"]

    def client(self, **options):
        client = Client(self.site.server.base_url, self.auth_token, **options)
        self.site.clients.append(client)
        return client

    def status(self, success, **fields):
        """The session's result, which must have this success."""
        return expected(self.platform.status(self.correlation_id, **fields), 200, success=success)

    def bind(self, phone_number):
        return self.platform.bind(self.correlation_id, phone_number)

    def messages(self):
        return self.site.sandbox.messages_of(self.correlation_id)


class Site:
    """One server with a backend and a sandbox on it."""

    def __init__(self, server):
        self.server, self.clients, self.secrets = server, [], set()
        self.sandbox = Sandbox(server.base_url)
        self.platform = self.new_platform()

    def new_platform(self, client_id="sandbox"):
        platform = Platform(self.server.base_url, client_id, client_id + "-secret")
        expected(platform.token(), 200)
        self.secrets.add(platform.access_token)
        return platform

    def unify(self, phone_number=None, possession_type="mobile", platform=None, **fields):
        platform = platform or self.platform
        answer = expected(platform.unify(phone_number, possession_type, **fields), 200, success="pending")
        self.secrets.add(answer["authToken"])
        return Started(self, platform, answer)

    def restart(self):
        """Stops and starts the server; connections to the old process are of no use any more."""
        self.server.restart()
        self.platform.close()
        self.sandbox.close()

    def advance(self, seconds):
        """Moves the clock, and takes a new access token in case the old one is past its time."""
        expected(self.sandbox.advance(seconds), 200)
        expected(self.platform.token(), 200)
        self.secrets.add(self.platform.access_token)


class World:
    def __init__(self, options):
        self.options, self.sites = options, {}

    def site(self, unknown_numbers="refuse"):
        """A started server; `simulate` gives every number random codes that the inbox shows."""
        if unknown_numbers not in self.sites:
            server = Server(
                self.options.binary, self.options.config,
                environment={"HOLDFAST_SANDBOX_UNKNOWN_NUMBERS": unknown_numbers})
            server.__enter__()
            self.sites[unknown_numbers] = Site(server)
        return self.sites[unknown_numbers]

    @property
    def plain(self):
        return self.site()

    @property
    def simulated(self):
        return self.site("simulate")

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


def is_uuid(text):
    return isinstance(text, str) and str(uuid.UUID(text)) == text
