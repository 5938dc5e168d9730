internal import Sandbox
internal import HTTPServer
internal import Engine
internal import Possession
internal import Text
internal import SurfaceKit

/// `POST /sandbox/operator/token`: exchanges a code, or the token of a phone, for an access token (RFC 6749 section
/// 4.1.3, RFC 7636, RFC 7523).
///
///     grant_type=authorization_code&code=...&redirect_uri=...&code_verifier=...&client_id=...
///      &client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer&client_assertion=...
///     grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=...  (its sub is operatortoken:...)
///     ->  200 {"access_token":"...","token_type":"Bearer","expires_in":300,"scope":"..."}
///
/// There is no ID token, because this server does not read one.
struct RedeemOperatorCode: Endpoint {
    struct Order: Sendable {
        var clientID = ""
        var assertionType = ""
        var assertion: String?
        var grantType: String?
        /// The assertion of a JWT bearer grant, which has no other member.
        var grant: String?
        var code: String?
        var redirectURI: String?
        var verifier: String?
    }

    struct Granted: Sendable {
        let token: String
        let scope: OperatorScope
    }

    let settings: SimulatedOperator.Settings
    let grants: OperatorGrants
    let assertions: any ClientAssertionVerifier
    let now: Now
    let sha256: @Sendable ([UInt8]) -> [UInt8]

    static let call = Call(
        .post, SimulatedOperator.tokenPath, id: "redeemOperatorCode", "Trade a code for a token",
        "RFC 6749 section 4.1.3 with PKCE; the client is known by private_key_jwt (RFC 7523). Or a JWT bearer grant whose sub is operatortoken: and the token of a phone: only grant_type and assertion.",
        body: .form(upTo: .session), answer: "The token.")
    static let refusals: [OAuthError] = [
        .invalidRequest("code is missing"), .unsupportedGrantType, .invalidClient, .invalidGrant, .invalidScope,
        .serverError,
    ]

    /// The client is checked first: a stranger gets no other error.
    static let body = Shape(Order()) {
        .described(
            must("grant_type", .text(), "authorization_code, or urn:ietf:params:oauth:grant-type:jwt-bearer."),
            "grant_type", .anyText
        ) { $0.grantType = $1 }
        ofGrant("assertion", "JWT bearer grant: a JWT of the client, whose sub names the phone's token.") {
            $0.grant = $1
        }
        ofGrant("client_id", "Code: the client.") { $0.clientID = $1 }
        ofGrant("client_assertion_type", "Code: urn:ietf:params:oauth:client-assertion-type:jwt-bearer.") {
            $0.assertionType = $1
        }
        ofGrant("client_assertion", "Code: a JWT by which the client proves who it is (RFC 7523).") {
            $0.assertion = $1
        }
        ofGrant("code", "Code: the one that authorize gave; good once, for 60 seconds.") { $0.code = $1 }
        ofGrant("redirect_uri", "Code: the same as at authorize.") { $0.redirectURI = $1 }
        ofGrant("code_verifier", "Code: 43 to 128 characters (RFC 7636).") { $0.verifier = $1 }
    }

    /// A member of only some grants.
    private static func ofGrant(
        _ name: String, _ about: String, _ set: @escaping @Sendable (inout Order, String) -> Void
    ) -> Member<Order> {
        .described(may(name, .text(), about), name, .anyText, set)
    }

    private enum TokenType: String { case bearer = "Bearer" }

    static let reply = Reply<Granted> {
        ReplyMember.always("access_token", .text, "For one call of the operator's API.") { $0.token }
        ReplyMember.always("token_type", .choice([TokenType.bearer]), "How the token is sent (RFC 6750).") { _ in
            .bearer
        }
        ReplyMember.always("expires_in", .integer(1...Int.max), "Seconds until the token expires.") { _ in
            Int(OperatorGrants.tokenLifetime.components.seconds)
        }
        ReplyMember.always("scope", .text, "The call that the token is for.") { $0.scope.rawValue }
    }

    /// The API description of the endpoint.
    static var operations: [Operation] {
        [
            operation(
                .simulatedOperator, caller: nil, schema: body.schema(others: true),
                errors: call.body.defects.map { OAuthError($0) }, shape: .oauth)
        ]
    }

    var routes: [Route] {
        SurfaceRoute<Self>(report: { _ in }).routes { request, form throws(OAuthError) in
            try await answer(request, from: Nothing(), form)
        }
    }

    func respond(to order: Order, of request: Request, from caller: Nothing) async throws(OAuthError) -> Granted {
        if order.grantType?.isSame(as: Self.jwtBearer) == true { return try granted(to: order.grant) }
        try authenticate(order)
        guard let grantType = order.grantType else { throw .invalidRequest("grant_type is missing") }
        guard grantType.isSame(as: "authorization_code") else { throw .unsupportedGrantType }
        guard let name = order.code else { throw .invalidRequest("code is missing") }
        guard let redirectURI = order.redirectURI else { throw .invalidRequest("redirect_uri is missing") }
        guard let verifier = order.verifier, (43...128).contains(verifier.utf8.count) else {
            throw .invalidRequest("code_verifier is missing, or not 43 to 128 characters long")
        }
        // A call that sends a code uses it up, even if the call fails.
        guard let code = grants.take(code: name), code.redirectURI.isSame(as: redirectURI),
            Base64URL.encode(sha256(Array(verifier.utf8))).isSame(as: code.challenge)
        else { throw .invalidGrant }
        return try granted(code.connection, code.scope)
    }

    private func granted(_ connection: SimulatedConnection, _ scope: OperatorScope) throws(OAuthError) -> Granted {
        guard connection.outcome != .operatorError,
            let token = grants.issue(OperatorGrants.Token(connection: connection, scope: scope))
        else { throw .serverError }
        return Granted(token: token, scope: scope)
    }

    private static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let phoneToken = "operatortoken:"

    /// A JWT bearer grant (RFC 7523 section 2.1): its assertion authenticates the client, and its subject is a phone's
    /// token.
    private func granted(to grant: String?) throws(OAuthError) -> Granted {
        guard let text = grant else { throw .invalidRequest("assertion is missing") }
        guard
            let grant = assertions.verifyGrantAssertion(
                text, audience: settings.publicURL + SimulatedOperator.tokenPath, at: now()),
            grant.client.clientID.isSame(as: settings.clientID), grants.isNew(grant.client)
        else { throw .invalidClient }
        guard let scope = OperatorScope(ofGrant: grant.scope) else { throw .invalidScope }
        guard grant.subject.begins(with: Self.phoneToken),
            let connection = grants.take(
                phoneToken: String(Substring(grant.subject.utf8.dropFirst(Self.phoneToken.utf8.count))))
        else { throw .invalidGrant }
        return try granted(connection, scope)
    }

    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// `private_key_jwt` (OpenID Connect Core section 9).
    private func authenticate(_ order: Order) throws(OAuthError) {
        guard order.clientID.isSame(as: settings.clientID), order.assertionType.isSame(as: Self.assertionType),
            let text = order.assertion,
            let assertion = assertions.verifyClientAssertion(
                text, audience: settings.publicURL + SimulatedOperator.tokenPath, at: now()),
            assertion.clientID.isSame(as: settings.clientID), grants.isNew(assertion)
        else { throw .invalidClient }
    }
}
