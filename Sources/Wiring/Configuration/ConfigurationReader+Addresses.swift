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
        guard let all = ranges.ranges.first(where: { $0.length == 0 || $0.length == 96 && $0.first.isIPv4 }) else {
            return ranges
        }
        refuse(key, "the entry '\(all.text)' is every address: then each caller may say which address it has")
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
