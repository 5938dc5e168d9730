internal import Locks
package import Possession

/// Table `sessions` (migrations 0001, 0006, 0008, 0010 and 0015): its SQL and its methods; its rows are in `SessionRow`.
package struct SessionsTable: SessionStore {
    private enum SQL {
        /// One of the two ids is NULL, and its sub-query then ends at once: one list of columns serves both.
        static let find: StaticString = """
            SELECT correlation_id, auth_id, client_id, created_at_ms, expires_at_ms,
                   flow, product, allow_otp_retry, rebind, check_reputation, mobile_auth, allow_phone_change,
                   link_match_code, link_same_address, subject_sealed,
                   phase, step, outcome, ended_at_ms, revision, binding, binding_thumbprint,
                   platform, declared_device_key, cellular, test_mode, fallback, app_hash, mobile_auth_return_url,
                   device_state, device_challenge, device_challenge_expires_at_ms, pending_thumbprint,
                   pending_public_key, device_challenges_left, device_retired,
                   otp_state, otp_digest, otp_expires_at_ms, otp_code_length, otp_attempts_left, sends_left,
                   entries_left, bind_tries_left, proof_method, proven_at_ms, prove_id, event_count,
                   link_check, mobile_auth_check, risk_reasons, prefill_check, key_finding, flow_digest
              FROM sessions
              WHERE rowid = coalesce((SELECT rowid FROM sessions WHERE auth_id = ?1),
                                     (SELECT rowid FROM sessions WHERE correlation_id = ?2))
            """
        static let findFlow: StaticString = "SELECT correlation_id FROM sessions WHERE flow_digest = ?1"
        static let newest: StaticString = """
            SELECT correlation_id FROM sessions ORDER BY correlation_id DESC LIMIT ?1
            """
        static let insert: StaticString = """
            INSERT INTO sessions
              (correlation_id, auth_id, client_id, created_at_ms, expires_at_ms,
               flow, product, allow_otp_retry, rebind, check_reputation, mobile_auth, allow_phone_change,
               link_match_code, link_same_address, subject_sealed,
               phase, step, outcome, ended_at_ms, revision, binding, binding_thumbprint,
               platform, declared_device_key, cellular, test_mode, fallback, app_hash, mobile_auth_return_url,
               device_state, device_challenge, device_challenge_expires_at_ms, pending_thumbprint,
               pending_public_key, device_challenges_left, device_retired,
               otp_state, otp_digest, otp_expires_at_ms, otp_code_length, otp_attempts_left, sends_left,
               entries_left, bind_tries_left, proof_method, proven_at_ms, prove_id, event_count,
               link_check, mobile_auth_check, risk_reasons, prefill_check, key_finding, flow_digest)
              VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                      ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40,
                      ?41, ?42, ?43, ?44, ?45, ?46, ?47, ?48, ?49, ?50, ?51, ?52, ?53, ?54)
            """
        static let save: StaticString = """
            UPDATE sessions SET
              subject_sealed = ?1, phase = ?2, step = ?3, outcome = ?4, ended_at_ms = ?5, revision = ?6, binding = ?7,
              binding_thumbprint = ?8, platform = ?9, declared_device_key = ?10, cellular = ?11, test_mode = ?12,
              fallback = ?13, app_hash = ?14, mobile_auth_return_url = ?15, device_state = ?16,
              device_challenge = ?17, device_challenge_expires_at_ms = ?18, pending_thumbprint = ?19,
              pending_public_key = ?20, device_challenges_left = ?21, device_retired = ?22, otp_state = ?23,
              otp_digest = ?24, otp_expires_at_ms = ?25, otp_code_length = ?26, otp_attempts_left = ?27,
              sends_left = ?28, entries_left = ?29, bind_tries_left = ?30, proof_method = ?31, proven_at_ms = ?32,
              prove_id = ?33, event_count = ?34, link_check = ?35, mobile_auth_check = ?36, risk_reasons = ?37,
              prefill_check = ?38, key_finding = ?39
              WHERE correlation_id = ?40
            """
        /// Events, used proofs, answers, links and attempts go with their session.
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
    private let answers: ReplayedAnswersTable
    private let tallies: TallyRows
    /// Sessions up to this one were looked at by `sweepUnredeemed`.
    private let lookedAt = Locked(CorrelationID(bits: 0))

    /// - Parameter mostInARow: failures after which a check stops; such a count is kept until it is taken back.
    package init(_ database: Database, sealing: Sealing, mostInARow: Int = Limits.OverSessions().failuresInARow) {
        self.database = database
        self.sealing = sealing
        answers = ReplayedAnswersTable(sealing: sealing)
        tallies = TallyRows(sealing: sealing, mostInARow: mostInARow)
    }

    package func insert(_ session: Session, freshProveID: ProveID) async throws(StorageFault) {
        // Sealing and putting the row together cost more than the insert, so both are done before the one writer is asked
        // for. Only the id of a proven person has to be looked up first.
        let sealed = try SealedSubject(of: session).sealed(with: sealing, for: session.correlationID)
        guard session.proof == nil else {
            return try await database.transaction { (connection) throws(StorageFault) in
                var session = session
                try addIdentity(of: &session, freshProveID, connection)
                try NewRows(of: session, sealed).add(connection)
            }
        }
        let rows = try NewRows(of: session, sealed)
        try await database.transaction { (connection) throws(StorageFault) in try rows.add(connection) }
    }

    package func insert(
        _ session: Session, freshProveID: ProveID, counting keys: [LimitKey],
        _ rule: @escaping @Sendable (inout LimitTallies) -> LimitHit?
    ) async throws(StorageFault) -> LimitHit? {
        let sealed = try SealedSubject(of: session).sealed(with: sealing, for: session.correlationID)
        return try await database.transaction { (connection) throws(StorageFault) in
            var counted = try tallies.load(keys, connection)
            let hit = rule(&counted)
            try tallies.save(counted, connection)
            if let hit { return hit }
            var session = session
            try addIdentity(of: &session, freshProveID, connection)
            try NewRows(of: session, sealed).add(connection)
            return nil
        }
    }

    /// What a new session writes.
    private struct NewRows {
        private let id: CorrelationID
        private let row: SessionRow
        private let keys: SearchKeys
        private let events: [SessionEvent]

        init(of session: Session, _ sealed: [UInt8]?) throws(StorageFault) {
            id = session.correlationID
            row = try SessionRow(session, sealed)
            keys = SearchKeys(of: session)
            events = session.newEvents
        }

        func add(_ connection: Connection) throws(StorageFault) {
            try connection.run(SQL.insert) { row.bind(&$0) }
            try keys.add(for: id, connection)
            try SessionEventsTable.append(events, to: id, after: 0, connection)
        }
    }

    package func session(_ key: SessionKey) async throws(StorageFault) -> Session? {
        try await database.read { (connection) throws(StorageFault) in
            try load(key, connection)?.session(sealing)
        }
    }

    package func update<R: Sendable>(
        _ key: SessionKey, _ lookup: SessionLookup, freshProveID: ProveID,
        _ rule: @escaping @Sendable (inout SessionUnit) -> R
    ) async throws(StorageFault) -> R? {
        try await database.transaction { (connection) throws(StorageFault) in
            try change(key, lookup, freshProveID, rule, connection)
        }
    }

    package func events(of id: CorrelationID) async throws(StorageFault) -> [SessionEvent] {
        try await database.read { (connection) throws(StorageFault) in try SessionEventsTable.all(of: id, connection) }
    }

    package func recentSessions(limit: Int) async throws(StorageFault) -> [Session] {
        try await database.read { (connection) throws(StorageFault) in
            let ids: [CorrelationID] = try connection.all(SQL.newest) {
                $0.integer(max(0, limit))
            } _: { (row) throws(StorageFault) in
                try row.identifier("sessions.correlation_id")
            }
            var sessions: [Session] = []
            for id in ids {
                if let row = try load(.correlation(id), connection) { sessions.append(try row.session(sealing)) }
            }
            return sessions
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
            return (connection.totalChanges - before, max(sessions, digests, counts) < limit)
        }
        // Once, at the end of a round: what was erased shall not live on in the WAL (DAT-05).
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

    private func change<R>(
        _ key: SessionKey, _ lookup: SessionLookup, _ freshProveID: ProveID, _ rule: (inout SessionUnit) -> R,
        _ connection: Connection
    ) throws(StorageFault) -> R? {
        guard let row = try load(key, connection) else { return nil }
        let session = try row.session(sealing)
        var unit = try unit(session, lookup, connection)
        let loadedKey = unit.deviceKey
        let result = rule(&unit)
        precondition(unit.session.correlationID == session.correlationID, "a rule keeps to its session")
        // Its row is about to go: what this change would add must not outlive it.
        if database.erasing.covers(session, becoming: unit.session) { return nil }
        try save(unit, loaded: session, sealed: row.subjectSealed, freshProveID, connection)
        if unit.deviceKey != loadedKey, let key = unit.deviceKey {
            try DeviceKeysTable.save(key, loaded: loadedKey, sealing: sealing, connection)
        }
        try tallies.save(unit.tallies, connection)
        if let answer = unit.answer, let retry = lookup.retry {
            try answers.save(answer, retry, of: session.correlationID, connection)
        }
        return result
    }

    private func load(_ key: SessionKey, _ connection: Connection) throws(StorageFault) -> SessionRow? {
        let authID: AuthID?
        let correlationID: CorrelationID?
        switch key {
        case .auth(let id): (authID, correlationID) = (id, nil)
        case .correlation(let id): (authID, correlationID) = (nil, id)
        case .link(let digest): (authID, correlationID) = (nil, try SessionLinksTable.session(of: digest, connection))
        case .attempt(let id): (authID, correlationID) = (nil, try MobileAuthAttemptsTable.session(of: id, connection))
        case .flow(let digest): (authID, correlationID) = (nil, try find(digest, connection))
        }
        return try connection.first(SQL.find) {
            $0.identifier(authID)
            $0.identifier(correlationID)
        } _: { (row) throws(StorageFault) in
            try SessionRow(&row)
        }
    }

    private func find(_ flow: FlowDigest, _ connection: Connection) throws(StorageFault) -> CorrelationID? {
        try connection.first(SQL.findFlow) {
            $0.blob(flow.bytes)
        } _: { (row) throws(StorageFault) in
            try row.identifier("sessions.correlation_id")
        }
    }

    private func unit(
        _ session: Session, _ lookup: SessionLookup, _ connection: Connection
    ) throws(StorageFault) -> SessionUnit {
        var use = ProofUse.new
        // A stranger's proof is refused anyway, and must not use up what the session's own client may spend.
        if let proof = lookup.proof, session.mayAdmit(proof.thumbprint) {
            use = try UsedProofsTable.use(proof, of: session.authID, isLook: lookup.isLook, connection)
        }
        var earlier: StoredAnswer?
        if let retry = lookup.retry { earlier = try answers.find(retry, of: session.correlationID, connection) }
        var key: DeviceKey?
        if let thumbprint = lookup.thumbprint ?? session.device.pendingThumbprint {
            key = try DeviceKeysTable.find(thumbprint, of: session.clientID, sealing: sealing, connection)
        }
        // No statement where no limits hold.
        let counted = try lookup.limitKeys.map { (keys) throws(StorageFault) in
            try tallies.load(keys(session, key), connection)
        }
        return SessionUnit(
            session: session, deviceKey: key, proof: use,
            tenantIsRevoked: try TenantsTable.isRevoked(session.clientID, connection), earlierAnswer: earlier,
            tallies: counted ?? LimitTallies())
    }

    /// Writes the session if the rule changed it; the sealed record anew only if something in it changed.
    private func save(
        _ unit: SessionUnit, loaded: Session, sealed: [UInt8]?, _ freshProveID: ProveID, _ connection: Connection
    ) throws(StorageFault) {
        guard unit.session != loaded else { return }
        var session = unit.session
        try addIdentity(of: &session, freshProveID, connection)
        let subject = SealedSubject(of: session)
        var sealed = sealed
        if subject != SealedSubject(of: loaded) {
            sealed = try subject.sealed(with: sealing, for: session.correlationID)
        }
        let row = try SessionRow(session, sealed)
        try connection.run(SQL.save) {
            row.bindState(&$0)
            $0.identifier(session.correlationID)
        }
        try SearchKeys(of: session, since: SearchKeys(of: loaded)).add(for: session.correlationID, connection)
        try SessionEventsTable.append(
            session.newEvents, to: session.correlationID, after: session.storedEventCount, connection)
    }

    private func addIdentity(
        of session: inout Session, _ fresh: ProveID, _ connection: Connection
    ) throws(StorageFault) {
        guard let proof = session.proof, session.proveID == nil else { return }
        session.proveID = try IdentitiesTable.findOrAdd(
            proof.number, of: session.clientID, fresh: fresh, sealing: sealing, connection)
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
