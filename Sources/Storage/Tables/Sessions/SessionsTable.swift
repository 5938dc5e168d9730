internal import Locks
package import Engine
package import Possession
package import Records

/// Table `sessions` (migration 0001): one sealed record for each session (`SessionRecord`), and the columns that are
/// searched.
package final class SessionsTable: SessionStore {
    private enum SQL {
        /// One of the two IDs is NULL, and its sub-query then ends at once: one list of columns serves both.
        /// In SQLite the place of the row (`rowid`) saves `save` a look-up.
        static let find = Statement(
            """
            SELECT rowid, correlation_id, auth_id, client_id,
                   (SELECT key_digest FROM session_keys k
                      WHERE k.correlation_id = s.correlation_id AND k.kind = 'flow'),
                   otp_digest, record_sealed FROM sessions s
              WHERE rowid = coalesce((SELECT rowid FROM sessions WHERE auth_id = ?1),
                                     (SELECT rowid FROM sessions WHERE correlation_id = ?2))
            """,
            postgres: """
                SELECT 0, correlation_id, auth_id, client_id,
                       (SELECT key_digest FROM session_keys k
                          WHERE k.correlation_id = s.correlation_id AND k.kind = 'flow'),
                       otp_digest, record_sealed FROM sessions s
                  WHERE correlation_id = coalesce((SELECT correlation_id FROM sessions WHERE auth_id = ?1), ?2)
                """)
        static let save = Statement(
            """
            UPDATE sessions SET phase = ?1, otp_digest = ?2, otp_expires_at_ms = ?3, record_sealed = ?4
              WHERE rowid = ?5 AND correlation_id = ?6
            """,
            postgres: """
                UPDATE sessions SET phase = ?1, otp_digest = ?2, otp_expires_at_ms = ?3, record_sealed = ?4
                  WHERE correlation_id = ?6
                """)
    }

    let database: Database
    let sealing: Sealing
    let keys: SessionKeysTable
    private let replies: ReplayedRepliesTable
    /// Stores the messages of changes.
    package let outbox: MessagesTable
    private let tallies: TallyRows
    /// `sweepUnredeemed` has checked the sessions up to this one.
    let lookedAt = Locked(CorrelationID(bits: 0))

    /// - Parameters:
    ///   - limits: determine when counts end.
    ///   - holder: identifies this process in the messages that it delivers.
    ///   - audit: records which checks and prefixes a change has closed.
    package init(
        _ database: Database, sealing: Sealing, limits: LiveLimits = LiveLimits(Limits.OverSessions()), holder: Int64,
        audit: AuditTable? = nil
    ) {
        self.database = database
        self.sealing = sealing
        keys = SessionKeysTable(sealing: sealing)
        outbox = MessagesTable(database, sealing: sealing, holder: holder)
        replies = ReplayedRepliesTable(sealing: sealing)
        tallies = TallyRows(sealing: sealing, limits: limits, audit: audit?.rows)
    }

    package func insert(
        _ session: Session, freshHolderID: HolderID, webhooks: [NewWebhookEvent]
    ) async throws(StorageFault) {
        // The closure captures only the rows: a copy of the session for the writer counts about 30 references.
        if webhooks.isEmpty, let rows = try NewSessionRows(of: session, sealing) {
            return try await database.transaction(isBlind: true) { (connection) throws(StorageFault) in
                try rows.add(connection)
            }
        }
        try await database.transaction { [self] (connection) throws(StorageFault) in
            try add(session, nil, freshHolderID, connection)
            try WebhookEventsTable.add(webhooks, sealing: sealing, connection)
        }
    }

    package func insert(
        _ session: Session, freshHolderID: HolderID, webhooks: [NewWebhookEvent], counting keys: [LimitKey],
        _ rule: @escaping @Sendable (inout LimitTallies) -> LimitHit?
    ) async throws(StorageFault) -> LimitHit? {
        let rows = try NewSessionRows(of: session, sealing)
        return try await database.transaction { [self] (connection) throws(StorageFault) in
            var counted = try tallies.load(keys, connection)
            let hit = rule(&counted)
            try tallies.save(counted, connection)
            if hit == nil {
                try add(session, rows, freshHolderID, connection)
                try WebhookEventsTable.add(webhooks, sealing: sealing, connection)
            }
            return hit
        }
    }

    /// - Parameter rows: `nil` if the ID of the proven person must be looked up first.
    private func add(
        _ session: Session, _ rows: NewSessionRows?, _ freshHolderID: HolderID, _ connection: any Connection
    ) throws(StorageFault) {
        if let rows { return try rows.add(connection) }
        var session = session
        try addIdentity(of: &session, freshHolderID, connection)
        try NewSessionRows(session, sealing).add(connection)
    }

    package func session(_ key: SessionKey, in fence: SessionFence) async throws(StorageFault) -> Session? {
        try await database.read { [self] (connection) throws(StorageFault) in
            try load(key, in: fence, connection).flatMap { (row) throws(StorageFault) in
                try row.session(sealing, in: fence)
            }
        }
    }

    package func update<R: Sendable>(
        _ key: SessionKey, in fence: SessionFence, _ lookup: ChangeInputs, freshHolderID: HolderID,
        _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R? {
        if let message = lookup.message { await outbox.finishNotes(of: message) }
        return try await database.transaction { [self] (connection) throws(StorageFault) in
            guard let (row, _) = try find(key, in: fence, lookup, connection),
                let found = try row.session(sealing, in: fence)
            else { return nil }
            return try change(found, at: row.rowID, lookup, freshHolderID, rule, connection)
        }
    }

    package func findOrInsert<R: Sendable>(
        _ key: SessionKey, new: Session, goesOn: @escaping @Sendable (Session) -> Bool, _ lookup: ChangeInputs,
        freshHolderID: HolderID, _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R {
        try await database.transaction(locking: keys.lock(of: key, in: new.fence)) {
            [self] (connection) throws(StorageFault) in
            // A session that cannot be read, or that an erasure is about to remove, cannot be continued.
            if let (row, isAnswered) = try find(key, in: new.fence, lookup, connection),
                let found = try readable(row, in: new.fence),
                isAnswered || goesOn(found),
                let result = try change(found, at: row.rowID, lookup, freshHolderID, rule, connection)
            {
                return result
            }
            return try start(new, lookup, freshHolderID, rule, connection)
        }
    }

    package func events(of id: CorrelationID) async throws(StorageFault) -> [SessionEvent] {
        try await database.read { (connection) throws(StorageFault) in try SessionEventsTable.all(of: id, connection) }
    }

    /// Returns `nil` for a session that is damaged or outside of the fence.
    func readable(_ row: StoredSession, in fence: SessionFence = .all) throws(StorageFault) -> Session? {
        do throws(StorageFault) { return try row.session(sealing, in: fence) } catch {
            guard case .corrupt = error else { throw error }
            return nil
        }
    }

    // MARK: Parts of an update

    /// - Returns: `nil`: an erasure is about to remove the session.
    private func change<R>(
        _ session: Session, at rowID: Int64, _ lookup: ChangeInputs, _ freshHolderID: HolderID,
        _ rule: (inout SessionChange) -> R, _ connection: any Connection
    ) throws(StorageFault) -> R? {
        var change = try prepare(session, lookup, connection)
        let loaded = change.withoutTallies
        let result = rule(&change)
        precondition(change.session.correlationID == session.correlationID, "a rule keeps to its session")
        // Its row is about to be removed: data added by this change must not remain.
        if database.erasing.covers(session, becoming: change.session, sealing) { return nil }
        try save(change, loaded: session, at: rowID, freshHolderID, connection)
        try saveRest(of: change, loaded: loaded, lookup, connection)
        return result
    }

    /// Stores a new session with the changes of the rule.
    private func start<R>(
        _ new: Session, _ lookup: ChangeInputs, _ freshHolderID: HolderID, _ rule: (inout SessionChange) -> R,
        _ connection: any Connection
    ) throws(StorageFault) -> R {
        var change = try prepare(new, isNew: true, lookup, connection)
        let loaded = change.withoutTallies
        let result = rule(&change)
        precondition(change.session.correlationID == new.correlationID, "a rule keeps to its session")
        if change.isDropped {
            try tallies.save(change.tallies, connection)
            return result
        }
        var session = change.session
        try addIdentity(of: &session, freshHolderID, connection)
        try NewSessionRows(session, sealing, names: change.names).add(connection)
        try saveRest(of: change, loaded: loaded, lookup, connection)
        return result
    }

    /// Writes the parts of a change outside its session.
    private func saveRest(
        of change: SessionChange, loaded: SessionChange, _ lookup: ChangeInputs, _ connection: any Connection
    ) throws(StorageFault) {
        let id = change.session.correlationID
        if change.deviceKey != loaded.deviceKey, let key = change.deviceKey {
            try DeviceKeysTable.save(key, loaded: loaded.deviceKey, sealing: sealing, connection)
        }
        if let activation = change.activation {
            precondition(
                activation.sessionID == id && activation.clientID == change.session.clientID,
                "an activation is of the session that makes it")
            try ActivationsTable.insert(activation, sealing: sealing, connection)
        }
        try tallies.save(change.tallies, connection)
        // The person waits for the new message, or, when the session is done, for none.
        if !change.isNew, change.message != nil || change.session.isDone && !loaded.session.isDone {
            try outbox.forgetKept(of: id, connection)
        }
        if let message = change.message { try outbox.add(message, connection) }
        if let message = lookup.message, let state = change.messageState, state != loaded.messageState {
            try MessagesTable.finish(message, of: id, as: state, after: change.messageRefusals, connection)
        }
        if let message = lookup.message, let end = change.messageEnd,
            end != loaded.messageEnd || change.messageGateway != loaded.messageGateway
        {
            try MessagesTable.end(message, of: id, as: end, by: change.messageGateway, connection)
        } else if let message = lookup.message, !change.messageAwaitsReceipt, loaded.messageAwaitsReceipt {
            try MessagesTable.noteHeard(message, of: id, connection)
        }
        try WebhookEventsTable.add(change.webhooks, sealing: sealing, connection)
        if let reply = change.reply, let retry = lookup.retry {
            try replies.save(reply, retry, of: id, connection)
        }
    }

    func load(
        _ key: SessionKey, in fence: SessionFence, _ connection: any Connection
    ) throws(StorageFault) -> StoredSession? {
        let authID: AuthID?
        let correlationID: CorrelationID?
        switch key {
        case .auth(let id): (authID, correlationID) = (id, nil)
        case .correlation(let id): (authID, correlationID) = (nil, id)
        case .named(let name): (authID, correlationID) = (nil, try keys.session(name, in: fence, connection))
        }
        return try connection.first(SQL.find.locking) {
            $0.identifier(authID)
            $0.identifier(correlationID)
        } _: { (row) throws(StorageFault) in
            try StoredSession(&row)
        }
    }

    /// The session with a key for a call, and whether it has kept the answer to the call.
    private func find(
        _ key: SessionKey, in fence: SessionFence, _ lookup: ChangeInputs, _ connection: any Connection
    ) throws(StorageFault) -> (StoredSession, isAnswered: Bool)? {
        if let row = try answered(key, in: fence, lookup, connection) { return (row, true) }
        return try load(key, in: fence, connection).map { ($0, false) }
    }

    /// The newest session of a shared name that has kept the answer to the call.
    private func answered(
        _ key: SessionKey, in fence: SessionFence, _ lookup: ChangeInputs, _ connection: any Connection
    ) throws(StorageFault) -> StoredSession? {
        guard case .named(let name) = key, name.kind.isShared, let retry = lookup.retry, let isAnswer = lookup.isAnswer,
            let id = try keys.answered(name, in: fence, retry, connection),
            let row = try load(.correlation(id), in: fence, connection), let session = try readable(row, in: fence),
            let reply = try replies.find(retry, of: session, connection), isAnswer(reply)
        else { return nil }
        return row
    }

    private func earlierReply(
        _ retry: RetryKey?, of session: Session, _ connection: any Connection
    ) throws(StorageFault) -> KeptReply? {
        guard let retry else { return nil }
        return try replies.find(retry, of: session, connection)
    }

    private func prepare(
        _ session: Session, isNew: Bool = false, _ lookup: ChangeInputs, _ connection: any Connection
    ) throws(StorageFault) -> SessionChange {
        let thumbprint = lookup.thumbprint ?? session.device.pendingThumbprint
        try connection.readAhead { (ahead) throws(StorageFault) in
            _ = try useProof(of: lookup, session, ahead)
            if let thumbprint {
                // The tallies that the rule needs may depend on the key.
                _ = try DeviceKeysTable.find(thumbprint, of: session.clientID, sealing: sealing, ahead)
            } else {
                _ = try read(session, isNew: isNew, nil, .new, lookup, ahead)
            }
        }
        let use = try useProof(of: lookup, session, connection)
        let key = try thumbprint.flatMap { (thumbprint) throws(StorageFault) in
            try DeviceKeysTable.find(thumbprint, of: session.clientID, sealing: sealing, connection)
        }
        if thumbprint != nil {
            try connection.readAhead { (ahead) throws(StorageFault) in
                _ = try read(session, isNew: isNew, key, use, lookup, ahead)
            }
        }
        return try read(session, isNew: isNew, key, use, lookup, connection)
    }

    private func useProof(
        of lookup: ChangeInputs, _ session: Session, _ connection: any Connection
    ) throws(StorageFault) -> ProofUse {
        // A proof by another key is refused anyway, and must not use up the limit of the session's own client.
        guard let proof = lookup.proof, session.mayAdmit(proof.thumbprint) else { return .new }
        return try UsedProofsTable.use(proof, of: session.authID, isRead: lookup.isRead, connection)
    }

    /// Reads the inputs of a rule, other than the session and its device key. No read depends on another one.
    private func read(
        _ session: Session, isNew: Bool, _ key: DeviceKey?, _ use: ProofUse, _ lookup: ChangeInputs,
        _ connection: any Connection
    ) throws(StorageFault) -> SessionChange {
        // Runs no statement if no limits apply.
        let counted = try lookup.limitKeys.map { (keys) throws(StorageFault) in
            try tallies.load(keys(session, key), connection)
        }
        let message = try lookup.message.flatMap { (id) throws(StorageFault) in
            try MessagesTable.standing(of: id, of: session.correlationID, connection)
        }
        var kept: OutboundMessage?
        if lookup.wantsKeptMessage, let id = lookup.message {
            kept = try outbox.kept(id, of: session.correlationID, connection)
        }
        return SessionChange(
            session: session, isNew: isNew, deviceKey: key, proof: use,
            tenantIsRevoked: try TenantsTable.isRevoked(session.clientID, connection),
            tenantRules: lookup.wantsTenantRules ? try TenantsTable.rules(of: session.clientID, connection) : nil,
            isKnownTarget: try lookup.knownTarget?(session).map { (target) throws(StorageFault) in
                try IdentitiesTable.knows(target, of: session.clientID, sealing: sealing, connection)
            } ?? false,
            tenantCount: lookup.wantsTenantCount ? try TenantsTable.count(connection) : 1,
            earlierReply: isNew ? nil : try earlierReply(lookup.retry, of: session, connection),
            tallies: counted ?? LimitTallies(), messageState: message?.state, messageEnd: message?.end,
            messageAwaitsReceipt: message?.awaitsReceipt ?? false, messageGateway: message?.gateway,
            messageChannel: message?.channel, keptMessage: kept)
    }

    /// Writes the session if the rule changed it, and its new names.
    private func save(
        _ change: SessionChange, loaded: Session, at rowID: Int64, _ freshHolderID: HolderID,
        _ connection: any Connection
    ) throws(StorageFault) {
        var names = change.names
        if change.session != loaded {
            var session = change.session
            try addIdentity(of: &session, freshHolderID, connection)
            let row = try SessionRow(session, sealing)
            try connection.run(SQL.save) {
                row.bind(&$0)
                $0.integer(rowID)
                $0.identifier(session.correlationID)
            }
            try SessionEventsTable.append(
                session.newEvents, to: session.correlationID, after: session.storedEventCount, connection)
            names += session.names(since: loaded)
        }
        try SessionKeysTable.add(keys.keys(names, of: loaded), of: loaded.correlationID, connection)
    }

    private func addIdentity(
        of session: inout Session, _ fresh: HolderID, _ connection: any Connection
    ) throws(StorageFault) {
        // A proven e-mail address belongs to no identity.
        guard let number = session.proof?.number, session.holderID == nil else { return }
        session.holderID = try IdentitiesTable.findOrAdd(
            number, of: session.clientID, fresh: fresh, isProven: session.proof?.isOfPerson ?? false, sealing: sealing,
            connection)
    }
}

extension DeviceCheck {
    fileprivate var pendingThumbprint: Thumbprint? {
        if case .pending(let key) = state { key.thumbprint } else { nil }
    }
}

extension SessionChange {
    /// For comparison: parts that track their own changes are counted in place, not in a copy.
    fileprivate var withoutTallies: SessionChange {
        var change = self
        change.tallies = LimitTallies()
        return change
    }
}
