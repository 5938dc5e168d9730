internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/auth/v1/initiate/otp`: sends a code.
///
///     {"phoneNumber":"+12001004014","channels":["WHATSAPP","SMS"]}  ->  200 {"requestId":"019b..."}
struct InitiateOTP: OtplessEndpoint {
    let verifications: OtplessVerifications

    static let call = Call(
        .post, OtplessPath.current + "/initiate/otp", id: "InitiateOTP", "Send a code",
        "Each call begins another request. The channels are tried in their order.",
        body: .json(#"{"phoneNumber":"+12001004014","channels":["SMS"],"expiry":60,"otpLength":6}"#), demand: .begins,
        answer: "The request.")
    static let body = CodeOrder.members
    static let reply = Reply<CorrelationID>(example: #"{"requestId":"019b7907-8d58-7500-8000-000000000001"}"#) {
        ReplyMember.always("requestId", .identifier(), "Of the request.") { $0 }
    }
    static let refusals: [OtplessError] = [
        .numberRefused("is refused"), .noTarget, .noEmail, .channelNotEnabled(field: "channels"), .countryClosed,
        .notSent,
        .rateLimited(.init(.sendsPerNumber, retryAfterSeconds: 1)),
    ]

    func respond(
        to order: CodeOrder, of request: Request, from tenant: Tenant
    ) async throws(OtplessError) -> CorrelationID {
        let session = try await verifications.sendCode(order, for: tenant)
        request.note(session.correlationID)
        return session.correlationID
    }
}
