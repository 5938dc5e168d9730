/// An IPv4 or IPv6 address in one canonical form.
///
/// Internally 128 bits. An IPv4 address is stored as its IPv4-mapped IPv6 address, so that both of its forms are equal
/// (RFC 4291 section 2.5.5.2). Compare, hash and count with this type, never with text (HTTP-37, ABU-09).
package struct IPAddress: Sendable, Hashable {
    /// The first 64 bits: the network of an IPv6 address.
    package let high: UInt64
    /// The last 64 bits. Their lower half is the IPv4 address, if it is one.
    package let low: UInt64

    /// The longest text of an address: `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`.
    package static let maxTextBytes = 45

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The four bytes of an IPv4 address.
    package init(ipv4 bytes: (UInt8, UInt8, UInt8, UInt8)) {
        let word = UInt64(bytes.0) << 24 | UInt64(bytes.1) << 16 | UInt64(bytes.2) << 8 | UInt64(bytes.3)
        self.init(high: 0, low: Self.mappedPrefix | word)
    }

    /// The 16 bytes of an IPv6 address in network order.
    ///
    /// - Returns: `nil` unless there are exactly 16 bytes.
    package init?(ipv6 bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        let high = bytes.prefix(8).reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }
        self.init(high: high, low: bytes.dropFirst(8).reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) })
    }

    /// The bits above an IPv4 address in `low`.
    private static let mappedPrefix: UInt64 = 0xFFFF_0000_0000

    package var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// 127.0.0.0/8 or `::1`.
    package var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

    /// The 16 bytes in network order.
    package var bytes: [UInt8] {
        (0..<16).map { index in
            let word = index < 8 ? high : low
            return UInt8(truncatingIfNeeded: word >> UInt64(56 - index % 8 * 8))
        }
    }

    /// The address with all bits after the first `length` cleared.
    package func masked(to length: Int) -> IPAddress {
        IPAddress(
            high: high & Self.mask(min(64, length)), low: low & Self.mask(max(0, length - 64)))
    }

    private static func mask(_ length: Int) -> UInt64 {
        length <= 0 ? 0 : ~0 << UInt64(max(0, 64 - length))
    }

    /// The key under which one caller is counted: the whole IPv4 address, or the /64 of an IPv6 address, because one
    /// household has all of it.
    package var network64: IPAddress { isIPv4 ? self : masked(to: 64) }

    /// The key of a larger site: the whole IPv4 address, or the /48 of an IPv6 address, which many providers assign to
    /// one customer.
    package var network48: IPAddress { isIPv4 ? self : masked(to: 48) }

    /// The network of a customer or a small provider: the /24 of an IPv4 address, the /48 of an IPv6 address.
    package var network: IPAddress { masked(to: isIPv4 ? 96 + 24 : 48) }
}
