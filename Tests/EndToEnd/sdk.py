"""The official server SDKs as they look on the wire: what each says in its request heads, and how it spells values."""
from dataclasses import dataclass
from urllib.parse import quote

JSON, FORM = "application/json", "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class SDK:
    """One SDK. Heads are the header fields in the order of the wire; one whose placeholder has no value is not sent."""

    name: str
    # Of its calls, and of the token call.
    head: tuple
    token_head: tuple
    # The type it names of a body, and of one that may be there and is not.
    media_type: str = JSON
    media_type_of_nothing: str = ""
    # The methods with which it tells a length of 0.
    tells_nothing: tuple = ("POST",)
    # In paths.
    plus: str = "%2B"
    # A required `clientRequestId` that its caller gave no value; None: it is left out.
    unset_request_id: str | None = None
    # Head and body leave in packets of their own.
    body_apart: bool = False

    def call_head(self, method, path, host, token, body):
        media_type = self.media_type if body else self.media_type_of_nothing if method == "POST" else ""
        return self._head(self.head, method, path, body, host=host, token=token, type=media_type)

    def form_head(self, path, host, body):
        return self._head(self.token_head, "POST", path, body, host=host, type=FORM)

    def _head(self, fields, method, path, body, **values):
        values["length"] = str(len(body)) if body or method in self.tells_nothing else ""
        head = [f"{method} {path} HTTP/1.1"]
        for name, template in fields:
            value = template.format(**values)
            if value or not template:
                head.append(f"{name}: {value}")
        return "\r\n".join([*head, "", ""]).encode()

    def spelled(self, value):
        """A value in a path."""
        return quote(value, safe="").replace("%2B", self.plus)


# net/http writes Host, User-Agent and Content-Length, then what is left in the order of the alphabet.
GO = SDK(
    "Go",
    (
        ("Host", "{host}"),
        ("User-Agent",
         "speakeasy-sdk/go 0.14.7 2.881.4 1.0.0 github.com/prove-identity/prove-sdk-server-go"),
        ("Content-Length", "{length}"), ("Accept", JSON), ("Authorization", "Bearer {token}"),
        ("Content-Type", "{type}"), ("Accept-Encoding", "gzip")),
    (
        ("Host", "{host}"), ("User-Agent", "Go-http-client/1.1"), ("Content-Length", "{length}"),
        ("Content-Type", "{type}"), ("Accept-Encoding", "gzip")),
    plus="+", unset_request_id="")

# The order of the fields as recorded from Node 20.
TYPESCRIPT = SDK(
    "TypeScript",
    (
        ("host", "{host}"), ("connection", "keep-alive"), ("Content-Type", "{type}"), ("Accept", JSON),
        ("cookie", ""), ("user-agent", "speakeasy-sdk/typescript 0.14.9 2.656.3 1.0.0 @prove-identity/prove-api"),
        ("Authorization", "Bearer {token}"), ("accept-language", "*"), ("sec-fetch-mode", "cors"),
        ("accept-encoding", "gzip, deflate"), ("content-length", "{length}")),
    (
        ("host", "{host}"), ("connection", "keep-alive"), ("Content-Type", "{type}"), ("accept", "*/*"),
        ("accept-language", "*"), ("sec-fetch-mode", "cors"), ("user-agent", "node"),
        ("accept-encoding", "gzip, deflate"), ("content-length", "{length}")),
    media_type_of_nothing=JSON, unset_request_id="ts-1")

# As recorded from the HttpClient of JDK 17, which offers h2c with every request, and a length with each as well.
UPGRADE = (
    ("HTTP2-Settings", "AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA"), ("Upgrade", "h2c"))
JAVA = SDK(
    "Java",
    (
        ("Connection", "Upgrade, HTTP2-Settings"), ("Content-Length", "{length}"), ("Host", "{host}"), *UPGRADE,
        ("Accept", JSON), ("Authorization", "Bearer {token}"), ("Content-Type", "{type}"),
        ("user-agent", "speakeasy-sdk/java 0.21.6 2.881.4 1.0.0 com.prove.proveapi")),
    (
        ("Connection", "Upgrade, HTTP2-Settings"), ("Content-Length", "{length}"), ("Host", "{host}"), *UPGRADE,
        ("User-Agent", "Java-http-client/17.0.15"), ("Content-Type", "{type}")),
    tells_nothing=("GET", "POST", "DELETE"), unset_request_id="java-1", body_apart=True)

