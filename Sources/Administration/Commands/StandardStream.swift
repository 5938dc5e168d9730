internal import Glibc

/// Writes whole texts to the process's own streams, without the C library's buffers.
package enum StandardStream {
    /// The bytes that a writable pipe accepts without blocking (POSIX's least `PIPE_BUF` on Linux).
    private static let pieceBytes = 4096
    /// How long the process waits for a stream that is not being read, in milliseconds.
    private static let patience: Int32 = 1000

    package static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            var stream = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let ready = poll(&stream, 1, patience)
            if ready < 0 && errno == EINTR { continue }
            guard ready > 0 else { return }
            let count = rest.prefix(pieceBytes).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR || errno == EAGAIN else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
