internal import Engine
internal import Possession
internal import Records

/// Table `replayed_replies` (migration 0001): the stored reply for a retry (API-11).
struct ReplayedRepliesTable: Sendable {
    private static let column: StaticString = "replayed_replies.reply_sealed"

    private enum SQL {
        static let find: Statement = """
            SELECT reply_sealed, request_body_digest FROM replayed_replies
              WHERE correlation_id = ?1 AND path = ?2 AND request_id = ?3
            """
        static let removeAll: Statement = "DELETE FROM replayed_replies"
        static let all: Statement = """
            SELECT path, request_id, reply_sealed, request_body_digest FROM replayed_replies WHERE correlation_id = ?1
            """
        /// Replaces the reply: if the carrier refuses a message after its reply was stored, the retry must get the new
        /// one.
        static let save: Statement = """
            INSERT INTO replayed_replies (correlation_id, path, request_id, reply_sealed, request_body_digest)
              VALUES (?1, ?2, ?3, ?4, ?5)
              ON CONFLICT (correlation_id, path, request_id) DO UPDATE SET
                reply_sealed = excluded.reply_sealed, request_body_digest = excluded.request_body_digest
            """
    }

    let sealing: Sealing

    func find(_ key: RetryKey, of session: Session, _ connection: any Connection) throws(StorageFault) -> KeptReply? {
        let id = session.correlationID
        return try connection.first(SQL.find) {
            $0.identifier(id)
            $0.text(key.path)
            $0.text(key.requestID)
        } _: { (row) throws(StorageFault) in
            let sealed = try row.blob(Self.column)
            let digest = try row.blob("replayed_replies.request_body_digest")
            return try KeptReply(
                record: try sealing.open(sealed, context(key, id).bytes), of: session, requestBody: BodyDigest(digest))
        }
    }

    /// The numbers and addresses in a session's replies: the session may have had others when they were given.
    func targets(of session: Session, _ connection: any Connection) throws(StorageFault) -> [Target] {
        let kept = try connection.all(SQL.all) {
            $0.identifier(session.correlationID)
        } _: { (row) throws(StorageFault) -> KeptReply in
            let place = SealingContext(
                Self.column, row: session.correlationID, try row.text("replayed_replies.path"),
                try row.text("replayed_replies.request_id"))
            let sealed = try row.blob(Self.column)
            let digest = try row.blob("replayed_replies.request_body_digest")
            return try KeptReply(
                record: try sealing.open(sealed, place.bytes), of: session, requestBody: BodyDigest(digest))
        }
        return kept.flatMap(\.reply.session.targets)
    }

    func save(
        _ kept: KeptReply, _ key: RetryKey, of id: CorrelationID, _ connection: any Connection
    ) throws(StorageFault) {
        let sealed = try sealing.seal(try kept.record(), context(key, id).bytes)
        try connection.run(SQL.save) {
            $0.identifier(id)
            $0.text(key.path)
            $0.text(key.requestID)
            $0.blob(sealed)
            $0.blob(kept.requestBody.bytes)
        }
    }

    private func context(_ key: RetryKey, _ id: CorrelationID) -> SealingContext {
        SealingContext(Self.column, row: id, key.path, key.requestID)
    }

    /// Removes all replies, so that no retry gets the result of an earlier call; returns how many.
    static func removeAll(_ connection: any Connection) throws(StorageFault) -> Int {
        try connection.run(SQL.removeAll)
        return connection.changes
    }
}
