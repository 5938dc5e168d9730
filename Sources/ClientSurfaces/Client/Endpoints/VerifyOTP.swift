internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// `POST /client/v1/session/otp/verify`: submits the code that the person typed.
///
///     {"code":"1234","requestId":"r-4"}  ->  200, the state
///
/// A text that cannot be the code, because its number of digits is not `state.otp.codeLength`, costs no try.
struct VerifyOTP: ClientEndpoint {
    struct Order: Sendable {
        var code: OTP?
    }

    let calls: ClientCalls

    static let call = Call(
        .post, ClientDescription.path + "/otp/verify", id: "verifyCode", "Verify the code",
        "A text that cannot be the code costs no try: it has another length.",
        body: .json(#"{"code":"1234","requestId":"r-4"}"#, upTo: .short),
        answer: "The state after the call.")
    static let refusals: [ClientError] = [.refused(.otpMismatch), .refused(.otpExpired)]
    static let body = Shape(Order()) {
        Member.required("code", code, "4 to 10 digits.") { $0.code = $1 }
    }

    func respond(
        to order: Order, of request: Request, from call: RepeatableCall
    ) async throws(ClientError) -> OperationReply {
        guard let code = order.code else { throw ClientError(FieldDefect.missing("code")) }
        return try await calls.perform(call) { (commands) throws(EngineFault) in
            commands.checkCode(code, isTyped: true)
        }
    }

    private static let code = Input.anyText.map(orFail: "must have 4 to 10 digits") { OTP(TypedText.code($0)) }
        .described(as: .text(pattern: #"^[0-9]{4,10}$"#))
}
