/// A text of the catalog, with placeholders in braces.
///
///     try MessageText("{code} is your {brand} code", for: .code, over: .sms)
package struct MessageText: Sendable, Equatable {
    package static let maxCharacters = 480
    package static let maxSubjectCharacters = 100

    package enum Placeholder: String, Sendable, CaseIterable {
        /// Digits, or the URL of an instant link.
        case code, link
        /// Name of the party that requests the code.
        case brand
        /// How long the code or link is valid.
        case minutes
    }

    package enum Defect: Error, Sendable, Equatable {
        case empty, tooLong(most: Int), controlCharacter, hiddenCharacter, containsURL, brace
        case unknownPlaceholder, count(Placeholder, needed: Int), wrongPlaceholder(Placeholder)

        package var reason: String {
            switch self {
            case .empty: "must not be empty"
            case .tooLong(let most): "is longer than \(most) characters"
            case .controlCharacter: "has a control character"
            case .hiddenCharacter: "has a character that changes the direction of text or is not seen"
            case .containsURL: "must not have a link of its own"
            case .brace: "has a brace that belongs to no placeholder"
            case .unknownPlaceholder:
                "has an unknown placeholder; there are "
                    + Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
            case .count(let placeholder, let needed):
                "must have {\(placeholder.rawValue)} " + (needed == 1 ? "once" : "twice: it is heard, not read")
            case .wrongPlaceholder(let placeholder): "must not have {\(placeholder.rawValue)}"
            }
        }
    }

    /// Values for the placeholders.
    package struct Values: Sendable {
        /// The code as people read it, or the link.
        package let secret: String
        package let brand: String
        package let minutes: Int

        package init(secret: String, brand: String, minutes: Int) {
            self.secret = secret
            self.brand = brand
            self.minutes = minutes
        }
    }

    private enum Piece: Sendable, Equatable {
        case plain(String)
        case value(Placeholder)
    }

    private let pieces: [Piece]

    /// - Parameter text: may have several lines, as registered texts do. Line ends become line feeds.
    /// - Throws: the first rule that the text breaks.
    package init(
        _ text: String, for purpose: MessageCatalog.Purpose, over channel: MessageCatalog.Channel
    ) throws(Defect) {
        self = try MessageText(checked: text.withLineFeeds, most: Self.maxCharacters)
        let (own, other): (Placeholder, Placeholder) = purpose == .code ? (.code, .link) : (.link, .code)
        guard count(other) == 0 else { throw .wrongPlaceholder(other) }
        let needed = channel == .voice ? 2 : 1
        guard count(own) == needed else { throw .count(own, needed: needed) }
    }

    /// The subject of an e-mail. Mail servers log subjects, so it may contain neither code nor link.
    /// - Throws: the first rule that the text breaks.
    package init(subject text: String) throws(Defect) {
        // A line end in a header field would begin another field.
        guard !text.unicodeScalars.contains("\n") else { throw .controlCharacter }
        self = try MessageText(checked: text, most: Self.maxSubjectCharacters)
        for secret in [Placeholder.code, .link] where count(secret) > 0 { throw .wrongPlaceholder(secret) }
    }

    /// - Throws: the first of the rules for all texts that it breaks.
    private init(checked text: String, most: Int) throws(Defect) {
        guard !text.isEmpty else { throw .empty }
        guard text.unicodeScalars.count <= most else { throw .tooLong(most: most) }
        guard !text.unicodeScalars.contains(where: \.isForbiddenControl) else { throw .controlCharacter }
        guard !text.unicodeScalars.contains(where: Self.isHidden) else { throw .hiddenCharacter }
        guard !LinkFinder.holdsAddress(text) else { throw .containsURL }
        pieces = try Self.pieces(of: text)
    }

    /// A text in this server's source.
    init(trusted text: String) {
        pieces = (try? Self.pieces(of: text)) ?? [.plain(text)]
    }

    package var namesBrand: Bool { count(.brand) > 0 }

    private func count(_ placeholder: Placeholder) -> Int { pieces.count { $0 == .value(placeholder) } }

    /// The text with its values.
    package func filled(with values: Values) -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .plain(let plain): text += plain
            case .value(.code), .value(.link): text += values.secret
            case .value(.brand): text += values.brand
            case .value(.minutes): text += String(values.minutes)
            }
        }
        return text
    }

    /// Only the text itself, without values: those come from others.
    package var plainText: String {
        pieces.reduce(into: "") { text, piece in
            if case .plain(let plain) = piece { text += plain }
        }
    }

    private static func pieces(of text: String) throws(Defect) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text.unicodeScalars[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            if brace > rest.startIndex { pieces.append(.plain(String(rest[..<brace]))) }
            guard rest[brace] == "{", let end = rest[brace...].firstIndex(where: { $0 == "}" }) else { throw .brace }
            let name = rest[rest.index(after: brace)..<end]
            guard !name.contains(where: { $0 == "{" }) else { throw .brace }
            guard
                let placeholder = Placeholder.allCases.first(where: {
                    $0.rawValue.unicodeScalars.elementsEqual(name)
                })
            else { throw .unknownPlaceholder }
            pieces.append(.value(placeholder))
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty { pieces.append(.plain(String(rest))) }
        return pieces
    }

    /// As in a tenant's own text, except joiners and direction marks (U+200C to U+200F), which some scripts need.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        guard !(0x200C...0x200F).contains(scalar.value) else { return false }
        return switch scalar.properties.generalCategory {
        case .format, .lineSeparator, .paragraphSeparator, .privateUse: true
        default: false
        }
    }
}
