internal import Possession

/// Table `mobile_auth_attempts` (migration 0001): which session opened an attempt.
enum MobileAuthAttemptsTable {
    private enum SQL {
        static let find: StaticString = "SELECT correlation_id FROM mobile_auth_attempts WHERE attempt_id = ?1"
        static let add: StaticString = """
            INSERT INTO mobile_auth_attempts (attempt_id, correlation_id)
              SELECT ?1, ?2
                WHERE NOT EXISTS (SELECT 1 FROM mobile_auth_attempts WHERE attempt_id = ?1 AND correlation_id = ?2)
            """
    }

    /// `nil`: no session of ours opened it, or it is gone.
    static func session(of id: AttemptID, _ connection: Connection) throws(StorageFault) -> CorrelationID? {
        try connection.first(SQL.find) {
            $0.blob(id.bytes)
        } _: { (row) throws(StorageFault) in
            try row.identifier("mobile_auth_attempts.correlation_id")
        }
    }

    /// Adds an attempt unless the session has it already: a send that is taken back brings the state before it back.
    static func add(_ attempt: AttemptID, of id: CorrelationID, _ connection: Connection) throws(StorageFault) {
        try connection.run(SQL.add) {
            $0.blob(attempt.bytes)
            $0.identifier(id)
        }
    }
}
