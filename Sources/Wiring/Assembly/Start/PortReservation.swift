internal import Glibc

/// Reserves a free port before the server listens. Tokens contain the public URL and so the port, and they must be
/// ready before the server listens.
///
/// The socket is bound but does not listen. The server sets `SO_REUSEADDR`, as this socket does, so it can bind the
/// same port; the kernel gives the port to no process that asks for any free port.
final class PortReservation: Sendable {
    let port: Int
    private let descriptor: Int32

    /// `nil`: the kernel has no free port.
    init?(host: String) {
        let isIPv6 = host.contains(":")
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        // All zero: any address of the machine, any port. In both families bytes 2 and 3 are the port.
        var address = [UInt8](
            repeating: 0, count: isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        withUnsafeBytes(of: sa_family_t(isIPv6 ? AF_INET6 : AF_INET)) { address.replaceSubrange(0..<2, with: $0) }
        if !isIPv6 && (host == "localhost" || host.hasPrefix("127.")) {
            address.replaceSubrange(4..<8, with: [127, 0, 0, 1])
        }
        var size = socklen_t(address.count)
        let isBound = address.withUnsafeMutableBytes { bytes in
            let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return bind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &size) == 0
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        port = Int(address[2]) << 8 | Int(address[3])
    }

    deinit { close(descriptor) }
}
