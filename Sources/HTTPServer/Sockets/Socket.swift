internal import CLinux
internal import Glibc

/// System calls on stream sockets. Descriptors are non-blocking and close-on-exec.
package enum Socket {
    /// The result of a read, a write or an accept.
    package enum Outcome: Equatable {
        case done(Int)
        /// Nothing to read, or no room to write: wait for readiness.
        case wouldBlock
        case failed(Int32)
    }

    package static func receive(_ descriptor: Int32, into buffer: inout [UInt8]) -> Outcome {
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        return outcome(count)
    }

    /// Reads bytes without consuming them: the next `receive` returns the same ones.
    static func peek(_ descriptor: Int32, into buffer: inout [UInt8]) -> Outcome {
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_PEEK)) }
        return outcome(count)
    }

    /// Sends from `offset` on. `MSG_NOSIGNAL`: if the peer is gone, the call fails instead of raising a signal.
    package static func send(_ descriptor: Int32, _ buffer: [UInt8], from offset: Int) -> Outcome {
        let count = buffer.withUnsafeBytes { bytes in
            Glibc.send(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset, Int32(MSG_NOSIGNAL))
        }
        return outcome(count)
    }

    private static func outcome(_ count: Int) -> Outcome {
        if count >= 0 { return .done(count) }
        let code = errno
        return code == EAGAIN || code == EWOULDBLOCK || code == EINTR ? .wouldBlock : .failed(code)
    }

    /// Shuts our side: the peer sees the end, and reading continues.
    package static func finishSending(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Makes the following close a reset, which no peer takes for a normal end.
    package static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    package static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }

    /// Bytes that the kernel still holds for the peer; 0 when that is unknown.
    package static func unsentBytes(_ descriptor: Int32) -> Int {
        max(0, Int(clinux_unsent_bytes(descriptor)))
    }

    static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) -> Bool {
        var value = value
        return setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// A descriptor of `/dev/null`, kept in reserve for when no more are free.
    static func openReserve() -> Int32? {
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        return descriptor < 0 ? nil : descriptor
    }
}