# It writes no member that has no value, and asks for a token only when told to.
DOTNET = SDK(
    ".NET",
    (
        ("Host", "{host}"), ("User-Agent", "speakeasy-sdk/csharp 1.6.5 2.881.4 1.0.0 Prove.Proveapi"),
        ("Authorization", "Bearer {token}"), ("Content-Type", "{type}"), ("Content-Length", "{length}")),
    (
        ("Host", "{host}"), ("User-Agent", "speakeasy-sdk/csharp 1.6.5 2.881.4 1.0.0 Prove.Proveapi"),
        ("Content-Type", "{type}"), ("Content-Length", "{length}")),
    media_type=JSON + "; charset=utf-8")

SDKS = (GO, TYPESCRIPT, JAVA, DOTNET)

# Every operation that the SDKs have: method, path, and the statuses for which they have a typed error beside 400 and
# 500; any other is a generic error that carries the body.
OPERATIONS = {
    "V3TokenRequest": ("POST", "/token", {401}),
    "V3StartRequest": ("POST", "/v3/start", {401, 403}),
    "V3ValidateRequest": ("POST", "/v3/validate", {401, 403}),
    "V3ChallengeRequest": ("POST", "/v3/challenge", {401, 403}),
    "V3CompleteRequest": ("POST", "/v3/complete", {401, 403}),
    "V3UnifyRequest": ("POST", "/v3/unify", {401, 403}),
    "V3UnifyStatusRequest": ("POST", "/v3/unify-status", {401, 403}),
    "V3UnifyBindRequest": ("POST", "/v3/unify-bind", {401, 403}),
    "V3DeviceRevokeRequest": ("POST", "/v3/device/revoke", {401, 403, 404}),
    "V3VerifyRequest": ("POST", "/v3/verify", {401, 403}),
    "V3VerifyBatchRequest": ("POST", "/v3/verify/batch", {401, 403}),
    "V3DiscoverRequest": ("GET", "/v3/discover", {401, 403, 404}),
    "V3FetchRequest": ("GET", "/v3/fetch", {401, 403, 404}),
    "V3BatchGetIdentities": ("GET", "/v3/identity", {401, 403}),
    "V3EnrollIdentity": ("POST", "/v3/identity", {401, 403}),
    "V3BatchEnrollIdentities": ("POST", "/v3/identity/batch", {401, 403}),
    "V3GetIdentitiesByPhoneNumber": ("GET", "/v3/identity/{mobileNumber}/lookup", {401, 403}),
    "V3GetIdentity": ("GET", "/v3/identity/{proveId}", {401, 403}),
    "V3DisenrollIdentity": ("DELETE", "/v3/identity/{proveId}", {401, 403}),
    "V3ActivateIdentity": ("POST", "/v3/identity/{proveId}/activate", {401, 403}),
    "V3DeactivateIdentity": ("POST", "/v3/identity/{proveId}/deactivate", {401, 403}),
    "V3CrossDomainIdentity": ("POST", "/v3/identity/{identityId}/cross-domain", {401, 403}),
    "V3DomainIDRequest": ("GET", "/v3/domain/id", {401, 403}),
    "V3DomainLinkedRequest": ("GET", "/v3/domain/linked", {401, 403}),
    "V3DomainLinkRequest": ("POST", "/v3/domain/link", {401, 403}),
    "V3DomainConfirmLinkRequest": ("POST", "/v3/domain/confirm-link", {401, 403}),
    "V3DomainUnlinkRequest": ("POST", "/v3/domain/unlink", {401, 403}),
    # No typed error beside those of 400 and 500.
    "AuthStartRequest": ("POST", "/v1/server/auth/start", set()),
    "AuthContinueRequest": ("POST", "/v1/server/auth/continue", set()),
    "AuthFinishRequest": ("POST", "/v1/server/auth/finish", set()),
}
