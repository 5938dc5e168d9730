package import Text

/// The place in the network that a message is asked for from.
package struct MessageSource: Sendable, Hashable {
    /// IPv4, or an IPv6 /64; `nil`: nobody has said.
    package let address: IPAddress?

    package init(_ address: IPAddress?) {
        self.address = address?.network64
    }

    /// The /24 or the /48: people who share one are near each other, and whoever has one of its addresses may have more.
    var network: IPAddress? { address?.network }

    /// The /32 of an IPv6 address: 65,536 networks, which one provider has.
    var site: IPAddress? { address.flatMap { $0.isIPv4 ? nil : $0.masked(to: 32) } }

    /// Which address of its network it is.
    var placeInNetwork: Int {
        guard let address else { return 0 }
        return Int(address.isIPv4 ? address.low & 0xFF : address.high & 0xFFFF)
    }

    /// 16 bits of the network, so that it can be known again and not be read.
    var networkTag: Int {
        guard let network else { return 0 }
        let hash = network.bytes.reduce(UInt32(0x811C_9DC5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return Int((hash >> 16) ^ (hash & 0xFFFF))
    }
}
