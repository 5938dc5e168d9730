/// Why a streamed response ends before all of it was written.
package enum StreamEnd: Error, Sendable, Equatable {
    /// The connection is closed: the peer is gone or too slow, or the time for shutdown is over.
    case closed
    /// The server is shutting down.
    case draining
    /// Thrown by the code that writes the stream: it cannot continue.
    case failed
}
