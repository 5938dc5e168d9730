/// Text that people type, paste or pick from their contacts (contract section 9).
///
/// The client libraries read it in the same way: `Clients/vectors/values.json`.
package enum TypedText {
    /// Bytes. Longer text stays unchanged: no number and no code is that long.
    package static let maxBytes = 256

    /// The text without invisible marks, with `-` for any dash, a blank for any white space, and `0` to `9` for the
    /// decimal digits of any script. Full-width brackets, full stops and plus signs become ASCII.
    package static func plain(_ text: String) -> String {
        guard text.utf8.count <= maxBytes, text.utf8.contains(where: { $0 < 0x20 || $0 > 0x7E }) else { return text }
        var plain = ""
        for scalar in text.unicodeScalars {
            if let character = character(for: scalar) { plain.unicodeScalars.append(character) }
        }
        return plain
    }

    /// The text without white space and invisible marks at its ends.
    package static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: isSeen), let last = scalars.lastIndex(where: isSeen) else {
            return ""
        }
        return String(Substring(scalars[first...last]))
    }

    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
    }

    /// The digits of a code, without the blanks and hyphens that people put between them.
    package static func code(_ text: String) -> String {
        let bytes = plain(text).utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func character(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x09...0x0D, 0x85: return " "
        // The minus sign, and full-width forms.
        case 0x2212: return "-"
        case 0xFF0B: return "+"
        case 0xFF08: return "("
        case 0xFF09: return ")"
        case 0xFF0E: return "."
        default: break
        }
        switch scalar.properties.generalCategory {
        case .format: return nil
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: return " "
        case .dashPunctuation: return "-"
        case .decimalNumber:
            return scalar.properties.numericValue.map { Unicode.Scalar(UInt8(ascii: "0") + UInt8($0)) } ?? scalar
        default: return scalar
        }
    }
}
