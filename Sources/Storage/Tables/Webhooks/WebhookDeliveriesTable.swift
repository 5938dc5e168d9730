internal import Engine
internal import Possession
internal import Records

/// Table `webhook_deliveries` (migration 0010): each event for each endpoint that subscribed to it.
enum WebhookDeliveriesTable {
    /// Waiting deliveries are found by the index `webhook_deliveries_due`, named in the statement if SQLite would
    /// otherwise scan all deliveries of an endpoint.
    private enum SQL {
        static let insert: Statement = """
            INSERT INTO webhook_deliveries (endpoint_id, event_id, is_noisy, state, attempts, next_at_ms)
              SELECT ?1, ?2, ?3, 'pending', 0, 0 WHERE EXISTS (SELECT 1 FROM webhook_endpoints WHERE endpoint_id = ?1)
            """
        static let waiting: Statement = """
            SELECT endpoint_id, first_at_ms FROM
              (SELECT p.endpoint_id, (SELECT min(d.next_at_ms) FROM webhook_deliveries d INDEXED BY webhook_deliveries_due
                                        WHERE d.endpoint_id = p.endpoint_id AND d.state = 'pending') AS first_at_ms
                 FROM webhook_endpoints p) AS waiting
              WHERE first_at_ms IS NOT NULL
            """
        static let oldest: Statement = """
            SELECT min(e.at_ms) FROM webhook_events e WHERE e.event_id =
              (SELECT d.event_id FROM webhook_deliveries d INDEXED BY webhook_deliveries_due
                 CROSS JOIN webhook_endpoints p
                 WHERE d.state = 'pending' AND p.endpoint_id = d.endpoint_id AND p.stop IS NULL
                 ORDER BY d.event_id LIMIT 1)
            """
        static let due: Statement = """
            SELECT e.event_id, e.client_id, e.type, e.at_ms, e.correlation_id, e.sequence, e.event_sealed,
                   d.endpoint_id, d.state, d.attempts, d.next_at_ms, d.last_status, d.last_error, d.last_at_ms
              FROM webhook_deliveries d JOIN webhook_events e ON e.event_id = d.event_id
              WHERE d.endpoint_id = ?1 AND d.state = 'pending' AND d.next_at_ms <= ?2
              ORDER BY d.next_at_ms, d.event_id LIMIT ?3
            """
        /// The same, each with a flag: an earlier delivery of its session waits, and the event is younger than ?4.
        static let dueInOrder: Statement = """
            SELECT e.event_id, e.client_id, e.type, e.at_ms, e.correlation_id, e.sequence, e.event_sealed,
                   d.endpoint_id, d.state, d.attempts, d.next_at_ms, d.last_status, d.last_error, d.last_at_ms,
                   e.correlation_id IS NOT NULL AND e.at_ms > ?4
                     AND EXISTS (SELECT 1 FROM webhook_events b
                          JOIN webhook_deliveries f ON f.event_id = b.event_id AND f.endpoint_id = ?1
                          WHERE b.correlation_id = e.correlation_id AND b.sequence < e.sequence
                            AND f.state = 'pending')
              FROM webhook_deliveries d JOIN webhook_events e ON e.event_id = d.event_id
              WHERE d.endpoint_id = ?1 AND d.state = 'pending' AND d.next_at_ms <= ?2
              ORDER BY d.next_at_ms, d.event_id LIMIT ?3
            """
        /// Holds a delivery back until ?3 after its event happened. If the earlier delivery has ended since it was
        /// read, this one stays due.
        static let hold: Statement = """
            UPDATE webhook_deliveries
              SET next_at_ms = (SELECT e.at_ms FROM webhook_events e WHERE e.event_id = ?2) + ?3
              WHERE endpoint_id = ?1 AND event_id = ?2 AND state = 'pending'
                AND EXISTS (SELECT 1 FROM webhook_events e
                     JOIN webhook_events b ON b.correlation_id = e.correlation_id AND b.sequence < e.sequence
                     JOIN webhook_deliveries f ON f.event_id = b.event_id AND f.endpoint_id = ?1 AND f.state = 'pending'
                     WHERE e.event_id = ?2)
            """
        static let endpoint: Statement = "SELECT 1 FROM webhook_endpoints WHERE endpoint_id = ?1"
        /// Releases the first waiting delivery of a session, if it was held back.
        static let letGo: Statement = """
            UPDATE webhook_deliveries SET next_at_ms = 0
              WHERE endpoint_id = ?1 AND state = 'pending'
                AND event_id =
                  (SELECT b.event_id FROM webhook_events e
                     JOIN webhook_events b ON b.correlation_id = e.correlation_id
                     JOIN webhook_deliveries f ON f.event_id = b.event_id AND f.endpoint_id = ?1 AND f.state = 'pending'
                     WHERE e.event_id = ?2 ORDER BY b.sequence LIMIT 1)
                AND next_at_ms = (SELECT e.at_ms FROM webhook_events e
                                    WHERE e.event_id = webhook_deliveries.event_id) + ?3
            """
        /// The same, if the earlier event was removed.
        static let letGoOfSession: Statement = """
            UPDATE webhook_deliveries SET next_at_ms = 0
              WHERE endpoint_id = ?1 AND state = 'pending'
                AND event_id =
                  (SELECT b.event_id FROM webhook_events b
                     JOIN webhook_deliveries f ON f.event_id = b.event_id AND f.endpoint_id = ?1 AND f.state = 'pending'
                     WHERE b.correlation_id = ?2 ORDER BY b.sequence LIMIT 1)
                AND next_at_ms = (SELECT e.at_ms FROM webhook_events e
                                    WHERE e.event_id = webhook_deliveries.event_id) + ?3
            """
        static let next: Statement = """
            SELECT min(next_at_ms) FROM webhook_deliveries
              WHERE endpoint_id = ?1 AND state = 'pending' AND next_at_ms > ?2
            """
        static let save: Statement = """
            UPDATE webhook_deliveries
              SET state = ?3, attempts = ?4, next_at_ms = ?5, last_status = ?6, last_error = ?7, last_at_ms = ?8
              WHERE endpoint_id = ?1 AND event_id = ?2
            """
        static let giveUp: Statement = """
            UPDATE webhook_deliveries SET state = 'failed', next_at_ms = NULL WHERE endpoint_id = ?1 AND event_id = ?2
            """
        static let ofEndpoint: Statement = """
            SELECT e.event_id, e.client_id, e.type, e.at_ms, e.correlation_id, e.sequence, e.event_sealed,
                   d.endpoint_id, d.state, d.attempts, d.next_at_ms, d.last_status, d.last_error, d.last_at_ms
              FROM webhook_deliveries d JOIN webhook_events e ON e.event_id = d.event_id
              WHERE d.endpoint_id = ?1 AND (?2 IS NULL OR e.client_id = ?2) AND (?3 IS NULL OR d.state = ?3)
              ORDER BY d.event_id DESC LIMIT ?4
            """
        static let ofAll: Statement = """
            SELECT e.event_id, e.client_id, e.type, e.at_ms, e.correlation_id, e.sequence, e.event_sealed,
                   d.endpoint_id, d.state, d.attempts, d.next_at_ms, d.last_status, d.last_error, d.last_at_ms
              FROM webhook_events e JOIN webhook_deliveries d ON d.event_id = e.event_id
              WHERE (?1 IS NULL OR e.client_id = ?1) AND (?2 IS NULL OR d.state = ?2)
              ORDER BY e.event_id DESC LIMIT ?3
            """
        static let replayEvent: Statement = """
            UPDATE webhook_deliveries SET state = 'pending', attempts = 0, next_at_ms = ?4
              WHERE event_id = ?1 AND state <> 'pending' AND (?2 IS NULL OR endpoint_id = ?2)
                AND (?3 IS NULL OR EXISTS (SELECT 1 FROM webhook_events e
                                             WHERE e.event_id = webhook_deliveries.event_id AND e.client_id = ?3))
            """
        /// Missed events of an endpoint, by the primary key, page by page.
        static let missed: Statement = """
            SELECT d.event_id FROM webhook_deliveries d JOIN webhook_events e ON e.event_id = d.event_id
              WHERE d.endpoint_id = ?1 AND d.event_id > ?2 AND d.state IN ('failed', 'dropped') AND e.at_ms >= ?3
              ORDER BY d.event_id LIMIT ?4
            """
        static let replayOne: Statement = """
            UPDATE webhook_deliveries SET state = 'pending', attempts = 0, next_at_ms = ?3
              WHERE endpoint_id = ?1 AND event_id = ?2 AND state IN ('failed', 'dropped')
            """
        /// Counts at most ?2.
        static let countPending: Statement = """
            SELECT count(*) FROM
              (SELECT 1 FROM webhook_deliveries INDEXED BY webhook_deliveries_due
                 WHERE endpoint_id = ?1 AND state = 'pending' LIMIT ?2) AS waiting
            """
        static let isAnyNoisy: Statement = """
            SELECT 1 FROM webhook_deliveries INDEXED BY webhook_deliveries_noisy
              WHERE endpoint_id = ?1 AND state = 'pending' AND is_noisy = 1 LIMIT 1
            """
        static let dropNoisy: Statement = """
            UPDATE webhook_deliveries SET state = 'dropped', next_at_ms = NULL, last_error = 'dropped'
              WHERE endpoint_id = ?1 AND event_id IN
                (SELECT event_id FROM webhook_deliveries INDEXED BY webhook_deliveries_noisy
                   WHERE endpoint_id = ?1 AND state = 'pending' AND is_noisy = 1 ORDER BY event_id LIMIT ?2)
                AND state = 'pending'
              RETURNING event_id,
                        (SELECT e.type FROM webhook_events e WHERE e.event_id = webhook_deliveries.event_id)
            """
        static let removeSome: Statement = """
            DELETE FROM webhook_deliveries WHERE endpoint_id = ?1 AND event_id IN
              (SELECT event_id FROM webhook_deliveries WHERE endpoint_id = ?1 ORDER BY event_id LIMIT ?2)
            """
    }

