package import HTTPServer
package import Possession
internal import Text

extension Request {
    /// Bytes of the field that are read; browsers send fewer.
    private static let maxBytes = 256
    private static let maxEntries = 16

    /// The languages of `Accept-Language`, the preferred one first (RFC 9110 section 12.5.4); `nil` if it names none.
    /// Malformed entries are skipped, because they are no reason to refuse a browser.
    package var languages: Languages? {
        guard var field = headers.bytes("accept-language") else { return nil }
        if field.count > Self.maxBytes {
            let cut = field.prefix(Self.maxBytes)
            field = cut.lastIndex(of: UInt8(ascii: ",")).map { cut[..<$0] } ?? []
        }
        let entries = field.split(separator: UInt8(ascii: ","), maxSplits: Self.maxEntries)
        let weighed = entries.prefix(Self.maxEntries).compactMap(Self.weighed)
        // Languages of equal weight keep their order.
        let sorted = weighed.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
        return Languages(sorted.map(\.element.tag))
    }

    /// `nil` for a wildcard, a weight of zero, and a malformed entry.
    private static func weighed(_ entry: ArraySlice<UInt8>) -> (tag: LanguageTag, weight: Int)? {
        let parts = entry.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2,
            let tag = LanguageTag(String(decoding: first.trimmingBlanks(), as: UTF8.self))
        else { return nil }
        guard parts.count == 2 else { return (tag, 1000) }
        guard let weight = QualityWeight.thousandths(parts[1].trimmingBlanks()), weight > 0 else { return nil }
        return (tag, weight)
    }
}

extension Input where Value == LanguageTag {
    /// A language tag in the web's form. It is a hint: an unknown one counts as absent, as in `Accept-Language`.
    package static var locale: Input {
        Input(.text()) { (fields, name) throws(FieldDefect) in
            try fields.text(name, .any).flatMap { LanguageTag(hint: $0) }
        }
    }
}
