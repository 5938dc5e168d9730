import Foundation

/// The server's state of a session; `docs/clients/protocol.md` describes it.
package struct State: Decodable, Sendable {
    package let authId: String
    package let rev: Int
    package let status: String
    package let outcome: String?
    package let step: String?
    package let allowed: [String]
    package let expiresAt: String
    package let phone: Phone
    package let device: Device
    package let otp: OTP?
    package let link: Link?

    package struct Phone: Decodable, Sendable {
        package let needed: Bool
    }
    package struct Device: Decodable, Sendable {
        package let challenge: String?
        package let rotate: Bool?
    }
    package struct OTP: Decodable, Sendable {
        package let codeExpiresAt: String?
        package let sendsLeft: Int?
        package let phoneEntriesLeft: Int?
    }
    package struct Link: Decodable, Sendable {
        package let waitUntil: String?
        package let matchCode: String?
        package let error: String?
    }

    package var isDone: Bool { status == "done" }
}

/// The body of an answer: a state, or something that may have one as `state`.
struct AnswerBody: Decodable {
    let error: String?
    let state: State?

    private enum Key: CodingKey {
        case error, state, rev
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        error = try? members.decode(String.self, forKey: .error)
        state = members.contains(.rev) ? try? State(from: decoder) : try? members.decode(State.self, forKey: .state)
    }
}

/// Reads what a person typed as the server does: without marks that nobody sees, with a blank for any white space, a hyphen for
/// any dash, and 0 to 9 for the digits of any script.
package func plainText(_ text: String) -> String {
    var plain = ""
    for scalar in text.unicodeScalars {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .format: break
        case _ where properties.isWhitespace: plain += " "
        case .dashPunctuation: plain += "-"
        case .decimalNumber: plain += properties.numericValue.map { String(Int($0)) } ?? String(Character(scalar))
        default: plain += scalar == "\u{2212}" ? "-" : String(Character(scalar))
        }
    }
    return plain
}

/// Code that a person typed, without spaces and hyphens. `nil` if it is none.
package func codeIn(_ text: String) -> String? {
    let code = plainText(text).filter { $0 != " " && $0 != "-" }
    let isCode = (4...10).contains(code.utf8.count) && code.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return isCode ? code : nil
}

/// Seconds since 1970 of a moment in a state.
func seconds(ofMoment text: String) -> Double? {
    ISO8601DateFormatter().date(from: text)?.timeIntervalSince1970
}
