internal import CLinux
internal import Glibc
internal import Text

extension Socket {
    /// The result of one accept.
    enum Accepted {
        case connection(Int32, PeerAddress)
        /// No connection is waiting.
        case none
        /// This connection was lost before it was accepted; others may be waiting.
        case lost
        /// The process or the system has no free descriptor.
        case noDescriptors
        /// Out of memory, or an unknown error: try again later.
        case failed(Int32)
    }

    static func accept(_ listener: Int32, isLocal: Bool) -> Accepted {
        // Room for any address family, except for the path of a local peer, which is not needed.
        var storage = [UInt8](repeating: 0, count: 32)
        var length = UInt32(storage.count)
        let result = storage.withUnsafeMutableBytes { clinux_accept(listener, $0.baseAddress, &length) }
        if result >= 0 { return .connection(result, isLocal ? .localSocket : peer(storage)) }
        switch -result {
        case EAGAIN, EWOULDBLOCK: return .none
        // accept(2): network errors that are already pending on the new connection count as "try again".
        case ECONNABORTED, EINTR, EPROTO, EPERM, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, ENETUNREACH:
            return .lost
        case EMFILE, ENFILE: return .noDescriptors
        case let code: return .failed(code)
        }
    }

    private static func peer(_ storage: [UInt8]) -> PeerAddress {
        // sa_family is the first two bytes in host order on Linux.
        let family = Int32(storage[0]) | Int32(storage[1]) << 8
        if family == AF_INET { return PeerAddress(ipv4: (storage[4], storage[5], storage[6], storage[7])) }
        return PeerAddress(IPAddress(ipv6: storage[8..<24]))
    }
}
