internal import Text

extension ConfigurationReader {
    /// The entries of a list, separated by commas and blanks; empty: the key is not set.
    mutating func list(_ key: ConfigurationKey) -> [String] {
        guard let text = text(key) else { return [] }
        let separators = Set(", \t\n".utf8)
        return text.utf8.split { separators.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// A list of host names, converted to lower case; empty: the key is not set. A mistake names the refused entry.
    mutating func hostNames(_ key: ConfigurationKey) -> [String] {
        let names = list(key).map { $0.lowercased() }
        for name in names where !Self.isHostName(name) {
            refuse(
                key,
                "the entry '\(name)' must be a host name without scheme and port, such as holdfast or a.example.com")
        }
        return names
    }

    /// Letters, digits, hyphens and underscores between dots, at most 253 bytes (RFC 1123 section 2.1).
    private static func isHostName(_ name: String) -> Bool {
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return name.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.count)
                    && label.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
            }
    }

    /// The address ranges of trusted callers. A range that contains all addresses is refused.
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

    /// A list of addresses and ranges; empty: the key is not set. A mistake names the refused entry.
    mutating func addressRanges(_ key: ConfigurationKey) -> AddressRanges {
        let entries = list(key)
        guard !entries.isEmpty else { return AddressRanges() }
        do throws(AddressRanges.Defect) { return try AddressRanges(list: entries.joined(separator: ",")) } catch {
            refuse(key, "the entry '\(error.entry)' \(error.reason)")
            return AddressRanges()
        }
    }
}
