/// Carries the bytes of one connection between the HTTP engine and a socket: as they are, or in a protocol of its own,
/// such as TLS.
///
///     handshake --both sides agree--> open --finishSending--> its own end, then the socket's --close--> closed
///
/// A transport owns its descriptor. It belongs to one connection, is called on the loop of that connection, and never
/// waits. The connection knows bytes of HTTP only. Every count here is one of those: a transport leaves out what it
/// adds, such as a handshake or the heads of records.
///
/// The loop reports when the socket is ready. For a transport with a protocol of its own that is not enough:
/// - A read may have to write first: an answer of the handshake, a new key. The transport tries at once. It keeps what
///   the socket does not take, asks for `wantsWrite`, and goes on in `flush`. Until then `wantsRead` may be false.
/// - One read of the socket may give more than the caller has room for. The socket does not report the rest again, so
///   the connection comes back while `hasInput` is true.
/// - The protocol's end has to leave before the socket's: see `finishSending`.
///
/// Once the handshake is over, a write never needs a read. TLS 1.3 keeps that by itself, TLS 1.2 without renegotiation.
package protocol Transport {
    /// The descriptor that the loop watches.
    var descriptor: Int32 { get }

    /// Reads into `buffer`. Takes steps of the handshake too: that is `.wouldBlock` until there is something to read.
    ///
    /// `.done(0)`: the peer has ended its side properly; it may still read. `.failed`: the connection is broken, and
    /// the transport has already said so to the peer, as far as the socket took it.
    func receive(into buffer: inout [UInt8]) -> Socket.Outcome

    /// Takes bytes from `offset` on, as many as it can. `.wouldBlock`: none before the socket is writable again.
    func send(_ bytes: [UInt8], from offset: Int) -> Socket.Outcome

    /// Hands on what the transport itself still has to write. Returns false when the connection is broken.
    func flush() -> Bool

    /// Tells the peer that nothing more will come; reading goes on. Called when `unsentBytes` is 0, and maybe twice.
    ///
    /// A transport whose end does not leave at once asks for `wantsWrite`, and shuts the socket in a later `flush`.
    /// During the handshake the socket is shut without another word.
    func finishSending()

    /// Makes the close that follows a reset, which no peer takes for a proper end.
    func resetOnClose()

    /// Closes the descriptor at once. What was not sent is lost.
    func close()

    /// The channel that the handshake agreed on; `nil` before its end, and where nothing is encrypted.
    var channel: SecureChannel? { get }
    /// The two sides have not agreed yet: no byte of HTTP can be sent.
    var isInHandshake: Bool { get }
    /// False while it can take nothing from the socket.
    var wantsRead: Bool { get }
    /// It has something to write for itself: `flush` wants to be called when the socket is writable.
    var wantsWrite: Bool { get }
    /// The next `receive` gives something, although the socket may have nothing to read.
    var hasInput: Bool { get }
    /// Bytes that `send` took and the socket did not.
    var unsentBytes: Int { get }
    /// Bytes that `send` took and the peer did not, as far as that can be told; 0 only when it took them all, or when
    /// it cannot be told.
    var undeliveredBytes: Int { get }
    /// Bytes of memory that the transport takes for what it holds.
    var heldBytes: Int { get }
}
