internal import Glibc
internal import Text

/// A listening TCP socket that another process has opened and keeps open. Connections wait in its queue during a
/// restart, so that none is refused (OPS-02).
package struct InheritedSocket: Sendable, Equatable {
    let descriptor: Int32
    package let address: BoundAddress

    /// Makes the socket non-blocking and close-on-exec. The process that keeps it shares the non-blocking mode.
    /// - Throws: when the descriptor is not open, or is not a listening TCP socket.
    package init(descriptor: Int32) throws(SocketError) {
        let subject = "descriptor \(descriptor)"
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SocketError(call: "fstat", code: errno, subject: subject) }
        let family = Socket.option(descriptor, SO_DOMAIN)
        guard status.st_mode & S_IFMT == S_IFSOCK, Socket.option(descriptor, SO_TYPE) == Int32(SOCK_STREAM.rawValue),
            Socket.option(descriptor, SO_ACCEPTCONN) == 1, family == AF_INET || family == AF_INET6,
            let address = Socket.boundAddress(of: descriptor)
        else { throw SocketError(call: "not a listening TCP socket", code: 0, subject: subject) }
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
            fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0
        else { throw SocketError(call: "fcntl", code: errno, subject: subject) }
        self.descriptor = descriptor
        self.address = address
    }
}

extension Socket {
    /// An integer option at socket level; `nil` when the system call fails.
    fileprivate static func option(_ descriptor: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    /// The address that a TCP socket is bound to.
    static func boundAddress(of descriptor: Int32) -> BoundAddress? {
        guard let storage = name(of: descriptor) else { return nil }
        // sa_family is the first two bytes in host order on Linux; the port follows in both families, big-endian.
        let family = Int32(storage[0]) | Int32(storage[1]) << 8
        let port = Int(storage[2]) << 8 | Int(storage[3])
        let host =
            family == AF_INET
            ? IPAddress(ipv4: (storage[4], storage[5], storage[6], storage[7])) : IPAddress(ipv6: storage[8..<24])
        return host.map { .tcp(host: $0.text, port: port) }
    }
}
