package import Engine
internal import Possession

/// Table `sandbox_clock` (migration 0005): one row with the offset of the sandbox clock, in seconds.
package struct SandboxClockTable: Sendable {
    private enum SQL {
        static let find: Statement = "SELECT offset_seconds FROM sandbox_clock WHERE number = 1"
        static let save: Statement = """
            INSERT INTO sandbox_clock (number, offset_seconds) VALUES (1, ?1)
              ON CONFLICT (number) DO UPDATE SET offset_seconds = excluded.offset_seconds
            """
    }

    /// A hundred years, in seconds: more than the clock may be moved.
    private static let maxOffset = 100 * 365 * 86_400

    private let database: Database

    package init(_ database: Database) {
        self.database = database
    }

    /// 0 until the clock is moved.
    package func offsetSeconds() async throws(StorageFault) -> Int64 {
        try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.find, { _ in }) { (row) throws(StorageFault) in
                Int64(try row.count(0...SandboxClockTable.maxOffset, "sandbox_clock.offset_seconds"))
            } ?? 0
        }
    }

    /// Stores the value that `offset` returns when the write runs: of two concurrent moves, the later state is stored.
    package func save(_ offset: @escaping @Sendable () -> Int64) async throws(StorageFault) {
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run(SQL.save) { $0.integer(Int(clamping: offset())) }
        }
    }
}
