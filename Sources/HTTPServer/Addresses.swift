/// Where the server listens.
package enum ListenAddress: Sendable, Equatable {
    /// An IPv4 or IPv6 literal (without brackets) or `localhost`, which is both loopback addresses. Port 0: any free
    /// one.
    case tcp(host: String, port: Int)
    /// A local socket at this path, mode 0600; a stale socket file is replaced.
    case unix(path: String)
}

/// What a listener was bound to; a port 0 is resolved.
package enum BoundAddress: Sendable, Equatable, CustomStringConvertible {
    case tcp(host: String, port: Int)
    case unix(path: String)

    package var port: Int? {
        if case .tcp(_, let port) = self { port } else { nil }
    }

    /// `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/admin.socket`.
    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}

/// Who is at the other end of a connection.
package struct PeerAddress: Sendable, Hashable {
    /// `127.0.0.1`, `::1`, or `unix` for the local socket. An IPv4 address mapped into IPv6 is written as IPv4.
    package let text: String
    /// The address that connection limits count: IPv4 whole, IPv6 by its /64, since one household has all of that.
    let limitKey: String?
    package let isLoopback: Bool
    package let isLocalSocket: Bool

    package static let localSocket = PeerAddress(text: "unix", limitKey: nil, isLoopback: true, isLocalSocket: true)
    package static let loopback = PeerAddress(ipv4: (127, 0, 0, 1))

    package init(ipv4 bytes: (UInt8, UInt8, UInt8, UInt8)) {
        let text = "\(bytes.0).\(bytes.1).\(bytes.2).\(bytes.3)"
        self.init(text: text, limitKey: text, isLoopback: bytes.0 == 127, isLocalSocket: false)
    }

    init(text: String, limitKey: String?, isLoopback: Bool, isLocalSocket: Bool) {
        self.text = text
        self.limitKey = limitKey
        self.isLoopback = isLoopback
        self.isLocalSocket = isLocalSocket
    }
}
