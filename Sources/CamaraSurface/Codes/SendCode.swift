internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /camara/one-time-password-sms/v1/send-code`: sends a code in the caller's text (One Time Password SMS 1.1).
///
///     {"phoneNumber":"+12001004014","message":"{{code}} is your code"}  ->  200 {"authenticationId":"019b..."}
struct SendCode: CamaraEndpoint {
    struct Order: Sendable {
        var number = ""
        var message = ""
    }

    let codes: CamaraVerifications

    static let scope = CamaraScope.codes
    static let call = Call(
        .post, CamaraPath.codes + "/send-code", id: "sendCode", "Send a code",
        "Six digits, which are taken for five minutes, until another code is sent to the number.",
        body: .json(#"{"phoneNumber":"+12001004014","message":"{{code}} is your code"}"#), demand: .begins,
        answer: "The code is on its way.")
    static let body = Shape(Order()) {
        Member.required("phoneNumber", .camaraNumber, "With + and country code.") { $0.number = $1 }
        Member.required(
            "message", .filledText(.freeText(CamaraRules.mostCharacters)),
            "With {{code}} once, where the code goes; no link, and no #."
        ) { $0.message = $1 }
    }
    static let reply = Reply<CorrelationID>(example: #"{"authenticationId":"019b7907-8d58-7500-8000-000000000001"}"#) {
        ReplyMember.always("authenticationId", .identifier(), "For validate-code.") { $0 }
    }
    static let refusals: [CamaraError] = [
        .numberNotServed, .numberNotAllowed(reason: "is a landline"), .numberBlocked, .notSent,
        .codesExceeded(retryAfterSeconds: 1),
    ]

    func respond(
        to order: Order, of request: Request, from caller: CamaraCaller
    ) async throws(CamaraError) -> CorrelationID {
        let template: MessageTemplate
        do throws(FieldDefect) { template = try CamaraRules.template(of: order.message) } catch { throw .field(error) }
        let id = try await codes.send(to: order.number, template, for: caller.tenant)
        request.note(id)
        return id
    }
}

extension Input where Value == String {
    /// A number in the specifications' spelling. Other spellings are refused.
    static var camaraNumber: Input {
        Input<String>.filledText(.freeText(16))
            .map(orFail: "must be + and 5 to 15 digits, the first one not 0") { text in
                let bytes = Array(text.utf8)
                let digits = bytes.dropFirst()
                let isRight =
                    bytes.first == UInt8(ascii: "+") && (5...15).contains(digits.count)
                    && digits.allSatisfy { (48...57).contains($0) } && digits.first != 48
                return isRight ? text : nil
            }
            .described(as: .text(pattern: "^\\+[1-9][0-9]{4,14}$"))
    }
}
