package import Text

/// Values by network; the longest prefix that contains an address wins.
package struct NetworkTable<Value: Sendable>: Sendable {
    private let values: [AddressRange: Value]
    /// Prefix lengths that occur, longest first.
    private let lengths: [Int]
    /// Bits before an IPv4 address in its mapped form (RFC 4291 section 2.5.5.2).
    private static var mappedLength: Int { 96 }

    /// If two entries have the same network, the first counts.
    package init(_ entries: [(network: AddressRange, value: Value)]) {
        values = Dictionary(entries.map { ($0.network, $0.value) }, uniquingKeysWith: { first, _ in first })
        lengths = Set(values.keys.map(\.length)).sorted(by: >)
    }

    package subscript(address: IPAddress) -> Value? {
        // A wide IPv6 block such as `::/0` does not mean IPv4.
        let shortest = address.isIPv4 ? Self.mappedLength : 0
        for length in lengths where length >= shortest {
            if let value = values[AddressRange(of: address, length: length)] { return value }
        }
        return nil
    }
}
