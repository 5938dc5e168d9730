internal import Possession

/// Table `replayed_answers` (migration 0001): what a retry is answered (API-11).
struct ReplayedAnswersTable: Sendable {
    private static let column: StaticString = "replayed_answers.body_sealed"

    private enum SQL {
        static let find: StaticString = """
            SELECT status, body_sealed, request_body_digest FROM replayed_answers
              WHERE correlation_id = ?1 AND path = ?2 AND request_id = ?3
            """
        /// Replaces: when the carrier refuses a message after its answer was stored, the retry must be told so.
        static let save: StaticString = """
            INSERT OR REPLACE INTO replayed_answers
              (correlation_id, path, request_id, status, body_sealed, request_body_digest)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """
    }

    let sealing: Sealing

    func find(_ key: RetryKey, of id: CorrelationID, _ connection: Connection) throws(StorageFault) -> StoredAnswer? {
        try connection.first(SQL.find) {
            $0.identifier(id)
            $0.text(key.path)
            $0.text(key.requestID)
        } _: { (row) throws(StorageFault) in
            let status = try row.count(100...599, "replayed_answers.status")
            let sealed = try row.blob(ReplayedAnswersTable.column)
            let digest = try row.optionalBlob("replayed_answers.request_body_digest")
            return StoredAnswer(
                status: status, body: try sealing.open(sealed, context(key, id).bytes),
                requestBody: digest.map(BodyDigest.init))
        }
    }

    func save(
        _ answer: StoredAnswer, _ key: RetryKey, of id: CorrelationID, _ connection: Connection
    ) throws(StorageFault) {
        let sealed = try sealing.seal(answer.body, context(key, id).bytes)
        try connection.run(SQL.save) {
            $0.identifier(id)
            $0.text(key.path)
            $0.text(key.requestID)
            $0.integer(answer.status)
            $0.blob(sealed)
            $0.blob((answer.requestBody ?? key.body).bytes)
        }
    }

    private func context(_ key: RetryKey, _ id: CorrelationID) -> SealingContext {
        SealingContext(ReplayedAnswersTable.column, row: id, key.path, key.requestID)
    }
}
