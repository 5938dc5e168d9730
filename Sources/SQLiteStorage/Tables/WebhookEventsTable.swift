internal import Possession
internal import Records

/// Table `webhook_events` (migration 0010): what has become true, for those who asked to be told.
enum WebhookEventsTable {
    private enum SQL {
        /// Events of a session are numbered here, so that no two transactions give the same number.
        static let insert: StaticString = """
            INSERT INTO webhook_events
              (event_id, client_id, type, at_ms, correlation_id, sequence, number_index, event_sealed)
              VALUES (?1, ?2, ?3, ?4, ?5,
                      CASE WHEN ?5 IS NULL THEN NULL ELSE
                        coalesce((SELECT max(sequence) FROM webhook_events WHERE correlation_id = ?5), 0) + 1 END,
                      ?6, ?7)
            """
        static let sweep: StaticString = """
            DELETE FROM webhook_events WHERE event_id IN
              (SELECT event_id FROM webhook_events WHERE event_id < ?1 ORDER BY event_id LIMIT ?2)
            """
        /// Those of a session with the number that came before it was known.
        static let eraseSessionsOfNumber: StaticString = """
            DELETE FROM webhook_events WHERE correlation_id IN
              (SELECT correlation_id FROM webhook_events
                 WHERE number_index = ?1 AND correlation_id IS NOT NULL AND (?2 IS NULL OR client_id = ?2))
            """
        static let eraseNumber: StaticString = """
            DELETE FROM webhook_events WHERE number_index = ?1 AND (?2 IS NULL OR client_id = ?2)
            """
        static let eraseSession: StaticString = "DELETE FROM webhook_events WHERE correlation_id = ?1"
    }

    /// Adds events, and a delivery for each endpoint of theirs that is still there.
    static func add(
        _ new: [NewWebhookEvent], sealing: Sealing, _ connection: Connection
    ) throws(StorageFault) {
        for new in new {
            let (event, news) = (new.event, new.event.news)
            let sealed = try news.sealed(for: event.id, with: sealing)
            let index = news.number.map(sealing.blindIndex)
            try connection.run(SQL.insert) {
                $0.identifier(event.id)
                $0.text(event.clientID.text)
                $0.text(news.type.rawValue)
                $0.time(news.at)
                $0.identifier(news.session)
                $0.blob(index)
                $0.blob(sealed)
            }
            for endpoint in new.endpoints {
                // Due at once, whatever the time is: an event of the past as well.
                try WebhookDeliveriesTable.add(event, to: endpoint, connection)
            }
        }
    }

    /// Removes events made before a time, with their deliveries; how many.
    static func sweep(before end: Timestamp, limit: Int, _ connection: Connection) throws(StorageFault) -> Int {
        try connection.run(SQL.sweep) {
            // RFC 9562 section 5.7: 48 bits of milliseconds first.
            $0.identifier(WebhookEventID(bits: UInt128(UInt64(clamping: end.milliseconds) & 0xFFFF_FFFF_FFFF) << 80))
            $0.integer(limit)
        }
        return connection.changes
    }

    // MARK: Erasure

    static func erase(_ number: [UInt8], at client: ClientID?, _ connection: Connection) throws(StorageFault) {
        for sql in [SQL.eraseSessionsOfNumber, SQL.eraseNumber] {
            try connection.run(sql) {
                $0.blob(number)
                $0.text(client?.text)
            }
        }
    }

    static func erase(_ session: CorrelationID, _ connection: Connection) throws(StorageFault) {
        try connection.run(SQL.eraseSession) { $0.identifier(session) }
    }
}
