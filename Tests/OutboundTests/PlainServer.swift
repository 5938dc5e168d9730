import Glibc
import Locks

/// A listening socket that writes fixed bytes to everybody and then keeps quiet until the peer goes: what no decent
/// server does.
final class PlainServer: Sendable {
    let port: Int
    private let descriptor: Int32
    private let listening: Listening

    /// First bytes of the first peer, as far as they came in one piece.
    var firstBytes: [UInt8] { listening.first.withLock { $0 } }

    struct Failed: Error {}

    /// - Parameter bytes: written once something has been read; empty: nothing ever.
    init(answering bytes: String) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw Failed() }
        port = Int(UInt16(bigEndian: address.sin_port))
        let listening = Listening(descriptor: descriptor, bytes: Array(bytes.utf8))
        self.listening = listening
        var thread = pthread_t()
        let context = Unmanaged.passRetained(listening)
        let result = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Listening>.fromOpaque(context).takeRetainedValue().serve() }
                return nil
            }, context.toOpaque())
        guard result == 0 else { throw Failed() }
        pthread_detach(thread)
    }

    /// Ends `accept` on the thread.
    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private final class Listening: Sendable {
        private let descriptor: Int32
        private let bytes: [UInt8]
        let first = Locked<[UInt8]>([])

        init(descriptor: Int32, bytes: [UInt8]) {
            self.descriptor = descriptor
            self.bytes = bytes
        }

        func serve() {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let peer = accept(descriptor, nil, nil)
                guard peer >= 0 else { break }
                let count = read(peer, &buffer, buffer.count)
                first.withLock { if $0.isEmpty { $0 = Array(buffer.prefix(max(0, count))) } }
                if count > 0 { _ = send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
                while read(peer, &buffer, buffer.count) > 0 {}
                close(peer)
            }
            close(descriptor)
        }
    }
}
