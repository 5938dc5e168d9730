internal import Possession
internal import Records

/// Table `webhook_deliveries` (migration 0010): each event on its way to each endpoint that asked for it.
enum WebhookDeliveriesTable {
    /// What waits is looked up by `webhook_deliveries_due`, by name where the engine would go through all that ever went to
    /// an endpoint.
    private enum SQL {
        static let insert: StaticString = """
            INSERT INTO webhook_deliveries (endpoint_id, event_id, is_noisy, state, attempts, next_at_ms)
              SELECT ?1, ?2, ?3, 'pending', 0, 0 WHERE EXISTS (SELECT 1 FROM webhook_endpoints WHERE endpoint_id = ?1)
            """
        static let waiting: StaticString = """
            SELECT endpoint_id, first_at_ms FROM
              (SELECT p.endpoint_id, (SELECT min(d.next_at_ms) FROM webhook_deliveries d INDEXED BY webhook_deliveries_due
                                        WHERE d.endpoint_id = p.endpoint_id AND d.state = 'pending') AS first_at_ms
                 FROM webhook_endpoints p)
              WHERE first_at_ms IS NOT NULL
            """
        static let oldest: StaticString = """
            SELECT min(e.at_ms) FROM webhook_events e WHERE e.event_id =
              (SELECT min(d.event_id) FROM webhook_deliveries d INDEXED BY webhook_deliveries_due
                 CROSS JOIN webhook_endpoints p ON p.endpoint_id = d.endpoint_id AND p.stop IS NULL
                 WHERE d.state = 'pending')
            """
        static let due: StaticString = """
            SELECT e.event_id, e.client_id, e.type, e.at_ms, e.correlation_id, e.sequence, e.event_sealed,
                   d.endpoint_id, d.state, d.attempts, d.next_at_ms, d.last_status, d.last_error, d.last_at_ms
              FROM webhook_deliveries d JOIN webhook_events e ON e.event_id = d.event_id
              WHERE d.endpoint_id = ?1 AND d.state = 'pending' AND d.next_at_ms <= ?2
              ORDER BY d.next_at_ms, d.event_id LIMIT ?3
            """
        /// Without those that have an earlier one of their session before them, unless they are older than ?4.
        static let dueInOrder: StaticString = """
            SELECT e.event_id, e.client_id, e.type, e.at_ms, e.correlation_id, e.sequence, e.event_sealed,
                   d.endpoint_id, d.state, d.attempts, d.next_at_ms, d.last_status, d.last_error, d.last_at_ms
              FROM webhook_deliveries d JOIN webhook_events e ON e.event_id = d.event_id
              WHERE d.endpoint_id = ?1 AND d.state = 'pending' AND d.next_at_ms <= ?2
                AND (e.correlation_id IS NULL OR e.at_ms <= ?4
                     OR NOT EXISTS (SELECT 1 FROM webhook_events b
                          JOIN webhook_deliveries f ON f.event_id = b.event_id AND f.endpoint_id = ?1
                          WHERE b.correlation_id = e.correlation_id AND b.sequence < e.sequence
                            AND f.state = 'pending'))
              ORDER BY d.next_at_ms, d.event_id LIMIT ?3
            """
        static let next: StaticString = """
            SELECT min(next_at_ms) FROM webhook_deliveries
              WHERE endpoint_id = ?1 AND state = 'pending' AND next_at_ms > ?2
            """
        static let isAnyDue: StaticString = """
            SELECT 1 FROM webhook_deliveries
              WHERE endpoint_id = ?1 AND state = 'pending' AND next_at_ms <= ?2 LIMIT 1
            """
        static let save: StaticString = """
            UPDATE webhook_deliveries
              SET state = ?3, attempts = ?4, next_at_ms = ?5, last_status = ?6, last_error = ?7, last_at_ms = ?8
              WHERE endpoint_id = ?1 AND event_id = ?2
            """
        static let giveUp: StaticString = """
            UPDATE webhook_deliveries SET state = 'failed', next_at_ms = NULL WHERE endpoint_id = ?1 AND event_id = ?2
            """
        static let ofEndpoint: StaticString = """
            SELECT e.event_id, e.client_id, e.type, e.at_ms, e.correlation_id, e.sequence, e.event_sealed,
                   d.endpoint_id, d.state, d.attempts, d.next_at_ms, d.last_status, d.last_error, d.last_at_ms
              FROM webhook_deliveries d JOIN webhook_events e ON e.event_id = d.event_id
              WHERE d.endpoint_id = ?1 AND (?2 IS NULL OR e.client_id = ?2) AND (?3 IS NULL OR d.state = ?3)
              ORDER BY d.event_id DESC LIMIT ?4
            """
        static let ofAll: StaticString = """
            SELECT e.event_id, e.client_id, e.type, e.at_ms, e.correlation_id, e.sequence, e.event_sealed,
                   d.endpoint_id, d.state, d.attempts, d.next_at_ms, d.last_status, d.last_error, d.last_at_ms
              FROM webhook_events e JOIN webhook_deliveries d ON d.event_id = e.event_id
              WHERE (?1 IS NULL OR e.client_id = ?1) AND (?2 IS NULL OR d.state = ?2)
              ORDER BY e.event_id DESC LIMIT ?3
            """
        static let replayEvent: StaticString = """
            UPDATE webhook_deliveries SET state = 'pending', attempts = 0, next_at_ms = ?4
              WHERE event_id = ?1 AND state <> 'pending' AND (?2 IS NULL OR endpoint_id = ?2)
                AND (?3 IS NULL OR EXISTS (SELECT 1 FROM webhook_events e
                                             WHERE e.event_id = webhook_deliveries.event_id AND e.client_id = ?3))
            """
        /// What of an endpoint's was missed, by the primary key; page by page.
        static let missed: StaticString = """
            SELECT d.event_id FROM webhook_deliveries d JOIN webhook_events e ON e.event_id = d.event_id
              WHERE d.endpoint_id = ?1 AND d.event_id > ?2 AND d.state IN ('failed', 'dropped') AND e.at_ms >= ?3
              ORDER BY d.event_id LIMIT ?4
            """
        static let replayOne: StaticString = """
            UPDATE webhook_deliveries SET state = 'pending', attempts = 0, next_at_ms = ?3
              WHERE endpoint_id = ?1 AND event_id = ?2 AND state IN ('failed', 'dropped')
            """
        /// No more than ?2 are counted.
        static let countPending: StaticString = """
            SELECT count(*) FROM
              (SELECT 1 FROM webhook_deliveries INDEXED BY webhook_deliveries_due
                 WHERE endpoint_id = ?1 AND state = 'pending' LIMIT ?2)
            """
        static let isAnyNoisy: StaticString = """
            SELECT 1 FROM webhook_deliveries INDEXED BY webhook_deliveries_noisy
              WHERE endpoint_id = ?1 AND state = 'pending' AND is_noisy = 1 LIMIT 1
            """
        static let dropNoisy: StaticString = """
            UPDATE webhook_deliveries SET state = 'dropped', next_at_ms = NULL, last_error = 'dropped'
              WHERE endpoint_id = ?1 AND event_id IN
                (SELECT event_id FROM webhook_deliveries INDEXED BY webhook_deliveries_noisy
                   WHERE endpoint_id = ?1 AND state = 'pending' AND is_noisy = 1 ORDER BY event_id LIMIT ?2)
              RETURNING (SELECT e.type FROM webhook_events e WHERE e.event_id = webhook_deliveries.event_id)
            """
        static let removeSome: StaticString = """
            DELETE FROM webhook_deliveries WHERE endpoint_id = ?1 AND event_id IN
              (SELECT event_id FROM webhook_deliveries WHERE endpoint_id = ?1 ORDER BY event_id LIMIT ?2)
            """
    }

