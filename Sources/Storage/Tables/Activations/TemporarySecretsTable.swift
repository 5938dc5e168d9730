package import Engine
internal import Possession

/// Table `temporary_secrets` (migration 0033). Secrets are passed in and out sealed; this type does not know their key.
package struct TemporarySecretsTable: TemporarySecretStore {
    private enum SQL {
        static let all: Statement = "SELECT period, secret_sealed FROM temporary_secrets ORDER BY period"
        static let find: Statement = "SELECT period, secret_sealed FROM temporary_secrets WHERE period = ?1"
        static let insert: Statement = """
            INSERT INTO temporary_secrets (period, secret_sealed) VALUES (?1, ?2) ON CONFLICT (period) DO NOTHING
            """
        static let remove: Statement = "DELETE FROM temporary_secrets WHERE period = ?1"
        static let removeAll: Statement = "DELETE FROM temporary_secrets"
        /// A database from before this table has no rows.
        static let isThere = Statement(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'temporary_secrets'", postgres: "SELECT 1")
    }

    private let database: Database

    package init(_ database: Database) {
        self.database = database
    }

    package func temporarySecrets() async throws(StorageFault) -> [TemporarySecret] {
        try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.all) { (row) throws(StorageFault) in try TemporarySecret(&row) }
        }
    }

    package func add(_ secret: TemporarySecret) async throws(StorageFault) -> TemporarySecret {
        try await database.transaction { (connection) throws(StorageFault) -> TemporarySecret in
            try connection.run(SQL.insert) {
                $0.integer(secret.period)
                $0.blob(secret.sealed)
            }
            let stored = try connection.first(SQL.find) {
                $0.integer(secret.period)
            } _: { (row) throws(StorageFault) in
                try TemporarySecret(&row)
            }
            guard let stored else { throw .corrupt(what: "temporary_secrets.period") }
            return stored
        }
    }

    package func removeTemporarySecrets(_ periods: [Int64]) async throws(StorageFault) {
        try await database.transaction { (connection) throws(StorageFault) in
            for period in periods { try connection.run(SQL.remove) { $0.integer(period) } }
        }
        await database.removeDeletedData()
    }

    // MARK: In other transactions

    /// Afterwards, no call that was encrypted with a key of these secrets can be decrypted.
    static func removeAll(_ connection: any Connection) throws(StorageFault) {
        let isThere = try connection.first(SQL.isThere) { (_) throws(StorageFault) in true } ?? false
        if isThere { try connection.run(SQL.removeAll) }
    }
}

extension TemporarySecret {
    fileprivate init(_ row: inout Row) throws(StorageFault) {
        let period = try row.integer("temporary_secrets.period")
        self.init(period: period, sealed: try row.blob("temporary_secrets.secret_sealed"))
    }
}
