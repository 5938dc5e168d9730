package import Engine
internal import Possession

/// Table `signing_keys` (migration 0005). The halves of a key are passed in and out sealed; this type does not know
/// their keys.
package struct SigningKeysTable: SigningKeyStore {
    private enum SQL {
        static let all: Statement = """
            SELECT kid, purpose, created_at_ms, activates_at_ms, private_key_sealed, public_key_sealed
              FROM signing_keys ORDER BY created_at_ms, kid
            """
        static let signer: Statement = """
            SELECT 1 FROM signing_keys WHERE purpose = ?1 AND private_key_sealed IS NOT NULL LIMIT 1
            """
        static let insert: Statement = """
            INSERT INTO signing_keys (kid, purpose, created_at_ms, activates_at_ms, private_key_sealed, public_key_sealed)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """
        /// The last key of a purpose that can sign stays, regardless of the caller's clock.
        static let forgetPrivateHalf: Statement = """
            UPDATE signing_keys SET private_key_sealed = NULL, public_key_sealed = ?2
              WHERE kid = ?1 AND private_key_sealed IS NOT NULL AND EXISTS (
                SELECT 1 FROM signing_keys AS later
                  WHERE later.purpose = signing_keys.purpose AND later.private_key_sealed IS NOT NULL
                    AND (later.activates_at_ms, later.kid) > (signing_keys.activates_at_ms, signing_keys.kid))
            """
        static let removeAll: Statement = "DELETE FROM signing_keys"
        static let remove: Statement = "DELETE FROM signing_keys WHERE kid = ?1 AND private_key_sealed IS NULL"
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
                    activatesAt: try row.time("signing_keys.activates_at_ms"), half: try half(&row))
            }
        }
    }

    private func half(_ row: inout Row) throws(StorageFault) -> StoredSigningKey.Half {
        let privateHalf = try row.optionalBlob("signing_keys.private_key_sealed")
        let publicHalf = try row.optionalBlob("signing_keys.public_key_sealed")
        switch (privateHalf, publicHalf) {
        case (let sealed?, nil): return .sealedPrivate(sealed)
        case (nil, let sealed?): return .sealedPublic(sealed)
        default: throw .corrupt(what: "signing_keys.private_key_sealed")
        }
    }

    package func add(_ key: StoredSigningKey) async throws(StorageFault) {
        try await database.transaction(changing: .signingKeys) { (connection) throws(StorageFault) in
            try Self.insert(key, connection)
        }
    }

    package func addFirst(_ key: StoredSigningKey) async throws(StorageFault) -> Bool {
        try await database.transaction(changing: .signingKeys, locking: LockName("signing_keys")) {
            (connection) throws(StorageFault) in
            let isFirst =
                try connection.first(SQL.signer) {
                    $0.text(key.purpose.rawValue)
                } _: { (_) throws(StorageFault) in
                    true
                } == nil
            if isFirst { try Self.insert(key, connection) }
            return isFirst
        }
    }

    private static func insert(_ key: StoredSigningKey, _ connection: any Connection) throws(StorageFault) {
        try connection.run(SQL.insert) {
            $0.text(key.kid)
            $0.text(key.purpose.rawValue)
            $0.time(key.createdAt)
            $0.time(key.activatesAt)
            switch key.half {
            case .sealedPrivate(let sealed):
                $0.blob(sealed)
                $0.blob(nil)
            case .sealedPublic(let sealed):
                $0.blob(nil)
                $0.blob(sealed)
            }
        }
    }

    package func retire(_ keys: [StoredSigningKey], removing outlived: [String]) async throws(StorageFault) {
        try await database.transaction(changing: .signingKeys, locking: LockName("signing_keys")) {
            (connection) throws(StorageFault) in
            for key in keys {
                guard case .sealedPublic(let sealed) = key.half else { continue }
                try connection.run(SQL.forgetPrivateHalf) {
                    $0.text(key.kid)
                    $0.blob(sealed)
                }
            }
            for kid in outlived { try connection.run(SQL.remove) { $0.text(kid) } }
        }
        await database.removeDeletedData()
    }

    /// After this, no token signed by a stored key is accepted.
    static func removeAll(_ connection: any Connection) throws(StorageFault) {
        try connection.run(SQL.removeAll)
    }
}
