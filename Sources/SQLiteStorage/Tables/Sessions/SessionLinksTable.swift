internal import Possession

/// Table `session_links` (migration 0001): which session sent a link.
enum SessionLinksTable {
    private enum SQL {
        static let find: StaticString = "SELECT correlation_id FROM session_links WHERE token_digest = ?1"
        static let add: StaticString = """
            INSERT INTO session_links (token_digest, correlation_id)
              SELECT ?1, ?2
                WHERE NOT EXISTS (SELECT 1 FROM session_links WHERE token_digest = ?1 AND correlation_id = ?2)
            """
    }

    /// `nil`: no session of ours sent it, or it is gone.
    static func session(of digest: LinkDigest, _ connection: Connection) throws(StorageFault) -> CorrelationID? {
        try connection.first(SQL.find) {
            $0.blob(digest.bytes)
        } _: { (row) throws(StorageFault) in
            try row.identifier("session_links.correlation_id")
        }
    }

    /// Adds a link unless the session has it already: a send that is taken back makes an older link the newest again.
    static func add(_ digest: LinkDigest, of id: CorrelationID, _ connection: Connection) throws(StorageFault) {
        try connection.run(SQL.add) {
            $0.blob(digest.bytes)
            $0.identifier(id)
        }
    }
}
