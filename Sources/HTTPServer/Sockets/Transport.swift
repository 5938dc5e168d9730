/// Carries the bytes of one connection between the HTTP engine and a socket: unchanged, or in another protocol such as
/// TLS.
///
///     handshake --both sides agree--> open --finishSending--> its own end, then the socket's --close--> closed
///
/// A transport owns its descriptor. It belongs to one connection, is called on that connection's loop, and never
/// blocks. The connection sees only bytes of HTTP. Every count here is in those bytes, without what the transport adds,
/// such as a handshake or record headers.
///
/// The loop reports when the socket is ready. For a transport with its own protocol that is not enough:
/// - A read may have to write first: a handshake message, a new key. The transport tries at once. It keeps what the
///   socket does not take, sets `wantsWrite`, and continues in `flush`. Until then `wantsRead` may be false.
/// - One read of the socket may return more than the caller has room for. The socket does not report the rest again, so
///   the connection reads again while `hasInput` is true.
/// - The end of the protocol must be sent before the socket is shut: see `finishSending`.
///
/// Once the handshake is over, a write never needs a read. TLS 1.3 guarantees that; TLS 1.2 does if renegotiation is
/// off.
package protocol Transport {
    /// The descriptor that the loop watches.
    var descriptor: Int32 { get }

    /// Reads into `buffer`. Also performs steps of the handshake: returns `.wouldBlock` until there is something to
    /// read.
    ///
    /// `.done(0)`: the peer has properly ended its side; it may still read. `.failed`: the connection is broken, and
    /// the transport has already reported that to the peer, as far as the socket took it.
    func receive(into buffer: inout [UInt8]) -> Socket.Outcome

    /// Accepts bytes from `offset` on, as many as it can. `.wouldBlock`: none until the socket is writable again.
    func send(_ bytes: [UInt8], from offset: Int) -> Socket.Outcome

    /// Writes output that the transport itself holds. Returns false when the connection is broken.
    func flush() -> Bool

    /// Tells the peer that nothing more will come; reading continues. Called when `unsentBytes` is 0, possibly twice.
    ///
    /// A transport that cannot send its end at once sets `wantsWrite` and shuts the socket in a later `flush`. During
    /// the handshake the socket is shut without a message.
    func finishSending()

    /// Makes the following close a reset, which no peer takes for a normal end.
    func resetOnClose()

    /// Closes the descriptor at once. Unsent bytes are lost.
    func close()

    /// The channel that the handshake agreed on; `nil` before its end, and without encryption.
    var channel: SecureChannel? { get }
    /// The handshake is not complete: no byte of HTTP can be sent.
    var isInHandshake: Bool { get }
    /// False while it cannot read from the socket.
    var wantsRead: Bool { get }
    /// It has its own output to write: call `flush` when the socket is writable.
    var wantsWrite: Bool { get }
    /// The next `receive` returns something, although the socket may have no input.
    var hasInput: Bool { get }
    /// Bytes that `send` accepted and the socket has not taken.
    var unsentBytes: Int { get }
    /// Bytes that `send` accepted and the peer has not taken, as far as that is known; 0 only when the peer took them
    /// all or it is unknown.
    var undeliveredBytes: Int { get }
    /// Bytes of memory that the transport uses for buffered data.
    var heldBytes: Int { get }
}
