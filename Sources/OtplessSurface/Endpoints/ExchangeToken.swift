internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// `POST /otpless/auth/token`: redeems the code that a link gave to a browser, for the older libraries. Id and secret
/// are in the form.
///
///     code=q3V0...&client_id=sandbox&client_secret=...  ->  200 {"id_token":"eyJ...","token":"AZt5..."}
struct ExchangeToken: OtplessFormEndpoint {
    struct Order: Sendable {
        var code = ""
        var verifier: String?
        var client: String?
        var secret: String?
    }

    let verifications: OtplessVerifications
    let gate: OtplessGate
    let identities: IdentityTokens

    static let call = Call(
        .post, OtplessPath.base + "/auth/token", id: "ExchangeToken", "Redeem the code of a link (older call)",
        """
        A code is good for 60 seconds and once. Where the header fields clientId and clientSecret are there, they count, \
        and not those of the form. Parameters of the URL are not looked at.
        """,
        body: .form(
            """
            {"code":"AZt5B41YdQCAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAA","client_id":"sandbox","client_secret":"sandbox-secret"}
            """, upTo: .session), answer: "The person.")
    static let body = Shape(Order()) {
        Member.required("code", .anyText, "That the page of the link was given.") { $0.code = $1 }
        Member.optional("client_id", .anyText, "Of the API client.") { $0.client = $1 }
        Member.optional("client_secret", .anyText, "Of the API client.") { $0.secret = $1 }
        Member.optional("code_verifier", .verifier, "Where the link was asked for with a code_challenge.") {
            $0.verifier = $1
        }
        Member.ignored("grant_type", grant, "authorization_code, or nothing.")
    }
    private static let grantType = "authorization_code"
    private static let grant = Input.anyText.map(orFail: "must be \(grantType)") { $0.isSame(as: grantType) ? $0 : nil }
        .described(as: .choice([grantType]))

    static let reply = Reply<OneTap>(
        headers: [("Cache-Control", "no-store")],
        example: """
            {"id_token":"eyJhbGciOiJSUzI1NiJ9.e30.AA","token":"AZt5B41YdQCAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAA"}
            """
    ) {
        ReplyMember.always("id_token", .text, "A JWT by RS256 that lives for 300 seconds.") { $0.idToken }
        ReplyMember.always("token", .text, "For validate/token and userInfo.") { $0.person.token }
    }
    static let refusals: [OtplessError] = [.codeInvalid, .field(.missing("code"))] + OtplessGate.refusals

    func respond(
        to order: Order, of request: Request, from caller: Nothing
    ) async throws(OtplessError) -> OneTap {
        let tenant = try await gate.tenant(of: request, orNamed: order.client, secret: order.secret)
        let (_, person) = try await verifications.person(byCode: order.code, order.verifier, for: tenant, request)
        return try await identities.oneTap(of: person)
    }
}
