internal import CLinux
internal import Glibc

extension Socket {
    /// A bound, listening descriptor and what it is bound to.
    struct Listening {
        let descriptor: Int32
        let address: BoundAddress
        /// Another process keeps it open: connections that wait there survive the end of this process.
        var isKept = false
    }

    /// Opens the listeners of one address: `localhost` gives two with the same port, any other address one.
    static func listen(on address: ListenAddress, limits: Limits) throws(SocketError) -> [Listening] {
        switch address {
        case .unix(let path): return [try listenLocally(at: path)]
        case .inherited(let socket): return [try take(socket, limits)]
        case .tcp("localhost", let port):
            let first = try listen(host: "127.0.0.1", port: port, limits: limits)
            // Works without IPv6: then `localhost` is only 127.0.0.1.
            let second = try? listen(host: "::1", port: first.address.port ?? port, limits: limits)
            return [first] + (second.map { [$0] } ?? [])
        case .tcp(let host, let port): return [try listen(host: host, port: port, limits: limits)]
        }
    }

    private static func take(_ socket: InheritedSocket, _ limits: Limits) throws(SocketError) -> Listening {
        guard setOptions(of: socket.descriptor, limits) else {
            throw SocketError(call: "setsockopt", code: errno, subject: socket.address.description)
        }
        return Listening(descriptor: socket.descriptor, address: socket.address, isKept: true)
    }

    /// Accepted sockets inherit these options, so setting them costs nothing per connection. The user timeout ends
    /// connections whose peer never takes the output (HTTP-31).
    private static func setOptions(of descriptor: Int32, _ limits: Limits) -> Bool {
        let unreadTimeout = Int32(clamping: limits.responseTimeout.wholeMilliseconds)
        return setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
            && setOption(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, unreadTimeout)
    }

    private static func listen(host: String, port: Int, limits: Limits) throws(SocketError) -> Listening {
        guard let portNumber = UInt16(exactly: port) else {
            throw SocketError(call: "port out of range", code: 0, subject: "\(host):\(port)")
        }
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, host, &v4) == 1 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = portNumber.bigEndian
            address.sin_addr = v4
            return try bindAndListen(AF_INET, &address, host: host, port: port, limits: limits)
        }
        if inet_pton(AF_INET6, host, &v6) == 1 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = portNumber.bigEndian
            address.sin6_addr = v6
            return try bindAndListen(AF_INET6, &address, host: host, port: port, limits: limits)
        }
        throw SocketError(call: "not an IP address or localhost", code: 0, subject: host)
    }

    private static func bindAndListen<Address>(
        _ family: Int32, _ address: inout Address, host: String, port: Int, limits: Limits
    ) throws(SocketError) -> Listening {
        let subject = BoundAddress.tcp(host: host, port: port).description
        let descriptor = try open(family, subject: subject)
        var failure: SocketError?
        let optionsSet =
            setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
            && (family != AF_INET6 || setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1))
            && setOptions(of: descriptor, limits)
        if !optionsSet {
            failure = SocketError(call: "setsockopt", code: errno, subject: subject)
        } else if bind(descriptor, &address) != 0 {
            failure = SocketError(call: "bind", code: errno, subject: subject)
        } else if Glibc.listen(descriptor, limits.acceptBacklog) != 0 {
            failure = SocketError(call: "listen", code: errno, subject: subject)
        }
        if let failure {
            close(descriptor)
            throw failure
        }
        return Listening(descriptor: descriptor, address: .tcp(host: host, port: boundPort(descriptor) ?? port))
    }

    private static func listenLocally(at path: String) throws(SocketError) -> Listening {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count < room, !bytes.contains(0) else {
            throw SocketError(call: "socket path must have 1 to \(room - 1) bytes", code: 0, subject: path)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        try removeStaleSocket(at: path, &address)

        let descriptor = try open(AF_UNIX, subject: path)
        // The umask at bind sets the mode of the file, so there is no moment at which others could connect.
        let oldMask = umask(0o177)
        let bound = bind(descriptor, &address)
        let code = errno
        umask(oldMask)
        guard bound == 0, Glibc.listen(descriptor, 64) == 0 else {
            let failure = SocketError(
                call: bound == 0 ? "listen" : "bind", code: bound == 0 ? errno : code, subject: path)
            close(descriptor)
            throw failure
        }
        return Listening(descriptor: descriptor, address: .unix(path: path))
    }

    /// Removes a socket file that a dead process left. If a process answers, or the file is not a socket, it stays and
    /// the call fails.
    private static func removeStaleSocket(at path: String, _ address: inout sockaddr_un) throws(SocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SocketError(call: "a file that is no socket is in the way", code: 0, subject: path)
        }
        let probe = try open(AF_UNIX, subject: path)
        let isAlive = connect(probe, &address) == 0 || errno == EAGAIN
        close(probe)
        guard !isAlive else { throw SocketError(call: "bind", code: EADDRINUSE, subject: path) }
        unlink(path)
    }

    static func removeSocketFile(at path: String) {
        unlink(path)
    }

    private static func open(_ family: Int32, subject: String) throws(SocketError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw SocketError(call: "socket", code: errno, subject: subject) }
        return descriptor
    }

    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        let size = socklen_t(MemoryLayout<Address>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            Glibc.bind(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
        }
    }

    private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        let size = socklen_t(MemoryLayout<Address>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            Glibc.connect(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
        }
    }

    private static func boundPort(_ descriptor: Int32) -> Int? {
        // The port is at bytes 2 and 3 in both families, big-endian.
        name(of: descriptor).map { Int($0[2]) << 8 | Int($0[3]) }
    }

    /// The address that a socket is bound to, as the system writes it (`sockaddr`).
    static func name(of descriptor: Int32) -> [UInt8]? {
        var storage = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
        var size = socklen_t(storage.count)
        let failed = storage.withUnsafeMutableBytes {
            getsockname(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        return failed == 0 ? storage : nil
    }
}
