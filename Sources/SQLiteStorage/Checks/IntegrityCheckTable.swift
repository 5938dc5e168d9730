internal import Engine
internal import Possession
internal import Storage

/// Table `integrity_check` (migration 0005): one row with the time at which the whole file was last found sound.
enum IntegrityCheckTable {
    private enum SQL {
        static let find: Statement = "SELECT passed_at_ms FROM integrity_check WHERE number = 1"
        static let save: Statement = """
            INSERT INTO integrity_check (number, passed_at_ms) VALUES (1, ?1)
              ON CONFLICT (number) DO UPDATE SET passed_at_ms = excluded.passed_at_ms
            """
        static let forget: Statement = "DELETE FROM integrity_check"
    }

    static func find(_ connection: any Connection) throws(StorageFault) -> Timestamp? {
        try connection.first(SQL.find) { (row) throws(StorageFault) in try row.time("integrity_check.passed_at_ms") }
    }

    /// - Parameter time: `nil`: the file is not sound.
    static func save(_ time: Timestamp?, _ connection: any Connection) throws(StorageFault) {
        guard let time else { return try connection.run(SQL.forget) }
        try connection.run(SQL.save) { $0.time(time) }
    }
}
