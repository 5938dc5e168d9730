package import Engine
package import Possession
package import Records

/// Table `test_numbers` (migration 0007).
package struct TestNumbersTable: TestNumberStore {
    private enum SQL {
        static let all: Statement = """
            SELECT number_index, entry_sealed, client_id, created_at_ms, ends_at_ms FROM test_numbers
              ORDER BY created_at_ms, number_index
            """
        static let count: Statement = "SELECT count(*) FROM test_numbers"
        static let insert: Statement = """
            INSERT INTO test_numbers (number_index, entry_sealed, client_id, created_at_ms, ends_at_ms)
              VALUES (?1, ?2, ?3, ?4, ?5)
            """
        static let removeEnded: Statement = "DELETE FROM test_numbers WHERE ends_at_ms <= ?1"
        static let remove: Statement = "DELETE FROM test_numbers WHERE number_index = ?1"
    }

    private let database: Database
    private let sealing: Sealing
    /// Cache of all test numbers, because every send and every code checks them.
    private let known = CachedRows<TestNumber>()

    package init(_ database: Database, sealing: Sealing) {
        self.database = database
        self.sealing = sealing
    }

    package var testNumbers: [TestNumber] { known.rows }

    /// Reads the stored numbers; until then the cache is empty. Call it again when another server has changed them.
    package func load() async throws(StorageFault) {
        let (sealing, known) = (sealing, known)
        known.use(
            try await database.read { (connection) throws(StorageFault) in
                known.reading(try TestNumbersTable.all(connection, sealing))
            })
    }

    private static func all(
        _ connection: any Connection, _ sealing: Sealing
    ) throws(StorageFault) -> [TestNumber] {
        try connection.all(SQL.all) { (row) throws(StorageFault) in
            let index = try row.blob("test_numbers.number_index")
            let sealed = try row.blob("test_numbers.entry_sealed")
            let entry = try SealedTestNumber(sealed, with: sealing, row: index)
            var tenant: ClientID?
            if let text = try row.optionalText("test_numbers.client_id") {
                guard let id = ClientID(text) else { throw .corrupt("test_numbers.client_id") }
                tenant = id
            }
            return TestNumber(
                number: entry.number, code: entry.code, tenant: tenant,
                createdAt: try row.time("test_numbers.created_at_ms"), endsAt: try row.time("test_numbers.ends_at_ms"))
        }
    }

    package func add(_ entry: TestNumber, at now: Timestamp) async throws(StorageFault) -> Bool {
        let (sealing, known) = (sealing, known)
        let index = sealing.blindIndex(entry.number)
        let sealed = try SealedTestNumber(entry).sealed(with: sealing, row: index)
        let reading = try await database.transaction(changing: .testNumbers, locking: LockName("test_numbers")) {
            (connection) throws(StorageFault) -> CachedRows<TestNumber>.Reading? in
            try connection.run(SQL.removeEnded) { $0.time(now) }
            let count = try connection.first(SQL.count) { (row) throws(StorageFault) in try row.integer("count") }
            guard count ?? 0 < TestNumber.most else { return nil }
            try connection.run(SQL.insert) {
                $0.blob(index)
                $0.blob(sealed)
                $0.text(entry.tenant?.text)
                $0.time(entry.createdAt)
                $0.time(entry.endsAt)
            }
            return known.reading(try TestNumbersTable.all(connection, sealing))
        }
        if let reading { known.use(reading) }
        return reading != nil
    }

    package func removeTestNumber(_ number: PhoneNumber) async throws(StorageFault) -> Bool {
        let (sealing, known) = (sealing, known)
        let (removed, reading) = try await database.transaction(
            changing: .testNumbers, locking: LockName("test_numbers")
        ) { (connection) throws(StorageFault) -> (Bool, CachedRows<TestNumber>.Reading) in
            try connection.run(SQL.remove) { $0.blob(sealing.blindIndex(number)) }
            let removed = connection.changes == 1
            return (removed, known.reading(try TestNumbersTable.all(connection, sealing)))
        }
        known.use(reading)
        return removed
    }
}
