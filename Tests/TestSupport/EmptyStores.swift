package import Engine
package import Possession

// Stores without content, for tests that need none.

/// No client has an application.
package struct NoApplicationKeys: ApplicationKeyStore {
    package init() {}

    package func application(_ applicationKey: String) async throws(StorageFault) -> Application? { nil }
    package func application(of client: ClientID) async throws(StorageFault) -> Application? { nil }
    package func add(_ keys: ApplicationKeys, to client: ClientID) async throws(StorageFault) -> Bool { false }
    package func rotate(
        _ client: ClientID, to keys: ApplicationKeys, at now: Timestamp, overlap: Duration
    ) async throws(StorageFault) -> Application? { nil }
    package func setConfigured(_ keys: [(client: ClientID, keys: ApplicationKeys)]) async throws(StorageFault) {}
}

/// A store without endpoints, for tests that need no webhooks.
package struct NoWebhooks: WebhookStore {
    package init() {}

    package var hasSubscriptions: Bool { false }
    package func subscriptions(of client: ClientID) -> [WebhookSubscription] { [] }
    package var serverSubscriptions: ServerSubscriptions { [:] }
    package func webhookEndpoints(of client: ClientID?) async throws(StorageFault) -> WebhookEndpointList {
        WebhookEndpointList()
    }
    package func webhookEndpoint(_ id: WebhookEndpointID) async throws(StorageFault) -> WebhookEndpoint? { nil }
    package func add(_ endpoint: WebhookEndpoint, most: Int) async throws(StorageFault) -> Bool { false }
    package func updateWebhookEndpoint(
        _ id: WebhookEndpointID, of client: ClientID?,
        _ change: @escaping @Sendable (inout WebhookEndpoint) -> [NewWebhookEvent]
    ) async throws(StorageFault) -> WebhookEndpoint? { nil }
    package func removeWebhookEndpoint(
        _ id: WebhookEndpointID, of client: ClientID?, at now: Timestamp
    ) async throws(StorageFault) -> Bool { false }
    package func addEvents(_ events: [NewWebhookEvent]) async throws(StorageFault) {}
    package func ping(_ ping: NewWebhookEvent, ifFewerThan most: Int) async throws(StorageFault) -> Bool { false }
    package func waitingWebhooks() async throws(StorageFault) -> [WebhookEndpointID: Timestamp] { [:] }
    package func dueWebhooks(
        at endpoint: WebhookEndpoint, now: Timestamp, limit: Int, besides: Set<WebhookEventID>
    ) async throws(StorageFault) -> DueWebhooks { DueWebhooks([], nextAt: nil) }
    package func storeResult(
        of delivery: WebhookDelivery, standing: (@Sendable (inout WebhookEndpoint) -> [NewWebhookEvent])?
    ) async throws(StorageFault) -> WebhookEndpoint? { nil }
    package func webhookDeliveries(
        at endpoint: WebhookEndpointID?, of client: ClientID?, in state: WebhookDelivery.State?, limit: Int
    ) async throws(StorageFault) -> [WebhookDelivery] { [] }
    package func replayWebhooks(
        _ what: WebhookReplay, to endpoint: WebhookEndpointID?, of client: ClientID?, limit: Int, at now: Timestamp
    ) async throws(StorageFault) -> Int { 0 }
    package func dropWebhooks(
        at endpoint: WebhookEndpointID, over most: Int
    ) async throws(StorageFault) -> [WebhookEventType: Int] { [:] }
    package func sweepWebhooks(before end: Timestamp) async throws(StorageFault) -> Int { 0 }
    package func takeRemovedWebhooks() async throws(StorageFault) -> [ClientID: Int] { [:] }
}

/// Records nothing.
package struct NoAudit: AuditLog {
    package init() {}

    package func add(_ entry: AuditEntry) async throws(StorageFault) {}
    package func submit(_ entry: AuditEntry) {}
    package func auditing<Value: Sendable>(
        _ entry: AuditEntry, _ work: () async -> Value
    ) async -> (Value, isStored: Bool) { (await work(), true) }
}
