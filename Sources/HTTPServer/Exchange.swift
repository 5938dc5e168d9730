/// One finished exchange, for logs and metrics.
package struct Exchange: Sendable {
    /// `nil` when the request line could not be read.
    package let method: Method?
    /// `nil` when no route matched; a bounded set of values, unlike paths.
    package let routePattern: String?
    package let status: Int
    /// From the first byte of the request to the finished response.
    package let duration: Duration
    package let bytesIn: Int
    package let bytesOut: Int
    package let requestID: String
    package let peer: PeerAddress
    /// False when the peer was gone before the answer was ready; nothing was sent then.
    package let isDelivered: Bool
}
