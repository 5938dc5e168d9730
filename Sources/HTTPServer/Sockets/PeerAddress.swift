package import Text

/// The address at the other end of a connection.
package struct PeerAddress: Sendable, Hashable {
    /// `nil` for the local socket. An IPv4 address mapped into IPv6 is the IPv4 address.
    package let address: IPAddress?
    /// `127.0.0.1`, `::1`, or `unix` for the local socket.
    package let text: String

    package static let localSocket = PeerAddress(nil)
    package static let loopback = PeerAddress(ipv4: (127, 0, 0, 1))

    package init(_ address: IPAddress?) {
        self.address = address
        text = address?.text ?? "unix"
    }

    package init(ipv4 bytes: (UInt8, UInt8, UInt8, UInt8)) {
        self.init(IPAddress(ipv4: bytes))
    }

    /// The address that connection limits count: IPv4 whole, IPv6 by its /64. `nil` for the local socket.
    package var limitKey: IPAddress? { address?.network64 }

    package var isLocalSocket: Bool { address == nil }
    /// True for the local socket too: both ends are on this machine.
    package var isLoopback: Bool { address?.isLoopback ?? true }
}
