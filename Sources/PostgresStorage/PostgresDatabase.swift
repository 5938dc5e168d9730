package import Engine
package import Storage

/// A PostgreSQL database. The stores use `database`.
package final class PostgresDatabase: Sendable {
    /// For the stores.
    package let database: Database
    private let engine: PostgresEngine

    /// - Parameters:
    ///   - address: a connection URI (libpq, section 34.1.1.2). The first transaction connects.
    ///   - server: number of this process among those that use the database.
    ///   - lanes: how many transactions run at the same time, each on a connection of its own.
    ///   - waits: how long a lane waits before each further try to connect. A caller waits their sum.
    ///   - home: the event loop of the calling thread, if it is one.
    ///   - uptime: monotonic nanoseconds.
    package init(
        _ address: String, server: Int64 = 1, lanes count: Int = 16,
        waits: [Duration] = PostgresDatabase.waits, limits: StorageLimits = StorageLimits(),
        home: @escaping Database.HomeFinder = { nil },
        uptime: @escaping @Sendable () -> UInt64
    ) {
        let lanes = PostgresLanes(address, server: server, waits: waits, limits: limits, uptime: uptime)
        lanes.start(count)
        engine = PostgresEngine(lanes)
        database = Database(engine, limits: limits, home: home, uptime: uptime)
    }

    /// 4 s in all.
    package static let waits: [Duration] = [50, 100, 200, 400, 800, 1000, 1000, 450].map { .milliseconds($0) }

    /// Runs all statements of a migration as one transaction.
    package static func migrate(_ script: String, at address: String) throws(StorageFault) {
        do throws(PostgresFailure) {
            try PostgresLink.run(script: script, at: address)
        } catch { throw error.fault }
    }

    /// Lets waiting transactions finish, and disconnects. Later calls throw a fault.
    package func close() async { await engine.close() }
}

extension PostgresDatabase: StoreHealth {
    package func probe() async throws(StorageFault) {
        _ = try await database.read { (connection) throws(StorageFault) in
            try connection.first("SELECT 1") { (row) throws(StorageFault) in try row.integer("probe") }
        }
    }
}
