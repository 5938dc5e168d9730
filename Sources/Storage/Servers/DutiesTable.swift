package import Engine
internal import Locks

/// Work that one server does for all servers of a database.
package enum Duty: String, CaseIterable, Sendable {
    /// Records that messages have no receipt in time.
    case receipts
    /// Removes expired rows, and replaces old keys.
    case sweep
    /// Delivers webhook events, and records expired sessions for them.
    case webhooks
}

/// Table `duties` of PostgreSQL (migration 0002). A server that has a duty keeps it until its row in `servers` is removed:
/// when it ends, or when it is silent. From then on it changes nothing, so it need not look again.
package struct DutiesTable: Sendable {
    private enum SQL {
        static let take: Statement = """
            INSERT INTO duties (name, server) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING
            """
    }

    private let database: Database
    private let server: Int64
    private let own = Locked<Set<Duty>>([])

    /// - Parameter server: number of this process in table `servers`.
    package init(_ database: Database, server: Int64) {
        self.database = database
        self.server = server
    }

    /// Whether this server has taken a duty.
    package func has(_ duty: Duty) -> Bool { database.runsAlone || own.withLock { $0.contains(duty) } }

    /// Takes a duty that no server has.
    /// - Returns: whether this server has it.
    package func take(_ duty: Duty) async throws(StorageFault) -> Bool {
        if has(duty) { return true }
        let server = server
        let isTaken = try await database.transaction { (connection) throws(StorageFault) in
            try connection.run(SQL.take) {
                $0.text(duty.rawValue)
                $0.integer(server)
            }
            return connection.changes == 1
        }
        if isTaken { own.withLock { _ = $0.insert(duty) } }
        return isTaken
    }
}
