internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit

/// Describes the issuer of tokens. Libraries look for one of two documents; both have the same content.
///
/// - `GET /camara/.well-known/openid-configuration` (OpenID Connect Discovery 1.0 section 4)
/// - `GET /.well-known/oauth-authorization-server/camara` (RFC 8414 section 3)
struct ReadConfiguration: Endpoint {
    /// Scheme and authority of the server.
    let publicURL: String

    static let call = Call(
        .get, CamaraPath.discovery, aliases: [.init(CamaraPath.metadata, detail: "By RFC 8414. ")],
        id: "readCamaraConfiguration", "Where tokens come from",
        """
        Tokens come by client credentials with private_key_jwt, and by JWT bearer grants. The specifications demand \
        authorization_endpoint, response_types_supported and id_token_signing_alg_values_supported too. There is no \
        authorization flow and no ID token here, and the endpoint says so.
        """, answer: "The authorization server.")

    private static let list = Output<[String]>.list(of: .text)

    static let reply = Reply<String>(headers: [("Cache-Control", "public, max-age=300")]) {
        ReplyMember.always("issuer", .text, "The iss of access tokens.") { issuer($0) }
        ReplyMember.always(
            "authorization_endpoint", .text, "The URL of a call that always refuses: there is no authorization flow."
        ) { $0 + CamaraPath.authorize }
        ReplyMember.always("token_endpoint", .text, "The URL of the call that issues access tokens.") {
            $0 + CamaraPath.token
        }
        ReplyMember.always("jwks_uri", .text, "The URL of the server's public keys, which check access tokens.") {
            $0 + "/.well-known/jwks.json"
        }
        ReplyMember.always("grant_types_supported", list, "Values of grant_type that the token endpoint takes.") { _ in
            IssueCamaraToken.grantTypes
        }
        // The registered response type for an answer without a token (OAuth 2.0 Multiple Response Types section 4).
        ReplyMember.always(
            "response_types_supported", list, "Always the one value none: there is no authorization flow."
        ) { _ in
            ["none"]
        }
        ReplyMember.always("subject_types_supported", list, "Always pairwise.") { _ in ["pairwise"] }
        ReplyMember.always(
            "id_token_signing_alg_values_supported", list,
            "Always RS256, as the specification demands. There are no ID tokens."
        ) { _ in ["RS256"] }
        ReplyMember.always("token_endpoint_auth_methods_supported", list, "Always private_key_jwt.") { _ in
            ["private_key_jwt"]
        }
        ReplyMember.always(
            "token_endpoint_auth_signing_alg_values_supported", list, "Always ES256: the algorithm of assertions."
        ) { _ in ["ES256"] }
        ReplyMember.always("scopes_supported", list, "Values that scope may have, beside its one purpose.") { _ in
            ["openid"] + CamaraScope.allCases.map(\.rawValue)
        }
    }

    /// Also the `iss` of tokens (RFC 9068 section 4).
    static func issuer(_ publicURL: String) -> String { publicURL + CamaraPath.base }

    static let refusals: [TokenRefusal] = []

    static var operations: [Operation] {
        operations(.camaraTokens, caller: nil, common: [], shape: .camaraToken)
    }

    var routes: [Route] {
        let response = Self.reply.response(publicURL)
        return Self.call.paths.map { Route.immediate(Self.call.method, $0) { _ in response } }
    }

    func respond(to nothing: Nothing, of request: Request, from caller: Nothing) async throws(TokenRefusal) -> String {
        publicURL
    }
}
