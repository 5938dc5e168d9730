internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/auth/v1/initiate/otplink`: sends a code and a link in one message. Either completes the request.
///
///     {"phoneNumber":"+12001004014","redirectURI":"https://app.example/done","otpLength":6}  ->  200 {"requestId":"019b..."}
struct InitiateOTPLink: OtplessEndpoint {
    let verifications: OtplessVerifications

    static let call = Call(
        .post, OtplessPath.current + "/initiate/otplink", id: "InitiateOTPLink", "Send a code and a link",
        """
        The link stands on a line of its own below the text with the code, and opens as long as the code is good. A text \
        that is registered by a template id goes out as it is, without the link.
        """,
        body: .json(#"{"phoneNumber":"+12001004014","redirectURI":"https://app.example/done","otpLength":6}"#),
        demand: .begins, answer: "The request.")
    static let body = Shape(CodeOrder(mayBeEmail: true, link: LinkTerms(hasCode: true))) {
        CodeOrder.linkMembers
        Member.optional("otpLength", .codeLength, "Digits. Else 6.") { $0.codeLength = $1 }
    }
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
