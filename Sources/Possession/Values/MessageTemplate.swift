/// The text that a call brings for its messages, with one run of `#` where the code or link goes (OTP-14).
package struct MessageTemplate: Sendable, Equatable {
    package static let maxCharacters = 160

    package enum Defect: Error, Sendable {
        case tooLong, noPlaceholder, severalPlaceholders, controlCharacter, containsURL
    }

    package let text: String
    /// Length of the run of `#`: the number of digits of a code.
    package let placeholderLength: Int

    /// - Parameters:
    ///   - text: may have several lines; their ends become line feeds.
    ///   - lengths: how long the run may be.
    /// - Throws: the first rule the text breaks.
    package init(_ text: String, lengths: ClosedRange<Int> = Policy.Code.lengths) throws(Defect) {
        let text = text.withLineFeeds
        guard text.unicodeScalars.count <= Self.maxCharacters else { throw .tooLong }
        guard Self.isSeen(text) else { throw .controlCharacter }
        // A link of the tenant's own beside ours would teach people to open any link in such a message.
        guard !LinkFinder.holdsLink(text) else { throw .containsURL }
        try self.init(stored: text, lengths: lengths)
    }

    /// A text that was taken before, whatever was a link then.
    /// - Throws: it has not one run.
    package init(stored text: String, lengths: ClosedRange<Int> = Policy.Code.lengths) throws(Defect) {
        // By scalars: a `#` that carries combining marks is one as well.
        let runs = text.unicodeScalars.split(whereSeparator: { $0 != "#" })
        guard let length = runs.first?.count, runs.contains(where: { lengths.contains($0.count) }) else {
            throw .noPlaceholder
        }
        guard runs.count == 1 else { throw .severalPlaceholders }
        self.text = text
        self.placeholderLength = length
    }

    /// Whether the text has neither control characters, line feeds excepted, nor any that a reader does not see.
    static func isSeen(_ text: String) -> Bool {
        !text.unicodeScalars.contains { $0.isForbiddenControl || isHidden($0) }
    }

    /// Whether a reader cannot see it, or it changes the direction of what follows: such text may show another message
    /// than it is. Joiners, direction marks and tags are format characters.
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
