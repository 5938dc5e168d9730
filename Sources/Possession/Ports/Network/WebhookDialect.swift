/// How events are put into the words of one format of webhooks, and how these are signed.
package protocol WebhookDialect: Sendable {
    /// Makes the body and headers that are sent to an endpoint.
    /// - Parameter keys: of the endpoint, the newest first.
    /// - Returns: `nil` where the format has no word for the event.
    /// - Throws: `TokenFault` where it cannot be signed.
    func posting(
        _ event: WebhookEvent, to endpoint: WebhookEndpoint, keys: [WebhookEndpoint.Keys]
    ) throws(TokenFault) -> WebhookPosting?
}

/// The bytes of a request that tells an endpoint of an event, and the headers that belong to them.
package struct WebhookPosting: Sendable {
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    /// - Parameter headers: with `Content-Type`.
    package init(headers: [(name: String, value: String)], body: [UInt8]) {
        self.headers = headers
        self.body = body
    }
}
