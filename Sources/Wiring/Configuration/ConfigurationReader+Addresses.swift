internal import Text

extension ConfigurationReader {
    /// The entries of a list, between commas and blanks; none where the key is not set.
    mutating func list(_ key: ConfigurationKey) -> [String] {
        guard let text = text(key) else { return [] }
        let separators = Set(", \t\n".utf8)
        return text.utf8.split { separators.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The same, of callers that are trusted: not everybody.
    mutating func trustedRanges(_ key: ConfigurationKey) -> AddressRanges {
        let ranges = addressRanges(key)
        guard let wide = ranges.ranges.first(where: { $0.length < ($0.first.isIPv4 ? 96 + 8 : 7) }) else {
            return ranges
        }
        refuse(
            key,
            "the entry '\(wide.text)' has strangers among its addresses: each of them could say which address it has; name "
                + "the proxies, at most a /8 of IPv4 or a /7 of IPv6")
        return AddressRanges()
    }

    /// A list of addresses and ranges; none where the key is not set. A refused entry is named.
    mutating func addressRanges(_ key: ConfigurationKey) -> AddressRanges {
        let entries = list(key)
        guard !entries.isEmpty else { return AddressRanges() }
        do throws(AddressRanges.Defect) { return try AddressRanges(list: entries.joined(separator: ",")) } catch {
            refuse(key, "the entry '\(error.entry)' \(error.reason)")
            return AddressRanges()
        }
    }
}
