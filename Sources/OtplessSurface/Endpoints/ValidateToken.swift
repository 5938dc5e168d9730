internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/auth/v1/validate/token`: the person of a token.
///
///     {"token":"AZt5..."}  ->  200 {"token":"AZt5...","status":"SUCCESS","userId":"MO-...","timestamp":"...",
///                                   "identities":[...],"idToken":"eyJ..."}
struct ValidateToken: OtplessEndpoint {
    let verifications: OtplessVerifications
    let identities: IdentityTokens

    static let call = Call(
        .post, OtplessPath.current + "/validate/token", id: "ValidateToken", "Whose token it is",
        """
        For an hour after the success, as often as the caller likes. idToken is a JWT by RS256 that lives for 300 seconds; \
        its keys are at /otpless/.well-known/jwks.
        """, body: .json(#"{"token":"AZt5B41YdQCAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAA"}"#), demand: .reads,
        answer: "The person.")
    static let body = Shape("") { Member.required("token", .anyText, "Of a request of the caller.") { $0 = $1 } }
    static let reply = Reply<OneTap>(
        example: """
            {"token":"AZt5B41YdQCAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAA","status":"SUCCESS",\
            "userId":"MO-00000000000000000000000000000001","timestamp":"2026-01-01T08:00:00Z",\
            "identities":[{"identityType":"MOBILE","identityValue":"12001004014","channel":"OTP","methods":["SMS"],\
            "verified":true,"verifiedAt":"2026-01-01T08:00:00Z"}],"idToken":"eyJhbGciOiJSUzI1NiJ9.e30.AA"}
            """
    ) {
        ReplyMember.part({ $0.person }, PersonReply.members)
        ReplyMember.always("idToken", .text, "A JWT; aud is the client id.") { $0.idToken }
    }
    static let refusals: [OtplessError] = [.tokenInvalid]

    func respond(
        to token: String, of request: Request, from tenant: Tenant
    ) async throws(OtplessError) -> OneTap {
        try await identities.oneTap(of: try await verifications.person(ofToken: token, for: tenant, request))
    }
}
