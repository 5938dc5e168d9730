internal import HTTPServer
internal import Engine
internal import Possession
internal import Text
internal import SurfaceKit

/// `POST /token`: an app's backend exchanges its credentials for an access token (RFC 6749 section 4.4).
///
///     grant_type=client_credentials&client_id=sandbox&client_secret=...
///     ->  200 {"access_token":"eyJ...","token_type":"Bearer","expires_in":3600}
///
/// The credentials may come as `Authorization: Basic` instead.
struct IssueToken: Endpoint {
    struct Order: Sendable {
        var grantType = ""
        var clientID: String?
        var clientSecret: String?
    }

    let login: ClientLogin
    let engine: Engine

    static let call = Call(
        .post, "/token", id: "issueToken", "Get an access token",
        """
        OAuth 2.0 client credentials (RFC 6749 section 4.4). Client id and secret stand in the form, or in \
        Authorization: Basic.
        """,
        body: .form(#"{"grant_type":"client_credentials","client_id":"sandbox","client_secret":"sandbox-secret"}"#),
        demand: .reads, answer: "The token.")
    static let refusals: [TokenError] = [
        .field(.missing("grant_type")), .unsupportedGrantType, .invalidClient,
        .platform(.rateLimited(.init(.tenantRate, retryAfterSeconds: 1))), .platform(.overloaded),
        .platform(.internalFault("")),
    ]

    private static let grantType = "client_credentials"
    private static let clientID = "client_id"
    private static let clientSecret = "client_secret"

    static let body = Shape(Order()) {
        Member.required(
            "grant_type", Input.anyText.described(as: .choice([grantType])), "The only grant that this call takes."
        ) { $0.grantType = $1 }
        Member.optional(clientID, .anyText, "Not needed when you send HTTP Basic.") { $0.clientID = $1 }
        Member.optional(clientSecret, .anyText, "Not needed when you send HTTP Basic.") { $0.clientSecret = $1 }
    }

    private enum TokenType: String { case bearer = "Bearer" }

    /// The life of an access token in seconds; a JSON integer on the wire (Prove 13.4).
    private static let lifetimeSeconds = 3600

    /// The answer with a token.
    static let reply = Reply<String>(headers: [("Cache-Control", "no-store")]) {
        ReplyMember.always("access_token", .text, "A JWT, to be sent as Authorization: Bearer.") { $0 }
        ReplyMember.always("token_type", .choice([TokenType.bearer]), "How the token is sent (RFC 6750).") { _ in
            .bearer
        }
        ReplyMember.always("expires_in", .integer(1...Int.max), "Seconds.") { _ in lifetimeSeconds }
    }

    /// The API description of the endpoint.
    static var operation: Operation {
        operation(
            .platform, caller: nil, schema: body.schema(others: true),
            errors: call.body.defects.map { TokenError($0) }, shape: .token)
    }

    func respond(to order: Order, of request: Request, from caller: Nothing) async throws(TokenError) -> String {
        guard order.grantType.isSame(as: Self.grantType) else { throw .unsupportedGrantType }
        let (name, secret) = try credentials(of: request, order)
        return try token(for: try await tenant(named: name, secret: secret, request))
    }

    func routes(report: @escaping @Sendable (String) -> Void) -> [Route] {
        SurfaceRoute<Self>(report: report).routes { request, form throws(TokenError) in
            try await answer(request, from: Nothing(), form)
        }
    }

    private func credentials(
        of request: Request, _ order: Order
    ) throws(TokenError) -> (name: String, secret: String) {
        guard let value = request.headers.bytes("authorization") else {
            guard let name = order.clientID else { throw .field(.missing(Self.clientID)) }
            guard let secret = order.clientSecret else { throw .field(.missing(Self.clientSecret)) }
            return (name, secret)
        }
        // Only one way of authentication in a request (RFC 6749 section 2.3).
        guard request.headers.count("authorization") == 1, let word = Credentials(value).token(of: "basic"),
            let basic = BasicCredentials(word)
        else {
            throw .invalidClient
        }
        guard order.clientSecret == nil else {
            throw .field(FieldDefect(Self.clientSecret, "must not be sent beside Authorization: Basic"))
        }
        guard order.clientID?.isSame(as: basic.name) ?? true else {
            throw .field(FieldDefect(Self.clientID, "differs from the one in Authorization: Basic"))
        }
        return (basic.name, basic.password)
    }

    private func tenant(named name: String, secret: String, _ request: Request) async throws(TokenError) -> Tenant {
        do throws(ClientLogin.Refusal) {
            return try await login.tenant(named: name, secret: secret, request)
        } catch {
            switch error {
            case .wrongCredentials: throw .invalidClient
            case .certificateMissing: throw .platform(.certificateMissing)
            case .rateLimited(let hit): throw .platform(.rateLimited(hit))
            case .overloaded: throw .platform(.overloaded)
            case .internalFault(let reason): throw .platform(.internalFault(reason))
            }
        }
    }

    private func token(for tenant: Tenant) throws(TokenError) -> String {
        do {
            return try engine.crypto.tokens.issueAccessToken(
                for: tenant.id, jti: try engine.crypto.randomBytes(16), at: engine.now())
        } catch {
            throw .platform(.internalFault("an access token could not be made"))
        }
    }
}