    static func add(
        _ event: WebhookEvent, to endpoint: WebhookEndpointID, _ connection: Connection
    ) throws(StorageFault) {
        let isNoisy = WebhookEventType.noisy.contains(event.news.type)
        try connection.run(SQL.insert) {
            $0.identifier(endpoint)
            $0.identifier(event.id)
            $0.integer(isNoisy ? 1 : 0)
        }
    }

    // MARK: What waits

    static func waiting(_ connection: Connection) throws(StorageFault) -> [(WebhookEndpointID, Timestamp)] {
        try connection.all(SQL.waiting) { (row) throws(StorageFault) in
            (
                try row.identifier("webhook_deliveries.endpoint_id"),
                Timestamp(milliseconds: try row.integer("webhook_deliveries.next_at_ms"))
            )
        }
    }

    /// When the oldest event happened that waits for an endpoint which is told of it.
    static func oldest(_ connection: Connection) throws(StorageFault) -> Timestamp? {
        try connection.first(SQL.oldest) { (row) throws(StorageFault) in
            try row.optionalTime("webhook_events.at_ms")
        } ?? nil
    }

    /// Deliveries that are due, and events that cannot be read.
    static func due(
        at endpoint: WebhookEndpoint, now: Timestamp, limit: Int, besides: Set<WebhookEventID>, sealing: Sealing,
        _ connection: Connection
    ) throws(StorageFault) -> (due: DueWebhooks, unreadable: [WebhookEventID]) {
        let isInOrder = endpoint.ordering == .session
        let rows = try connection.all(isInOrder ? SQL.dueInOrder : SQL.due) {
            $0.identifier(endpoint.id)
            $0.time(now)
            $0.integer(limit + besides.count)
            if isInOrder { $0.time(now.adding(.zero - WebhookRules.longestHold)) }
        } _: { (row) throws(StorageFault) in
            try StoredDelivery(&row)
        }
        var deliveries: [WebhookDelivery] = []
        var unreadable: [WebhookEventID] = []
        for row in rows where !besides.contains(row.eventID) && deliveries.count < limit {
            do throws(StorageFault) { deliveries.append(try row.delivery(sealing)) } catch {
                guard case .corrupt = error else { throw error }
                unreadable.append(row.eventID)
            }
        }
        return (
            DueWebhooks(
                deliveries, nextAt: try next(at: endpoint.id, isInOrder, now, connection), unreadable: unreadable.count),
            unreadable
        )
    }

