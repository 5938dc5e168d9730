/// Counts the SMS parts of every text in a catalog, filled with the longest possible values.
///
///     let check = CatalogCheck(catalog, surroundings)
///     check.mistakes    // texts[3].text: is 3 parts ...
package struct CatalogCheck: Sendable {
    /// More parts than this are probably a mistake.
    package static let mostParts = 2
    /// Android's SMS Retriever ignores longer messages.
    package static let mostHashBytes = 140
    private static let hashBytes = 11

    /// A name or a host that is filled into texts.
    package struct Name: Sendable, Equatable, ExpressibleByStringLiteral {
        package let text: String
        /// Such as `the displayName of the API client shop`; `nil`: the configuration.
        package let owner: String?

        package init(_ text: String, of owner: String? = nil) {
            self.text = text
            self.owner = owner
        }

        package init(stringLiteral text: String) { self.init(text) }
    }

    /// Values that are filled into texts.
    package struct Surroundings: Sendable {
        /// Brands of the configuration and of API clients.
        package var brands: [Name]
        /// Hosts for last lines.
        package var hosts: [Name]
        /// As `MessageTexts.hasLookalikes`.
        package var hasLookalikes = false
        /// Start of links, before `/l/`.
        package var linkURL: String
        package var codeLifetimeSeconds: Int
        package var linkLifetimeSeconds: Int

        package init(
            brands: [Name], hosts: [Name], linkURL: String, codeLifetimeSeconds: Int, linkLifetimeSeconds: Int
        ) {
            self.brands = brands
            self.hosts = hosts
            self.linkURL = linkURL
            self.codeLifetimeSeconds = codeLifetimeSeconds
            self.linkLifetimeSeconds = linkLifetimeSeconds
        }
    }

    /// One text with its longest values.
    package struct Line: Sendable, Equatable, CustomStringConvertible {
        package let purpose: MessageCatalog.Purpose
        package let locale: LanguageTag
        package let country: String?
        package let parts: MessageParts
        /// Owner of the name that makes the text longest; `nil`: the name is from the configuration.
        package let owner: String?

        package var description: String {
            let place = (country.map { " for \($0)" } ?? "") + (owner.map { " with \($0)" } ?? "")
            let size = parts.count == 1 ? "1 part, \(parts.units) of \(parts.alphabet.single)" : "\(parts.count) parts"
            return "\(purpose.rawValue) \(locale)\(place): \(parts.alphabet.rawValue), \(size)"
        }
    }

    /// In the order of the catalog, one for each language.
    package private(set) var lines: [Line] = []
    package private(set) var mistakes: [String] = []
    package private(set) var warnings: [String] = []

    package init(_ catalog: MessageCatalog, _ surroundings: Surroundings) {
        for host in surroundings.hosts where MessageWording.lastLine(host.text, Self.code) == nil {
            mistakes.append(
                "the last line of messages for \(host.text) is longer than \(MessageWording.maxLastLineBytes) characters"
            )
        }
        for (index, entry) in catalog.entries.enumerated() where entry.channel == .sms {
            add(entry, at: index, surroundings)
        }
    }

    private mutating func add(_ entry: MessageCatalog.Entry, at index: Int, _ surroundings: Surroundings) {
        let place = "texts[\(index)].text"
        let brands = surroundings.brands.isEmpty ? [""] : surroundings.brands
        let isPlain = surroundings.hasLookalikes && entry.templateID == nil
        let filled = brands.map {
            let text = entry.text.filled(with: Self.values(entry, $0.text, surroundings))
            return isPlain ? GSMAlphabet.lookalikes(of: text) : text
        }
        let added = entry.purpose == .code && entry.templateID == nil ? Self.longestLine(surroundings.hosts) : ""
        let counted = zip(brands, filled).map { (owner: $0.owner, parts: MessageParts($1 + added)) }
        guard
            let (owner, worst) = counted.max(by: {
                ($0.parts.count, $0.parts.units) < ($1.parts.count, $1.parts.units)
            })
        else { return }
        for locale in entry.locales {
            lines.append(
                Line(purpose: entry.purpose, locale: locale, country: entry.country, parts: worst, owner: owner))
        }
        if entry.text.namesBrand, MessageParts(entry.text.plainText).foreign == nil {
            for brand in brands { warn(of: brand, isPlain: isPlain) }
        }
        if worst.count > Self.mostParts {
            mistakes.append(
                "\(place): is \(worst.count) parts in \(worst.alphabet.rawValue) with the longest values, and at most "
                    + "\(Self.mostParts) are sent")
        }
        warn(of: entry, at: place)
        guard entry.purpose == .code, entry.templateID == nil else { return }
        let hash = "\n" + String(repeating: "A", count: Self.hashBytes)
        if let bytes = filled.map({ MessageParts($0 + hash).bytes }).max(), bytes > Self.mostHashBytes {
            warnings.append(
                "\(place): is \(bytes) bytes with an app hash, and Android reads at most \(Self.mostHashBytes): the code "
                    + "has to be typed there")
        }
    }

    /// A single character outside GSM-7 doubles the price of a text. Warns if the text's language does not need one.
    private mutating func warn(of entry: MessageCatalog.Entry, at place: String) {
        guard let foreign = MessageParts(entry.text.plainText).foreign,
            let locale = entry.locales.first(where: { Self.plainLanguages.contains($0.language) })
        else { return }
        warnings.append(
            "\(place): \(Self.name(of: foreign)) makes it UCS-2, 70 characters a part in place of 160; "
                + "\(locale.language) can be written without")
    }

    /// A name with such a character doubles the price of every text that contains it.
    private mutating func warn(of name: Name, isPlain: Bool) {
        guard let foreign = MessageParts(isPlain ? GSMAlphabet.lookalikes(of: name.text) : name.text).foreign else {
            return
        }
        let warning = "\(name.owner ?? "messaging.brand"): " + Self.sentence(on: foreign)
        if !warnings.contains(where: { $0.utf8.elementsEqual(warning.utf8) }) { warnings.append(warning) }
    }

    /// The warning about a name with a character that GSM-7 lacks; `nil`: it has none.
    package static func warning(ofName name: String) -> String? {
        MessageParts(name).foreign.map { sentence(on: $0) }
    }

    private static func sentence(on foreign: Unicode.Scalar) -> String {
        "\(name(of: foreign)) makes every text that names it UCS-2, 70 characters a part in place of 160"
            + (MessageParts(GSMAlphabet.lookalikes(of: "\(foreign)")).foreign == nil
                ? "; messaging.lookalikes writes what looks like it" : "")
    }

    /// `the character ’ (U+2019)`
    private static func name(of character: Unicode.Scalar) -> String {
        "the character \(character) (\(character.codePoint))"
    }

    // MARK: The longest values

    /// As long as the longest code in any API.
    private static let code = String(repeating: "0", count: Policy.Code.lengths.upperBound)
    /// 16 bytes in base64url.
    private static let tokenLength = 22

    private static func values(
        _ entry: MessageCatalog.Entry, _ brand: String, _ surroundings: Surroundings
    ) -> MessageText.Values {
        switch entry.purpose {
        case .code:
            MessageText.Values(secret: code, brand: brand, minutes: max(1, surroundings.codeLifetimeSeconds / 60))
        case .link:
            MessageText.Values(
                secret: surroundings.linkURL + "/l/" + String(repeating: "a", count: tokenLength), brand: brand,
                minutes: max(1, surroundings.linkLifetimeSeconds / 60))
        }
    }

    private static func longestLine(_ hosts: [Name]) -> String {
        hosts.compactMap { MessageWording.lastLine($0.text, code) }.max { $0.utf8.count < $1.utf8.count } ?? ""
    }

    /// Languages that are usually written with GSM-7 characters, or can be.
    private static let plainLanguages = [
        "en", "de", "fr", "es", "it", "nl", "sv", "da", "nb", "nn", "no", "fi", "id", "ms", "tl", "sw",
    ]
}
