"""A mail server on loopback, aiosmtpd's, that does what the address of a mail tells it to."""
import asyncio
import email
import email.policy
import ssl
import tempfile
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from live import free_port

from encryption import make_certificate, write_certificate  # noqa: E402

USER, PASSWORD = "holdfast", "p4ss word"


class Handler:
    """The first part of a recipient's address says what becomes of a mail."""

    def __init__(self):
        self.mails, self.refused, self.names = [], [], []

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        self.names.append(hostname)
        session.host_name = hostname
        return responses

    async def handle_MAIL(self, server, session, envelope, address, options):
        if address.startswith("stranger@"):
            self.refused.append(address)
            return "550 5.7.1 you may not send for this address"
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        word = address.split("@")[0].split("+")[0]
        answer = {"gone": "550 5.1.1 no such mailbox", "grey": "451 4.7.1 come back later"}.get(word)
        if answer:
            self.refused.append(address)
            return answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        word = envelope.rcpt_tos[0].split("@")[0].split("+")[0]
        if word == "spam":
            self.refused.append(envelope.rcpt_tos[0])
            return "554 5.7.1 refused"
        if word == "slow":
            await asyncio.sleep(8)
        if word == "cut":
            server.transport.abort()
        message = email.message_from_bytes(envelope.original_content, policy=email.policy.default)
        self.mails.append((envelope, message))
        return "250 OK"


class MailServer:
    """`way` is `tls` (from the first byte), `starttls` or `plain`."""

    def __init__(self, name, way="tls", login=False):
        self.name, self.way, self.login = name, way, login
        self.folder = Path(tempfile.mkdtemp(prefix="holdfast-mail-"))
        certificate, key = self.folder / "certificate.pem", self.folder / "key.pem"
        write_certificate(make_certificate(name, is_authority=True), certificate, key)
        self.authority = str(certificate)
        self.other_authority = str(self.folder / "other-authority.pem")
        write_certificate(make_certificate(name, is_authority=True), self.other_authority, self.folder / "other-key.pem")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.handler = Handler()
        options = {"tls": {"ssl_context": context}, "starttls": {"tls_context": context, "require_starttls": True}}
        if login:
            options[way].update(authenticator=self._authenticate, auth_required=True, auth_require_tls=way != "tls")
        self.controller = Controller(self.handler, hostname="127.0.0.1", port=free_port(), **options.get(way, {}))

    def __enter__(self):
        self.controller.start()
        return self

    def __exit__(self, *_):
        self.controller.stop()

    @property
    def url(self):
        return f"{'smtps' if self.way == 'tls' else 'smtp'}://localhost:{self.controller.port}"

    @property
    def mails(self):
        return [message for _, message in self.handler.mails]

    def gateway(self, secret_file, sender="no-reply@shop.example", password=PASSWORD, authority="own", **members):
        """The server as a gateway of a routes file. `authority` is `own`, `other` or None: whose certificates are trusted."""
        settings = {"url": self.url, "from": sender, "fromName": "Shop, Köln"}
        if authority:
            settings["caFile"] = self.authority if authority == "own" else self.other_authority
        entry = {"preset": "smtp", "settings": settings, **members}
        if self.login:
            settings["user"] = USER
            entry["secretFiles"] = {"password": secret_file(f"{self.name}.password", password)}
        return entry

    @staticmethod
    def _authenticate(server, session, envelope, mechanism, data):
        right = isinstance(data, LoginPassword) and (data.login, data.password) == (USER.encode(), PASSWORD.encode())
        return AuthResult(success=right, handled=False)
