internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/auth/otp/v1/verify`: checks a code that a person typed for an order.
///
///     {"orderId":"019b...","otp":"123456","phoneNumber":"+12001004014"}  ->  200 {"isOTPVerified":true}
///
/// The older libraries raise an error for every status except 200, so a wrong code is answered with 200.
struct VerifyOrder: OtplessEndpoint {
    struct Order: Sendable {
        var name: RequestName?
        var code = ""
        var number: String?
        var email: String?
    }

    let verifications: OtplessVerifications

    static let call = Call(
        .post, OtplessPath.orders + "/verify", id: "VerifyOrder", "Check a code (older call)",
        """
        Without orderId the newest order of the number is meant. A number or an address that is not the order's is no match, \
        and costs no try. The fifth wrong code ends the order.
        """,
        body: .json(#"{"orderId":"019b7907-8d58-7500-8000-000000000001","otp":"123456"}"#),
        answer: "What the code comes to.")
    static let body = Shape(Order()) {
        Member.optional("orderId", .requestName, "Of the order.") { $0.name = $1 }
        Member.required("otp", .anyText, "That the person has typed.") { $0.code = $1 }
        Member.optional("phoneNumber", .text(.phoneNumber), "That the order has to be of.") { $0.number = $1 }
        Member.optional("email", .text(.freeText(254)), "That the order has to be of, or was sent with.") {
            $0.email = $1
        }
    }
    static let reply = Reply<OtplessVerifications.Checked>(example: #"{"isOTPVerified":true}"#) {
        ReplyMember.always("isOTPVerified", .flag, "Whether the code was right, and the first right one.") {
            $0 == .passed
        }
        ReplyMember.whenThere("reason", .text, "The reason why it is not verified.") { Self.reason($0) }
    }
    static let refusals: [OtplessError] = [.unknownRequest]

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(OtplessError) -> OtplessVerifications.Checked {
        var named = NamedTarget()
        if let text = order.number { named.number = try verifications.number(text, for: tenant) }
        named.email = order.email
        let found: Session
        switch (order.name, named.number) {
        case (let name?, _): found = try await verifications.find(name, for: tenant)
        case (nil, let number?): found = try await verifications.find(.target(.number(number)), for: tenant)
        case (nil, nil): throw .field(.missing("orderId"))
        }
        request.note(found.correlationID)
        guard named.agrees(with: found) else { return .otherTarget }
        return try await verifications.check(OTP(order.code), of: found, for: tenant).checked
    }

    private static func reason(_ checked: OtplessVerifications.Checked) -> String? {
        switch checked {
        case .passed: nil
        case .wrong: "OTP is incorrect"
        case .usedUp: "too many incorrect OTPs"
        case .expired: "OTP has expired"
        case .done: "OTP is already verified"
        case .otherTarget: "the order is of another number or address"
        }
    }
}
