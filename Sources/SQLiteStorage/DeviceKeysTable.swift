package import Possession

/// Table `device_keys` (migration 0003).
package struct DeviceKeysTable: DeviceKeyStore {
    private static let column: StaticString = "device_keys.number_sealed"

    private enum SQL {
        static let byID: StaticString = """
            SELECT device_id, client_id, thumbprint, public_key, platform, created_at_ms, number_sealed, status,
                   bound_at_ms, last_used_at_ms, client_customer_id, client_human_id
              FROM device_keys WHERE device_id = ?1 AND client_id = ?2
            """
        static let byThumbprint: StaticString = """
            SELECT device_id, client_id, thumbprint, public_key, platform, created_at_ms, number_sealed, status,
                   bound_at_ms, last_used_at_ms, client_customer_id, client_human_id
              FROM device_keys WHERE client_id = ?1 AND thumbprint = ?2
            """
        static let save: StaticString = """
            INSERT INTO device_keys
              (device_id, client_id, thumbprint, public_key, platform, created_at_ms, number_sealed, status,
               bound_at_ms, last_used_at_ms, client_customer_id, client_human_id)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
              ON CONFLICT (device_id) DO UPDATE SET
                platform = excluded.platform, number_sealed = excluded.number_sealed, status = excluded.status,
                bound_at_ms = excluded.bound_at_ms, last_used_at_ms = excluded.last_used_at_ms,
                client_customer_id = excluded.client_customer_id, client_human_id = excluded.client_human_id
            """
        static let revoke: StaticString = """
            UPDATE device_keys SET status = 'revoked', revoked_at_ms = coalesce(revoked_at_ms, ?3)
              WHERE device_id = ?1 AND client_id = ?2
            """
    }

    private let database: Database
    private let sealing: Sealing

    package init(_ database: Database, sealing: Sealing) {
        self.database = database
        self.sealing = sealing
    }

    package func deviceKey(_ id: DeviceID, of client: ClientID) async throws(StorageFault) -> DeviceKey? {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.byID) {
                $0.identifier(id)
                $0.text(client.text)
            } _: { (row) throws(StorageFault) in
                try DeviceKeysTable.decode(&row, sealing)
            }
        }
    }

    package func revokeDeviceKey(
        _ id: DeviceID, of client: ClientID, at now: Timestamp
    ) async throws(StorageFault) -> Bool {
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run(SQL.revoke) {
                $0.identifier(id)
                $0.text(client.text)
                $0.time(now)
            }
            return connection.changes == 1
        }
    }

    // MARK: In a transaction of a session

    static func find(
        _ thumbprint: Thumbprint, of client: ClientID, sealing: Sealing, _ connection: Connection
    ) throws(StorageFault) -> DeviceKey? {
        try connection.first(SQL.byThumbprint) {
            $0.text(client.text)
            $0.blob(thumbprint.bytes)
        } _: { (row) throws(StorageFault) in
            try decode(&row, sealing)
        }
    }

    /// Adds a key, or changes what of it may change.
    static func save(_ key: DeviceKey, sealing: Sealing, _ connection: Connection) throws(StorageFault) {
        let sealed = try sealing.seal(key.number, in: SealingContext(column, row: key.id))
        try connection.run(SQL.save) {
            $0.identifier(key.id)
            $0.text(key.clientID.text)
            $0.blob(key.thumbprint.bytes)
            $0.blob(key.publicKey.x + key.publicKey.y)
            $0.text(key.platform.rawValue)
            $0.time(key.createdAt)
            $0.blob(sealed)
            $0.text(key.status.rawValue)
            $0.time(key.boundAt)
            $0.time(key.lastUsedAt)
            $0.text(key.clientCustomerID)
            $0.text(key.clientHumanID)
        }
    }

    private static func decode(_ row: inout Row, _ sealing: Sealing) throws(StorageFault) -> DeviceKey {
        let id: DeviceID = try row.identifier("device_keys.device_id")
        return DeviceKey(
            id: id, clientID: try row.clientID("device_keys.client_id"),
            thumbprint: try row.thumbprint("device_keys.thumbprint"),
            publicKey: try row.publicKey("device_keys.public_key"), platform: try row.choice("device_keys.platform"),
            createdAt: try row.time("device_keys.created_at_ms"),
            number: try sealing.openNumber(try row.blob(column), in: SealingContext(column, row: id), column),
            status: try row.choice("device_keys.status"), boundAt: try row.time("device_keys.bound_at_ms"),
            lastUsedAt: try row.time("device_keys.last_used_at_ms"),
            clientCustomerID: try row.optionalText("device_keys.client_customer_id"),
            clientHumanID: try row.optionalText("device_keys.client_human_id"))
    }
}
