package import Engine
internal import Locks
package import Possession
package import Storage

/// The PostgreSQL database of one server. The stores use `database`.
package final class PostgresDatabase: Sendable {
    /// For the stores.
    package let database: Database
    private let engine: PostgresEngine
    private let caches = Locked<CacheVersions?>(nil)

    /// - Parameters:
    ///   - address: the first transaction connects.
    ///   - server: number of this process in table `servers`.
    ///   - lanes: how many transactions run at the same time, each on a connection of its own.
    ///   - waits: how long a lane waits before each further try to connect.
    ///   - home: the event loop of the calling thread, if it is one.
    ///   - uptime: monotonic nanoseconds.
    ///   - onFatal: called once if another server has removed this one, or the database lacks acknowledged changes.
    ///     This process must end.
    package convenience init(
        _ address: PostgresAddress, server: Int64 = 1, lanes: Int = 16,
        waits: [Duration] = PostgresDatabase.waits, limits: StorageLimits = StorageLimits(),
        home: @escaping Database.HomeFinder = { nil }, uptime: @escaping @Sendable () -> UInt64,
        onFatal: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(
            PostgresLanes(
                address, server: server, waits: waits, limits: limits, uptime: uptime, onFatal: onFatal),
            lanes: lanes, limits: limits, home: home, uptime: uptime, place: nil)
    }

    /// Opens the database for a server. What a server that has ended still has under way is stored first, and nothing of
    /// it is stored later.
    /// - Parameters:
    ///   - isAlone: no other server may use the database until the close.
    ///   - former: a server that has ended, and may have left its row.
    ///   - recordLevel: the level of the records that this server writes (`RecordVersions.level`).
    /// - Throws: `.unavailable`: it cannot be reached, or is used in a way that excludes this server.
    package convenience init(
        opening address: PostgresAddress, isAlone: Bool, replacing former: ServerID? = nil, recordLevel: Int64,
        at now: Timestamp, lanes: Int, limits: StorageLimits,
        home: @escaping Database.HomeFinder, uptime: @escaping @Sendable () -> UInt64,
        onFatal: @escaping @Sendable (String) -> Void
    ) throws(PostgresOpeningFault) {
        let place = try ServerPlace(
            at: address, now: now, isAlone: isAlone, replacing: former, recordLevel: recordLevel, uptime: uptime)
        self.init(
            PostgresLanes(
                address.named(afterServer: place.number), server: place.number, waits: PostgresDatabase.waits,
                limits: limits, uptime: uptime,
                onFatal: onFatal),
            lanes: lanes, limits: limits, home: home, uptime: uptime, place: place)
    }

    init(
        _ running: PostgresLanes, lanes: Int, limits: StorageLimits, home: @escaping Database.HomeFinder,
        uptime: @escaping @Sendable () -> UInt64, place: ServerPlace?
    ) {
        running.start(lanes)
        engine = PostgresEngine(running, at: place)
        database = Database(engine, limits: limits, home: home, uptime: uptime)
        place?.start(whenRemoved: { running.supersede() })
    }

    /// 4 s in all. A try that begins in this time may take longer.
    package static let waits: [Duration] = [50, 100, 200, 400, 800, 1000, 1000, 450].map { .milliseconds($0) }

    /// Number of this server in table `servers`; no other process has had it.
    package var server: Int64 { engine.lanes.server }

    /// This server in table `servers`; `nil` in tests of one server.
    package var id: ServerID? { engine.place?.id }

    /// Whether this server cannot read again what other servers have changed.
    package var isBehind: Bool { engine.place?.isBehind ?? false }

    /// Servers that use the database.
    package var servers: Int { engine.place?.servers ?? 1 }

    /// Reads `caches` now, and again when a server has changed their parts.
    package func follow(_ caches: CacheVersions) async throws(StorageFault) {
        self.caches.withLock { $0 = caches }
        try await engine.place?.follow(caches)
    }

    /// Begins to exchange notes with the other servers of the database. Call once. If the listener keeps this database,
    /// both end only with `close`.
    package func exchangeNotes(_ listener: WakeListener) { engine.wakes?.start(listener) }

    /// Tells the other servers of the database soon. Call it when the change is durable.
    package func tell(_ note: WakeNote) { engine.wakes?.tell(note) }

    /// Looks without waiting whether the database can be reached. Call about once a second.
    package func tend() {
        if statistics().reasonUnreachable != nil { database.submit { (_) throws(StorageFault) in } }
    }

    package func statistics() -> PostgresStatistics { engine.lanes.statistics() }

    /// Monotonic nanoseconds until a new change would begin.
    /// - Parameter changesAtWork: changes that have reached the server and are not finished.
    package func expectedWait(behind changesAtWork: Int) -> UInt64 {
        engine.lanes.expectedWait(behind: changesAtWork)
    }

    /// The clock of the database.
    package func time() async throws(StorageFault) -> Timestamp {
        try await database.read { (connection) throws(StorageFault) in
            let milliseconds = try connection.first(SQL.time, { _ in }) { (row) throws(StorageFault) in
                try row.integer("clock_timestamp")
            }
            return Timestamp(milliseconds: milliseconds ?? 0)
        }
    }

    /// Rows, as the last ANALYZE has counted them, and bytes of each table.
    package func tableSizes() async throws(StorageFault) -> [TableSize] {
        try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.sizes, { _ in }) { (row) throws(StorageFault) in
                TableSize(
                    name: try row.text("pg_class.relname"), rows: Int(try row.integer("pg_class.reltuples")),
                    bytes: Int(try row.integer("pg_total_relation_size")))
            }
        }
    }

    private enum SQL {
        static let time: Statement = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
        static let sizes: Statement = """
            SELECT relname::text, greatest(0, reltuples)::bigint, pg_total_relation_size(oid) FROM pg_class
              WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY relname
            """
    }

    /// Lets waiting transactions finish, and disconnects. Later calls throw a fault.
    package func close() async {
        await engine.lanes.close()
        await engine.wakes?.leave()
        await engine.place?.leave()
    }
}

extension PostgresDatabase: StoreHealth {
    package func probe() async throws(StorageFault) {
        // A transaction that may write changes the row of its lane, so its commit is a durable write.
        try await database.transaction { (_) throws(StorageFault) in }
        _ = try await time()
    }
}
