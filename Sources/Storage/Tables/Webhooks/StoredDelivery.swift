internal import Engine
internal import Possession
internal import Records

/// A delivery with its event, as read.
struct StoredDelivery {
    let eventID: WebhookEventID
    private let clientID: ClientID
    private let type: WebhookEventType
    private let at: Timestamp
    private let session: CorrelationID?
    private let sequence: Int?
    private let sealed: [UInt8]
    private let endpoint: WebhookEndpointID
    private let state: WebhookDelivery.State
    private let attempts: Int
    private let nextAt: Timestamp?
    private let lastStatus: Int?
    private let lastFailure: WebhookAttempt.Failure?
    private let lastAt: Timestamp?

    init(_ row: inout Row) throws(StorageFault) {
        eventID = try row.identifier("webhook_events.event_id")
        clientID = try row.clientID("webhook_events.client_id")
        type = try row.choice("webhook_events.type")
        at = try row.time("webhook_events.at_ms")
        session = try row.optionalIdentifier("webhook_events.correlation_id")
        sequence = try row.optionalInteger("webhook_events.sequence").map { Int($0) }
        sealed = try row.blob("webhook_events.event_sealed")
        endpoint = try row.identifier("webhook_deliveries.endpoint_id")
        state = try row.choice("webhook_deliveries.state")
        attempts = try row.count(0...1_000_000, "webhook_deliveries.attempts")
        nextAt = try row.optionalInteger("webhook_deliveries.next_at_ms").map { Timestamp(milliseconds: $0) }
        lastStatus = try row.optionalInteger("webhook_deliveries.last_status").map { Int($0) }
        lastFailure = try row.optionalChoice("webhook_deliveries.last_error")
        lastAt = try row.optionalTime("webhook_deliveries.last_at_ms")
    }

    func delivery(_ sealing: Sealing) throws(StorageFault) -> WebhookDelivery {
        let news = try WebhookNews(eventID, type, at: at, session: session, sealed: sealed, with: sealing)
        return WebhookDelivery(
            event: WebhookEvent(id: eventID, clientID: clientID, news: news, sequence: sequence), endpoint: endpoint,
            state: state, attempts: attempts, nextAt: nextAt, lastStatus: lastStatus, lastFailure: lastFailure,
            lastAt: lastAt)
    }
}
