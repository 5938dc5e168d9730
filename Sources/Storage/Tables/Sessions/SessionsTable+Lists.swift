package import Engine
package import Possession

/// Lists of sessions.
extension SessionsTable {
    private enum SQL {
        static let newest: Statement = """
            SELECT correlation_id FROM sessions ORDER BY correlation_id DESC LIMIT ?1
            """
        static let ofProduct: Statement = """
            SELECT correlation_id FROM sessions
              WHERE client_id = ?1 AND number_product = ?2 AND correlation_id < ?3
              ORDER BY correlation_id DESC LIMIT ?4
            """
        static let nextOfClient: Statement = """
            SELECT correlation_id, client_id, phase FROM sessions WHERE correlation_id > ?1 AND correlation_id < ?2
              ORDER BY correlation_id LIMIT ?3
            """
    }

    package func unfinishedSessions(
        after: CorrelationID?, from start: Timestamp, before end: Timestamp
    ) async throws(StorageFault) -> UnfinishedSessions {
        let start = max(after ?? CorrelationID(bits: 0), CorrelationID(earliestAt: start))
        let limit = database.limits.rowsPerSweep
        let rows = try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.nextOfClient) {
                $0.identifier(start)
                $0.identifier(CorrelationID(earliestAt: end))
                $0.integer(limit)
            } _: { (row) throws(StorageFault) in
                try FoundSession(&row)
            }
        }
        return UnfinishedSessions(
            rows.filter { !$0.isOver }.compactMap(\.entry), last: rows.compactMap(\.id).last,
            damaged: rows.count { $0.entry == nil })
    }

    package func recentSessions(limit: Int) async throws(StorageFault) -> [Session] {
        try await database.read { [self] (connection) throws(StorageFault) in
            try sessions(
                try connection.all(SQL.newest) {
                    $0.integer(max(0, limit))
                } _: { (row) throws(StorageFault) in
                    try row.identifier("sessions.correlation_id")
                }, connection)
        }
    }

    package func sessions(
        of tenant: ClientID, product: ProductName, target: Target?, before: CorrelationID?, most: Int
    ) async throws(StorageFault) -> [Session] {
        let (end, most) = (before ?? CorrelationID(high: .max, low: .max), max(0, most))
        return try await database.read { [self] (connection) throws(StorageFault) in
            if let target {
                let fence = SessionFence(tenant, product)
                return try sessions(
                    try keys.sessions(.target(target), in: fence, before: end, most: most, connection), connection)
            }
            return try sessions(
                try connection.all(SQL.ofProduct) {
                    $0.text(tenant.text)
                    $0.text(product.text)
                    $0.identifier(end)
                    $0.integer(most)
                } _: { (row) throws(StorageFault) in
                    try row.identifier("sessions.correlation_id")
                }, connection)
        }
    }

    /// The sessions among them that exist and can be read.
    private func sessions(_ ids: [CorrelationID], _ connection: any Connection) throws(StorageFault) -> [Session] {
        var sessions: [Session] = []
        for id in ids {
            if let row = try load(.correlation(id), in: .all, connection), let session = try readable(row) {
                sessions.append(session)
            }
        }
        return sessions
    }
}

/// The unsealed columns of a session that may have to be ended; a damaged row does not hide others.
private struct FoundSession {
    private(set) var id: CorrelationID?
    private(set) var entry: UnfinishedSessions.Entry?
    private(set) var isOver = false

    init(_ row: inout Row) throws(StorageFault) {
        do throws(StorageFault) {
            let id: CorrelationID = try row.identifier("sessions.correlation_id")
            self.id = id
            let client = try row.clientID("sessions.client_id")
            isOver = try row.text("sessions.phase") == "done"
            entry = UnfinishedSessions.Entry(id: id, client: client)
        } catch {
            guard case .corrupt = error else { throw error }
        }
    }
}