    static func add(
        _ event: WebhookEvent, to endpoint: WebhookEndpointID, _ connection: any Connection
    ) throws(StorageFault) {
        let isNoisy = WebhookEventType.noisy.contains(event.news.type)
        try connection.run(SQL.insert.claiming) {
            $0.identifier(endpoint)
            $0.identifier(event.id)
            $0.integer(isNoisy ? 1 : 0)
        }
    }

    // MARK: Waiting deliveries

    static func waiting(_ connection: any Connection) throws(StorageFault) -> [(WebhookEndpointID, Timestamp)] {
        try connection.all(SQL.waiting) { (row) throws(StorageFault) in
            (
                try row.identifier("webhook_deliveries.endpoint_id"),
                Timestamp(milliseconds: try row.integer("webhook_deliveries.next_at_ms"))
            )
        }
    }

    /// When the oldest event happened that waits for an active endpoint.
    static func oldest(_ connection: any Connection) throws(StorageFault) -> Timestamp? {
        try connection.first(SQL.oldest) { (row) throws(StorageFault) in
            try row.optionalTime("webhook_events.at_ms")
        } ?? nil
    }

    /// Deliveries of an endpoint, as read.
    struct Look {
        let deliveries: [WebhookDelivery]
        /// When the next delivery becomes due that is not yet due.
        let nextAt: Timestamp?
        /// Events that cannot be read.
        let unreadable: [WebhookEventID]
        /// Due, but an earlier delivery of their session waits.
        let blocked: [WebhookEventID]
    }

