internal import Possession

/// Rows of table `limit_counts` inside a transaction: what limits have counted, by a keyed digest of the key.
struct TallyRows: Sendable {
    private enum SQL {
        static let find: StaticString = "SELECT tally FROM limit_counts WHERE key_digest = ?1"
        static let save: StaticString = """
            INSERT INTO limit_counts (key_digest, tally, ends_at_ms) VALUES (?1, ?2, ?3)
              ON CONFLICT (key_digest) DO UPDATE SET tally = excluded.tally, ends_at_ms = excluded.ends_at_ms
            """
        static let remove: StaticString = "DELETE FROM limit_counts WHERE key_digest = ?1"
        static let sweep: StaticString = """
            DELETE FROM limit_counts WHERE key_digest IN
              (SELECT key_digest FROM limit_counts WHERE ends_at_ms <= ?1 ORDER BY ends_at_ms LIMIT ?2)
            """
    }

    private static let column: StaticString = "limit_counts.tally"

    let sealing: Sealing
    /// Failures in a row that are a full stop, which has no end.
    let mostInARow: Int

    /// A tally for each key; an empty one where nothing was counted.
    func load(_ keys: [LimitKey], _ connection: Connection) throws(StorageFault) -> LimitTallies {
        LimitTallies(try keys.map { (key) throws(StorageFault) in (key, try find(key, connection) ?? LimitTally()) })
    }

    func find(_ key: LimitKey, _ connection: Connection) throws(StorageFault) -> LimitTally? {
        try connection.first(SQL.find) {
            $0.blob(sealing.limitKey(key))
        } _: { (row) throws(StorageFault) in
            try Self.decode(try row.blob(Self.column))
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
    }

    private func save(_ tally: LimitTally, _ key: LimitKey, _ connection: Connection) throws(StorageFault) {
        try connection.run(SQL.save) {
            $0.blob(sealing.limitKey(key))
            $0.blob(Self.encode(tally))
            $0.time(tally.end(reach: key.counter.reach, mostInARow: mostInARow))
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
        }
        return removed
    }

    /// The number of rows removed: what no longer counts (DAT-04).
    static func sweep(upTo end: Timestamp, limit: Int, _ connection: Connection) throws(StorageFault) -> Int {
        try connection.run(SQL.sweep) {
            $0.time(end)
            $0.integer(limit)
        }
        return connection.changes
    }

    // MARK: the record

    private static let version: UInt8 = 1
    private static let headLength = 1 + 4 + 8 + 8
    private static let entryLength = 8 + 4 + 2

    /// Version, failures in a row, the last of them, the end of a stop (0: none), then each entry as moment, count, tag;
    /// most significant byte first.
    private static func encode(_ tally: LimitTally) -> [UInt8] {
        var bytes = [version]
        bytes.reserveCapacity(headLength + tally.entries.count * entryLength)
        func append(_ value: Int64, _ length: Int) {
            for shift in stride(from: (length - 1) * 8, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: value >> Int64(shift)))
            }
        }
        append(Int64(min(tally.failuresInARow, Int(Int32.max))), 4)
        append(tally.lastFailureAt?.milliseconds ?? 0, 8)
        append(tally.stoppedUntil?.milliseconds ?? 0, 8)
        for entry in tally.entries {
            append(entry.at.milliseconds, 8)
            append(Int64(min(entry.count, Int(Int32.max))), 4)
            append(Int64(entry.tag), 2)
        }
        return bytes
    }

    /// Every value that can stand in a row is taken or refused; none traps.
    private static func decode(_ bytes: [UInt8]) throws(StorageFault) -> LimitTally {
        let body = bytes.count - headLength
        guard body >= 0, body % entryLength == 0, body / entryLength <= LimitTally.maxEntries, bytes[0] == version
        else {
            throw .corrupt(column)
        }
        var rest = bytes.dropFirst()
        func next(_ length: Int) -> Int64 {
            let value = rest.prefix(length).reduce(0) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(length)
            return Int64(bitPattern: value)
        }
        // Moments within ten thousand years: sums with any window stay in range.
        func moment() throws(StorageFault) -> Timestamp {
            let value = next(8)
            guard (0...400_000_000_000_000).contains(value) else { throw .corrupt(column) }
            return Timestamp(milliseconds: value)
        }
        let failures = Int(next(4))
        let lastFailure = try moment()
        let stop = try moment()
        var entries: [LimitTally.Entry] = []
        while !rest.isEmpty {
            entries.append(LimitTally.Entry(at: try moment(), count: Int(next(4)), tag: Int(next(2))))
        }
        return LimitTally(
            entries: entries, failuresInARow: failures,
            lastFailureAt: failures > 0 ? lastFailure : nil,
            stoppedUntil: stop.milliseconds > 0 ? stop : nil)
    }
}
