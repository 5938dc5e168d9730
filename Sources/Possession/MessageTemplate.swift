/// The text of a message with one run of 4 to 6 `#` where the code or link goes (Prove section 5.1, OTP-14).
package struct MessageTemplate: Sendable, Equatable {
    package static let maxCharacters = 160

    package enum Defect: Error, Sendable {
        case tooLong, noPlaceholder, severalPlaceholders, controlCharacter, containsURL
    }

    package let text: String
    /// Length of the run of `#`: the number of digits of a code.
    package let placeholderLength: Int

    /// - Throws: the first rule the text breaks.
    package init(_ text: String) throws(Defect) {
        guard text.count <= Self.maxCharacters else { throw .tooLong }
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }) else {
            throw .controlCharacter
        }
        // A link of the tenant's own beside ours would teach people to open any link in such a message.
        let lowered = text.lowercased()
        guard !lowered.contains("://"), !lowered.contains("www.") else { throw .containsURL }
        let runs = text.split(whereSeparator: { $0 != "#" })
        guard let length = runs.first?.count, runs.contains(where: { (4...6).contains($0.count) }) else {
            throw .noPlaceholder
        }
        guard runs.count == 1 else { throw .severalPlaceholders }
        self.text = text
        self.placeholderLength = length
    }

    /// The default text of a code message: English, and warns not to share the code (OTP-14).
    package static func otp(codeLength: Int) -> MessageTemplate {
        let run = String(repeating: "#", count: codeLength)
        return MessageTemplate(
            trusted: "Your verification code is \(run). Do not share it with anyone; we will never ask for it.",
            placeholderLength: codeLength)
    }

    private init(trusted text: String, placeholderLength: Int) {
        self.text = text
        self.placeholderLength = placeholderLength
    }

    /// The text with the placeholder replaced.
    package func filled(with value: String) -> String {
        guard let start = text.firstIndex(of: "#") else { return text }
        let end = text.index(start, offsetBy: placeholderLength)
        return text[..<start] + value + text[end...]
    }
}
