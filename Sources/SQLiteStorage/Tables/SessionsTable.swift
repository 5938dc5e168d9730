internal import Locks
package import Possession
package import Records

/// Table `sessions` (migration 0001): one sealed record a session (`SessionRecord`), and the columns that are searched.
package final class SessionsTable: SessionStore {
    private enum SQL {
        /// One of the two ids is NULL, and its sub-query then ends at once: one list of columns serves both.
        static let find: StaticString = """
            SELECT rowid, correlation_id, auth_id, client_id, flow_digest, otp_digest, record_sealed FROM sessions
              WHERE rowid = coalesce((SELECT rowid FROM sessions WHERE auth_id = ?1),
                                     (SELECT rowid FROM sessions WHERE correlation_id = ?2))
            """
        static let findFlow: StaticString = "SELECT correlation_id FROM sessions WHERE flow_digest = ?1"
        static let findTarget: StaticString = """
            SELECT correlation_id FROM sessions WHERE number_index = ?1 AND client_id = ?2 AND number_product = ?3
              ORDER BY correlation_id DESC LIMIT 1
            """
        static let findAnswered: StaticString = """
            SELECT s.correlation_id FROM sessions s CROSS JOIN replayed_replies r
              WHERE s.number_index = ?1 AND s.client_id = ?2 AND s.number_product = ?3
                AND r.correlation_id = s.correlation_id AND r.path = ?4 AND r.request_id = ?5
              ORDER BY s.correlation_id DESC LIMIT 1
            """
        static let ofProduct: StaticString = """
            SELECT correlation_id FROM sessions
              WHERE client_id = ?1 AND number_product = ?2 AND correlation_id < ?3
              ORDER BY correlation_id DESC LIMIT ?4
            """
        static let ofTarget: StaticString = """
            SELECT correlation_id FROM sessions
              WHERE client_id = ?1 AND number_product = ?2 AND correlation_id < ?3 AND number_index = ?5
              ORDER BY correlation_id DESC LIMIT ?4
            """
        static let newest: StaticString = """
            SELECT correlation_id FROM sessions ORDER BY correlation_id DESC LIMIT ?1
            """
        static let insert: StaticString = """
            INSERT INTO sessions
              (phase, otp_digest, otp_expires_at_ms, record_sealed, correlation_id, auth_id, client_id, flow_digest,
               number_index, number_product)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """
        static let save: StaticString = """
            UPDATE sessions SET phase = ?1, otp_digest = ?2, otp_expires_at_ms = ?3, record_sealed = ?4 WHERE rowid = ?5
            """
        /// Events, used proofs, answers, messages, links and attempts go with their session.
        static let removeOld: StaticString = """
            DELETE FROM sessions WHERE correlation_id IN
              (SELECT correlation_id FROM sessions WHERE correlation_id < ?1 ORDER BY correlation_id LIMIT ?2)
            """
        /// In the order they were made, so that each is looked at once.
        static let next: StaticString = """
            SELECT correlation_id, phase FROM sessions WHERE correlation_id > ?1 AND correlation_id < ?2
              ORDER BY correlation_id LIMIT ?3
            """
        static let remove: StaticString = "DELETE FROM sessions WHERE correlation_id = ?1 AND phase = 'created'"
        static let nextOfClient: StaticString = """
            SELECT correlation_id, client_id, phase FROM sessions WHERE correlation_id > ?1 AND correlation_id < ?2
              ORDER BY correlation_id LIMIT ?3
            """
        /// The check goes on as it is, late: its session may get another code. No code has the empty digest (OTP-08).
        static let eraseDigests: StaticString = """
            UPDATE sessions SET otp_digest = x''
              WHERE correlation_id IN
                (SELECT correlation_id FROM sessions
                   WHERE otp_digest <> x'' AND otp_expires_at_ms <= ?1 ORDER BY otp_expires_at_ms LIMIT ?2)
            """
    }

    private let database: Database
    private let sealing: Sealing
    private let replies: ReplayedRepliesTable
    /// Where changes put their messages.
    package let outbox: MessagesTable
    private let tallies: TallyRows
    /// Sessions up to this one were looked at by `sweepUnredeemed`.
    private let lookedAt = Locked(CorrelationID(bits: 0))

    /// - Parameters:
    ///   - mostInARow: failures after which a check stops; such a count is kept until it is taken back.
    ///   - holder: names this process, and no other, in the messages that it is to deliver.
    ///   - audit: keeps which checks and prefixes a change has closed.
    package init(
        _ database: Database, sealing: Sealing, mostInARow: Int = Limits.OverSessions().failuresInARow, holder: Int64,
        audit: AuditTable? = nil
    ) {
        self.database = database
        self.sealing = sealing
        outbox = MessagesTable(database, sealing: sealing, holder: holder)
        replies = ReplayedRepliesTable(sealing: sealing)
        tallies = TallyRows(sealing: sealing, mostInARow: mostInARow, audit: audit?.rows)
    }

    package func insert(
        _ session: Session, freshHolderID: HolderID, webhooks: [NewWebhookEvent]
    ) async throws(StorageFault) {
        // The closure gets the rows alone: a copy of the session for the writer counts some 30 references.
        if webhooks.isEmpty, let rows = try NewRows(of: session, sealing) {
            return try await database.transaction { (connection) throws(StorageFault) in try rows.add(connection) }
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
        let rows = try NewRows(of: session, sealing)
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

    /// - Parameter rows: `nil` where the id of the proven person has to be looked up first.
    private func add(
        _ session: Session, _ rows: NewRows?, _ freshHolderID: HolderID, _ connection: Connection
    ) throws(StorageFault) {
        if let rows { return try rows.add(connection) }
        var session = session
        try addIdentity(of: &session, freshHolderID, connection)
        try NewRows(session, sealing).add(connection)
    }

    /// What a new session writes.
    private final class NewRows: Sendable {
        private let row: SessionRow
        private let keys: SearchKeys
        private let events: [SessionEvent]
        private let numberIndex: [UInt8]?
        private let product: ProductName

        /// Sealing costs more than the insert, so it is done before the one writer is asked for, where it can be.
        convenience init?(of session: __shared Session, _ sealing: Sealing) throws(StorageFault) {
            guard session.proof == nil else { return nil }
            try self.init(session, sealing)
        }

        // Shared: what an initialiser owns is copied for it, some 16 references a session.
        init(_ session: __shared Session, _ sealing: Sealing) throws(StorageFault) {
            row = try SessionRow(session, sealing)
            keys = SearchKeys(of: session)
            events = session.newEvents
            numberIndex = session.searchTarget.map { sealing.blindIndex($0) }
            product = session.request.policy.product
        }

        func add(_ connection: Connection) throws(StorageFault) {
            let id = row.record.correlationID
            try connection.run(SQL.insert) {
                row.bind(&$0)
                $0.identifier(id)
                $0.identifier(row.record.authID)
                $0.text(row.record.clientID.text)
                $0.blob(row.record.flowDigest?.bytes)
                $0.blob(numberIndex)
                $0.text(numberIndex == nil ? nil : product.text)
            }
            try keys.add(for: id, connection)
            try SessionEventsTable.append(events, to: id, after: 0, connection)
        }
    }

    package func session(_ key: SessionKey) async throws(StorageFault) -> Session? {
        try await database.read { [self] (connection) throws(StorageFault) in
            try load(key, connection)?.record.session(sealing)
        }
    }

    package func update<R: Sendable>(
        _ key: SessionKey, _ lookup: ChangeInputs, freshHolderID: HolderID,
        _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R? {
        try await database.transaction { [self] (connection) throws(StorageFault) in
            guard let (row, _) = try find(key, lookup, connection) else { return nil }
            return try change(
                try row.record.session(sealing), at: row.rowID, lookup, freshHolderID, rule, connection)
        }
    }

    package func findOrInsert<R: Sendable>(
        _ key: SessionKey, new: Session, goesOn: @escaping @Sendable (Session) -> Bool, _ lookup: ChangeInputs,
        freshHolderID: HolderID, _ rule: @escaping @Sendable (inout SessionChange) -> R
    ) async throws(StorageFault) -> R {
        try await database.transaction { [self] (connection) throws(StorageFault) in
            // Nobody can go on with one that cannot be read, or that an erasure is about to remove.
            if let (row, isAnswered) = try find(key, lookup, connection), let found = try readable(row),
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

    package func unfinishedSessions(
        after: CorrelationID?, from start: Timestamp, before end: Timestamp
    ) async throws(StorageFault) -> UnfinishedSessions {
        let start = max(after ?? CorrelationID(bits: 0), CorrelationID(earliestAt: start))
        let limit = database.limits.rowsPerSweep
        let rows = try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.nextOfClient) {
                $0.identifier(start)
                $0.identifier(CorrelationID(earliestAt: end))
                $0.integer(limit)
            } _: { (row) throws(StorageFault) in
                try FoundSession(&row)
            }
        }
        return UnfinishedSessions(
            rows.filter { !$0.isOver }.compactMap(\.entry), last: rows.compactMap(\.id).last,
            damaged: rows.count { $0.entry == nil })
    }

    package func recentSessions(limit: Int) async throws(StorageFault) -> [Session] {
        try await database.read { [self] (connection) throws(StorageFault) in
            try sessions(
                try connection.all(SQL.newest) {
                    $0.integer(max(0, limit))
                } _: { (row) throws(StorageFault) in
                    try row.identifier("sessions.correlation_id")
                }, connection)
        }
    }

    package func sessions(
        of tenant: ClientID, product: ProductName, target: Target?, before: CorrelationID?, most: Int
    ) async throws(StorageFault) -> [Session] {
        let index = target.map { sealing.blindIndex($0) }
        return try await database.read { [self] (connection) throws(StorageFault) in
            try sessions(
                try connection.all(index == nil ? SQL.ofProduct : SQL.ofTarget) {
                    $0.text(tenant.text)
                    $0.text(product.text)
                    $0.identifier(before ?? CorrelationID(high: .max, low: .max))
                    $0.integer(max(0, most))
                    if let index { $0.blob(index) }
                } _: { (row) throws(StorageFault) in
                    try row.identifier("sessions.correlation_id")
                }, connection)
        }
    }

    /// Those of them that are there and can be read.
    private func sessions(_ ids: [CorrelationID], _ connection: Connection) throws(StorageFault) -> [Session] {
        var sessions: [Session] = []
        for id in ids {
            if let row = try load(.correlation(id), connection), let session = try readable(row) {
                sessions.append(session)
            }
        }
        return sessions
    }

    /// `nil` for one that is damaged.
    private func readable(_ row: StoredSession) throws(StorageFault) -> Session? {
        do throws(StorageFault) { return try row.record.session(sealing) } catch {
            guard case .corrupt = error else { throw error }
            return nil
        }
    }

    package func sweep(sessionsBefore: Timestamp, now: Timestamp) async throws(StorageFault) -> Int {
        let limit = database.limits.rowsPerSweep
        let (removed, isRest) = try await database.transaction { (connection) throws(StorageFault) -> (Int, Bool) in
            let before = connection.totalChanges
            try connection.run(SQL.removeOld) {
                $0.identifier(CorrelationID(earliestAt: sessionsBefore))
                $0.integer(limit)
            }
            let sessions = connection.changes
            try connection.run(SQL.eraseDigests) {
                $0.time(now)
                $0.integer(limit)
            }
            let digests = connection.changes
            let counts = try TallyRows.sweep(upTo: now, limit: limit, connection)
            let kept = try MessagesTable.forgetKept(upTo: now, limit: limit, connection)
            return (connection.totalChanges - before, max(sessions, digests, counts, kept) < limit)
        }
        // Empty the WAL after the last sweep of a round, so that erased data does not remain in it (DAT-05).
        if removed > 0 && isRest { await database.truncateLog() }
        return removed
    }

    package func sweepUnredeemed(before end: Timestamp) async throws(StorageFault) -> Int {
        let bound = CorrelationID(earliestAt: end)
        // A clock that went back: what is made now lies before what was looked at.
        let start = lookedAt.withLock { last in
            last = min(last, bound)
            return last
        }
        let limit = database.limits.rowsPerSweep
        // Read first: most sessions were redeemed, and a look at them must not keep the writer.
        let found = try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.next) {
                $0.identifier(start)
                $0.identifier(bound)
                $0.integer(limit)
            } _: { (row) throws(StorageFault) -> (id: CorrelationID, isNew: Bool) in
                (try row.identifier("sessions.correlation_id"), try row.text("sessions.phase") == "created")
            }
        }
        guard let last = found.last?.id else { return 0 }
        let unredeemed = found.filter(\.isNew).map(\.id)
        if !unredeemed.isEmpty {
            try await database.transaction { (connection) throws(StorageFault) in
                for id in unredeemed { try connection.run(SQL.remove) { $0.identifier(id) } }
            }
        }
        lookedAt.withLock { $0 = max($0, last) }
        return found.count
    }

    // MARK: Parts of an update

    /// - Returns: `nil`: an erasure is about to remove the session.
    private func change<R>(
        _ session: Session, at rowID: Int64, _ lookup: ChangeInputs, _ freshHolderID: HolderID,
        _ rule: (inout SessionChange) -> R, _ connection: Connection
    ) throws(StorageFault) -> R? {
        var change = try prepare(session, lookup, connection)
        let loaded = change
        let result = rule(&change)
        precondition(change.session.correlationID == session.correlationID, "a rule keeps to its session")
        // Its row is about to go: what this change would add must not outlive it.
        if database.erasing.covers(session, becoming: change.session) { return nil }
        try save(change, loaded: session, at: rowID, freshHolderID, connection)
        try saveRest(of: change, loaded: loaded, lookup, connection)
        return result
    }

    /// Stores a new session as the rule leaves it.
    private func start<R>(
        _ new: Session, _ lookup: ChangeInputs, _ freshHolderID: HolderID, _ rule: (inout SessionChange) -> R,
        _ connection: Connection
    ) throws(StorageFault) -> R {
        var change = try prepare(new, isNew: true, lookup, connection)
        let loaded = change
        let result = rule(&change)
        precondition(change.session.correlationID == new.correlationID, "a rule keeps to its session")
        if change.isDropped {
            try tallies.save(change.tallies, connection)
            return result
        }
        var session = change.session
        try addIdentity(of: &session, freshHolderID, connection)
        try NewRows(session, sealing).add(connection)
        try saveRest(of: change, loaded: loaded, lookup, connection)
        return result
    }

    /// Writes what a change has beside its session.
    private func saveRest(
        of change: SessionChange, loaded: SessionChange, _ lookup: ChangeInputs, _ connection: Connection
    ) throws(StorageFault) {
        let id = change.session.correlationID
        if change.deviceKey != loaded.deviceKey, let key = change.deviceKey {
            try DeviceKeysTable.save(key, loaded: loaded.deviceKey, sealing: sealing, connection)
        }
        try tallies.save(change.tallies, connection)
        // Whoever waits waits for the new message, or for none.
        if !change.isNew, change.message != nil || change.session.isDone && !loaded.session.isDone {
            try outbox.forgetKept(of: id, connection)
        }
        if let message = change.message { try outbox.add(message, connection) }
        if let message = lookup.message, let state = change.messageState, state != loaded.messageState {
            try MessagesTable.settle(message, of: id, as: state, connection)
        }
        if let message = lookup.message, let end = change.messageEnd, end != loaded.messageEnd {
            try MessagesTable.end(message, of: id, as: end, connection)
        }
        try WebhookEventsTable.add(change.webhooks, sealing: sealing, connection)
        if let reply = change.reply, let retry = lookup.retry {
            try replies.save(reply, retry, of: id, connection)
        }
    }

    private func load(_ key: SessionKey, _ connection: Connection) throws(StorageFault) -> StoredSession? {
        let authID: AuthID?
        let correlationID: CorrelationID?
        switch key {
        case .auth(let id): (authID, correlationID) = (id, nil)
        case .correlation(let id): (authID, correlationID) = (nil, id)
        case .link(let digest): (authID, correlationID) = (nil, try SessionLinksTable.session(of: digest, connection))
        case .attempt(let id): (authID, correlationID) = (nil, try MobileAuthAttemptsTable.session(of: id, connection))
        case .flow(let digest): (authID, correlationID) = (nil, try find(digest, connection))
        case .target(let client, let product, let target):
            (authID, correlationID) = (nil, try find(target, product, of: client, connection))
        }
        return try connection.first(SQL.find) {
            $0.identifier(authID)
            $0.identifier(correlationID)
        } _: { (row) throws(StorageFault) in
            try StoredSession(&row)
        }
    }

    private func find(
        _ target: Target, _ product: ProductName, of client: ClientID, _ connection: Connection
    ) throws(StorageFault) -> CorrelationID? {
        try connection.first(SQL.findTarget) {
            $0.blob(sealing.blindIndex(target))
            $0.text(client.text)
            $0.text(product.text)
        } _: { (row) throws(StorageFault) in
            try row.identifier("sessions.correlation_id")
        }
    }

    private func find(_ flow: FlowDigest, _ connection: Connection) throws(StorageFault) -> CorrelationID? {
        try connection.first(SQL.findFlow) {
            $0.blob(flow.bytes)
        } _: { (row) throws(StorageFault) in
            try row.identifier("sessions.correlation_id")
        }
    }

    /// The session at a key for a call, and whether it has kept the answer to the call.
    private func find(
        _ key: SessionKey, _ lookup: ChangeInputs, _ connection: Connection
    ) throws(StorageFault) -> (StoredSession, isAnswered: Bool)? {
        if let row = try answered(key, lookup, connection) { return (row, true) }
        return try load(key, connection).map { ($0, false) }
    }

    /// The newest session at a target that has kept the answer to the call.
    private func answered(
        _ key: SessionKey, _ lookup: ChangeInputs, _ connection: Connection
    ) throws(StorageFault) -> StoredSession? {
        guard case .target(let client, let product, let target) = key, let retry = lookup.retry,
            let isAnswer = lookup.isAnswer
        else { return nil }
        let id: CorrelationID? = try connection.first(SQL.findAnswered) {
            $0.blob(sealing.blindIndex(target))
            $0.text(client.text)
            $0.text(product.text)
            $0.text(retry.path)
            $0.text(retry.requestID)
        } _: { (row) throws(StorageFault) in
            try row.identifier("sessions.correlation_id")
        }
        guard let id, let row = try load(.correlation(id), connection), let session = try readable(row),
            let reply = try replies.find(retry, of: session, connection), isAnswer(reply)
        else { return nil }
        return row
    }

    private func earlierReply(
        _ retry: RetryKey?, of session: Session, _ connection: Connection
    ) throws(StorageFault) -> KeptReply? {
        guard let retry else { return nil }
        return try replies.find(retry, of: session, connection)
    }

    private func prepare(
        _ session: Session, isNew: Bool = false, _ lookup: ChangeInputs, _ connection: Connection
    ) throws(StorageFault) -> SessionChange {
        var use = ProofUse.new
        // A stranger's proof is refused anyway, and must not use up what the session's own client may spend.
        if let proof = lookup.proof, session.mayAdmit(proof.thumbprint) {
            use = try UsedProofsTable.use(proof, of: session.authID, isLook: lookup.isLook, connection)
        }
        var key: DeviceKey?
        if let thumbprint = lookup.thumbprint ?? session.device.pendingThumbprint {
            key = try DeviceKeysTable.find(thumbprint, of: session.clientID, sealing: sealing, connection)
        }
        // No statement where no limits hold.
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
            earlierReply: isNew ? nil : try earlierReply(lookup.retry, of: session, connection),
            tallies: counted ?? LimitTallies(), messageState: message?.state, messageEnd: message?.end,
            messageGateway: message?.gateway, messageChannel: message?.channel, keptMessage: kept)
    }

    /// Writes the session if the rule changed it.
    private func save(
        _ change: SessionChange, loaded: Session, at rowID: Int64, _ freshHolderID: HolderID, _ connection: Connection
    ) throws(StorageFault) {
        guard change.session != loaded else { return }
        var session = change.session
        try addIdentity(of: &session, freshHolderID, connection)
        let row = try SessionRow(session, sealing)
        try connection.run(SQL.save) {
            row.bind(&$0)
            $0.integer(rowID)
        }
        try SearchKeys(of: session, since: SearchKeys(of: loaded)).add(for: session.correlationID, connection)
        try SessionEventsTable.append(
            session.newEvents, to: session.correlationID, after: session.storedEventCount, connection)
    }

    private func addIdentity(
        of session: inout Session, _ fresh: HolderID, _ connection: Connection
    ) throws(StorageFault) {
        // An address that was proven is nobody's identity.
        guard let number = session.proof?.number, session.holderID == nil else { return }
        session.holderID = try IdentitiesTable.findOrAdd(
            number, of: session.clientID, fresh: fresh, sealing: sealing, connection)
    }
}

