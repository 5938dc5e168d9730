internal import Possession

/// Table `used_proofs` (migration 0001): which DPoP proofs a session has seen (TOK-15).
enum UsedProofsTable {
    private enum SQL {
        static let use: StaticString = """
            INSERT OR IGNORE INTO used_proofs (auth_id, jti_digest)
              SELECT ?1, ?2 WHERE (SELECT count(*) FROM used_proofs WHERE auth_id = ?1) < ?3
            """
    }

    /// Proofs a session may use up: far more than a client needs in 15 minutes of long polls. Past that it is closed.
    static let maxProofs = 512

    /// Uses a proof up; `false` when it was used before, or the session has used too many.
    static func use(_ proof: DPoPProof, of id: AuthID, _ connection: Connection) throws(StorageFault) -> Bool {
        try connection.run(SQL.use) {
            $0.identifier(id)
            $0.blob(proof.jtiDigest)
            $0.integer(maxProofs)
        }
        return connection.changes == 1
    }
}
