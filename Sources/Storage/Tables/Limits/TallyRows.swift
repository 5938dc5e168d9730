internal import Engine
internal import Possession
internal import Records

/// Rows of table `limit_counts` inside a transaction: the counts of limits, by a keyed digest of the key.
struct TallyRows: Sendable {
    private enum SQL {
        static let find: Statement = "SELECT tally FROM limit_counts WHERE key_digest = ?1"
        static let insert: Statement = """
            INSERT INTO limit_counts (key_digest, tally, ends_at_ms) VALUES (?1, ?2, ?3)
            """
        static let update: Statement = """
            UPDATE limit_counts SET tally = ?2, ends_at_ms = ?3 WHERE key_digest = ?1
            """
        static let remove: Statement = "DELETE FROM limit_counts WHERE key_digest = ?1"
        static let addPlace: Statement = """
            INSERT INTO scarce_places (client_id, place, since_ms) VALUES (?1, ?2, ?3)
              ON CONFLICT (client_id, place) DO NOTHING
            """
        static let removePlace: Statement = "DELETE FROM scarce_places WHERE client_id = ?1 AND place = ?2"
        static let places: Statement = """
            SELECT client_id, place, since_ms FROM scarce_places ORDER BY client_id, place LIMIT ?1
            """
        static let forgetPlaces: Statement = "DELETE FROM scarce_places WHERE since_ms <= ?1"
        static let sweep: Statement = """
            DELETE FROM limit_counts WHERE key_digest IN
              (SELECT key_digest FROM limit_counts WHERE ends_at_ms <= ?1 ORDER BY ends_at_ms LIMIT ?2)
              AND ends_at_ms <= ?1
            """
    }

    let sealing: Sealing
    /// They determine when a tally ends.
    let limits: LiveLimits
    /// Records which checks and prefixes were closed; `nil`: not recorded.
    var audit: AuditRows?

    /// A tally for each key; an empty one if nothing was counted.
    func load(_ keys: [LimitKey], _ connection: any Connection) throws(StorageFault) -> LimitTallies {
        let keys = connection.runsAlone ? keys : inLockOrder(keys)
        if !connection.runsAlone {
            let shared = keys.prefix(while: \.isSharedByMost).map { sealing.limitKey($0) }
            if !shared.isEmpty { try connection.beginCounting(at: shared) }
        }
        try connection.readAhead { (ahead) throws(StorageFault) in for key in keys { _ = try find(key, ahead) } }
        // A code and its answer share some keys; each is read once.
        return try LimitTallies(reading: keys) { (key) throws(StorageFault) in
            let digest = sealing.limitKey(key)
            let found = try Self.find(digest, connection)
            return (LimitTallies.Row(key: digest, isStored: found != nil), found ?? LimitTally())
        }
    }

    /// All transactions lock tallies in this order, so that no two wait for each other. The tallies that most transactions
    /// share come first: a transaction that waits for one of them holds no other.
    private func inLockOrder(_ keys: [LimitKey]) -> [LimitKey] {
        keys.map { (rank: $0.lockRank, digest: sealing.limitKey($0), key: $0) }.sorted {
            $0.rank != $1.rank ? $0.rank < $1.rank : $0.digest.lexicographicallyPrecedes($1.digest)
        }.map(\.key)
    }

    func find(_ key: LimitKey, _ connection: any Connection) throws(StorageFault) -> LimitTally? {
        try Self.find(sealing.limitKey(key), connection)
    }

    private static func find(_ digest: [UInt8], _ connection: any Connection) throws(StorageFault) -> LimitTally? {
        try connection.first(SQL.find.locking) {
            $0.blob(digest)
        } _: { (row) throws(StorageFault) in
            try LimitTally(record: try row.blob("limit_counts.tally"))
        }
    }

