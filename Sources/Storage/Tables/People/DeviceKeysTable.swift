package import Engine
package import Possession
package import Records

/// Table `device_keys` (migration 0003).
package struct DeviceKeysTable: DeviceKeyStore {
    private static let column: StaticString = "device_keys.key_sealed"

    private enum SQL {
        static let byID: Statement = """
            SELECT device_index, client_id, thumbprint, public_key, platform, created_at_ms, key_sealed, status,
                   bound_at_ms, last_used_at_ms
              FROM device_keys WHERE device_index = ?1 AND client_id = ?2
            """
        static let byThumbprint: Statement = """
            SELECT device_index, client_id, thumbprint, public_key, platform, created_at_ms, key_sealed, status,
                   bound_at_ms, last_used_at_ms
              FROM device_keys WHERE client_id = ?1 AND thumbprint = ?2
            """
        static let ofNumber: Statement = """
            SELECT device_index, client_id, thumbprint, public_key, platform, created_at_ms, key_sealed, status,
                   bound_at_ms, last_used_at_ms
              FROM device_keys WHERE number_index = ?1 AND (?2 IS NULL OR client_id = ?2) AND device_index < ?3
              ORDER BY device_index DESC LIMIT ?4
            """
        // SQLite is to follow the primary key, whose order is also that of the list. An index by client would cost each
        // new key 7 % of its session, for an operators' command.
        static let ofClient: Statement = """
            SELECT device_index, client_id, thumbprint, public_key, platform, created_at_ms, key_sealed, status,
                   bound_at_ms, last_used_at_ms
              FROM device_keys INDEXED BY sqlite_autoindex_device_keys_1
              WHERE client_id = ?1 AND device_index < ?2 ORDER BY device_index DESC LIMIT ?3
            """
        static let owner: Statement = "SELECT client_id FROM device_keys WHERE device_index = ?1"
        static let save: Statement = """
            INSERT INTO device_keys
              (device_index, client_id, thumbprint, public_key, platform, created_at_ms, number_index, key_sealed,
               status, bound_at_ms, last_used_at_ms)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
              ON CONFLICT (device_index) DO UPDATE SET
                platform = excluded.platform, key_sealed = excluded.key_sealed, status = excluded.status,
                bound_at_ms = excluded.bound_at_ms, last_used_at_ms = excluded.last_used_at_ms
            """
        /// Separate from `save`: an index is not touched when a key is only used.
        static let move: Statement = "UPDATE device_keys SET number_index = ?2 WHERE device_index = ?1"
        static let revoke: Statement = """
            UPDATE device_keys SET status = 'revoked', revoked_at_ms = ?3
              WHERE device_index = ?1 AND client_id = ?2 AND revoked_at_ms IS NULL
            """
        static let isThere: Statement = "SELECT 1 FROM device_keys WHERE device_index = ?1 AND client_id = ?2"
        static let erase: Statement = """
            DELETE FROM device_keys WHERE number_index = ?1 AND (?2 IS NULL OR client_id = ?2)
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
                $0.blob(sealing.deviceIndex(id))
                $0.text(client.text)
            } _: { (row) throws(StorageFault) in
                try DeviceKeysTable.decode(&row, sealing)
            }
        }
    }

    package func deviceKey(
        _ thumbprint: Thumbprint, of client: ClientID
    ) async throws(StorageFault) -> DeviceKey? {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try DeviceKeysTable.find(thumbprint, of: client, sealing: sealing, connection)
        }
    }

    package func deviceKeys(
        of number: PhoneNumber, at client: ClientID?, before end: DeviceKeyPlace?, most: Int
    ) async throws(StorageFault) -> [DeviceKey] {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.ofNumber) {
                $0.blob(sealing.blindIndex(number))
                $0.text(client?.text)
                $0.blob(DeviceKeysTable.bound(end, sealing))
                $0.integer(max(0, most))
            } _: { (row) throws(StorageFault) in
                try DeviceKeysTable.decode(&row, sealing)
            }
        }
    }

    package func deviceKeys(
        of client: ClientID, before end: DeviceKeyPlace?, most: Int
    ) async throws(StorageFault) -> [DeviceKey] {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.ofClient) {
                $0.text(client.text)
                $0.blob(DeviceKeysTable.bound(end, sealing))
                $0.integer(max(0, most))
            } _: { (row) throws(StorageFault) in
                try DeviceKeysTable.decode(&row, sealing)
            }
        }
    }

    /// The upper bound (exclusive) of the indexes on the next page.
    private static func bound(_ end: DeviceKeyPlace?, _ sealing: Sealing) -> [UInt8] {
        switch end {
        case .key(let id): sealing.deviceIndex(id)
        case .time(let time): Array(DeviceID(at: time, random: 0).bytes.prefix(6))
        // Longer than and above all indexes, which begin with a time.
        case nil: [UInt8](repeating: 0xFF, count: 32)
        }
    }

    package func owner(of id: DeviceID) async throws(StorageFault) -> ClientID? {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.owner) {
                $0.blob(sealing.deviceIndex(id))
            } _: { (row) throws(StorageFault) in
                try row.clientID("device_keys.client_id")
            }
        }
    }

    package func revokeDeviceKey(
        _ id: DeviceID, of client: ClientID, telling teller: WebhookEventFactory?, at now: Timestamp
    ) async throws(StorageFault) -> Bool {
        let sealing = sealing
        return try await database.transaction { (connection) throws(StorageFault) in
            try connection.run(SQL.revoke) {
                $0.blob(sealing.deviceIndex(id))
                $0.text(client.text)
                $0.time(now)
            }
            if connection.changes == 1 {
                let events = teller?.events([.deviceKeyRevoked(id, at: now)]) ?? []
                try WebhookEventsTable.add(events, sealing: sealing, connection)
                return true
            }
            return try connection.first(SQL.isThere) {
                $0.blob(sealing.deviceIndex(id))
                $0.text(client.text)
            } _: { (_) throws(StorageFault) in
                true
            } ?? false
        }
    }

    // MARK: In a transaction of a session

    static func find(
        _ thumbprint: Thumbprint, of client: ClientID, sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) -> DeviceKey? {
        try connection.first(SQL.byThumbprint.locking) {
            $0.text(client.text)
            $0.blob(thumbprint.bytes)
        } _: { (row) throws(StorageFault) in
            try decode(&row, sealing)
        }
    }

    /// Adds a key, or saves its changeable columns.
    /// - Parameter loaded: the key as it is stored; `nil`: it is new.
    static func save(
        _ key: DeviceKey, loaded: DeviceKey?, sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) {
        let index = sealing.deviceIndex(key.id)
        let number = sealing.blindIndex(key.number)
        let sealed = try SealedKey(key).sealed(with: sealing, row: index)
        try connection.run(SQL.save.claiming) {
            $0.blob(index)
            $0.text(key.clientID.text)
            $0.blob(key.thumbprint.bytes)
            $0.blob(key.publicKey.x + key.publicKey.y)
            $0.text(key.platform.rawValue)
            $0.time(key.createdAt)
            $0.blob(number)
            $0.blob(sealed)
            $0.text(key.status.rawValue)
            $0.time(key.boundAt)
            $0.time(key.lastUsedAt)
        }
        guard let loaded, loaded.number != key.number else { return }
        try connection.run(SQL.move) {
            $0.blob(index)
            $0.blob(number)
        }
    }

    private static func decode(_ row: inout Row, _ sealing: Sealing) throws(StorageFault) -> DeviceKey {
        let index = try row.blob("device_keys.device_index")
        let clientID = try row.clientID("device_keys.client_id")
        let thumbprint = try row.thumbprint("device_keys.thumbprint")
        let publicKey = try row.publicKey("device_keys.public_key")
        let platform: Platform = try row.choice("device_keys.platform")
        let createdAt = try row.time("device_keys.created_at_ms")
        let personal = try SealedKey(try row.blob(column), with: sealing, row: index)
        return DeviceKey(
            id: personal.id, clientID: clientID, thumbprint: thumbprint, publicKey: publicKey, platform: platform,
            createdAt: createdAt, number: personal.number,
            status: try row.choice("device_keys.status"), boundAt: try row.time("device_keys.bound_at_ms"),
            lastUsedAt: try row.time("device_keys.last_used_at_ms"), clientCustomerID: personal.clientCustomerID,
            clientHumanID: personal.clientHumanID)
    }

    // MARK: Erasure

    /// Removes the keys of a number, at one tenant or at all of them; returns how many.
    static func erase(
        _ number: [UInt8], at client: ClientID?, _ connection: any Connection
    ) throws(StorageFault) -> Int {
        try connection.run(SQL.erase) {
            $0.blob(number)
            $0.text(client?.text)
        }
        return connection.changes
    }
}
