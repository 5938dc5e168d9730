package import Engine
package import Possession
package import Records

/// Table `activations` (migration 0028).
package struct ActivationsTable: ActivationStore {
    private enum SQL {
        static let find: Statement = """
            SELECT activation_id, client_id, application_key, correlation_id, details_sealed, keys_sealed,
                   counter_sealed, status, reason, status_at_ms, failed_attempts, created_at_ms, last_used_at_ms
              FROM activations WHERE activation_id = ?1
            """
        static let ofTarget: Statement = """
            SELECT activation_id, client_id, application_key, correlation_id, details_sealed, keys_sealed,
                   counter_sealed, status, reason, status_at_ms, failed_attempts, created_at_ms, last_used_at_ms
              FROM activations
              WHERE target_index = ?1 AND (?2 IS NULL OR client_id = ?2) AND (?3 IS NULL OR activation_id < ?3)
              ORDER BY activation_id DESC LIMIT ?4
            """
        static let ofClient: Statement = """
            SELECT activation_id, client_id, application_key, correlation_id, details_sealed, keys_sealed,
                   counter_sealed, status, reason, status_at_ms, failed_attempts, created_at_ms, last_used_at_ms
              FROM activations WHERE client_id = ?1 AND (?2 IS NULL OR activation_id < ?2)
              ORDER BY activation_id DESC LIMIT ?3
            """
        static let insert: Statement = """
            INSERT INTO activations
              (activation_id, client_id, application_key, correlation_id, target_index, details_sealed, keys_sealed,
               counter_sealed, status, reason, status_at_ms, failed_attempts, created_at_ms, last_used_at_ms)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            """
        static let save: Statement = """
            UPDATE activations SET counter_sealed = ?2, status = ?3, reason = ?4, status_at_ms = ?5,
                failed_attempts = ?6, last_used_at_ms = ?7
              WHERE activation_id = ?1
            """
        static let saveDetails: Statement = "UPDATE activations SET details_sealed = ?2 WHERE activation_id = ?1"
        static let unused: Statement = """
            SELECT activation_id, client_id FROM activations
              WHERE last_used_at_ms IS NULL AND status <> 'removed' AND activation_id > ?1 AND created_at_ms <= ?2
              ORDER BY activation_id LIMIT ?3
            """
        static let forget: Statement = """
            DELETE FROM activations WHERE activation_id IN
              (SELECT activation_id FROM activations WHERE status = 'removed' AND status_at_ms < ?1
                 ORDER BY status_at_ms LIMIT ?2)
            """
        static let blockAll: Statement = """
            UPDATE activations SET status = 'blocked', reason = ?1, status_at_ms = ?2 WHERE status = 'active'
            """
        static let erase: Statement = """
            DELETE FROM activations WHERE target_index = ?1 AND (?2 IS NULL OR client_id = ?2)
            """
    }

    private let database: Database
    private let sealing: Sealing
    private let audit: AuditRows?

    /// - Parameter audit: records which activations were blocked because of too many signatures.
    package init(_ database: Database, sealing: Sealing, audit: AuditTable? = nil) {
        self.database = database
        self.sealing = sealing
        self.audit = audit?.rows
    }

    // MARK: Reading

    package func activation(_ id: ActivationID) async throws(StorageFault) -> DeviceActivation? {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try ActivationsTable.find(id, sealing, connection)
        }
    }

    package func activations(
        of target: Target, at client: ClientID?, before: ActivationID?, most: Int
    ) async throws(StorageFault) -> [DeviceActivation] {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.ofTarget) {
                $0.blob(sealing.blindIndex(target))
                $0.text(client?.text)
                $0.identifier(before)
                $0.integer(max(0, most))
            } _: { (row) throws(StorageFault) in
                try ActivationsTable.decode(&row, sealing)
            }
        }
    }

    package func activations(
        of client: ClientID, before: ActivationID?, most: Int
    ) async throws(StorageFault) -> [DeviceActivation] {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.ofClient) {
                $0.text(client.text)
                $0.identifier(before)
                $0.integer(max(0, most))
            } _: { (row) throws(StorageFault) in
                try ActivationsTable.decode(&row, sealing)
            }
        }
    }

    package func unusedActivations(
        after: ActivationID?, madeUpTo end: Timestamp, most: Int
    ) async throws(StorageFault) -> [UnusedActivation] {
        try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.unused) {
                $0.position(after)
                $0.time(end)
                $0.integer(max(0, most))
            } _: { (row) throws(StorageFault) in
                UnusedActivation(
                    id: try row.identifier("activations.activation_id"),
                    clientID: try row.clientID("activations.client_id"))
            }
        }
    }

    private static func find(
        _ id: ActivationID, _ sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) -> DeviceActivation? {
        try connection.first(SQL.find.locking) {
            $0.identifier(id)
        } _: { (row) throws(StorageFault) in
            try decode(&row, sealing)
        }
    }

    private static func decode(_ row: inout Row, _ sealing: Sealing) throws(StorageFault) -> DeviceActivation {
        let id: ActivationID = try row.identifier("activations.activation_id")
        let clientID = try row.clientID("activations.client_id")
        let applicationKey = try row.optionalText("activations.application_key")
        let sessionID: CorrelationID = try row.identifier("activations.correlation_id")
        let personal = try SealedActivationDetails(
            try row.blob("activations.details_sealed"), with: sealing, for: id)
        let keys = try row.blob("activations.keys_sealed")
        let counter = try row.blob("activations.counter_sealed")
        let status: DeviceActivation.Status = try row.choice("activations.status")
        let reason: DeviceActivation.Reason? = try row.optionalChoice("activations.reason")
        let since = try row.time("activations.status_at_ms")
        guard let standing = DeviceActivation.Standing(status, reason, since: since) else {
            throw .corrupt("activations.reason")
        }
        let failed = try row.count(0...DeviceActivation.mostFailedAttempts, "activations.failed_attempts")
        let createdAt = try row.time("activations.created_at_ms")
        return DeviceActivation(
            id: id, clientID: clientID, applicationKey: applicationKey, target: personal.target, sessionID: sessionID,
            createdAt: createdAt, details: personal.details, secrets: ActivationSecrets(keys: keys, counter: counter),
            standing: standing, failedAttempts: failed,
            lastUsedAt: try row.optionalTime("activations.last_used_at_ms"))
    }

    // MARK: Writing

    package func update<R: Sendable>(
        _ id: ActivationID, telling teller: WebhookEventFactory?,
        _ rule: @escaping @Sendable (inout DeviceActivation) -> R
    ) async throws(StorageFault) -> R? {
        let (sealing, audit) = (sealing, audit)
        return try await database.transaction { (connection) throws(StorageFault) -> R? in
            guard let before = try ActivationsTable.find(id, sealing, connection) else { return nil }
            var activation = before
            let result = rule(&activation)
            precondition(activation.id == id, "a rule keeps to its activation")
            guard activation != before else { return result }
            try ActivationsTable.save(activation, since: before, sealing, connection)
            if let teller {
                precondition(teller.client == activation.clientID, "an activation's own API client is told")
                let events = teller.events(activation.webhookNews(since: before))
                try WebhookEventsTable.add(events, sealing: sealing, connection)
            }
            if let audit, let entry = activation.auditEntry(since: before) { try audit.append(entry, connection) }
            return result
        }
    }

    package func forgetActivations(removedBefore end: Timestamp) async throws(StorageFault) -> Int {
        let limit = database.limits.rowsPerSweep
        let removed = try await database.transaction { (connection) throws(StorageFault) in
            try connection.run(SQL.forget) {
                $0.time(end)
                $0.integer(limit)
            }
            return connection.changes
        }
        // As after a sweep of sessions: removed data must also leave the WAL (DAT-05).
        if removed > 0 && removed < limit { await database.removeDeletedData() }
        return removed
    }

    private static func save(
        _ activation: DeviceActivation, since before: DeviceActivation, _ sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) {
        try connection.run(SQL.save) {
            $0.identifier(activation.id)
            $0.blob(activation.secrets.counter)
            $0.text(activation.standing.status.rawValue)
            $0.text(activation.standing.reason?.rawValue)
            $0.time(activation.standing.since)
            $0.integer(activation.failedAttempts)
            $0.time(activation.lastUsedAt)
        }
        if activation.standing != before.standing, activation.standing.status == .removed {
            try DeviceTokensTable.removeAll(of: activation.id, connection)
        }
        guard activation.details != before.details else { return }
        let sealed = try SealedActivationDetails(activation).sealed(with: sealing, for: activation.id)
        try connection.run(SQL.saveDetails) {
            $0.identifier(activation.id)
            $0.blob(sealed)
        }
    }

    // MARK: In other transactions

    /// Adds a new activation, in the transaction of its session.
    static func insert(
        _ activation: DeviceActivation, sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) {
        let sealed = try SealedActivationDetails(activation).sealed(with: sealing, for: activation.id)
        try connection.run(SQL.insert) {
            $0.identifier(activation.id)
            $0.text(activation.clientID.text)
            $0.text(activation.applicationKey)
            $0.identifier(activation.sessionID)
            $0.blob(sealing.blindIndex(activation.target))
            $0.blob(sealed)
            $0.blob(activation.secrets.keys)
            $0.blob(activation.secrets.counter)
            $0.text(activation.standing.status.rawValue)
            $0.text(activation.standing.reason?.rawValue)
            $0.time(activation.standing.since)
            $0.integer(activation.failedAttempts)
            $0.time(activation.createdAt)
            $0.time(activation.lastUsedAt)
        }
    }

    /// Blocks every active activation; returns how many.
    package static func blockAll(
        for reason: DeviceActivation.Reason, at now: Timestamp, _ connection: any Connection
    ) throws(StorageFault) -> Int {
        try connection.run(SQL.blockAll) {
            $0.text(reason.rawValue)
            $0.time(now)
        }
        return connection.changes
    }

    /// Removes the activations of a number or an address, at one tenant or at all of them; returns how many.
    static func erase(
        _ target: [UInt8], at client: ClientID?, _ connection: any Connection
    ) throws(StorageFault) -> Int {
        try connection.run(SQL.erase) {
            $0.blob(target)
            $0.text(client?.text)
        }
        return connection.changes
    }
}
