internal import Engine
internal import Possession

/// Table `session_events` (migration 0001): the timelines.
enum SessionEventsTable {
    private enum SQL {
        static let insert: Statement = """
            INSERT INTO session_events (correlation_id, number, kind, at_ms, detail) VALUES (?1, ?2, ?3, ?4, ?5)
            """
        static let all: Statement = """
            SELECT kind, at_ms, detail FROM session_events WHERE correlation_id = ?1 ORDER BY number
            """
    }

    /// Adds events to a session that has `count` of them.
    static func append(
        _ events: [SessionEvent], to id: CorrelationID, after count: Int, _ connection: any Connection
    ) throws(StorageFault) {
        for (offset, event) in events.enumerated() {
            try connection.run(SQL.insert) {
                $0.identifier(id)
                $0.integer(count + offset)
                $0.text(event.kind.rawValue)
                $0.time(event.at)
                $0.text(event.detail)
            }
        }
    }

    static func all(of id: CorrelationID, _ connection: any Connection) throws(StorageFault) -> [SessionEvent] {
        try connection.all(SQL.all) {
            $0.identifier(id)
        } _: { (row) throws(StorageFault) in
            SessionEvent(
                try row.choice("session_events.kind"), at: try row.time("session_events.at_ms"),
                detail: try row.optionalText("session_events.detail"))
        }
    }
}