    /// Stores the tallies that a rule changed, and ends the runs of failures it named.
    func save(_ tallies: LimitTallies, _ connection: any Connection) throws(StorageFault) {
        guard !tallies.isUntouched else { return }
        let limits = limits.limits
        for entry in tallies.entries where entry.isChanged {
            let row = if let row = entry.row { row } else { try row(of: entry.key, connection) }
            try save(entry.tally, entry.key, at: row, limits, connection)
        }
        try connection.readAhead { (ahead) throws(StorageFault) in
            for key in tallies.unreadEndedRuns { _ = try find(key, ahead) }
        }
        // A tally that was read and has no run stays unchanged.
        for key in tallies.unreadEndedRuns {
            let row = LimitTallies.Row(key: sealing.limitKey(key), isStored: true)
            guard let stored = try Self.find(row.key, connection), stored.failuresInARow > 0 else { continue }
            try save(LimitTally(entries: stored.entries), key, at: row, limits, connection)
        }
        for closing in tallies.closings { try note(closing, SQL.addPlace, since: closing.at, connection) }
        for opening in tallies.openings { try note(opening, SQL.removePlace, connection) }
        guard let audit else { return }
        for closing in tallies.closings { try audit.append(AuditEntry(closing), connection) }
        for stop in tallies.stops { try audit.append(AuditEntry(stop), connection) }
    }

    /// The row of a tally that was not read.
    private func row(of key: LimitKey, _ connection: any Connection) throws(StorageFault) -> LimitTallies.Row {
        let digest = sealing.limitKey(key)
        return LimitTallies.Row(key: digest, isStored: try Self.find(digest, connection) != nil)
    }

    private func save(
        _ tally: LimitTally, _ key: LimitKey, at row: LimitTallies.Row, _ limits: Limits, _ connection: any Connection
    ) throws(StorageFault) {
        let (digest, record) = (row.key, tally.record)
        let end = limits.end(of: tally, under: key)
        try connection.run(row.isStored ? SQL.update : SQL.insert.claiming) {
            $0.blob(digest)
            $0.blob(record)
            $0.time(end)
        }
    }

    private func note(
        _ news: LimitTallies.PlaceNews, _ statement: Statement, since: Timestamp? = nil, _ connection: any Connection
    ) throws(StorageFault) {
        guard let client = news.key.tenant else { return }
        try connection.run(statement) {
            $0.text(client.text)
            $0.text(news.place)
            if let since { $0.time(since) }
        }
    }

    static func scarcePlaces(limit: Int, _ connection: any Connection) throws(StorageFault) -> [ExhaustedPlace] {
        try connection.all(SQL.places, { $0.integer(limit) }) { (row) throws(StorageFault) in
            guard let client = ClientID(try row.text("scarce_places.client_id")) else {
                throw .corrupt("scarce_places.client_id")
            }
            return ExhaustedPlace(
                client: client, place: try row.text("scarce_places.place"),
                since: try row.time("scarce_places.since_ms"))
        }
    }

    /// Returns the number of removed rows.
    static func remove(
        _ keys: [LimitKey], sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) -> Int {
        var removed = 0
        for key in keys {
            try connection.run(SQL.remove) { $0.blob(sealing.limitKey(key)) }
            removed += connection.changes
            guard key.counter == .prefix || key.counter == .country, let client = key.tenant else { continue }
            try connection.run(SQL.removePlace) {
                $0.text(client.text)
                $0.text(String(decoding: key.ownSubject, as: UTF8.self))
            }
        }
        return removed
    }

    /// Removes tallies that have ended (DAT-04); returns the number of rows.
    static func sweep(upTo end: Timestamp, limit: Int, _ connection: any Connection) throws(StorageFault) -> Int {
        try connection.run(SQL.sweep) {
            $0.time(end)
            $0.integer(limit)
        }
        let swept = connection.changes
        // By then, every bucket is full again.
        try connection.run(SQL.forgetPlaces) { $0.time(end.adding(.zero - LimitTally.runLifetime)) }
        return swept + connection.changes
    }
}

extension LimitKey {
    /// Most messages of an API client to a country count there.
    fileprivate var isSharedByMost: Bool { lockRank <= 3 }

    fileprivate var lockRank: Int {
        switch counter {
        case .spendInCommon: 0
        case .spendOfCountry: 1
        case .spendOfTenant: 2
        case .network where isOfUnnamed: 2
        case .country: 3
        case .prefix: 4
        case .site: 5
        case .network: 6
        default: 7
        }
    }
}
