internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/auth/otp/v1/verify`: the person has typed a code of an order.
///
///     {"orderId":"019b...","otp":"123456","phoneNumber":"+12001004014"}  ->  200 {"isOTPVerified":true}
///
/// The older libraries raise an error at everything but 200, so a wrong code is an answer.
struct VerifyOrder: OtplessEndpoint {
    struct Order: Sendable {
        var id: CorrelationID?
        var code = ""
        var number: String?
    }

    let requests: OtplessRequests

    static let call = Call(
        .post, OtplessPath.orders + "/verify", id: "VerifyOrder", "Check a code (older call)",
        "Without orderId the newest order of the number is meant. The fifth wrong code ends the order.",
        body: .json(#"{"orderId":"019b7907-8d58-7500-8000-000000000001","otp":"123456"}"#),
        answer: "What the code comes to.")
    static let body = Shape(Order()) {
        Member.optional("orderId", .requestID, "Of the order.") { $0.id = $1 }
        Member.required("otp", .anyText, "That the person has typed.") { $0.code = $1 }
        Member.optional("phoneNumber", .text(.phoneNumber), "That the order has to be of.") { $0.number = $1 }
        Member.ignored("email", .text(.freeText(254)), "No effect.")
    }
    static let reply = Reply<OtplessRequests.Checked>(example: #"{"isOTPVerified":true}"#) {
        ReplyMember.always("isOTPVerified", .flag, "Whether the code was right, and the first right one.") {
            $0 == .passed
        }
        ReplyMember.whenThere("reason", .text, "The reason why it is not verified.") { Self.reason($0) }
    }
    static let refusals: [OtplessError] = [.unknownRequest]

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(OtplessError) -> OtplessRequests.Checked {
        var number: PhoneNumber?
        if let text = order.number { number = try requests.number(text, for: tenant) }
        let key: SessionKey
        switch (order.id, number) {
        case (let id?, _): key = .correlation(id)
        case (nil, let number?): key = .target(.number(number))
        case (nil, nil): throw .field(.missing("orderId"))
        }
        let (checked, session) = try await requests.check(OTP(order.code), on: key, number: number, for: tenant)
        request.note(session.correlationID)
        return checked
    }

    private static func reason(_ checked: OtplessRequests.Checked) -> String? {
        switch checked {
        case .passed: nil
        case .wrong: "OTP is incorrect"
        case .usedUp: "too many incorrect OTPs"
        case .expired: "OTP has expired"
        case .done: "OTP is already verified"
        }
    }
}
