package import Engine
package import Possession

/// This server's own formats: Standard Webhooks 1.0.0, with its own body or a CloudEvent.
package struct StandardWebhooks: WebhookDialect {
    private let body: WebhookBody
    private let signing: WebhookSigning
    private let now: Now

    /// - Parameter now: the machine's clock, which receivers compare with theirs.
    package init(body: WebhookBody, signing: WebhookSigning, now: @escaping Now) {
        self.body = body
        self.signing = signing
        self.now = now
    }

    package func posting(
        _ event: WebhookEvent, to endpoint: WebhookEndpoint, keys: [WebhookEndpoint.Keys]
    ) throws(TokenFault) -> WebhookPosting? {
        guard let bytes = body.bytes(event, for: endpoint) else { return nil }
        let moment = now()
        let signature = try signing.header(event.id.name, at: moment, bytes, keys: keys)
        return WebhookPosting(
            headers: [
                ("Content-Type", WebhookBody.contentType(endpoint.format)), ("webhook-id", event.id.name),
                ("webhook-timestamp", String(moment.seconds)), ("webhook-signature", signature),
            ], body: bytes)
    }
}
