internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /otpless/v3/lp/user/transaction/otp/{state}`: checks a code that the person typed.
///
///     {"otp":"123456"}  ->  200 {"authDetail":{...},"oneTap":{...},"otpVerificationDetail":{"isOTPVerified":true,...}}
///
/// The SDK reads every 200 as a success, so a wrong code is an error.
struct CheckTransaction: HeadlessEndpoint {
    struct Order: Sendable {
        var state = ""
        var app: String?
        var code = ""
    }

    let gate: HeadlessGate
    let machine: HeadlessMachine

    static let call = Call(
        .post, OtplessPath.transaction + "/otp/{state}", id: "CheckTransaction", "Check a code, by the app",
        "Of the app's newest request. A wrong code answers 400 with 7118. The fifth one ends the request.",
        body: .json(#"{"otp":"123456"}"#, upTo: .app), answer: "The code was right.")
    static let body = Shape(Order()) {
        Member.optional("appId", .anyText, "The API client's id.") { $0.app = $1 }
        Member.required("otp", .anyText, "That the person has typed.") { $0.code = $1 }
    }
    static let parameters = Parameters<Order, OtplessError> {
        ParameterMember.path("state", .appState, "Of the app.") { $0.state = $1 }
    }
    static let reply = Reply<Transaction> {
        ReplyMember.part({ $0 }, TransactionReply.members)
        ReplyMember.always("otpVerificationDetail", .object(detail), "The result of the check.") { _ in () }
    }
    static let refusals: [OtplessError] = [
        .stateInvalid, .unknownRequest, .wrongCode, .checksUsedUp, .codeExpired, .alreadyVerified,
    ]

    private static let detail = Reply<Void>(name: "CheckedDetail") {
        ReplyMember.always("isOTPVerified", .flag, "Always true.") { _ in true }
        ReplyMember.always("code", .text, "Always 200.") { _ in "200" }
    }

    func respond(
        to order: Order, of request: Request, from caller: Nothing
    ) async throws(OtplessError) -> Transaction {
        let app = try await gate.app(order.state, id: order.app, of: request)
        return try await machine.check(order.code, for: app, request)
    }
}
