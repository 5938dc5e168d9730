/// Why a streamed response ends before all of it was written.
package enum StreamEnd: Error, Sendable, Equatable {
    /// The connection is closed: the peer is gone or too slow, or the time for draining is over.
    case closed
    /// The server is about to end.
    case draining
    /// Thrown by what writes the stream: it cannot go on.
    case failed
}
