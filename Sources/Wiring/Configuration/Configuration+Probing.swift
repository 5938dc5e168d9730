extension Configuration.Server {
    /// The address to ask: the listener for operators if there is one, because callers cannot use up its capacity.
    /// `nil`: the port is chosen by the kernel.
    var probeAddress: (host: String, port: UInt16)? {
        if let operations, let port = UInt16(exactly: operations.port), port > 0 {
            return (Self.reachable([operations.host]), port)
        }
        guard let port = UInt16(exactly: port), port > 0 else { return nil }
        return (Self.reachable(hosts), port)
    }

    /// The server's first address, in a form that this machine can reach.
    static func reachable(_ hosts: [String]) -> String {
        switch hosts.first ?? "localhost" {
        case "localhost", "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        case let host: host
        }
    }
}
