internal import Possession

/// Table `used_proofs` (migration 0001): which DPoP proofs a session has seen (TOK-15).
enum UsedProofsTable {
    private enum SQL {
        static let use: StaticString = "INSERT OR IGNORE INTO used_proofs (auth_id, jti_digest) VALUES (?1, ?2)"
    }

    /// Uses a proof up; `false` when it was used before.
    static func use(_ proof: DPoPProof, of id: AuthID, _ connection: Connection) throws(StorageFault) -> Bool {
        try connection.run(SQL.use) {
            $0.identifier(id)
            $0.blob(proof.jtiDigest)
        }
        return connection.changes == 1
    }
}
