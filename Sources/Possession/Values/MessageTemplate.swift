/// A message text in a call, with one run of `#` for the code or link (OTP-14).
package struct MessageTemplate: Sendable, Equatable {
    package static let maxCharacters = 160

    package enum Defect: Error, Sendable {
        case tooLong, noPlaceholder, severalPlaceholders, controlCharacter, containsURL
    }

    package let text: String
    /// Length of the run of `#`, which is the number of digits of a code.
    package let placeholderLength: Int

    /// - Parameters:
    ///   - text: may have several lines. Line ends become line feeds.
    ///   - lengths: allowed lengths of the run.
    /// - Throws: the first rule that the text breaks.
    package init(_ text: String, lengths: ClosedRange<Int> = Policy.Code.lengths) throws(Defect) {
        let text = text.withLineFeeds
        guard text.unicodeScalars.count <= Self.maxCharacters else { throw .tooLong }
        guard Self.isSeen(text) else { throw .controlCharacter }
        // A link of the tenant beside ours would teach people to open any link in such a message.
        guard !LinkFinder.holdsLink(text) else { throw .containsURL }
        try self.init(stored: text, lengths: lengths)
    }

    /// A text that was accepted before, even if it would be a link by the current rules.
    /// - Throws: the text does not have exactly one run.
    package init(stored text: String, lengths: ClosedRange<Int> = Policy.Code.lengths) throws(Defect) {
        // By scalars: a `#` with combining marks also counts.
        let runs = text.unicodeScalars.split(whereSeparator: { $0 != "#" })
        guard let length = runs.first?.count, runs.contains(where: { lengths.contains($0.count) }) else {
            throw .noPlaceholder
        }
        guard runs.count == 1 else { throw .severalPlaceholders }
        self.text = text
        self.placeholderLength = length
    }

    /// Whether the text has no control characters except line feeds, and no invisible characters.
    static func isSeen(_ text: String) -> Bool {
        !text.unicodeScalars.contains { $0.isForbiddenControl || isHidden($0) }
    }

    /// Whether the character is invisible or changes the direction of the text after it: a reader could see another
    /// message. Joiners, direction marks and tags are format characters.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format, .lineSeparator, .paragraphSeparator, .privateUse: true
        default: false
        }
    }

    /// The text with the placeholder replaced.
    package func filled(with value: String) -> String {
        let scalars = text.unicodeScalars
        guard let start = scalars.firstIndex(of: "#") else { return text }
        let end = scalars.index(start, offsetBy: placeholderLength)
        return String(scalars[..<start]) + value + String(scalars[end...])
    }
}
