internal import Text

extension ConfigurationReader {
    /// Addresses and ranges with commas between; none where the key is not set. A refused entry is named.
    mutating func addressRanges(_ key: ConfigurationKey) -> AddressRanges {
        guard let list = text(key) else { return AddressRanges() }
        do throws(AddressRanges.Defect) { return try AddressRanges(list: list) } catch {
            refuse(key, "the entry '\(error.entry)' \(error.reason)")
            return AddressRanges()
        }
    }
}
