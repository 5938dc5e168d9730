internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `PUT /prelude/v2/verification/management/phone-numbers/sandbox`: adds a test number with one fixed code. The number
/// gets no messages; the limits of a verification still apply.
///
///     {"phone_number":"+12065550100","attempt_code":"123456"}  ->  200, the same
struct PutTestNumber: PreludeEndpoint {
    struct Order: Sendable {
        var number = ""
        var code: OTP?
    }

    let numbers: TestNumbers
    let engine: Engine
    /// On a live server a caller could prove any number with a code of its own choice, so only the operator adds test
    /// numbers.
    let isSandbox: Bool

    static let call = Call(
        .put, ListTestNumbers.path, id: "preludePutTestNumber", "Add a sandbox number",
        """
        In sandbox mode. Another code takes the place of the one before. The number is one for 90 days; the server has 20 of \
        them at most.
        """,
        body: .json(#"{"phone_number":"+12065550100","attempt_code":"123456"}"#), answer: "It is there.")
    static let body = Shape(Order()) {
        Member.required("phone_number", .filledText(.phoneNumber), "With + and country code.") { $0.number = $1 }
        Member.required("attempt_code", .attemptCode, "4 to 8 digits.") { $0.code = $1 }
    }
    static let reply = Reply<TestNumber> {
        ReplyMember.always("phone_number", .text, "The number in E.164, with +.") { $0.number.e164 }
        ReplyMember.always("attempt_code", .text, "The one code that passes.") { $0.code.text }
    }
    static let refusals: [PreludeError] = [
        .listFull(what: "sandbox numbers"), .numberTaken, .notOffered(what: "sandbox numbers in live mode"),
        .field(FieldDefect("phone_number", "is not valid")),
    ]

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> TestNumber {
        guard isSandbox else { throw .notOffered(what: "sandbox numbers in live mode") }
        let number = try Target.number(order.number, "phone_number", by: engine, for: tenant.id)
        guard let code = order.code else { throw .field(.missing("attempt_code")) }
        let added = try await PreludeError.running { () async throws(EngineFault) in
            try await numbers.put(number, code: code, of: tenant.id)
        }
        switch added {
        case .added(let entry): return entry
        case .full: throw .listFull(what: "sandbox numbers")
        case .taken: throw .numberTaken
        }
    }
}

extension Input where Value == OTP {
    fileprivate static var attemptCode: Input {
        Input<String>.filledText(.freeText(8)).map(orFail: "must be 4 to 8 digits") { OTP($0) }
    }
}