    private static func next(
        at endpoint: WebhookEndpointID, _ isInOrder: Bool, _ now: Timestamp, _ connection: Connection
    ) throws(StorageFault) -> Timestamp? {
        let next =
            try connection.first(SQL.next) {
                $0.identifier(endpoint)
                $0.time(now)
            } _: { (row) throws(StorageFault) in
                try row.optionalTime("webhook_deliveries.next_at_ms")
            } ?? nil
        guard isInOrder else { return next }
        let isAnyDue =
            try connection.first(SQL.isAnyDue) {
                $0.identifier(endpoint)
                $0.time(now)
            } _: { (_) throws(StorageFault) in
                true
            } ?? false
        // One that is held back is let go in time.
        let hold = isAnyDue ? now.adding(.seconds(30)) : nil
        return [next, hold].compactMap { $0 }.min()
    }

    // MARK: What came of it

    static func save(_ delivery: WebhookDelivery, _ connection: Connection) throws(StorageFault) {
        try connection.run(SQL.save) {
            $0.identifier(delivery.endpoint)
            $0.identifier(delivery.event.id)
            $0.text(delivery.state.rawValue)
            $0.integer(delivery.attempts)
            $0.time(delivery.nextAt)
            $0.integer(delivery.lastStatus.map { Int64($0) })
            $0.text(delivery.lastFailure?.rawValue)
            $0.time(delivery.lastAt)
        }
    }

    static func giveUp(
        _ event: WebhookEventID, at endpoint: WebhookEndpointID, _ connection: Connection
    ) throws(StorageFault) {
        try connection.run(SQL.giveUp) {
            $0.identifier(endpoint)
            $0.identifier(event)
        }
    }

