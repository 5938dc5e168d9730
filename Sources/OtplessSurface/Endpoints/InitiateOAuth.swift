internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/auth/v1/initiate/oauth`: starts a sign-in with a provider. The sandbox plays the provider; a live
/// server refuses the call.
///
///     {"channels":["GMAIL"],"redirectURI":"https://app.example/done"}
///     ->  200 {"requestId":"019b...","link":"https://.../l/q3V0..."}
struct InitiateOAuth: OtplessEndpoint {
    struct Begun: Sendable {
        let request: CorrelationID
        let link: String
    }

    let verifications: OtplessVerifications

    static let call = Call(
        .post, OtplessPath.current + "/initiate/oauth", id: "InitiateOAuth", "Ask a provider (sandbox)",
        """
        link opens a page on which the person picks a user of the sandbox. The browser then goes to redirectURI with a code, as \
        after a link. A live server answers 400 with 4003.
        """, body: .json(#"{"channels":["GMAIL"],"redirectURI":"https://app.example/done"}"#), demand: .begins,
        answer: "The request, and where the person's browser goes.")
    static let body = Shape(SocialOrder()) {
        Member.required("channels", .providers, "At least one. The sandbox plays all by the same page.") { _, _ in }
        Member.required("redirectURI", .redirect, "The page that gets the code.") { $0.page = $1 }
        Member.optional("expiry", .expiry(OtplessRules.lifetimes), "Of the link, in seconds. Else 300.") {
            $0.expirySeconds = $1
        }
        Member.ignored("metadata", .metadata, "No effect.")
    }
    static let reply = Reply<Begun>(
        example: """
            {"requestId":"019b7907-8d58-7500-8000-000000000001","link":"http://127.0.0.1:8080/l/AZt5B41YdQCAAAAAAAAAAQ"}
            """
    ) {
        ReplyMember.always("requestId", .identifier(), "Of the request.") { $0.request }
        ReplyMember.always("link", .text, "For the person's browser.") { $0.link }
    }
    static let refusals: [OtplessError] = [.socialNotEnabled, .channelNotEnabled(field: "channels")]

    func respond(
        to order: SocialOrder, of request: Request, from tenant: Tenant
    ) async throws(OtplessError) -> Begun {
        let (session, link) = try await verifications.playProvider(order, for: tenant)
        request.note(session.correlationID)
        return Begun(request: session.correlationID, link: link)
    }
}
