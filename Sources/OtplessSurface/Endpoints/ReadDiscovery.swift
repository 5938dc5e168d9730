internal import HTTPServer
internal import SurfaceKit

/// `GET /otpless/.well-known/openid-configuration`: describes the issuer of ID tokens (OpenID Connect Discovery 1.0
/// section 4).
struct ReadDiscovery: OtplessOpenEndpoint {
    /// Scheme and authority of the server.
    let publicURL: String

    static let call = Call(
        .get, OtplessPath.wellKnown + "/openid-configuration", id: "ReadDiscovery", "Where ID tokens come from",
        """
        As the libraries read it. authorization_endpoint is a call of the backend, and not a page for a browser: it sends a \
        link. token_endpoint redeems the code that the link gives.
        """, answer: "The issuer.")

    private static let list = Output<[String]>.list(of: .text)

    static let reply = Reply<String>(headers: [("Cache-Control", "public, max-age=300")]) {
        ReplyMember.always("issuer", .text, "The iss of ID tokens.") { Self.issuer($0) }
        ReplyMember.always("authorization_endpoint", .text, "The URL of the call that sends a link.") {
            $0 + AuthorizeLink.call.path
        }
        ReplyMember.always("token_endpoint", .text, "The URL of the call that redeems the code of a link.") {
            $0 + ExchangeToken.call.path
        }
        ReplyMember.always("userinfo_endpoint", .text, "The URL of userInfo.") { $0 + ReadUserInfo.call.path }
        ReplyMember.always("jwks_uri", .text, "The URL of the public keys of ID tokens.") {
            $0 + ReadIDTokenKeys.call.path
        }
        ReplyMember.always("response_types_supported", list, "Always code.") { _ in ["code"] }
        ReplyMember.always("code_challenge_methods_supported", list, "Always S256.") { _ in [ProofKey.method] }
        ReplyMember.always(
            "subject_types_supported", list, "Always pairwise: API clients have different sub values for one person."
        ) { _ in ["pairwise"] }
        ReplyMember.always("id_token_signing_alg_values_supported", list, "Always RS256.") { _ in ["RS256"] }
    }

    static func issuer(_ publicURL: String) -> String { publicURL + OtplessPath.base }

    func value() -> String { publicURL }
}
