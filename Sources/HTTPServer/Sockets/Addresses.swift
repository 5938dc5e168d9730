/// Where the server listens.
package enum ListenAddress: Sendable, Equatable {
    /// An IPv4 or IPv6 literal (without brackets), or `localhost`, which means both loopback addresses. Port 0: any
    /// free port.
    case tcp(host: String, port: Int)
    /// A local socket at this path, mode 0600; a stale socket file is replaced.
    case unix(path: String)
    /// A socket that another process has opened.
    case inherited(InheritedSocket)
}

/// The address that a listener was bound to; a port 0 is resolved.
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
