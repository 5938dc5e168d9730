import Dispatch
import Engine
import Foundation
import Locks
package import PostgresStorage
import Storage

/// The PostgreSQL that `scripts/with-postgres` starts for a test run. Each test gets a schema of its own in it.
package enum TestedPostgres {
    /// A connection URI; `nil`: the run has no PostgreSQL, and the tests that need one are left out.
    package static let address = ProcessInfo.processInfo.environment["HOLDFAST_TEST_DATABASE_URL"]

    private static let migration = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../migrations/postgresql/0001_schema.sql")

    /// Makes a schema without tables.
    /// - Returns: a connection URI for it.
    package static func makeSchema() throws -> String {
        guard let address else { throw CocoaError(.fileNoSuchFile) }
        let name = "s\(UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: ""))"
        try PostgresDatabase.migrate("CREATE SCHEMA \(name)", at: address)
        return "\(address)?options=-csearch_path%3D\(name)"
    }

    /// A database with the tables of the stores.
    package static func makeDatabase() throws -> PostgresDatabase {
        let address = try makeSchema()
        try PostgresDatabase.migrate(String(contentsOf: migration, encoding: .utf8), at: address)
        let tested = PostgresDatabase(address, lanes: lanes, uptime: { 0 })
        connectAll(tested)
        return tested
    }

    private static let lanes = 4

    /// One transaction on each lane waits for the others. Without it, the first lane would end a short race before the
    /// others are connected.
    private static func connectAll(_ tested: PostgresDatabase) {
        let arrived = Locked(0)
        let gate = DispatchSemaphore(value: 0)
        for _ in 0..<lanes {
            tested.database.submit(
                { (_) throws(StorageFault) in
                    let isLast = arrived.withLock { arrived in
                        arrived += 1
                        return arrived == lanes
                    }
                    if isLast { for _ in 1..<lanes { gate.signal() } } else { gate.wait() }
                }, orElse: {})
        }
    }
}
