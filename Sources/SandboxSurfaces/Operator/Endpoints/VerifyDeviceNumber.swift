internal import Sandbox
internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import Text
internal import SurfaceKit

/// `POST /sandbox/operator/number-verification/v2/verify`: whether the connection has this number.
///
///     {"phoneNumber":"+12001004016"}  ->  200 {"devicePhoneNumberVerified":true}
struct VerifyDeviceNumber: OperatorAPIEndpoint {
    /// The claimed number.
    enum Claim: Sendable {
        case number(PhoneNumber)
        /// Lower-case hexadecimal.
        case hash([UInt8])
    }

    let sha256: @Sendable ([UInt8]) -> [UInt8]

    static let call = Call(
        .post, SimulatedOperator.apiPath + "/verify", id: "verifyDeviceNumber", "Is it this number's connection?",
        "CAMARA Number Verification; exactly one of the two members.",
        body: .json(#"{"phoneNumber":"+12001004016"}"#, upTo: .short), answer: "Whether it is.")
    static let scope = OperatorScope.verify
    static let refusals: [OperatorAPIError] = [.noClaim]
    static let body = Shape<Claim?>(nil) {
        Member.whole(members) { (fields, claim) throws(FieldDefect) in claim = Claim(fields.object) }
    }
    static let reply = Reply<Bool>(example: #"{"devicePhoneNumberVerified":true}"#) {
        ReplyMember.always(
            "devicePhoneNumberVerified", .flag, "Whether the connection has the number of the request."
        ) { $0 }
    }

    func respond(
        to claim: Claim?, of request: Request, from connection: SimulatedConnection
    ) async throws(OperatorAPIError) -> Bool {
        let isSame =
            switch claim {
            case .number(let number): number == connection.number
            case .hash(let hash): hash == Claim.hex(sha256(Array(connection.number.e164.utf8)))
            case nil: throw .noClaim
            }
        return isSame && connection.outcome == .match
    }
}

extension OperatorAPIError {
    fileprivate static let noClaim = invalidArgument(
        "exactly one of phoneNumber (E.164) and hashedPhoneNumber (SHA-256, hex) is due")
}

extension VerifyDeviceNumber {
    fileprivate static let phoneNumber = "phoneNumber"
    fileprivate static let hashedPhoneNumber = "hashedPhoneNumber"

    private static var members: [Field] {
        [
            may(phoneNumber, .text(pattern: #"^\+[1-9][0-9]{4,14}$"#), "E.164."),
            may(hashedPhoneNumber, .text(pattern: "^[a-fA-F0-9]{64}$"), "SHA-256 of it, in hex."),
        ]
    }
}

extension VerifyDeviceNumber.Claim {
    /// `nil` unless exactly one of the two members is present, and well-formed. `null` counts as present.
    fileprivate init?(_ object: JSONObject) {
        switch (object[VerifyDeviceNumber.phoneNumber], object[VerifyDeviceNumber.hashedPhoneNumber]) {
        case (.string(let text)?, nil):
            guard let number = PhoneNumber(e164: text) else { return nil }
            self = .number(number)
        case (nil, .string(let text)?):
            let hash = text.utf8.prefix(65).map(\.lowercasedASCII)
            guard hash.count == 64, hash.allSatisfy(Self.hexDigits.contains) else { return nil }
            self = .hash(hash)
        default: return nil
        }
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)

    fileprivate static func hex(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { [hexDigits[Int($0 >> 4)], hexDigits[Int($0 & 0xF)]] }
    }
}
