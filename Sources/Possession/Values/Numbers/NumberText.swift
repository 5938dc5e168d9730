/// Numbers as people type them (contract section 9).
package enum NumberText {
    /// Maximum length of a text that is read as a number: 15 digits and a separator beside each, in bytes.
    package static let maxBytes = 32

    /// The digits of a number, after `+` if that comes before all of them.
    ///
    /// Blanks, dots, hyphens and round brackets are left out, so that all spellings of a number are the same. `nil`
    /// unless 4 to 15 ASCII digits remain: letters, extensions and digits of other scripts are refused.
    package static func digits(of text: String) -> String? { digits(of: text, most: 15) }

    /// The digits of a number with a prefix for calls abroad, such as `00` or `0011`; `nil` unless they begin with
    /// `0`.
    package static func digitsDialledAbroad(of text: String) -> String? {
        digits(of: text, most: 20).flatMap { $0.utf8.first == UInt8(ascii: "0") ? $0 : nil }
    }

    private static func digits(of text: String, most: Int) -> String? {
        guard text.utf8.count <= maxBytes else { return nil }
        var plain: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"): continue
            case UInt8(ascii: "+") where plain.isEmpty: plain.append(byte)
            case UInt8(ascii: "0")...UInt8(ascii: "9"): plain.append(byte)
            default: return nil
            }
        }
        let count = plain.first == UInt8(ascii: "+") ? plain.count - 1 : plain.count
        return (4...most).contains(count) ? String(decoding: plain, as: UTF8.self) : nil
    }

    /// Why a number is not in E.164, as the end of a sentence about the field; `nil`: it has its `+`, or the text is
    /// not a number.
    ///
    /// Without `+` the digits would be read as a number of the server's region, and the code would be sent to a
    /// stranger. Forms and queries turn a `+` into a blank unless it is written as `%2B`.
    package static func internationalDefect(of text: String) -> String? {
        guard let digits = digits(of: text), digits.utf8.first != UInt8(ascii: "+") else { return nil }
        return text.utf8.first == UInt8(ascii: " ")
            ? "begins with a blank in the place of +: encode + as %2B"
            : "must be in E.164: + and the country code come before the number"
    }
}
