package import Possession

/// Table `signing_keys` (migration 0004). The private halves come and go sealed; their keys are not known here.
package struct SigningKeysTable: SigningKeyStore {
    private enum SQL {
        static let all: StaticString = """
            SELECT kid, purpose, created_at_ms, activates_at_ms, private_key_sealed
              FROM signing_keys ORDER BY created_at_ms
            """
        static let insert: StaticString = """
            INSERT INTO signing_keys (kid, purpose, created_at_ms, activates_at_ms, private_key_sealed)
              VALUES (?1, ?2, ?3, ?4, ?5)
            """
    }

    private let database: Database

    package init(_ database: Database) {
        self.database = database
    }

    package func signingKeys() async throws(StorageFault) -> [StoredSigningKey] {
        try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.all) { (row) throws(StorageFault) in
                StoredSigningKey(
                    kid: try row.text("signing_keys.kid"), purpose: try row.choice("signing_keys.purpose"),
                    createdAt: try row.time("signing_keys.created_at_ms"),
                    activatesAt: try row.time("signing_keys.activates_at_ms"),
                    sealedPrivateKey: try row.blob("signing_keys.private_key_sealed"))
            }
        }
    }

    package func add(_ key: StoredSigningKey) async throws(StorageFault) {
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run(SQL.insert) {
                $0.text(key.kid)
                $0.text(key.purpose.rawValue)
                $0.time(key.createdAt)
                $0.time(key.activatesAt)
                $0.blob(key.sealedPrivateKey)
            }
        }
    }
}
