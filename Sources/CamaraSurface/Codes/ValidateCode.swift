internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /camara/one-time-password-sms/v1/validate-code`: checks a code that the person typed (One Time Password SMS
/// 1.1).
///
///     {"authenticationId":"019b...","code":"123456"}  ->  204
struct ValidateCode: CamaraEndpoint {
    struct Order: Sendable {
        var id = ""
        var code = ""
    }

    let codes: CamaraVerifications

    static let scope = CamaraScope.codes
    static let call = Call(
        .post, CamaraPath.codes + "/validate-code", id: "validateCode", "Validate a code",
        "A right code is taken once. The third wrong one answers VERIFICATION_FAILED, as does every one after it.",
        body: .json(#"{"authenticationId":"019b7907-8d58-7500-8000-000000000001","code":"123456"}"#),
        answer: "The code was right.")
    static let body = Shape(Order()) {
        Member.required("authenticationId", .filledText(.freeText(36)), "Of send-code.") { $0.id = $1 }
        Member.required("code", .filledText(.freeText(10)), "That the person has typed.") { $0.code = $1 }
    }
    static let reply = ResponseReply<Nothing>([Answer(status: 204, about: "The code was right.")]) { _ in
        Response(status: 204)
    }
    static let refusals: [CamaraError] = [
        .unknownVerification, .wrongCode(triesLeft: 2), .verificationFailed, .verificationExpired,
    ]

    func respond(to order: Order, of request: Request, from caller: CamaraCaller) async throws(CamaraError) -> Nothing {
        guard let id = CorrelationID(order.id) else { throw .unknownVerification }
        request.note(id)
        try await codes.validate(order.code, on: id, for: caller.tenant)
        return Nothing()
    }
}