    /// Deliveries that are due. If the endpoint wants order, up to `page` more are read, because some may have to wait.
    static func due(
        at endpoint: WebhookEndpoint, now: Timestamp, limit: Int, besides: Set<WebhookEventID>, page: Int,
        sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) -> Look {
        let isInOrder = endpoint.ordering == .session
        let rows = try connection.all(isInOrder ? SQL.dueInOrder : SQL.due) {
            $0.identifier(endpoint.id)
            $0.time(now)
            $0.integer(limit + besides.count + (isInOrder ? page : 0))
            if isInOrder { $0.time(now.adding(.zero - WebhookRules.longestHold)) }
        } _: { (row) throws(StorageFault) in
            (try StoredDelivery(&row), isInOrder ? try row.flag("webhook_deliveries.state") : false)
        }
        var deliveries: [WebhookDelivery] = []
        var unreadable: [WebhookEventID] = []
        var blocked: [WebhookEventID] = []
        for (row, isBlocked) in rows where !besides.contains(row.eventID) && deliveries.count < limit {
            if isBlocked {
                blocked.append(row.eventID)
                continue
            }
            do throws(StorageFault) { deliveries.append(try row.delivery(sealing)) } catch {
                guard case .corrupt = error else { throw error }
                unreadable.append(row.eventID)
            }
        }
        return Look(
            deliveries: deliveries, nextAt: try next(at: endpoint.id, now, connection), unreadable: unreadable,
            blocked: blocked)
    }

    private static func next(
        at endpoint: WebhookEndpointID, _ now: Timestamp, _ connection: any Connection
    ) throws(StorageFault) -> Timestamp? {
        try connection.first(SQL.next) {
            $0.identifier(endpoint)
            $0.time(now)
        } _: { (row) throws(StorageFault) in
            try row.optionalTime("webhook_deliveries.next_at_ms")
        } ?? nil
    }

    // MARK: Order within a session

    /// One transaction at a time holds back or releases deliveries of an endpoint. Otherwise one could hold back a
    /// delivery behind another that ends at the same time, and nothing would release it.
    private static func lockOrder(at endpoint: WebhookEndpointID, _ connection: any Connection) throws(StorageFault) {
        guard !connection.runsAlone else { return }
        _ = try connection.first(SQL.endpoint.locking) {
            $0.identifier(endpoint)
        } _: { (_) throws(StorageFault) in
            true
        }
    }

