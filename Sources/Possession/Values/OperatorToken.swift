/// A temporary token that a phone's operator gave the app over any network, including Wi-Fi (GSMA TS.43). It allows one
/// request about the phone's number. It is never stored or shown.
package struct OperatorToken: Sendable, Equatable, CustomStringConvertible {
    /// In bytes.
    package static let longest = 3072

    /// Text after `operatortoken:` (CAMARA Identity and Consent Management r4.2).
    package let text: String

    /// `nil` unless it is 1 to 3072 visible ASCII characters.
    package init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        self.text = text
    }

    package var description: String { "an operator token" }
}

/// Identifies a mobile network: MCC and MNC (3GPP TS 23.003 section 12.1), such as `26201`. A phone reads it from its
/// SIM.
package struct PLMN: Sendable, Hashable {
    /// Five or six digits.
    private let digits: [UInt8]

    /// `nil` unless it is five or six digits.
    package init?(_ text: String) {
        let digits = Array(text.utf8.prefix(7))
        guard (5...6).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        self.digits = digits
    }
}
