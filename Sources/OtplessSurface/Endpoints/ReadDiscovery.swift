internal import HTTPServer
internal import SurfaceKit

/// `GET /otpless/.well-known/openid-configuration`: where ID tokens come from (OpenID Connect Discovery 1.0 section 4).
struct ReadDiscovery: OtplessOpenEndpoint {
    /// Scheme and authority of the server.
    let publicURL: String

    static let call = Call(
        .get, OtplessPath.wellKnown + "/openid-configuration", id: "ReadDiscovery", "Where ID tokens come from",
        """
        As the libraries read it. Links are not served yet: the calls of authorization_endpoint and token_endpoint answer \
        404.
        """, answer: "The issuer.")

    private static let list = Output<[String]>.list(of: .text)

    static let reply = Reply<String>(headers: [("Cache-Control", "public, max-age=300")]) {
        ReplyMember.always("issuer", .text) { Self.issuer($0) }
        ReplyMember.always("authorization_endpoint", .text) { $0 + OtplessPath.current + "/authorize" }
        ReplyMember.always("token_endpoint", .text) { $0 + OtplessPath.base + "/auth/token" }
        ReplyMember.always("userinfo_endpoint", .text) { $0 + ReadUserInfo.call.path }
        ReplyMember.always("jwks_uri", .text) { $0 + ReadIDTokenKeys.call.path }
        ReplyMember.always("response_types_supported", list) { _ in ["code"] }
        ReplyMember.always("subject_types_supported", list) { _ in ["pairwise"] }
        ReplyMember.always("id_token_signing_alg_values_supported", list) { _ in ["RS256"] }
    }

    static func issuer(_ publicURL: String) -> String { publicURL + OtplessPath.base }

    func value() -> String { publicURL }
}
