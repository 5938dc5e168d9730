package import Engine
package import Storage

/// A PostgreSQL database. The stores use `database`.
///
/// One transaction runs at a time: the stores do not lock the rows that they read yet.
package final class PostgresDatabase: Sendable {
    /// For the stores.
    package let database: Database
    private let engine: PostgresEngine

    /// - Parameters:
    ///   - address: a connection URI (libpq, section 34.1.1.2). The first transaction connects.
    ///   - home: the event loop of the calling thread, if it is one.
    ///   - uptime: monotonic nanoseconds.
    package init(
        _ address: String, limits: StorageLimits = StorageLimits(), home: @escaping Database.HomeFinder = { nil },
        uptime: @escaping @Sendable () -> UInt64
    ) {
        let lanes = PostgresLanes(address, limits: limits, uptime: uptime)
        lanes.start(1)
        engine = PostgresEngine(lanes)
        database = Database(engine, limits: limits, home: home, uptime: uptime)
    }

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
