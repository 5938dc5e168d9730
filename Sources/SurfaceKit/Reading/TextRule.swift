internal import Possession
internal import Text

/// The rule for length and characters of a text field.
package struct TextRule: Sendable {
    package enum Alphabet: Sendable {
        /// Any characters; the field has its own reader.
        case any
        /// Anything except control characters.
        case freeText
        case phoneNumber
        case emailAddress
        case ipAddress
        case base64
    }

    /// In Unicode scalars.
    package let maxCharacters: Int
    package let alphabet: Alphabet

    package init(maxCharacters: Int, alphabet: Alphabet) {
        self.maxCharacters = maxCharacters
        self.alphabet = alphabet
    }

    /// Names that the caller gives to its own objects (Prove section 1: free format).
    package static let reference = TextRule(maxCharacters: 256, alphabet: .freeText)
    /// Long enough for every accepted spelling; the numbering plan checks the number itself.
    package static let phoneNumber = TextRule(maxCharacters: NumberText.maxBytes, alphabet: .phoneNumber)
    /// RFC 5321 section 4.5.3.1.3 allows 254 characters.
    package static let emailAddress = TextRule(maxCharacters: 254, alphabet: .emailAddress)
    /// The longest IPv6 text form.
    package static let ipAddress = TextRule(maxCharacters: 45, alphabet: .ipAddress)
    package static let any = TextRule(maxCharacters: 4096, alphabet: .any)

    package static func freeText(_ maxCharacters: Int) -> TextRule {
        TextRule(maxCharacters: maxCharacters, alphabet: .freeText)
    }

    /// The rule that the text breaks, as the end of a sentence about the field.
    package func defect(of text: String) -> String? {
        // Scalars are counted only if there might be too many.
        if text.utf8.count > maxCharacters, text.unicodeScalars.count > maxCharacters {
            return "is longer than \(maxCharacters) characters"
        }
        switch alphabet {
        case .any:
            return nil
        case .freeText:
            let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
            return isPlain ? nil : "has a control character"
        case .phoneNumber:
            return allows(text, "+-.() ") ? nil : "may have only letters, digits, blanks and + - . ( )"
        case .emailAddress:
            // Prove documents `@.+`; real addresses also have `-` and `_`.
            return allows(text, "@.+-_") ? nil : "may have only letters, digits and @ . + - _"
        case .ipAddress:
            return allows(text, ".:") ? nil : "may have only letters, digits and . :"
        case .base64:
            return allows(text, "+/") ? nil : "may have only letters, digits and + /"
        }
    }

    private func allows(_ text: String, _ others: StaticString) -> Bool {
        let extra = UnsafeBufferPointer(start: others.utf8Start, count: others.utf8CodeUnitCount)
        return text.utf8.allSatisfy { $0.isLetterOrDigit || extra.contains($0) }
    }
}
