package import Text

/// The network address from which a message is requested.
package struct MessageSource: Sendable, Hashable {
    /// IPv4, or an IPv6 /64; `nil`: unknown.
    package let address: IPAddress?

    package init(_ address: IPAddress?) {
        self.address = address?.network64
    }

    /// The /24 or the /48. Addresses in one network count together: its holder may control several of them.
    package var network: IPAddress? { address?.network }

    /// The /32 of an IPv6 address: 65,536 networks, usually of one provider.
    var site: IPAddress? { address.flatMap { $0.isIPv4 ? nil : $0.masked(to: 32) } }

    /// Index of the address in its network.
    var placeInNetwork: Int {
        guard let address else { return 0 }
        return Int(address.isIPv4 ? address.low & 0xFF : address.high & 0xFFFF)
    }

    /// A 16-bit hash of the network: it can be recognized but not read.
    var networkTag: Int {
        guard let network else { return 0 }
        let hash = network.bytes.reduce(UInt32(0x811C_9DC5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return Int((hash >> 16) ^ (hash & 0xFFFF))
    }
}
