internal import Locks
package import Engine
package import Possession
internal import Records

/// Table `api_keys` (migration 0018).
package struct APIKeysTable: APIKeyStore {
    private enum SQL {
        static let find: Statement = """
            SELECT key_digest, key_id, client_id, kind, name, ending, is_configured, created_at_ms
              FROM api_keys WHERE key_digest = ?1
            """
        static let findByID: Statement = """
            SELECT key_digest, key_id, client_id, kind, name, ending, is_configured, created_at_ms
              FROM api_keys WHERE key_id = ?1
            """
        static let ofClient: Statement = """
            SELECT key_digest, key_id, client_id, kind, name, ending, is_configured, created_at_ms
              FROM api_keys WHERE client_id = ?1 ORDER BY created_at_ms, key_id
            """
        static let configured: Statement = """
            SELECT key_digest, key_id, client_id, kind, name, ending, is_configured, created_at_ms
              FROM api_keys WHERE is_configured = 1
            """
        static let count: Statement = "SELECT count(*) FROM api_keys WHERE client_id = ?1 AND kind = ?2"
        static let insert: Statement = """
            INSERT INTO api_keys
              (key_digest, key_id, client_id, kind, name, ending, is_configured, created_at_ms)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """
        static let remove: Statement = "DELETE FROM api_keys WHERE key_id = ?1"
    }

    private let database: Database
    /// Cache of keys, because every call of a backend carries one. Changes are rare, and each clears the cache.
    private let known = Locked(Known())
    private struct Known {
        var keys: [SecretDigest: APIKey] = [:]
        var changes = 0
    }

    package init(_ database: Database) {
        self.database = database
    }

    package func rememberedKey(_ digest: SecretDigest) -> APIKey? { known.withLock { $0.keys[digest] } }

    package func key(_ digest: SecretDigest) async throws(StorageFault) -> APIKey? {
        let (key, changes) = known.withLock { ($0.keys[digest], $0.changes) }
        if let key { return key }
        let found = try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.find) {
                $0.blob(digest.bytes)
            } _: { (row) throws(StorageFault) in
                try APIKeysTable.decode(&row)
            }
        }
        // A key that was read during a change may be outdated.
        if let found { known.withLock { if $0.changes == changes { $0.keys[digest] = found } } }
        return found
    }

    package func keys(of tenant: ClientID) async throws(StorageFault) -> [APIKey] {
        try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.ofClient) {
                $0.text(tenant.text)
            } _: { (row) throws(StorageFault) in
                try APIKeysTable.decode(&row)
            }
        }
    }

    package func add(_ key: APIKey) async throws(StorageFault) -> Bool {
        try await database.transaction(locking: LockName("api_keys", of: key.client)) {
            (connection) throws(StorageFault) -> Bool in
            let count = try connection.first(SQL.count) {
                $0.text(key.client.text)
                $0.text(key.kind.rawValue)
            } _: { (row) throws(StorageFault) in
                try row.integer("count")
            }
            guard count ?? 0 < APIKey.most else { return false }
            try APIKeysTable.insert(key, connection)
            return true
        }
    }

    package func removeKey(_ id: APIKeyID) async throws(StorageFault) -> APIKey? {
        defer { forget() }
        return try await database.transaction(changing: .apiKeys) { (connection) throws(StorageFault) -> APIKey? in
            let found = try connection.first(SQL.findByID.locking) {
                $0.identifier(id)
            } _: { (row) throws(StorageFault) in
                try APIKeysTable.decode(&row)
            }
            guard let found else { return nil }
            try connection.run(SQL.remove) { $0.identifier(id) }
            return found
        }
    }

    package func setConfigured(_ keys: [APIKey]) async throws(StorageFault) {
        let isSet = try await database.read { (connection) throws(StorageFault) in
            try Self.differences(from: keys, connection).isEmpty
        }
        guard !isSet else { return }
        defer { forget() }
        try await database.transaction(changing: .apiKeys, locking: LockName("api_keys")) {
            (connection) throws(StorageFault) in
            let differences = try Self.differences(from: keys, connection)
            for key in differences.extra { try connection.run(SQL.remove) { $0.identifier(key.id) } }
            for key in differences.missing { try APIKeysTable.insert(key, connection) }
        }
    }

    private struct Differences {
        let extra: [APIKey]
        let missing: [APIKey]

        var isEmpty: Bool { extra.isEmpty && missing.isEmpty }
    }

    /// Configured keys that are stored and not among `keys`, and those of `keys` that are not stored.
    private static func differences(
        from keys: [APIKey], _ connection: any Connection
    ) throws(StorageFault) -> Differences {
        let stored = try connection.all(SQL.configured) { (row) throws(StorageFault) in try decode(&row) }
        return Differences(
            extra: stored.filter { old in !keys.contains { $0.isSameConfigured(as: old) } },
            missing: keys.filter { new in !stored.contains { $0.isSameConfigured(as: new) } })
    }

    /// Call when another server has changed a key.
    package func readAgain() { forget() }

    /// Clears the cache, once a change is durable.
    private func forget() {
        known.withLock { $0 = Known(changes: $0.changes + 1) }
    }

    private static func insert(_ key: APIKey, _ connection: any Connection) throws(StorageFault) {
        try connection.run(SQL.insert) {
            $0.blob(key.digest.bytes)
            $0.identifier(key.id)
            $0.text(key.client.text)
            $0.text(key.kind.rawValue)
            $0.text(key.name)
            $0.text(key.ending)
            $0.flag(key.isConfigured)
            $0.time(key.createdAt)
        }
    }

    private static func decode(_ row: inout Row) throws(StorageFault) -> APIKey {
        let digest = SecretDigest(try row.blob("api_keys.key_digest"))
        let id: APIKeyID = try row.identifier("api_keys.key_id")
        let client = try row.clientID("api_keys.client_id")
        let kind: APIKey.Kind = try row.choice("api_keys.kind")
        let name = try row.text("api_keys.name")
        let ending = try row.text("api_keys.ending")
        let isConfigured = try row.flag("api_keys.is_configured")
        return APIKey(
            id: id, kind: kind, client: client, digest: digest, name: name, ending: ending, isConfigured: isConfigured,
            createdAt: try row.time("api_keys.created_at_ms"))
    }
}
