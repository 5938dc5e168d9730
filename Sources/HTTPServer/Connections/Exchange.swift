/// One finished exchange, for logs and metrics.
package struct Exchange: Sendable {
    /// `nil` when the request line was malformed.
    package let method: Method?
    /// `nil` when no route matched; a bounded set of values, unlike paths.
    package let routePattern: String?
    package let status: Int
    /// From the first byte of the request to the finished response, or to the end of a stream.
    package let duration: Duration
    package let bytesIn: Int
    package let bytesOut: Int
    package let requestID: String
    package let peer: PeerAddress
    /// `nil` over a plain socket.
    package var tls: SecureChannel.Version?
    /// The name or number of the error in the answer (`Response.error`).
    package var error: String?
    /// `Response.reason`.
    package var reason: String?
    /// `nil` where requests are not logged.
    package var notes: RequestNotes?
    /// False when the peer disconnected before the answer was ready, so that nothing was sent, and when a stream was
    /// cut short.
    package let isDelivered: Bool
}
