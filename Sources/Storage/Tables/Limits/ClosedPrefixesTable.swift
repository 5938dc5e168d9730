package import Engine
package import Possession
internal import Records

/// Table `closed_prefixes` (migrations 0007 and 0022).
package struct ClosedPrefixesTable: ClosedPrefixStore {
    private enum SQL {
        static let all: Statement = "SELECT prefix, until_ms FROM closed_prefixes ORDER BY prefix"
        static let removeEnded: Statement = "DELETE FROM closed_prefixes WHERE until_ms <= ?1"
        static let close: Statement = """
            INSERT INTO closed_prefixes (prefix, until_ms) VALUES (?1, ?2)
              ON CONFLICT (prefix) DO UPDATE SET until_ms =
                CASE WHEN closed_prefixes.until_ms > excluded.until_ms
                  THEN closed_prefixes.until_ms ELSE excluded.until_ms END
            """
        static let open: Statement = "DELETE FROM closed_prefixes WHERE prefix = ?1"
    }

    private let database: Database
    /// Cache of all closed prefixes, because every send checks them.
    private let known = CachedRows<ClosedPrefix>()

    package init(_ database: Database) {
        self.database = database
    }

    package var closedPrefixes: [ClosedPrefix] { known.rows }

    /// Reads the stored prefixes; until then the cache is empty. Call it again when another server has changed them.
    package func load() async throws(StorageFault) {
        let known = known
        known.use(
            try await database.read { (connection) throws(StorageFault) in
                known.reading(try ClosedPrefixesTable.all(connection))
            })
    }

    private static func all(_ connection: any Connection) throws(StorageFault) -> [ClosedPrefix] {
        try connection.all(SQL.all) { (row) throws(StorageFault) in
            guard let prefix = NumberPrefix(try row.text("closed_prefixes.prefix")) else {
                throw .corrupt("closed_prefixes.prefix")
            }
            return ClosedPrefix(prefix: prefix, until: try row.time("closed_prefixes.until_ms"))
        }
    }

    package func close(_ closed: ClosedPrefix, at now: Timestamp) async throws(StorageFault) -> Timestamp? {
        let known = known
        let reading = try await database.transaction(changing: .closedPrefixes, locking: LockName("closed_prefixes")) {
            (connection) throws(StorageFault) -> CachedRows<ClosedPrefix>.Reading? in
            try connection.run(SQL.removeEnded) { $0.time(now) }
            let before = try ClosedPrefixesTable.all(connection)
            guard before.count < ClosedPrefix.most || before.contains(where: { $0.prefix == closed.prefix }) else {
                return nil
            }
            try connection.run(SQL.close) {
                $0.text(closed.prefix.text)
                $0.time(closed.until)
            }
            return known.reading(try ClosedPrefixesTable.all(connection))
        }
        return reading.flatMap { known.use($0).first { $0.prefix == closed.prefix }?.until }
    }

    package func open(_ prefix: NumberPrefix) async throws(StorageFault) -> Bool {
        let known = known
        let (removed, reading) = try await database.transaction(
            changing: .closedPrefixes, locking: LockName("closed_prefixes")
        ) { (connection) throws(StorageFault) -> (Bool, CachedRows<ClosedPrefix>.Reading) in
            try connection.run(SQL.open) { $0.text(prefix.text) }
            let removed = connection.changes == 1
            return (removed, known.reading(try ClosedPrefixesTable.all(connection)))
        }
        known.use(reading)
        return removed
    }
}
