package import Possession

/// Reads past and pending deliveries of all API clients.
package struct WebhookHistory: Sendable {
    private let store: any WebhookStore

    package init(_ engine: Engine) {
        store = engine.stores.webhooks
    }

    /// The newest deliveries first.
    package func newest(_ most: Int) async throws(EngineFault) -> [WebhookDelivery] {
        do { return try await store.webhookDeliveries(at: nil, of: nil, in: nil, limit: most) } catch {
            throw EngineFault(error)
        }
    }
}
