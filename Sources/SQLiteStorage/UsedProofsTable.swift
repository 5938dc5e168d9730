internal import Possession

/// Table `used_proofs` (migration 0001): which DPoP proofs a session has seen (TOK-15).
enum UsedProofsTable {
    private enum SQL {
        static let count: StaticString = "SELECT count(*) FROM used_proofs WHERE auth_id = ?1"
        static let use: StaticString = "INSERT OR IGNORE INTO used_proofs (auth_id, jti_digest) VALUES (?1, ?2)"
    }

    /// Proofs a session may use up: far more than a client needs in 15 minutes of long polls. Past that it is closed.
    static let maxProofs = 512

    /// Uses a proof up; `false` when it was used before, or the session has used too many.
    ///
    /// Two statements: one that inserts what it selects from its own table has the engine build another table for that.
    static func use(_ proof: DPoPProof, of id: AuthID, _ connection: Connection) throws(StorageFault) -> Bool {
        let used = try connection.first(SQL.count) {
            $0.identifier(id)
        } _: { (row) throws(StorageFault) in
            try row.integer("used_proofs.auth_id")
        }
        guard (used ?? 0) < maxProofs else { return false }
        try connection.run(SQL.use) {
            $0.identifier(id)
            $0.blob(proof.jtiDigest)
        }
        return connection.changes == 1
    }
}
