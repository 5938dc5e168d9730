internal import Possession
internal import Records

/// Rows of table `limit_counts` inside a transaction: what limits have counted, by a keyed digest of the key.
struct TallyRows: Sendable {
    private enum SQL {
        static let find: StaticString = "SELECT tally FROM limit_counts WHERE key_digest = ?1"
        static let save: StaticString = """
            INSERT INTO limit_counts (key_digest, tally, ends_at_ms) VALUES (?1, ?2, ?3)
              ON CONFLICT (key_digest) DO UPDATE SET tally = excluded.tally, ends_at_ms = excluded.ends_at_ms
            """
        static let remove: StaticString = "DELETE FROM limit_counts WHERE key_digest = ?1"
        static let close: StaticString = """
            INSERT INTO closed_prefixes (prefix, until_ms, times) VALUES (?1, ?2, ?3)
              ON CONFLICT (prefix) DO UPDATE SET until_ms = excluded.until_ms, times = excluded.times
            """
        static let open: StaticString = "DELETE FROM closed_prefixes WHERE prefix = ?1"
        static let closed: StaticString = "SELECT prefix, until_ms, times FROM closed_prefixes ORDER BY prefix LIMIT ?1"
        static let forgetClosed: StaticString = "DELETE FROM closed_prefixes WHERE until_ms <= ?1"
        static let sweep: StaticString = """
            DELETE FROM limit_counts WHERE key_digest IN
              (SELECT key_digest FROM limit_counts WHERE ends_at_ms <= ?1 ORDER BY ends_at_ms LIMIT ?2)
            """
    }

    let sealing: Sealing
    /// Failures in a row that are a full stop, which has no end.
    let mostInARow: Int
    /// Keeps what was closed; `nil` where nobody asks.
    var audit: AuditRows?

    /// A tally for each key; an empty one where nothing was counted.
    func load(_ keys: [LimitKey], _ connection: Connection) throws(StorageFault) -> LimitTallies {
        LimitTallies(try keys.map { (key) throws(StorageFault) in (key, try find(key, connection) ?? LimitTally()) })
    }

    func find(_ key: LimitKey, _ connection: Connection) throws(StorageFault) -> LimitTally? {
        try connection.first(SQL.find) {
            $0.blob(sealing.limitKey(key))
        } _: { (row) throws(StorageFault) in
            try LimitTally(record: try row.blob("limit_counts.tally"))
        }
    }

    /// Stores what a rule changed, and ends the runs of failures it named.
    func save(_ tallies: LimitTallies, _ connection: Connection) throws(StorageFault) {
        for key in tallies.changed {
            if let tally = tallies[key] { try save(tally, key, connection) }
        }
        // What was read and has no run stays as it is.
        for key in tallies.endedRuns where !tallies.changed.contains(key) && tallies[key] == nil {
            guard let stored = try find(key, connection), stored.failuresInARow > 0 else { continue }
            try save(
                LimitTally(entries: stored.entries, stoppedUntil: stored.stoppedUntil), key, connection)
        }
        guard let audit else { return }
        for closing in tallies.closings { try audit.append(AuditEntry(closing), connection) }
        for stop in tallies.stops { try audit.append(AuditEntry(stop), connection) }
    }

    private func save(_ tally: LimitTally, _ key: LimitKey, _ connection: Connection) throws(StorageFault) {
        try connection.run(SQL.save) {
            $0.blob(sealing.limitKey(key))
            $0.blob(tally.record)
            $0.time(tally.end(reach: key.counter.reach, mostInARow: mostInARow))
        }
        // Nearly no prefix was ever closed: its messages and answers cost no statement.
        guard key.counter == .answersOfPrefix, let until = tally.stoppedUntil else { return }
        let prefix = String(decoding: key.subject, as: UTF8.self)
        if tally.failuresInARow > 0 {
            try connection.run(SQL.close) {
                $0.text(prefix)
                $0.time(until)
                $0.integer(tally.failuresInARow)
            }
        } else {
            try connection.run(SQL.open) { $0.text(prefix) }
        }
    }

    static func closed(limit: Int, _ connection: Connection) throws(StorageFault) -> [ClosedPrefix] {
        try connection.all(SQL.closed, { $0.integer(limit) }) { (row) throws(StorageFault) in
            ClosedPrefix(
                prefix: try row.text("closed_prefixes.prefix"), until: try row.time("closed_prefixes.until_ms"),
                times: Int(clamping: try row.integer("closed_prefixes.times")))
        }
    }

    /// The number of rows that there were.
    static func remove(
        _ keys: [LimitKey], sealing: Sealing, _ connection: Connection
    ) throws(StorageFault) -> Int {
        var removed = 0
        for key in keys {
            try connection.run(SQL.remove) { $0.blob(sealing.limitKey(key)) }
            removed += connection.changes
            guard key.counter == .answersOfPrefix else { continue }
            try connection.run(SQL.open) { $0.text(String(decoding: key.subject, as: UTF8.self)) }
        }
        return removed
    }

    /// The number of rows removed: what no longer counts (DAT-04).
    static func sweep(upTo end: Timestamp, limit: Int, _ connection: Connection) throws(StorageFault) -> Int {
        try connection.run(SQL.sweep) {
            $0.time(end)
            $0.integer(limit)
        }
        let swept = connection.changes
        // Its run of closings is forgotten then as well.
        try connection.run(SQL.forgetClosed) { $0.time(end.adding(.zero - LimitTally.runLifetime)) }
        return swept + connection.changes
    }
}