    /// Holds back deliveries that wait for an earlier one of their session, so that they are not due until then.
    static func hold(
        _ events: [WebhookEventID], at endpoint: WebhookEndpointID, _ connection: any Connection
    ) throws(StorageFault) {
        guard !events.isEmpty else { return }
        try lockOrder(at: endpoint, connection)
        for event in events {
            try connection.run(SQL.hold) {
                $0.identifier(endpoint)
                $0.identifier(event)
                $0.integer(WebhookRules.longestHold.wholeMilliseconds)
            }
        }
    }

    /// Releases the next delivery of a session, once this one has ended.
    static func letGo(
        behind event: WebhookEventID, at endpoint: WebhookEndpointID, _ connection: any Connection
    ) throws(StorageFault) {
        try lockOrder(at: endpoint, connection)
        try connection.run(SQL.letGo) {
            $0.identifier(endpoint)
            $0.identifier(event)
            $0.integer(WebhookRules.longestHold.wholeMilliseconds)
        }
    }

    /// Releases the first delivery of a session, if those before it were removed.
    static func letGo(
        of session: CorrelationID, at endpoint: WebhookEndpointID, _ connection: any Connection
    ) throws(StorageFault) {
        try lockOrder(at: endpoint, connection)
        try connection.run(SQL.letGoOfSession) {
            $0.identifier(endpoint)
            $0.identifier(session)
            $0.integer(WebhookRules.longestHold.wholeMilliseconds)
        }
    }

    // MARK: Results

    static func save(_ delivery: WebhookDelivery, _ connection: any Connection) throws(StorageFault) {
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
        _ event: WebhookEventID, at endpoint: WebhookEndpointID, _ connection: any Connection
    ) throws(StorageFault) {
        try connection.run(SQL.giveUp) {
            $0.identifier(endpoint)
            $0.identifier(event)
        }
    }

    // MARK: Listing and replaying

    static func list(
        at endpoint: WebhookEndpointID?, of client: ClientID?, in state: WebhookDelivery.State?, limit: Int,
        sealing: Sealing, _ connection: any Connection
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
            // A damaged delivery does not hide the others.
            do throws(StorageFault) { deliveries.append(try row.delivery(sealing)) } catch {
                guard case .corrupt = error else { throw error }
            }
        }
        return deliveries
    }

    static func replay(
        _ event: WebhookEventID, to endpoint: WebhookEndpointID?, of client: ClientID?, at now: Timestamp,
        _ connection: any Connection
    ) throws(StorageFault) -> Int {
        try connection.run(SQL.replayEvent) {
            $0.identifier(event)
            $0.identifier(endpoint)
            $0.text(client?.text)
            $0.time(now)
        }
        return connection.changes
    }

    /// The next events after `last` that an endpoint has missed, starting from a time.
    static func missed(
        by endpoint: WebhookEndpointID, since: Timestamp, after last: WebhookEventID, limit: Int,
        _ connection: any Connection
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
        _ missed: [WebhookEventID], to endpoint: WebhookEndpointID, at now: Timestamp, _ connection: any Connection
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

    // MARK: Limits

    /// How many deliveries wait for an endpoint, counted up to `most`.
    static func pending(
        at endpoint: WebhookEndpointID, most: Int, _ connection: any Connection
    ) throws(StorageFault) -> Int {
        try connection.first(SQL.countPending) {
            $0.identifier(endpoint)
            $0.integer(most)
        } _: { (row) throws(StorageFault) in
            Int(try row.integer("webhook_deliveries.state"))
        } ?? 0
    }

    static func hasNoisy(
        at endpoint: WebhookEndpointID, _ connection: any Connection
    ) throws(StorageFault) -> Bool {
        try connection.first(SQL.isAnyNoisy) {
            $0.identifier(endpoint)
        } _: { (_) throws(StorageFault) in
            true
        } ?? false
    }

    static func dropNoisy(
        at endpoint: WebhookEndpointID, most: Int, _ connection: any Connection
    ) throws(StorageFault) -> [(event: WebhookEventID, type: WebhookEventType)] {
        try connection.all(SQL.dropNoisy) {
            $0.identifier(endpoint)
            $0.integer(most)
        } _: { (row) throws(StorageFault) in
            (try row.identifier("webhook_deliveries.event_id"), try row.choice("webhook_events.type"))
        }
    }

    /// Removes the oldest deliveries, regardless of their state.
    static func remove(
        at endpoint: WebhookEndpointID, most: Int, _ connection: any Connection
    ) throws(StorageFault) -> Int {
        try connection.run(SQL.removeSome) {
            $0.identifier(endpoint)
            $0.integer(most)
        }
        return connection.changes
    }
}
