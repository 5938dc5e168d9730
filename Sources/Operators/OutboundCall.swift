/// One HTTP call to somebody else's server.
package struct OutboundRequest: Sendable {
    package var method: String
    /// Absolute, `https` or `http`.
    package var url: String
    /// `Host` and `Content-Length` are the client's own.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// For everything: name look-up, connection, TLS, request, and the last byte of the response.
    package var timeout: Duration
    /// Of the body; a longer one is not read to its end.
    package var maxResponseBytes: Int

    package init(
        method: String, url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        timeout: Duration, maxResponseBytes: Int = 64 * 1024
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maxResponseBytes = maxResponseBytes
    }
}

/// What came back, whatever its status; a redirect is an answer like any other.
package struct OutboundResponse: Sendable {
    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Why there is no response. No text of the other side is in it.
package enum OutboundFault: Error, Sendable, Equatable {
    case timeout
    /// No connection came about: an unknown name, a closed port, no route.
    case connect
    case tooLarge
    /// The caller's task was cancelled, or the client is shut down.
    case cancelled
    /// `reason` names the kind of error.
    case failed(reason: String)
}

/// Makes the call; `OutboundHTTP.send`, or a test's script.
package typealias OutboundSend = @Sendable (OutboundRequest) async throws(OutboundFault) -> OutboundResponse
