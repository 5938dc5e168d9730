internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/auth/otp/v1/resend`: sends another code for an order. Each message has its own code, and each of
/// these codes is accepted.
///
///     {"orderId":"019b..."}  ->  200 {"orderId":"019b..."}
struct ResendOrder: OtplessEndpoint {
    let verifications: OtplessVerifications

    static let call = Call(
        .post, OtplessPath.orders + "/resend", id: "ResendOrder", "Send another code (older call)",
        "5 messages in all, until 10 minutes after the life of the first code.",
        body: .json(#"{"orderId":"019b7907-8d58-7500-8000-000000000001"}"#), demand: .begins, answer: "The order.")
    static let body = Shape(RequestName?.none) {
        Member.required("orderId", .requestName, "Of the order.") { $0 = $1 }
    }
    static let reply = OrderReply.reply
    static let refusals: [OtplessError] = [
        .unknownRequest, .codeExpired, .alreadyVerified, .sendsUsedUp, .notSent,
        .rateLimited(.init(.sendsPerNumber, retryAfterSeconds: 1)),
    ]

    func respond(
        to name: RequestName?, of request: Request, from tenant: Tenant
    ) async throws(OtplessError) -> String {
        guard let name else { throw .field(.missing("orderId")) }
        let session = try await verifications.sendAgain(name, for: tenant)
        request.note(session.correlationID)
        return name.text(of: session)
    }
}
