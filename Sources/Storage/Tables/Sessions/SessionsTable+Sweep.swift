internal import Locks
package import Engine
package import Possession

/// The sweeps of sessions, and of their digests, counts and messages.
extension SessionsTable {
    private enum SQL {
        /// Events, used proofs, answers, messages and keys are removed with their session.
        static let removeOld: Statement = """
            DELETE FROM sessions WHERE correlation_id IN
              (SELECT correlation_id FROM sessions WHERE correlation_id < ?1 ORDER BY correlation_id LIMIT ?2)
            """
        /// In the order of creation, so that each is checked once.
        static let next: Statement = """
            SELECT correlation_id, phase FROM sessions WHERE correlation_id > ?1 AND correlation_id < ?2
              ORDER BY correlation_id LIMIT ?3
            """
        static let remove: Statement = "DELETE FROM sessions WHERE correlation_id = ?1 AND phase = 'created'"
        /// The check stays as it is, expired: its session may get another code. No code has the empty digest (OTP-08).
        ///
        /// PostgreSQL has no index on the ends of codes, and looks through the sessions from the oldest id on.
        static let eraseDigests = Statement(
            """
            UPDATE sessions SET otp_digest = x''
              WHERE correlation_id IN
                (SELECT correlation_id FROM sessions
                   WHERE otp_digest <> x'' AND otp_expires_at_ms <= ?1 ORDER BY otp_expires_at_ms LIMIT ?2)
            """,
            postgres: """
                UPDATE sessions SET otp_digest = ''
                  WHERE correlation_id IN
                    (SELECT correlation_id FROM sessions
                       WHERE otp_digest <> '' AND otp_expires_at_ms <= ?1 ORDER BY otp_expires_at_ms LIMIT ?2)
                    AND otp_expires_at_ms <= ?1
                """)
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
        if removed > 0 && isRest { await database.removeDeletedData() }
        return removed
    }

    package func sweepUnredeemed(before end: Timestamp, now: Timestamp) async throws(StorageFault) -> Int {
        let bound = CorrelationID(earliestAt: end)
        // If a clock went back, new sessions sort before those already checked.
        let start = lookedAt.withLock { last in
            last = min(last, bound)
            return last
        }
        let limit = database.limits.rowsPerSweep
        // Reads first: most sessions were redeemed, and checking them must not occupy the writer.
        let (found, unredeemed) = try await database.read { [self] (connection) throws(StorageFault) in
            let found = try connection.all(SQL.next) {
                $0.identifier(start)
                $0.identifier(bound)
                $0.integer(limit)
            } _: { (row) throws(StorageFault) -> (id: CorrelationID, isNew: Bool) in
                (try row.identifier("sessions.correlation_id"), try row.text("sessions.phase") == "created")
            }
            var unredeemed: [CorrelationID] = []
            for row in found where row.isNew {
                let stored = try load(.correlation(row.id), in: .all, connection)
                // A damaged session cannot be continued, so it is removed.
                let end = try stored.flatMap { (stored) throws(StorageFault) in try readable(stored)?.readableUntil }
                if end.map({ $0 <= now }) ?? true { unredeemed.append(row.id) }
            }
            return (found, unredeemed)
        }
        guard let last = found.last?.id else { return 0 }
        if !unredeemed.isEmpty {
            try await database.transaction { (connection) throws(StorageFault) in
                for id in unredeemed { try connection.run(SQL.remove) { $0.identifier(id) } }
            }
        }
        lookedAt.withLock { $0 = max($0, last) }
        return found.count
    }
}

extension CorrelationID {
    /// Not above any ID made at `time` or later (RFC 9562 section 5.7: 48 bits of milliseconds first).
    init(earliestAt time: Timestamp) {
        self.init(bits: UInt128(UInt64(clamping: time.milliseconds) & 0xFFFF_FFFF_FFFF) << 80)
    }
}
