internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/auth/v1/initiate/magiclink`: sends a link.
///
///     {"phoneNumber":"+12001004014","channels":["SMS"],"redirectURI":"https://app.example/done"}
///     ->  200 {"requestId":"019b..."}
struct InitiateMagicLink: OtplessEndpoint {
    let verifications: OtplessVerifications

    static let call = Call(
        .post, OtplessPath.current + "/initiate/magiclink", id: "InitiateMagicLink", "Send a link",
        """
        The link opens a page that asks for one tap. The browser then goes to redirectURI with a code, which the backend \
        redeems within 60 seconds. Nothing is verified before that.
        """,
        body: .json(
            #"{"phoneNumber":"+12001004014","channels":["SMS"],"redirectURI":"https://app.example/done","expiry":300}"#),
        demand: .begins, answer: "The request.")
    static let body = Shape(CodeOrder(mayBeEmail: true, link: LinkTerms())) { CodeOrder.linkMembers }
    static let reply = InitiateOTP.reply
    static let refusals: [OtplessError] = InitiateOTP.refusals

    func respond(
        to order: CodeOrder, of request: Request, from tenant: Tenant
    ) async throws(OtplessError) -> CorrelationID {
        let session = try await verifications.sendCode(order, for: tenant)
        request.note(session.correlationID)
        return session.correlationID
    }
}
