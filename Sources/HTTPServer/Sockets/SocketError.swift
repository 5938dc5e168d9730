#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A system call on a socket, an event set or a timer failed.
package struct SocketError: Error, Equatable, CustomStringConvertible {
    /// The system call, or the step that failed before one.
    package let call: String
    /// `errno` of the call; 0 when no system call was involved.
    package let code: Int32
    /// The object of the call: an address or a path from the configuration.
    package let subject: String

    package init(call: String, code: Int32, subject: String = "") {
        self.call = call
        self.code = code
        self.subject = subject
    }

    package var description: String {
        let place = subject.isEmpty ? "" : " for \(subject)"
        return code == 0 ? "\(call)\(place)" : "\(call)\(place): \(String(cString: strerror(code))) (errno \(code))"
    }
}
