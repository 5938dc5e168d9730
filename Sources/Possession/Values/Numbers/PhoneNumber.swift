/// A phone number in E.164 form: `+` and 5 to 15 digits (ITU-T E.164).
///
/// Its description is the log form, so that a number printed by accident shows a country code and two digits.
package struct PhoneNumber: Sendable, Hashable, CustomStringConvertible {
    package let e164: String

    /// Converts a number from before its country's renumbering to the current one.
    ///
    /// `nil` unless the text is `+`, a digit other than 0, and 4 to 14 more ASCII digits.
    package init?(e164: String) {
        let bytes = Array(e164.utf8)
        guard bytes.count >= 6, bytes.count <= 16, bytes[0] == UInt8(ascii: "+"), bytes[1] != UInt8(ascii: "0"),
            bytes.dropFirst().allSatisfy({ $0 >= 48 && $0 <= 57 })
        else { return nil }
        self.e164 = Renumbering.newForm(of: bytes) ?? e164
    }

    /// The first form of the number. Digests are computed from it, so that rows from before a renumbering are found.
    package var formerE164: String { Renumbering.formerForm(of: e164) ?? e164 }

    /// The current form of the number whose national form in a region was `digits` before a renumbering, or `nil`.
    ///
    /// - Parameter region: ISO 3166-1.
    package static func renumbered(_ digits: String, in region: String) -> PhoneNumber? {
        Renumbering.newForm(ofNational: digits, in: region).flatMap { PhoneNumber(e164: $0) }
    }

    /// A number of no country (999 is not assigned), so no plan reads it. It is used in digests of test numbers' codes.
    static let ofTestCodes = PhoneNumber(checked: "+99900000000000")

    /// Looked up instead of a number for an unknown person, so that their call takes as long as others. The result is
    /// not used. The number is reserved for fiction.
    package static let ofNobody = PhoneNumber(checked: "+12015550123")

    private init(checked e164: String) { self.e164 = e164 }

    /// For the number's owner: country code, stars, the last four digits (`+1******4014`).
    package var masked: String { masked(showingLast: 4) }

    /// For logs and events: country code and the last two digits at most (DAT-06).
    package var description: String { masked(showingLast: 2) }

    private func masked(showingLast shown: Int) -> String {
        let digits = e164.utf8.count - 1 - callingCodeLength
        let visible = min(shown, max(0, digits - 2))
        return String(e164.prefix(1 + callingCodeLength)) + String(repeating: "*", count: digits - visible)
            + String(e164.suffix(visible))
    }

    /// The country calling code, such as `44`.
    package var callingCode: String { String(e164.dropFirst().prefix(callingCodeLength)) }

    /// The calling code as a number, at most 999, for metrics.
    package var callingCodeValue: Int {
        e164.utf8.dropFirst().prefix(callingCodeLength).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private var callingCodeLength: Int {
        var digits = e164.utf8.dropFirst().makeIterator()
        guard let first = digits.next(), let second = digits.next() else { return 1 }
        return Self.codeLengths[Int(first - 48) * 10 + Int(second - 48)]
    }

    /// Length of the country calling code by its first two digits, which determine it in ITU-T E.164.
    private static let codeLengths: [Int] = {
        let ofTwoDigits = [
            20, 27, 30, 31, 32, 33, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 55, 56, 57, 58, 60,
            61, 62, 63, 64, 65, 66, 81, 82, 84, 86, 90, 91, 92, 93, 94, 95, 98,
        ]
        return (0..<100).map { digits in
            if digits / 10 == 1 || digits / 10 == 7 { return 1 }
            return ofTwoDigits.contains(digits) ? 2 : 3
        }
    }()
}

/// A number as a caller wrote it, and the number it means. Responses repeat the caller's text (contract section 8).
package struct SubmittedNumber: Sendable, Hashable, CustomStringConvertible {
    package let asSent: String
    package let number: PhoneNumber

    package init(asSent: String, number: PhoneNumber) {
        self.asSent = asSent
        self.number = number
    }

    package var description: String { number.description }
}
