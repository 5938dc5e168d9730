import Dispatch
import Engine
import Foundation
import Locks
import Possession
import Storage

@testable package import PostgresStorage

/// The PostgreSQL that `scripts/with-postgres` starts for a test run. Each test gets a schema of its own in it.
package enum TestedPostgres {
    /// A connection URI; `nil`: the run has no PostgreSQL, and the tests that need one are left out.
    package static let address = ProcessInfo.processInfo.environment["HOLDFAST_TEST_DATABASE_URL"]

    private static let migrations = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../migrations/postgresql")

    /// A fault that the stores of this run have; `nil`: none. `scripts/postgres-mutations` sets it.
    static let mutation = ProcessInfo.processInfo.environment["HOLDFAST_TEST_MUTATION"].map { text in
        guard let mutation = Mutation(text) else { preconditionFailure("HOLDFAST_TEST_MUTATION: \(text)") }
        return mutation
    }

    /// Makes a schema with the tables of a script and those of the lanes. Servers 1 to 9 have places.
    /// - Returns: a connection URI for it.
    package static func makeSchema(_ script: String) throws -> String {
        guard let address else { throw CocoaError(.fileNoSuchFile) }
        let name = "s\(UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: ""))"
        let uri = "\(address)?options=-csearch_path%3D\(name)"
        let session = try PostgresSession(PostgresAddress(uri))
        try session.run("CREATE SCHEMA \(name)", "a schema")
        try session.run(script, "the tables of a test")
        try session.run(
            """
            CREATE TABLE IF NOT EXISTS servers (number bigint PRIMARY KEY, started_at_ms bigint NOT NULL);
            CREATE TABLE IF NOT EXISTS lanes (
                server bigint REFERENCES servers (number) ON DELETE CASCADE, lane bigint, epoch bigint NOT NULL,
                batch bigint NOT NULL, PRIMARY KEY (server, lane)
            );
            INSERT INTO servers (number, started_at_ms) SELECT number, 0 FROM generate_series(1, 9) AS number;
            """, "places of servers")
        return uri
    }

    /// A database with the tables of the stores.
    package static func makeDatabase() throws -> PostgresDatabase {
        let tested = database(try makeTables(), server: 1, lanes: lanes)
        connectAll([tested])
        return tested
    }

    /// The connections of this run.
    package static var connections: PostgresConnection.Type {
        mutation == nil ? PostgresConnection.self : MutatedConnection.self
    }

    /// One database for servers 1 and 2. Together they have as many lanes as a single server.
    package static func makePair() throws -> (PostgresDatabase, PostgresDatabase) {
        let address = try makeTables()
        let first = database(address, server: 1, lanes: lanes / 2)
        let second = database(address, server: 2, lanes: lanes / 2)
        connectAll([first, second])
        return (first, second)
    }

    /// A schema with the tables of the stores.
    package static func makeTables() throws -> PostgresAddress {
        let files = try FileManager.default.contentsOfDirectory(at: migrations, includingPropertiesForKeys: nil)
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        let scripts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        return PostgresAddress(try makeSchema(scripts.joined(separator: "\n")))
    }

    /// Servers that have places on one database, and so notice each other.
    /// - Parameters:
    ///   - silent: how many more there are that send no heartbeats. They come last.
    ///   - lifetime: milliseconds in which a silent server is not removed. It is long, so that a server of a slow machine
    ///     is not taken for a silent one.
    ///   - uptime: monotonic nanoseconds.
    package static func makeServers(
        _ count: Int, silent: Int = 0, lifetime: Int64 = 20_000,
        uptime: @escaping @Sendable () -> UInt64 = { 0 }
    ) throws -> [PostgresDatabase] {
        let address = try makeTables()
        // No process has the places of `makeSchema`.
        try PostgresSession(address).run("DELETE FROM servers", "places of servers")
        let times = ServerPlace.Times(lifetime: lifetime, interval: .milliseconds(20))
        return try (0..<count + silent).map { number in
            let place = try ServerPlace(
                at: address, now: Timestamp(milliseconds: 0), isAlone: false, recordLevel: 1, times: times,
                uptime: uptime)
            return database(address, server: place.number, lanes: 2, place: number < count ? place : nil)
        }
    }

    private static func database(
        _ address: PostgresAddress, server: Int64, lanes: Int, place: ServerPlace? = nil
    ) -> PostgresDatabase {
        let running = PostgresLanes(
            address.named(afterServer: server), server: server, waits: PostgresDatabase.waits, limits: StorageLimits(),
            connections: connections, uptime: { 0 }, onFatal: { _ in })
        return PostgresDatabase(
            running, lanes: lanes, limits: StorageLimits(), home: { nil }, uptime: { 0 }, place: place)
    }

    private static let lanes = 4

    /// One transaction on each lane waits for the others. Without it, the first lane would end a short race before the
    /// others are connected.
    /// - Parameter tested: servers with the same number of lanes, `lanes` together.
    private static func connectAll(_ tested: [PostgresDatabase]) {
        let arrived = Locked(0)
        let gate = DispatchSemaphore(value: 0)
        for number in 0..<lanes {
            tested[number % tested.count].database.submit { (_) throws(StorageFault) in
                let isLast = arrived.withLock { arrived in
                    arrived += 1
                    return arrived == lanes
                }
                if isLast { for _ in 1..<lanes { gate.signal() } } else { gate.wait() }
            }
        }
    }
}
