internal import Text

/// A text of the operator that a call selects by its id, with placeholders for values in the call.
///
///     let template = try CallTemplate("Pay {amount} {currency} to {recipient} with the code {code}.")
///     let words = try template.worded(with: ["amount": "12.50", ...], brand: "Shop", minutes: 10, codeLength: 6)
package struct CallTemplate: Sendable, Equatable {
    /// Names of placeholders that the server fills.
    private enum Own: String, CaseIterable { case code, brand, minutes }

    package enum Defect: Error, Sendable, Equatable {
        case empty, tooLong(most: Int), hiddenCharacter, containsURL, hash, brace, code

        package var reason: String {
            switch self {
            case .empty: "must not be empty"
            case .tooLong(let most): "is longer than \(most) characters"
            case .hiddenCharacter: "has a character that is not seen, or changes the direction of text"
            case .containsURL: "must not have a link of its own"
            case .hash: "must not have a #"
            case .brace: "has a brace that belongs to no name: 1 to 32 of a-z, 0-9 and _, such as {amount}"
            case .code: "must have {code} once"
            }
        }
    }

    /// Why a call's values cannot be used.
    package enum Misfit: Error, Sendable, Equatable {
        case missing(String)
        case unfit(String)

        /// The value's name.
        package var name: String {
            switch self {
            case .missing(let name), .unfit(let name): name
            }
        }

        package var reason: String {
            switch self {
            case .missing: "is missing"
            case .unfit:
                "must have 1 to \(CallTemplate.maxValueCharacters) characters, and no #, link, telephone number or hidden character"
            }
        }
    }

    package static let maxValueCharacters = 64
    private static let maxNameBytes = 32

    private enum Piece: Sendable, Equatable {
        case plain(String)
        case place(String)
    }

    private let pieces: [Piece]

    /// As the operator wrote it.
    package var text: String {
        pieces.map { piece in
            switch piece {
            case .plain(let plain): plain
            case .place(let name): "{\(name)}"
            }
        }.joined()
    }

    /// - Throws: the first rule that the text breaks.
    package init(_ text: String) throws(Defect) {
        let text = text.withLineFeeds
        guard !text.utf8.isEmpty else { throw .empty }
        guard text.unicodeScalars.count <= MessageText.maxCharacters else {
            throw .tooLong(most: MessageText.maxCharacters)
        }
        guard MessageTemplate.isSeen(text) else { throw .hiddenCharacter }
        guard !LinkFinder.holdsAddress(text) else { throw .containsURL }
        guard !text.utf8.contains(UInt8(ascii: "#")) else { throw .hash }
        pieces = try Self.pieces(of: text)
        guard pieces.count(where: { $0 == .place(Own.code.rawValue) }) == 1 else { throw .code }
    }

    /// The text with its values, as the session stores it: with a run of `#` for the code.
    /// - Parameter values: by name. Values without a placeholder are ignored.
    /// - Throws: the first value that is missing or cannot be used.
    package func worded(
        with values: [(name: String, value: String)], brand: String, minutes: Int, codeLength: Int
    ) throws(Misfit) -> MessageTemplate {
        var text = ""
        for piece in pieces {
            switch piece {
            case .plain(let plain): text += plain
            case .place(let name):
                switch Own.allCases.first(where: { $0.rawValue.isSame(as: name) }) {
                case .code: text += String(repeating: "#", count: codeLength)
                case .brand: text += brand.replacing("#", with: "")
                case .minutes: text += String(minutes)
                case nil: text += try Self.value(name, of: values)
                }
            }
        }
        do throws(MessageTemplate.Defect) { return try MessageTemplate(stored: text) } catch {
            throw .unfit("code_size")
        }
    }

    private static func value(_ name: String, of values: [(name: String, value: String)]) throws(Misfit) -> String {
        guard let value = values.first(where: { $0.name.isSame(as: name) })?.value, !value.utf8.isEmpty else {
            throw .missing(name)
        }
        // An amount of money may have as many digits as a telephone number.
        let isAmount = Amount(value) != nil
        guard value.unicodeScalars.count <= maxValueCharacters, MessageTemplate.isSeen(value),
            !value.utf8.contains(where: { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "\n") }),
            isAmount || !LinkFinder.holdsLink(value)
        else { throw .unfit(name) }
        return value
    }

    private static func pieces(of text: String) throws(Defect) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text.utf8[...]
        func plain(_ part: Substring.UTF8View) {
            if !part.isEmpty { pieces.append(.plain(String(decoding: part, as: UTF8.self))) }
        }
        let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
        while let brace = rest.firstIndex(where: { $0 == open || $0 == close }) {
            plain(rest[..<brace])
            guard rest[brace] == open, let end = rest[brace...].firstIndex(of: close) else { throw .brace }
            let name = rest[rest.index(after: brace)..<end]
            guard (1...maxNameBytes).contains(name.count), name.allSatisfy(isNameByte) else { throw .brace }
            pieces.append(.place(String(decoding: name, as: UTF8.self)))
            rest = rest[rest.index(after: end)...]
        }
        plain(rest)
        return pieces
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

/// Texts with one id, by language.
package struct CallTemplates: Sendable, Equatable {
    package let texts: [LanguageTag: CallTemplate]

    package init(_ texts: [LanguageTag: CallTemplate]) {
        self.texts = texts
    }

    /// The text in the best of the languages, else the text whose tag is first in alphabetical order.
    package func text(for languages: [LanguageTag]) -> CallTemplate? {
        LanguageTag.lookUp(languages, in: texts)?.value
            ?? texts.min { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }?.value
    }
}
