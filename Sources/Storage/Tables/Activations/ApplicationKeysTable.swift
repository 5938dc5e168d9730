internal import Locks
package import Engine
package import Possession
internal import Records
internal import Text

/// Table `application_keys` (migration 0027). The secret halves are passed in and out sealed; this type does not know
/// their key.
package struct ApplicationKeysTable: ApplicationKeyStore {
    private enum SQL {
        static let ofClient: Statement = """
            SELECT application_key, client_id, keys_sealed, master_public_key, is_configured, ends_at_ms
              FROM application_keys WHERE client_id = ?1 ORDER BY ends_at_ms IS NOT NULL
            """
        static let ofKey: Statement = """
            SELECT application_key, client_id, keys_sealed, master_public_key, is_configured, ends_at_ms
              FROM application_keys
              WHERE client_id = (SELECT client_id FROM application_keys WHERE application_key = ?1)
              ORDER BY ends_at_ms IS NOT NULL
            """
        static let configured: Statement = """
            SELECT application_key, client_id, keys_sealed, master_public_key, is_configured, ends_at_ms
              FROM application_keys WHERE is_configured = 1
            """
        static let insert: Statement = """
            INSERT INTO application_keys
              (application_key, client_id, keys_sealed, master_public_key, is_configured, ends_at_ms)
              VALUES (?1, ?2, ?3, ?4, ?5, NULL)
            """
        static let removePrevious: Statement = """
            DELETE FROM application_keys WHERE client_id = ?1 AND ends_at_ms IS NOT NULL
            """
        static let end: Statement = """
            UPDATE application_keys SET ends_at_ms = ?2 WHERE client_id = ?1 AND ends_at_ms IS NULL
            """
        static let remove: Statement = "DELETE FROM application_keys WHERE client_id = ?1"
    }

    private let database: Database
    private let isSealedAnew: @Sendable ([UInt8]) -> Bool
    /// Cache of applications by the bytes of their keys, because every call of an app names one. Changes are
    /// rare, and each clears the cache.
    private let known = Locked(Known())
    private struct Known {
        var applications: [[UInt8]: Application] = [:]
        var changes = 0
    }

    /// - Parameter isSealedAnew: whether the current sealing key has sealed a value. A value under an older key is not
    ///   cached: it will be sealed again in the database, and then the older key is removed.
    package init(_ database: Database, isSealedAnew: @escaping @Sendable ([UInt8]) -> Bool) {
        self.database = database
        self.isSealedAnew = isSealedAnew
    }

    package func application(_ applicationKey: String) async throws(StorageFault) -> Application? {
        guard let name = Self.bytes(of: applicationKey) else { return nil }
        let (remembered, changes) = known.withLock { ($0.applications[name], $0.changes) }
        if let remembered, isLasting(remembered) { return remembered }
        let found = try await database.read { (connection) throws(StorageFault) in
            try Self.application(
                connection.all(SQL.ofKey) {
                    $0.blob(name)
                } _: { (row) throws(StorageFault) in
                    try StoredKeys(&row)
                })
        }
        guard let found else { return nil }
        // A value that was read during a change may be outdated.
        if isLasting(found) { known.withLock { if $0.changes == changes { $0.applications[name] = found } } }
        return found
    }

    package func application(of client: ClientID) async throws(StorageFault) -> Application? {
        try await database.read { (connection) throws(StorageFault) in try Self.application(of: client, connection) }
    }

    package func add(_ keys: ApplicationKeys, to client: ClientID) async throws(StorageFault) -> Bool {
        try await database.transaction(locking: LockName("application_keys", of: client)) {
            (connection) throws(StorageFault) -> Bool in
            guard try Self.application(of: client, connection) == nil else { return false }
            try Self.insert(keys, of: client, isConfigured: false, connection)
            return true
        }
    }

    package func rotate(
        _ client: ClientID, to keys: ApplicationKeys, at now: Timestamp, overlap: Duration
    ) async throws(StorageFault) -> Application? {
        defer { forget() }
        return try await database.transaction(
            changing: .applicationKeys, locking: LockName("application_keys", of: client)
        ) { (connection) throws(StorageFault) -> Application? in
            guard let stored = try Self.application(of: client, connection), !stored.isConfigured else {
                return try Self.application(of: client, connection)
            }
            let ring = stored.keys.rotated(to: keys, at: now, overlap: overlap)
            try connection.run(SQL.removePrevious) { $0.text(client.text) }
            try connection.run(SQL.end) {
                $0.text(client.text)
                $0.time(ring.previous?.endsAt)
            }
            try Self.insert(keys, of: client, isConfigured: false, connection)
            return Application(client: client, keys: ring)
        }
    }

    package func setConfigured(
        _ keys: [(client: ClientID, keys: ApplicationKeys)]
    ) async throws(StorageFault) {
        let wanted = keys.map {
            Application(client: $0.client, keys: ApplicationKeyRing(current: $0.keys), isConfigured: true)
        }
        let isSet = try await database.read { (connection) throws(StorageFault) in
            try Self.differences(from: wanted, connection).isEmpty
        }
        guard !isSet else { return }
        defer { forget() }
        try await database.transaction(changing: .applicationKeys, locking: LockName("application_keys")) {
            (connection) throws(StorageFault) in
            let differences = try Self.differences(from: wanted, connection)
            for application in differences.extra + differences.missing {
                try connection.run(SQL.remove) { $0.text(application.client.text) }
            }
            for application in differences.missing {
                try Self.insert(application.keys.current, of: application.client, isConfigured: true, connection)
            }
        }
    }

    private struct Differences {
        let extra: [Application]
        let missing: [Application]

        var isEmpty: Bool { extra.isEmpty && missing.isEmpty }
    }

    /// Configured applications that are stored and not wanted, and wanted ones that are not stored.
    private static func differences(
        from wanted: [Application], _ connection: any Connection
    ) throws(StorageFault) -> Differences {
        let stored = try connection.all(SQL.configured) { (row) throws(StorageFault) in try StoredKeys(&row).asCurrent }
        return Differences(
            extra: stored.filter { !wanted.contains($0) }, missing: wanted.filter { !stored.contains($0) })
    }

    /// Call when another server has changed keys.
    package func readAgain() { forget() }

    /// Clears the cache, once a change is durable.
    private func forget() {
        known.withLock { $0 = Known(changes: $0.changes + 1) }
    }

    private func isLasting(_ application: Application) -> Bool {
        isSealedAnew(application.keys.current.sealed)
            && application.keys.previous.map { isSealedAnew($0.keys.sealed) } ?? true
    }

    // MARK: Rows

    /// The 16 bytes of an application key; `nil`: the text is not an application key.
    private static func bytes(of applicationKey: String) -> [UInt8]? {
        guard applicationKey.utf8.count == ApplicationKeys.textBytes,
            let bytes = Base64.decode(applicationKey.utf8), bytes.count == 16
        else { return nil }
        return bytes
    }

    private static func application(
        of client: ClientID, _ connection: any Connection
    ) throws(StorageFault) -> Application? {
        try application(
            connection.all(SQL.ofClient) {
                $0.text(client.text)
            } _: { (row) throws(StorageFault) in
                try StoredKeys(&row)
            })
    }

    /// The application made of one client's rows, the current keys first.
    private static func application(_ rows: [StoredKeys]) throws(StorageFault) -> Application? {
        guard let first = rows.first else { return nil }
        guard first.endsAt == nil else { throw .corrupt(what: "application_keys.ends_at_ms") }
        let previous = rows.dropFirst().first.flatMap { row in
            row.endsAt.map { ApplicationKeyRing.Previous(keys: row.keys, endsAt: $0) }
        }
        return Application(
            client: first.client, keys: ApplicationKeyRing(current: first.keys, previous: previous),
            isConfigured: first.isConfigured)
    }

    private static func insert(
        _ keys: ApplicationKeys, of client: ClientID, isConfigured: Bool, _ connection: any Connection
    ) throws(StorageFault) {
        guard let name = bytes(of: keys.applicationKey) else {
            throw .corrupt(what: "application_keys.application_key")
        }
        try connection.run(SQL.insert) {
            $0.blob(name)
            $0.text(client.text)
            $0.blob(keys.sealed)
            $0.blob(keys.masterPublicKey.x + keys.masterPublicKey.y)
            $0.flag(isConfigured)
        }
    }

    private struct StoredKeys {
        let client: ClientID
        let keys: ApplicationKeys
        let isConfigured: Bool
        /// `nil`: these are the current keys.
        let endsAt: Timestamp?

        init(_ row: inout Row) throws(StorageFault) {
            let name = try row.blob("application_keys.application_key")
            client = try row.clientID("application_keys.client_id")
            let sealed = try row.blob("application_keys.keys_sealed")
            keys = ApplicationKeys(
                applicationKey: Base64.encode(name), sealed: sealed,
                masterPublicKey: try row.publicKey("application_keys.master_public_key"))
            isConfigured = try row.flag("application_keys.is_configured")
            endsAt = try row.optionalTime("application_keys.ends_at_ms")
        }

        var asCurrent: Application {
            Application(client: client, keys: ApplicationKeyRing(current: keys), isConfigured: isConfigured)
        }
    }
}
