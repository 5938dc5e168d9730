internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit

/// `GET /camara/.well-known/openid-configuration`: where tokens come from (OpenID Connect Discovery 1.0 section 4).
struct ReadConfiguration: Endpoint {
    /// Scheme and authority of the server.
    let publicURL: String

    static let call = Call(
        .get, CamaraPath.discovery, id: "readCamaraConfiguration", "Where tokens come from",
        "Only what is there: client credentials with private_key_jwt, and JWT bearer grants.",
        answer: "The authorization server.")

    private static let list = Output<[String]>.list(of: .text)

    static let reply = Reply<String> {
        ReplyMember.always("issuer", .text) { $0 + CamaraPath.base }
        ReplyMember.always("token_endpoint", .text) { $0 + CamaraPath.token }
        ReplyMember.always("jwks_uri", .text) { $0 + "/.well-known/jwks.json" }
        ReplyMember.always("grant_types_supported", list) { _ in IssueCamaraToken.grantTypes }
        ReplyMember.always("response_types_supported", list) { _ in [] }
        ReplyMember.always("subject_types_supported", list) { _ in ["pairwise"] }
        ReplyMember.always("token_endpoint_auth_methods_supported", list) { _ in ["private_key_jwt"] }
        ReplyMember.always("token_endpoint_auth_signing_alg_values_supported", list) { _ in ["ES256"] }
        ReplyMember.always("scopes_supported", list) { _ in CamaraScope.allCases.map(\.rawValue) }
    }

    static let refusals: [TokenRefusal] = []

    static var operations: [Operation] {
        let described = operation(.camaraTokens, caller: nil, schema: .anything, errors: [], shape: .camaraToken)
        return [described]
    }

    var route: Route {
        let response = Self.reply.response(publicURL)
        return Route.immediate(Self.call.method, Self.call.path) { _ in response }
    }

    func respond(to nothing: Nothing, of request: Request, from caller: Nothing) async throws(TokenRefusal) -> String {
        publicURL
    }
}
