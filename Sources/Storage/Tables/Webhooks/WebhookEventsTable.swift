internal import Engine
internal import Possession
internal import Records

/// Table `webhook_events` (migrations 0010, 0015 and 0023): events for webhook endpoints.
enum WebhookEventsTable {
    private enum SQL {
        /// Numbers the events of a session here, so that no two transactions use the same number. The session's row
        /// keeps the highest number of the removed ones.
        static let insert: Statement = """
            INSERT INTO webhook_events
              (event_id, client_id, type, at_ms, correlation_id, sequence, number_index, event_sealed)
              VALUES (?1, ?2, ?3, ?4, ?5,
                      CASE WHEN ?5 IS NULL THEN NULL ELSE
                        (SELECT coalesce(max(used), 0) + 1 FROM
                          (SELECT max(sequence) AS used FROM webhook_events WHERE correlation_id = ?5
                           UNION ALL SELECT webhook_sequence FROM sessions WHERE correlation_id = ?5) AS numbers) END,
                      ?6, ?7)
            """
        static let sweep: Statement = """
            DELETE FROM webhook_events WHERE event_id IN
              (SELECT event_id FROM webhook_events WHERE event_id < ?1 ORDER BY event_id LIMIT ?2)
              RETURNING correlation_id, sequence
            """
        static let keepSequence: Statement = """
            UPDATE sessions SET webhook_sequence = CASE WHEN webhook_sequence > ?2 THEN webhook_sequence ELSE ?2 END
              WHERE correlation_id = ?1
            """
        /// Events of a session with the number, from before the number was known.
        static let eraseSessionsOfNumber: Statement = """
            DELETE FROM webhook_events WHERE correlation_id IN
              (SELECT correlation_id FROM webhook_events
                 WHERE number_index = ?1 AND correlation_id IS NOT NULL AND (?2 IS NULL OR client_id = ?2))
              RETURNING correlation_id, sequence
            """
        static let eraseNumber: Statement = """
            DELETE FROM webhook_events WHERE number_index = ?1 AND (?2 IS NULL OR client_id = ?2)
              RETURNING correlation_id, sequence
            """
        static let removeIfNobodyWaits: Statement = """
            DELETE FROM webhook_events WHERE event_id = ?1
              AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = ?1 AND state = 'pending')
              RETURNING correlation_id, sequence
            """
        static let eraseSession: Statement = "DELETE FROM webhook_events WHERE correlation_id = ?1"
    }

    /// Adds events, and a delivery for each of their endpoints that still exists. Keeps the tenant's stored data within
    /// its limit.
    static func add(
        _ new: [NewWebhookEvent], sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) {
        for new in new {
            let (event, news) = (new.event, new.event.news)
            let sealed = try news.sealed(for: event.id, with: sealing)
            let index = news.target.map { sealing.blindIndex($0) }
            try connection.run(SQL.insert.claiming) {
                $0.identifier(event.id)
                $0.text(event.clientID.text)
                $0.text(news.type.rawValue)
                $0.time(news.at)
                $0.identifier(news.session)
                $0.blob(index)
                $0.blob(sealed)
            }
            for endpoint in new.endpoints {
                // Due at once, even if the event lies in the past.
                try WebhookDeliveriesTable.add(event, to: endpoint, connection)
            }
        }
        for (client, events) in Dictionary(grouping: new, by: \.event.clientID) {
            try WebhookStoresTable.makeRoom(for: client, after: events.count, connection)
        }
    }

    /// Removes an event with its deliveries, unless one of these is pending.
    static func removeIfNobodyWaits(for event: WebhookEventID, _ connection: any Connection) throws(StorageFault) {
        try remove(SQL.removeIfNobodyWaits, connection) { $0.identifier(event) }
    }

    /// Removes events from before a time, with their deliveries; returns how many.
    static func sweep(before end: Timestamp, limit: Int, _ connection: any Connection) throws(StorageFault) -> Int {
        try remove(SQL.sweep, connection) {
            // RFC 9562 section 5.7: 48 bits of milliseconds first.
            $0.identifier(WebhookEventID(bits: UInt128(UInt64(clamping: end.milliseconds) & 0xFFFF_FFFF_FFFF) << 80))
            $0.integer(limit)
        }
    }

    /// Removes events, and keeps the numbers of those whose session continues.
    /// - Returns: how many were removed.
    @discardableResult
    private static func remove(
        _ sql: Statement, _ connection: any Connection, _ bind: (inout Parameters) -> Void
    ) throws(StorageFault) -> Int {
        let removed = try connection.all(sql, bind) { (row) throws(StorageFault) -> (CorrelationID?, Int64?) in
            (
                try row.optionalIdentifier("webhook_events.correlation_id"),
                try row.optionalInteger("webhook_events.sequence")
            )
        }
        var highest: [CorrelationID: Int64] = [:]
        for case (let session?, let sequence?) in removed {
            highest[session] = max(highest[session] ?? 0, sequence)
        }
        for (session, sequence) in highest {
            try connection.run(SQL.keepSequence) {
                $0.identifier(session)
                $0.integer(sequence)
            }
        }
        return removed.count
    }

    // MARK: Erasure

    static func erase(_ number: [UInt8], at client: ClientID?, _ connection: any Connection) throws(StorageFault) {
        for sql in [SQL.eraseSessionsOfNumber, SQL.eraseNumber] {
            try remove(sql, connection) {
                $0.blob(number)
                $0.text(client?.text)
            }
        }
    }

    static func erase(_ session: CorrelationID, _ connection: any Connection) throws(StorageFault) {
        try connection.run(SQL.eraseSession) { $0.identifier(session) }
    }
}
