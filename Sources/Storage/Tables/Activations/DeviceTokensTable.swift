package import Engine
package import Possession

/// Table `device_tokens` (migration 0029). Secrets are passed in and out sealed; this type does not know their key. A
/// row is removed with the row of its activation.
package struct DeviceTokensTable: DeviceTokenStore {
    private enum SQL {
        static let find: Statement = """
            SELECT token_id, activation_id, secret_sealed, factors, created_at_ms FROM device_tokens WHERE token_id = ?1
            """
        static let isActive: Statement = """
            SELECT 1 FROM activations WHERE activation_id = ?1 AND status = 'active'
            """
        /// Selects all but the newest. Rows of the same millisecond keep the order in which they were added.
        static let removeOldest = Statement(
            """
            DELETE FROM device_tokens WHERE token_id IN
              (SELECT token_id FROM device_tokens WHERE activation_id = ?1
                 ORDER BY created_at_ms DESC, rowid DESC LIMIT -1 OFFSET ?2)
            """,
            postgres: """
                DELETE FROM device_tokens WHERE token_id IN
                  (SELECT token_id FROM device_tokens WHERE activation_id = ?1
                     ORDER BY created_at_ms DESC, place DESC OFFSET ?2)
                """)
        static let insert: Statement = """
            INSERT INTO device_tokens (token_id, activation_id, secret_sealed, factors, created_at_ms)
              VALUES (?1, ?2, ?3, ?4, ?5)
            """
        static let remove: Statement = "DELETE FROM device_tokens WHERE token_id = ?1 AND activation_id = ?2"
        static let removeAll: Statement = "DELETE FROM device_tokens WHERE activation_id = ?1"
    }

    private let database: Database

    package init(_ database: Database) {
        self.database = database
    }

    package func add(_ token: DeviceToken) async throws(StorageFault) -> Bool {
        try await database.transaction { (connection) throws(StorageFault) -> Bool in
            let isActive = try connection.first(SQL.isActive.locking) {
                $0.identifier(token.activationID)
            } _: { (_) throws(StorageFault) in
                true
            }
            guard isActive == true else { return false }
            // First, so that the new one stays even if a clock has gone back.
            try connection.run(SQL.removeOldest) {
                $0.identifier(token.activationID)
                $0.integer(DeviceToken.mostOfActivation - 1)
            }
            try connection.run(SQL.insert) {
                $0.identifier(token.id)
                $0.identifier(token.activationID)
                $0.blob(token.sealedSecret)
                $0.text(token.factors.rawValue)
                $0.time(token.createdAt)
            }
            return true
        }
    }

    package func token(_ id: DeviceTokenID) async throws(StorageFault) -> DeviceToken? {
        try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.find) {
                $0.identifier(id)
            } _: { (row) throws(StorageFault) in
                let id: DeviceTokenID = try row.identifier("device_tokens.token_id")
                let activationID: ActivationID = try row.identifier("device_tokens.activation_id")
                let secret = try row.blob("device_tokens.secret_sealed")
                return DeviceToken(
                    id: id, activationID: activationID, sealedSecret: secret,
                    factors: try row.choice("device_tokens.factors"),
                    createdAt: try row.time("device_tokens.created_at_ms"))
            }
        }
    }

    package func removeToken(
        _ id: DeviceTokenID, of activation: ActivationID
    ) async throws(StorageFault) -> Bool {
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run(SQL.remove) {
                $0.identifier(id)
                $0.identifier(activation)
            }
            return connection.changes == 1
        }
    }

    // MARK: In other transactions

    /// Removes the tokens of an activation that is being removed.
    static func removeAll(of activation: ActivationID, _ connection: any Connection) throws(StorageFault) {
        try connection.run(SQL.removeAll) { $0.identifier(activation) }
    }
}
