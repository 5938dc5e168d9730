internal import Sandbox
internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import Text
internal import SurfaceKit

/// `POST /sandbox/operator/number-verification/v2/verify`: is it this number's connection?
///
///     {"phoneNumber":"+12001004016"}  ->  200 {"devicePhoneNumberVerified":true}
struct VerifyDeviceNumber: Sendable {
    let gate: OperatorAPIGate
    let sha256: @Sendable ([UInt8]) -> [UInt8]

    /// - Throws: `.invalidArgument`, and those of the gate.
    func respond(to request: Request) async throws(OperatorAPIError) -> Response {
        let connection = try await gate.connection(for: request, .verify)
        let isSame = try claims(request, connection.number)
        var object = JSONObject()
        object.set("devicePhoneNumberVerified", isSame && connection.outcome == .match)
        return .json(200, object)
    }

    /// Whether the body, which has exactly one of its two members, names the number.
    private func claims(_ request: Request, _ number: PhoneNumber) throws(OperatorAPIError) -> Bool {
        let object: JSONObject
        do throws(BodyDefect) { object = try RequestBody.object(of: request) } catch {
            throw .invalidArgument(error.message)
        }
        switch (object["phoneNumber"], object["hashedPhoneNumber"]) {
        case (.string(let text)?, nil):
            guard let claimed = PhoneNumber(e164: text) else { break }
            return claimed == number
        case (nil, .string(let text)?):
            let hash = text.utf8.prefix(65).map(\.lowercasedASCII)
            guard hash.count == 64, hash.allSatisfy(Self.hexDigits.contains) else { break }
            return hash == Self.hex(sha256(Array(number.e164.utf8)))
        default: break
        }
        throw .invalidArgument("exactly one of phoneNumber (E.164) and hashedPhoneNumber (SHA-256, hex) is due")
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)

    private static func hex(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { [hexDigits[Int($0 >> 4)], hexDigits[Int($0 & 0xF)]] }
    }
}
