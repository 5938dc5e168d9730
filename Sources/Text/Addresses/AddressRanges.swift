/// A set of address ranges, such as the proxies of `server.trustedProxies`. Must be small: a look-up checks every
/// range.
package struct AddressRanges: Sendable, Equatable {
    /// An entry of a list that is neither an address nor a range.
    package struct Defect: Error, Sendable, Equatable {
        package let entry: String
        package let reason: String
    }

    /// Most entries of a list. Every request from a proxy checks all of them.
    package static let maxCount = 256

    package let ranges: [AddressRange]

    package init(_ ranges: [AddressRange] = []) {
        self.ranges = ranges
    }

    /// Reads `10.0.0.0/8, fd00::/8, 192.0.2.1`: addresses and ranges separated by commas, with optional spaces.
    ///
    /// - Throws: the first entry that is refused, and why.
    package init(list: String) throws(Defect) {
        var ranges: [AddressRange] = []
        for part in list.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let entry = String(Substring(part.trimmingBlanks()))
            guard ranges.count < Self.maxCount else {
                throw Defect(entry: entry, reason: "is one more than the \(Self.maxCount) that a list may have")
            }
            if let address = IPAddress(entry) {
                ranges.append(AddressRange(only: address))
                continue
            }
            do throws(AddressRange.Defect) { ranges.append(try AddressRange(entry)) } catch {
                let reason =
                    error == .form
                    ? "is neither an IP address nor a range such as 10.0.0.0/8 or fd00::/8" : error.reason
                throw Defect(entry: entry, reason: reason)
            }
        }
        self.ranges = ranges
    }

    package var isEmpty: Bool { ranges.isEmpty }

    /// False for `nil`.
    package func contains(_ address: IPAddress?) -> Bool {
        guard let address else { return false }
        return ranges.contains { $0.contains(address) }
    }

    /// The list in canonical form, separated by commas.
    package var text: String { ranges.map(\.text).joined(separator: ",") }
}
