internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// `POST /camara/number-verification/v2/verify`: whether a number belongs to the token's phone (Number Verification
/// 2.1).
///
///     {"phoneNumber":"+12001004016"}  ->  200 {"devicePhoneNumberVerified":true}
struct VerifyNumber: CamaraEndpoint {
    struct Order: Sendable {
        var number: String?
        var hash: String?
    }

    let numbers: NumberProofs
    let sha256: @Sendable ([UInt8]) -> [UInt8]

    static let scope = CamaraScope.verifyNumber
    static let call = Call(
        .post, CamaraPath.numbers + "/verify",
        aliases: ["v2", "v0"].map { CamaraPath.passthrough("/number-verification/number-verification/\($0)/verify") },
        id: "phoneNumberVerify", "Verify a number",
        "Exactly one of phoneNumber and hashedPhoneNumber.", body: .json(#"{"phoneNumber":"+12001004016"}"#),
        demand: .reads, answer: "Whether it is the number.")
    static let body = Shape(
        Order(), refine: { $0.requiring(["phoneNumber"], unless: ["hashedPhoneNumber"]) },
        check: { (order) throws(FieldDefect) in
            guard order.number != nil || order.hash != nil else { throw .missing("phoneNumber") }
            guard order.number == nil || order.hash == nil else {
                throw FieldDefect("hashedPhoneNumber", "must not be there beside phoneNumber")
            }
        }
    ) {
        Member.optional("phoneNumber", .camaraNumber, "With + and country code.") { $0.number = $1 }
        Member.optional("hashedPhoneNumber", .numberHash, "SHA-256 of the number with its +, in hexadecimal.") {
            $0.hash = $1
        }
    }
    static let reply = Reply<Bool>(example: #"{"devicePhoneNumberVerified":true}"#) {
        ReplyMember.always(
            "devicePhoneNumberVerified", .flag, "The number of the call is the number of the token's phone."
        ) { $0 }
    }
    static let refusals: [CamaraError] = [.notByNetwork]

    func respond(
        to order: Order, of request: Request, from caller: CamaraCaller
    ) async throws(CamaraError) -> Bool {
        let number = try await numbers.number(for: caller)
        if let session = caller.session { request.note(session) }
        if let claimed = order.number { return PhoneNumber(e164: claimed) == number }
        guard let hash = order.hash else { return false }
        // A caller may still have the hash of the number from before its country changed its numbers.
        return [number.e164, number.formerE164].contains {
            Array(hash.utf8).isSameIgnoringCase(as: Hex.text(sha256(Array($0.utf8))))
        }
    }
}

extension Input where Value == String {
    static var numberHash: Input {
        Input<String>.filledText(.freeText(64))
            .map(orFail: "must be 64 hexadecimal digits") { $0.utf8.count == 64 && Hex.bytes($0) != nil ? $0 : nil }
            .described(as: .text(pattern: "^[a-fA-F0-9]{64}$"))
    }
}
