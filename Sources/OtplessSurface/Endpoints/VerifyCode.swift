internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/auth/v1/verify/code`: redeems the code that a link gave to a browser.
///
///     {"code":"q3V0..."}  ->  200 {"requestId":"019b...","message":"...","userDetails":{"token":"AZt5...",...}}
struct VerifyCode: OtplessEndpoint {
    struct Order: Sendable {
        var code = ""
        var verifier: String?
    }

    struct Verified: Sendable {
        let request: CorrelationID
        let user: OneTap
    }

    let verifications: OtplessVerifications
    let identities: IdentityTokens

    static let call = Call(
        .post, OtplessPath.current + "/verify/code", id: "VerifyCode", "Redeem the code of a link",
        "A code is good for 60 seconds and once. The request has succeeded then.",
        body: .json(#"{"code":"AZt5B41YdQCAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAA"}"#), answer: "The person.")
    static let body = Shape(Order()) {
        Member.required("code", .anyText, "That redirectURI got.") { $0.code = $1 }
        Member.optional("code_verifier", .verifier, "Where the link was asked for with a code_challenge.") {
            $0.verifier = $1
        }
    }
    static let reply = Reply<Verified>(
        headers: [("Cache-Control", "no-store")],
        example: """
            {"requestId":"019b7907-8d58-7500-8000-000000000001","message":"Code verified successfully",\
            "userDetails":{"token":"AZt5B41YdQCAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAA","status":"SUCCESS",\
            "userId":"MO-00000000000000000000000000000001","timestamp":"2026-01-01T08:00:00Z",\
            "identities":[{"identityType":"MOBILE","identityValue":"12001004014","channel":"MAGICLINK","methods":["SMS"],\
            "verified":true,"verifiedAt":"2026-01-01T08:00:00Z"}],"idToken":"eyJhbGciOiJSUzI1NiJ9.e30.AA"}}
            """
    ) {
        ReplyMember.always("requestId", .identifier(), "Of the request.") { $0.request }
        ReplyMember.always("message", .text, "Always the same words.") { _ in "Code verified successfully" }
        ReplyMember.always("userDetails", .object(ValidateToken.reply), "As validate/token answers.") { $0.user }
    }
    static let refusals: [OtplessError] = [.codeInvalid]

    func respond(to order: Order, of request: Request, from tenant: Tenant) async throws(OtplessError) -> Verified {
        let (session, person) = try await verifications.person(byCode: order.code, order.verifier, for: tenant, request)
        return Verified(
            request: session.correlationID,
            user: try await identities.oneTap(of: person))
    }
}
