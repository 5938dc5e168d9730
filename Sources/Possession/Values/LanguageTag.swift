/// A language tag as used on the web (BCP 47, RFC 5646): `de`, `pt-BR`, `zh-Hant`.
package struct LanguageTag: Sendable, Hashable, CustomStringConvertible {
    /// RFC 5646 section 4.4.1: no tag in use is longer.
    package static let maxBytes = 35

    /// In the case of RFC 5646 section 2.1.1, so that all spellings of a tag are the same text.
    package let text: String

    /// Accepts any case, and `_` for `-`, as phones write it.
    ///
    /// `nil` unless a language of 2 to 8 letters comes first, then parts of 1 to 8 letters and digits.
    package init?(_ text: String) {
        guard (2...Self.maxBytes).contains(text.utf8.count) else { return nil }
        let parts = text.utf8.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        guard let language = parts.first, (2...8).contains(language.count), language.allSatisfy(Self.isLetter),
            parts.dropFirst().allSatisfy({ (1...8).contains($0.count) && $0.allSatisfy(Self.isLetterOrDigit) })
        else { return nil }
        var bytes: [UInt8] = []
        var isAfterSingleton = false
        for (index, part) in parts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "-")) }
            let isWord = part.allSatisfy(Self.isLetter)
            for (place, byte) in part.enumerated() {
                let isRegion = isWord && part.count == 2
                let isScript = isWord && part.count == 4 && place == 0
                let isCapital = index > 0 && !isAfterSingleton && (isRegion || isScript)
                bytes.append(isCapital ? Self.uppercased(byte) : Self.lowercased(byte))
            }
            if part.count == 1 { isAfterSingleton = true }
        }
        self.text = String(decoding: bytes, as: UTF8.self)
    }

    /// The tag in a program's language hint; `nil`: the hint is not understood and must be ignored. Also accepts locale
    /// names of operating systems: `uk_UA.UTF-8`, `en-US@posix`.
    package init?(hint text: String) {
        let tag = text.utf8.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "@") }
        self.init(String(Substring(tag)))
    }

    package static let english = LanguageTag(checked: "en")

    /// A tag in this server's source, not checked.
    package init(checked text: String) { self.text = text }

    /// Whether the language is written from right to left.
    package var isRightToLeft: Bool { Self.rightToLeft.contains { $0.utf8.elementsEqual(language.utf8) } }

    private static let rightToLeft = ["ar", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "ug", "ur", "yi", "ji"]

    package var description: String { text }

    /// The language without its subtags: `pt` of `pt-BR`.
    package var language: String { String(decoding: text.utf8.prefix { $0 != UInt8(ascii: "-") }, as: UTF8.self) }

    /// The tag itself, then shorter ones, in the order of a look-up (RFC 4647 section 3.4).
    ///
    /// Chinese of Taiwan, Hong Kong and Macau is written in traditional characters, which its tag seldom says. A
    /// language with two subtags is looked up by both, because older programs use the deprecated one.
    package var andShorter: [LanguageTag] {
        var tags: [LanguageTag] = []
        var parts = text.utf8.split(separator: UInt8(ascii: "-"))[...]
        while !parts.isEmpty {
            let joined = parts.joined(separator: [UInt8(ascii: "-")])
            if let tag = LanguageTag(String(decoding: Array(joined), as: UTF8.self)) { tags.append(tag) }
            parts = parts.dropLast()
            // A single-letter part only introduces the part that was just removed.
            if parts.last?.count == 1 { parts = parts.dropLast() }
        }
        if Self.traditional.contains(where: { $0.utf8.elementsEqual(text.utf8) }) {
            tags.insert(LanguageTag(checked: "zh-Hant"), at: 1)
        }
        return tags + Self.others(of: language).map { LanguageTag(checked: $0) }
    }

    /// The value in the best language. All shorter forms of a tag are tried before the next tag (RFC 4647 section 3.4).
    package static func lookUp<Value>(_ wanted: [LanguageTag], in values: [LanguageTag: Value]) -> (
        tag: LanguageTag, value: Value
    )? {
        for tag in wanted.lazy.flatMap(\.andShorter) {
            if let value = values[tag] { return (tag, value) }
        }
        return nil
    }

    private static let traditional = ["zh-TW", "zh-HK", "zh-MO"]

    /// Subtags of one language. The deprecated ones are in the IANA registry (RFC 5646 section 4.5). Norwegian and
    /// Filipino have several correct tags.
    private static let sameLanguages = [
        ["id", "in"], ["he", "iw"], ["yi", "ji"], ["jv", "jw"], ["ro", "mo"], ["sr", "sh"], ["nb", "no", "nn"],
        ["fil", "tl"],
    ]

    private static func others(of language: String) -> [String] {
        let same = sameLanguages.first { $0.contains { $0.utf8.elementsEqual(language.utf8) } } ?? []
        return same.filter { !$0.utf8.elementsEqual(language.utf8) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(lowercased(byte)) }
    private static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || (48...57).contains(byte) }
    private static func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 0x20 : byte }
    private static func uppercased(_ byte: UInt8) -> UInt8 { (97...122).contains(byte) ? byte & 0xDF : byte }
}

/// Languages that a person reads, the preferred one first.
package struct Languages: Sendable, Equatable {
    /// A browser sends two to five. Further ones are not kept.
    package static let maxCount = 4

    /// The source of the languages. A later case has more weight.
    package enum Source: Int, Sendable, CaseIterable, Comparable {
        /// The settings of a browser or a phone, as in `Accept-Language`.
        case settings
        /// An app in which the person has chosen the first language.
        case app
        /// The backend, for the message that it requests.
        case backend

        package static func < (left: Source, right: Source) -> Bool { left.rawValue < right.rawValue }
    }

    package let tags: [LanguageTag]
    package let source: Source

    /// Keeps the first few, each once; `nil` if there is none.
    package init?(_ tags: [LanguageTag], by source: Source = .settings) {
        var kept: [LanguageTag] = []
        for tag in tags where kept.count < Self.maxCount && !kept.contains(tag) { kept.append(tag) }
        guard !kept.isEmpty else { return nil }
        self.tags = kept
        self.source = source
    }

    /// Languages for the next message after a call has sent `others`. A chosen language stays before those of a phone's
    /// settings.
    package func followed(by others: Languages) -> Languages {
        guard others.source < source, let chosen = tags.first else { return others }
        return Languages([chosen] + others.tags, by: source) ?? self
    }

    /// Reads the form of `text`: tags separated by commas, and after a semicolon the number of the source, unless it is
    /// 0.
    package init?(text: String) {
        let halves = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard halves.count <= 2 else { return nil }
        let number = halves.count == 2 ? Int(String(Substring(halves[1]))) : 0
        let parts = halves[0].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        let tags = parts.compactMap { LanguageTag(String(Substring($0))) }
        guard tags.count == parts.count, tags.count <= Self.maxCount,
            let source = Source.allCases.first(where: { $0.rawValue == number }),
            halves.count == 1 || source != .settings
        else { return nil }
        self.init(tags, by: source)
    }

    package var text: String {
        tags.map(\.text).joined(separator: ",") + (source == .settings ? "" : ";\(source.rawValue)")
    }
}