    // MARK: Looking and replaying

    static func list(
        at endpoint: WebhookEndpointID?, of client: ClientID?, in state: WebhookDelivery.State?, limit: Int,
        sealing: Sealing, _ connection: Connection
    ) throws(StorageFault) -> [WebhookDelivery] {
        let rows = try connection.all(endpoint == nil ? SQL.ofAll : SQL.ofEndpoint) {
            if let endpoint { $0.identifier(endpoint) }
            $0.text(client?.text)
            $0.text(state?.rawValue)
            $0.integer(limit)
        } _: { (row) throws(StorageFault) in
            try StoredDelivery(&row)
        }
        var deliveries: [WebhookDelivery] = []
        for row in rows {
            // One that is damaged hides no other.
            do throws(StorageFault) { deliveries.append(try row.delivery(sealing)) } catch {
                guard case .corrupt = error else { throw error }
            }
        }
        return deliveries
    }

    static func replay(
        _ event: WebhookEventID, to endpoint: WebhookEndpointID?, of client: ClientID?, at now: Timestamp,
        _ connection: Connection
    ) throws(StorageFault) -> Int {
        try connection.run(SQL.replayEvent) {
            $0.identifier(event)
            $0.identifier(endpoint)
            $0.text(client?.text)
            $0.time(now)
        }
        return connection.changes
    }

    /// The next events after `last` that an endpoint has missed, of those since a time.
    static func missed(
        by endpoint: WebhookEndpointID, since: Timestamp, after last: WebhookEventID, limit: Int,
        _ connection: Connection
    ) throws(StorageFault) -> [WebhookEventID] {
        try connection.all(SQL.missed) {
            $0.identifier(endpoint)
            $0.identifier(last)
            $0.time(since)
            $0.integer(limit)
        } _: { (row) throws(StorageFault) in
            try row.identifier("webhook_deliveries.event_id")
        }
    }

    static func replay(
        _ missed: [WebhookEventID], to endpoint: WebhookEndpointID, at now: Timestamp, _ connection: Connection
    ) throws(StorageFault) -> Int {
        var count = 0
        for event in missed {
            try connection.run(SQL.replayOne) {
                $0.identifier(endpoint)
                $0.identifier(event)
                $0.time(now)
            }
            count += connection.changes
        }
        return count
    }

    // MARK: Too many

    /// How many wait for an endpoint; of more than `most`, `most`.
    static func pending(
        at endpoint: WebhookEndpointID, most: Int, _ connection: Connection
    ) throws(StorageFault) -> Int {
        try connection.first(SQL.countPending) {
            $0.identifier(endpoint)
            $0.integer(most)
        } _: { (row) throws(StorageFault) in
            Int(try row.integer("webhook_deliveries.state"))
        } ?? 0
    }

    static func hasNoisy(
        at endpoint: WebhookEndpointID, _ connection: Connection
    ) throws(StorageFault) -> Bool {
        try connection.first(SQL.isAnyNoisy) {
            $0.identifier(endpoint)
        } _: { (_) throws(StorageFault) in
            true
        } ?? false
    }

    static func dropNoisy(
        at endpoint: WebhookEndpointID, most: Int, _ connection: Connection
    ) throws(StorageFault) -> [WebhookEventType] {
        try connection.all(SQL.dropNoisy) {
            $0.identifier(endpoint)
            $0.integer(most)
        } _: { (row) throws(StorageFault) in
            try row.choice("webhook_events.type")
        }
    }

    /// Removes the oldest ones, whatever became of them.
    static func remove(
        at endpoint: WebhookEndpointID, most: Int, _ connection: Connection
    ) throws(StorageFault) -> Int {
        try connection.run(SQL.removeSome) {
            $0.identifier(endpoint)
            $0.integer(most)
        }
        return connection.changes
    }
}

/// A delivery with its event, as they were read.
private struct StoredDelivery {
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
