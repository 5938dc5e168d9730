internal import Engine
internal import Possession

/// Table `used_proofs` (migration 0001): which DPoP proofs a session has seen (TOK-15).
enum UsedProofsTable {
    private enum SQL {
        static let count: Statement = "SELECT count(*) FROM used_proofs WHERE auth_id = ?1"
        static let use: Statement = """
            INSERT INTO used_proofs (auth_id, jti_digest, valid_until_ms) VALUES (?1, ?2, ?3)
              ON CONFLICT (auth_id, jti_digest) DO NOTHING
            """
        static let removeOld: Statement = "DELETE FROM used_proofs WHERE auth_id = ?1 AND valid_until_ms <= ?2"
        static let end: Statement = """
            SELECT valid_until_ms FROM used_proofs WHERE auth_id = ?1 ORDER BY valid_until_ms LIMIT 1 OFFSET ?2
            """
    }

    /// Marks a proof as used. If the session has reached its limit of used proofs, expired proofs are removed first.
    ///
    /// Two statements on purpose: INSERT ... SELECT from the same table makes SQLite build a temporary table.
    static func use(
        _ proof: DPoPProof, of id: AuthID, isRead: Bool, _ connection: any Connection
    ) throws(StorageFault) -> ProofUse {
        let most = isRead ? ProofUse.mostByReads : ProofUse.most
        var used = try count(id, connection)
        if used >= most {
            try connection.run(SQL.removeOld) {
                $0.identifier(id)
                $0.time(proof.checkedAt)
            }
            used -= connection.changes
        }
        guard used < most else {
            return .tooMany(until: try end(of: id, after: used - most, connection), at: proof.checkedAt)
        }
        try connection.run(SQL.use) {
            $0.identifier(id)
            $0.blob(proof.jtiDigest)
            $0.time(proof.validUntil)
        }
        return connection.changes == 1 ? .new : .usedBefore
    }

    private static func count(_ id: AuthID, _ connection: any Connection) throws(StorageFault) -> Int {
        try connection.first(SQL.count) {
            $0.identifier(id)
        } _: { (row) throws(StorageFault) in
            Int(try row.integer("used_proofs.auth_id"))
        } ?? 0
    }

    /// When the used proof at position `earlier` expires, in order of expiry.
    private static func end(
        of id: AuthID, after earlier: Int, _ connection: any Connection
    ) throws(StorageFault) -> Timestamp {
        try connection.first(SQL.end) {
            $0.identifier(id)
            $0.integer(earlier)
        } _: { (row) throws(StorageFault) in
            Timestamp(milliseconds: try row.integer("used_proofs.valid_until_ms"))
        } ?? Timestamp(milliseconds: 0)
    }
}
