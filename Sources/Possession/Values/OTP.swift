/// A one-time password: 4 to 10 ASCII digits. `description` is redacted, so the code cannot leak into a log.
package struct OTP: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    /// `nil` unless 4 to 10 ASCII digits.
    package init?(_ text: String) {
        guard (4...10).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
        self.text = text
    }

    /// A uniform code of `length` digits with leading zeros (OTP-01). A byte of 250 or more would make the digits 0 to
    /// 5 more likely, so it is dropped and another one is drawn (OTP-02).
    package static func random(length: Int, from randomBytes: RandomBytes) throws(EntropyFault) -> OTP {
        precondition((4...10).contains(length), "an OTP has 4 to 10 digits")
        return OTP(verified: try digits(length, from: randomBytes))
    }

    /// The first `length` digits. They are uniform if this code is.
    func prefix(_ length: Int) -> OTP {
        precondition((4...text.utf8.count).contains(length), "an OTP has 4 to 10 digits")
        return OTP(verified: String(text.prefix(length)))
    }

    /// Uniform decimal digits.
    package static func digits(_ length: Int, from randomBytes: RandomBytes) throws(EntropyFault) -> String {
        var digits: [UInt8] = []
        while digits.count < length {
            for byte in try randomBytes(length) where byte < 250 && digits.count < length {
                digits.append(48 + byte % 10)
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    private init(verified text: String) {
        self.text = text
    }

    package var description: String { "<otp>" }
}
