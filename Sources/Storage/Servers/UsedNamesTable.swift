package import Engine
package import Possession

/// Table `used_names` of PostgreSQL (migration 0004): names that are used once, by one of several servers. SQLite has
/// one server, whose memory is enough.
///
/// The table is UNLOGGED. Its rows come in a random order and live for minutes: in the log each could cost a whole page
/// of the index, at standbys and in archives, too. PostgreSQL empties such a table after a crash, and when a standby is
/// promoted. No replay passes then: a row of its own says since when the table is complete, and vanishes with the
/// others. A migration has written the first one. If it is missing, the next use writes it with the present time, and
/// names that were issued until then are refused. Their callers make new ones.
///
/// A name may be from the future, by a clock that is ahead of the servers', and so be later than that row. Then the
/// server that has accepted it still knows it; another one does not.
package struct UsedNamesTable: UsedNameStore {
    private enum SQL {
        /// - Parameters: no digest, and the present time.
        static let begin: Statement = """
            INSERT INTO used_names (digest, until_ms) VALUES (?1, ?2) ON CONFLICT (digest) DO NOTHING
            """
        static let use: Statement = """
            INSERT INTO used_names (digest, until_ms)
              SELECT ?1::bytea, ?2::bigint WHERE ?3::bigint > (SELECT until_ms FROM used_names WHERE digest = ?4::bytea)
              ON CONFLICT (digest) DO NOTHING
            """
        static let removeOld: Statement = """
            DELETE FROM used_names WHERE digest IN
              (SELECT digest FROM used_names WHERE until_ms < ?1 AND digest <> ?2::bytea ORDER BY until_ms LIMIT ?3)
            """
        static let removeAll: Statement = "DELETE FROM used_names"
    }

    /// The digest of the row that says since when the table is complete.
    private static let noDigest: [UInt8] = []

    private let database: Database

    package init(_ database: Database) {
        self.database = database
    }

    package func isFirstUse(of name: UsedName, at now: Timestamp) async throws(StorageFault) -> Bool {
        if database.runsAlone { return true }
        return try await database.transaction { (connection) throws(StorageFault) -> Bool in
            try UsedNamesTable.begin(at: now, connection)
            try connection.run(SQL.use) {
                $0.blob(name.digest)
                $0.time(name.until)
                $0.time(name.issuedAt)
                $0.blob(UsedNamesTable.noDigest)
            }
            return connection.changes == 1
        }
    }

    /// Makes an empty table complete from now on, so that the next use need not be refused.
    package func begin(at now: Timestamp) async throws(StorageFault) {
        guard !database.runsAlone else { return }
        try await database.transaction { (connection) throws(StorageFault) in
            try UsedNamesTable.begin(at: now, connection)
        }
    }

    /// Removes one page of names that servers refuse because of their age.
    /// - Returns: how many.
    package func sweepUsedNames(before end: Timestamp) async throws(StorageFault) -> Int {
        guard !database.runsAlone else { return 0 }
        let limit = database.limits.rowsPerSweep
        return try await database.transaction { (connection) throws(StorageFault) -> Int in
            try connection.run(SQL.removeOld) {
                $0.time(end)
                $0.blob(UsedNamesTable.noDigest)
                $0.integer(limit)
            }
            return connection.changes
        }
    }

    // MARK: In other transactions

    private static func begin(at now: Timestamp, _ connection: any Connection) throws(StorageFault) {
        try connection.run(SQL.begin) {
            $0.blob(noDigest)
            $0.time(now)
        }
    }

    /// Afterwards names from before the next use are refused.
    static func removeAll(_ connection: any Connection) throws(StorageFault) {
        guard !connection.runsAlone else { return }
        try connection.run(SQL.removeAll)
    }
}
