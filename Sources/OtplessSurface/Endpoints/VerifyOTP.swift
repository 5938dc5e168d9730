internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/auth/v1/verify/otp`: checks a code that a person typed.
///
///     {"requestId":"019b...","otp":"123456"}  ->  200 {"requestId":"019b...","isOTPVerified":true,"message":"..."}
///
/// Apps read every 200 as a success, so a wrong code is an error.
struct VerifyOTP: OtplessEndpoint {
    struct Order: Sendable {
        var name: RequestName?
        var code = ""
    }

    let verifications: OtplessVerifications

    static let call = Call(
        .post, OtplessPath.current + "/verify/otp", id: "VerifyOTP", "Check a code",
        "A wrong code answers 400 with 7118. The fifth one ends the request.",
        body: .json(#"{"requestId":"019b7907-8d58-7500-8000-000000000001","otp":"123456"}"#),
        answer: "The code was right.")
    static let body = Shape(Order()) {
        Member.required("requestId", .requestName, "Of the request.") { $0.name = $1 }
        Member.required("otp", .anyText, "That the person has typed.") { $0.code = $1 }
    }
    static let reply = Reply<String>(
        example: """
            {"requestId":"019b7907-8d58-7500-8000-000000000001","isOTPVerified":true,"message":"OTP verified successfully"}
            """
    ) {
        ReplyMember.always("requestId", .text, "Of the request.") { $0 }
        ReplyMember.always("isOTPVerified", .flag, "Always true.") { _ in true }
        ReplyMember.always("message", .text, "Always the same words.") { _ in "OTP verified successfully" }
    }
    static let refusals: [OtplessError] = [
        .unknownRequest, .wrongCode, .checksUsedUp, .codeExpired, .alreadyVerified,
    ]

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(OtplessError) -> String {
        guard let name = order.name else { throw .field(.missing("requestId")) }
        let found = try await verifications.find(name, for: tenant)
        request.note(found.correlationID)
        switch try await verifications.check(OTP(order.code), of: found, for: tenant).checked {
        case .passed: return name.text(of: found)
        case .wrong, .otherTarget: throw .wrongCode
        case .usedUp: throw .checksUsedUp
        case .expired: throw .codeExpired
        case .done: throw .alreadyVerified
        }
    }
}