/// What a session writes at each change.
private struct SessionRow {
    let record: SessionRecord
    private let phase: String
    private let otpExpiresAt: Timestamp?

    init(_ session: __shared Session, _ sealing: Sealing) throws(StorageFault) {
        record = try SessionRecord(session, sealing)
        phase = session.phase.word
        otpExpiresAt = session.otp.expiresAt
    }

    /// `phase` to `record_sealed`.
    func bind(_ values: inout Parameters) {
        values.text(phase)
        values.blob(record.otpDigest?.bytes)
        values.time(otpExpiresAt)
        values.blob(record.sealed)
    }
}

extension Session.Phase {
    fileprivate var word: String {
        switch self {
        case .created: "created"
        case .active: "active"
        case .done: "done"
        }
    }
}

/// What else a session is found by. A new link or attempt finds it from now on; the older ones still do.
private struct SearchKeys {
    private var link: LinkDigest?
    private var attempt: AttemptID?

    init(of session: Session) {
        link = session.link.digest
        attempt = session.mobileAuth.attempt
    }

    /// Those that `earlier` does not have.
    init(of session: Session, since earlier: SearchKeys) {
        self.init(of: session)
        if link == earlier.link { link = nil }
        if attempt == earlier.attempt { attempt = nil }
    }

    func add(for id: CorrelationID, _ connection: Connection) throws(StorageFault) {
        if let link { try SessionLinksTable.add(link, of: id, connection) }
        if let attempt { try MobileAuthAttemptsTable.add(attempt, of: id, connection) }
    }
}

extension DeviceCheck {
    fileprivate var pendingThumbprint: Thumbprint? {
        if case .pending(let key) = state { key.thumbprint } else { nil }
    }
}

extension CorrelationID {
    /// Not above any id made at `time` or later (RFC 9562 section 5.7: 48 bits of milliseconds first).
    fileprivate init(earliestAt time: Timestamp) {
        self.init(bits: UInt128(UInt64(clamping: time.milliseconds) & 0xFFFF_FFFF_FFFF) << 80)
    }
}

/// What stands in plain columns of a session that may have to be ended; a row that is damaged hides no other.
private struct FoundSession {
    private(set) var id: CorrelationID?
    private(set) var entry: UnfinishedSessions.Entry?
    private(set) var isOver = false

    init(_ row: inout Row) throws(StorageFault) {
        do throws(StorageFault) {
            let id: CorrelationID = try row.identifier("sessions.correlation_id")
            self.id = id
            let client = try row.clientID("sessions.client_id")
            isOver = try row.text("sessions.phase") == "done"
            entry = UnfinishedSessions.Entry(id: id, client: client)
        } catch {
            guard case .corrupt = error else { throw error }
        }
    }
}
