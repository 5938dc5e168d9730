package import Possession

/// Writes and signs events in one webhook format.
package protocol WebhookDialect: Sendable {
    /// Makes the body and headers that are sent to an endpoint.
    /// - Parameter keys: the endpoint's keys, the newest first.
    /// - Returns: `nil` if the format has no name for the event.
    /// - Throws: `TokenFault` if it cannot be signed.
    func posting(
        _ event: WebhookEvent, to endpoint: WebhookEndpoint, keys: [WebhookEndpoint.Keys]
    ) throws(TokenFault) -> WebhookPosting?
}

/// The body and headers of a request that delivers an event to an endpoint.
package struct WebhookPosting: Sendable {
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    /// - Parameter headers: including `Content-Type`.
    package init(headers: [(name: String, value: String)], body: [UInt8]) {
        self.headers = headers
        self.body = body
    }
}
