package import Engine
package import Possession
package import Storage

/// The time with which a start begins, stored by an earlier run.
package struct ClockMark: Sendable, Equatable {
    /// No time that the server has used is after it.
    package let latest: Timestamp
    /// The clock reading when the mark was made; `nil`: unknown.
    package let reading: ClockReading?

    package init(latest: Timestamp, reading: ClockReading? = nil) {
        self.latest = latest
        self.reading = reading
    }

    /// The time to begin with: the mark's time plus the time that has passed since, but never after `latest`. If the
    /// machine was not rebooted meanwhile and its clock was not set, that is the machine's own time: a crash does not
    /// move time ahead.
    package func start(at now: ClockReading) -> Timestamp {
        min(latest, reading?.expected(at: now) ?? latest)
    }
}

/// Table `clock_mark` (migrations 0005 and 0021): one row, the `ClockMark` of this database.
///
/// The writer stores it with commits that happen anyway. A start begins with it, so that time never goes back across a
/// restart (DUR-13).
package struct ClockMarkTable: Sendable {
    private enum SQL {
        static let find: Statement = "SELECT at_ms, told_ms, steady_ns, boot FROM clock_mark WHERE number = 1"
        static let save: Statement = """
            INSERT INTO clock_mark (number, at_ms, told_ms, steady_ns, boot) VALUES (1, ?1, ?2, ?3, ?4)
              ON CONFLICT (number) DO UPDATE
                SET at_ms = excluded.at_ms, told_ms = excluded.told_ms, steady_ns = excluded.steady_ns, boot = excluded.boot
            """
    }

    private let database: Database

    package init(_ database: Database) {
        self.database = database
    }

    /// `nil` in a new database.
    package func find() async throws(StorageFault) -> ClockMark? {
        try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.find) { (row) throws(StorageFault) in
                let latest = try row.time("clock_mark.at_ms")
                let told = try row.optionalTime("clock_mark.told_ms")
                let steady = try row.optionalInteger("clock_mark.steady_ns")
                let boot = try row.optionalBlob("clock_mark.boot")
                guard let told, let steady = steady.flatMap({ UInt64(exactly: $0) }) else {
                    return ClockMark(latest: latest)
                }
                return ClockMark(latest: latest, reading: ClockReading(told: told, steady: steady, boot: boot))
            }
        }
    }

    static func save(_ mark: ClockMark, _ connection: any Connection) throws(StorageFault) {
        try connection.run(SQL.save) {
            $0.time(mark.latest)
            $0.time(mark.reading?.told)
            $0.integer(mark.reading.map { Int64(clamping: $0.steady) })
            $0.blob(mark.reading?.boot)
        }
    }
}
