package import Possession

/// Table `clock_mark` (migration 0005): one row with a moment that no time told so far is after, of the machine's clock.
///
/// The writer stores it with commits that happen anyway; a start begins with it, so that time does not run back over a
/// restart (DUR-13).
package struct ClockMarkTable: Sendable {
    private enum SQL {
        static let find: StaticString = "SELECT at_ms FROM clock_mark WHERE number = 1"
        static let save: StaticString = """
            INSERT INTO clock_mark (number, at_ms) VALUES (1, ?1)
              ON CONFLICT (number) DO UPDATE SET at_ms = excluded.at_ms
            """
    }

    private let database: Database

    package init(_ database: Database) {
        self.database = database
    }

    /// `nil` in a new database.
    package func find() async throws(StorageFault) -> Timestamp? {
        try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.find) { (row) throws(StorageFault) in try row.time("clock_mark.at_ms") }
        }
    }

    static func save(_ mark: Timestamp, _ connection: Connection) throws(StorageFault) {
        try connection.run(SQL.save) { $0.time(mark) }
    }
}
