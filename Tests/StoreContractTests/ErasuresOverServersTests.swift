import Dispatch
import Engine
import Locks
import PostgresStorage
import PostgresTestSupport
import Storage
import TestSupport
import Testing

@testable import Possession

/// Erasures at one server of a PostgreSQL, while others change sessions (DAT-10).
@Suite(.enabled(if: TestedPostgres.address != nil, "scripts/with-postgres starts the PostgreSQL"))
struct ErasuresOverServersTests {
    private struct Server: Sendable {
        let postgres: PostgresDatabase
        let sessions: SessionsTable
        let erasures: Erasures

        init(_ postgres: PostgresDatabase) async throws {
            self.postgres = postgres
            sessions = SessionsTable(postgres.database, sealing: .fake, holder: postgres.server)
            erasures = Erasures(postgres.database, sealing: .fake)
            let caches = CacheVersions()
            caches.onChange(of: .erasureOrders, erasures.readOrders)
            try await postgres.follow(caches)
        }

        /// Whether it has acknowledged an order that is stored.
        func knowsOrder() async throws -> Bool {
            let server = postgres.server
            let count = try await postgres.database.read { (connection) throws(StorageFault) in
                try connection.first(
                    """
                    SELECT count(*) FROM servers WHERE number = ?1 AND EXISTS (SELECT FROM erasure_orders)
                      AND caches_seen = (SELECT sum(version) FROM cache_versions)
                    """
                ) {
                    $0.integer(server)
                } _: { (row) throws(StorageFault) in
                    try row.integer("count")
                }
            }
            return count == 1
        }
    }

    /// Holds the threads that come to it until it is opened.
    private final class Gate: @unchecked Sendable {
        // Sendable: the semaphore is thread-safe.

        private let isReached = Locked(false)
        private let opened = DispatchSemaphore(value: 0)

        func pass() {
            isReached.withLock { $0 = true }
            opened.wait()
            opened.signal()
        }

        func reached() async { while !isReached.withLock(\.self) { await Task.yield() } }

        func open() { opened.signal() }
    }

    private static let number = Target.number(Sample.number)

    private static let prove: @Sendable (inout SessionChange) -> Bool = { change in
        change.session.complete(success: true, numberIfUnknown: Sample.number, at: Sample.now, rules: Sample.rules)
        change.deviceKey = Sample.key(1)
        return true
    }

    private let first: Server
    private let second: Server
    private let third: Server

    init() async throws {
        let servers = try TestedPostgres.makeServers(3)
        first = try await Server(servers[0])
        second = try await Server(servers[1])
        third = try await Server(servers[2])
    }

    /// Begins an erasure at the first server, which waits for the third one. The second one knows of it.
    /// - Parameter gate: lets the third server go on.
    private func beginErasure(_ gate: Gate) async throws -> Task<ErasedRows, any Error> {
        third.postgres.database.submit { (_) throws(StorageFault) in gate.pass() }
        await gate.reached()
        let erasures = first.erasures
        let erasing = Task { () async throws -> ErasedRows in try await erasures.erase(Self.number, at: nil) }
        while try await !second.knowsOrder() { await Task.yield() }
        return erasing
    }

    @Test func `while a number is erased, no server stores a change of it`() async throws {
        let session = Sample.session()
        let neighbour = Sample.session(number: PhoneNumber(e164: "+12001004015")!)
        for session in [session, neighbour] { try await first.sessions.insert(session) }
        let gate = Gate()
        defer { gate.open() }
        let erasing = try await beginErasure(gate)
        #expect(try await second.sessions.update(session, ChangeInputs(), Self.prove) == nil)
        #expect(try await second.sessions.update(neighbour) { _ in true } == true)
        gate.open()
        #expect(try await erasing.value.sessions.map(\.correlationID) == [session.correlationID])
        #expect(try await second.erasures.erase(Self.number, at: nil).data.isNothing)

        let next = Sample.session()
        try await second.sessions.insert(next)
        #expect(try await second.sessions.update(next, ChangeInputs(), Self.prove) == true)
        #expect(try await third.erasures.erase(Self.number, at: nil).data.deviceKeys == 1)
    }

    @Test func `a change that another server has under way is seen by the scan`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let slow = SessionsTable(
            second.postgres.database, sealing: .fakeThatCalls { gate.pass() }, holder: second.postgres.server)
        // Only the change brings the number into the second session.
        let (session, nameless) = (Sample.session(), Sample.session(number: nil))
        for session in [session, nameless] { try await first.sessions.insert(session) }
        // It seals when it has looked for orders.
        let changing = Task { try await slow.update(nameless, ChangeInputs(), Self.prove) }
        await gate.reached()
        let erasures = first.erasures
        let erasing = Task { () async throws -> ErasedRows in try await erasures.erase(Self.number, at: nil) }
        // Without the wait for the change, the erasure would end meanwhile.
        for _ in 0..<500 where try await first.sessions.session(.correlation(session.correlationID)) == nil { break }
        gate.open()
        _ = await changing.result
        _ = try await erasing.value
        #expect(try await first.erasures.erase(Self.number, at: nil).data.isNothing)
    }

    @Test func `a server that ends during an erasure leaves no order`() async throws {
        let session = Sample.session()
        try await first.sessions.insert(session)
        let gate = Gate()
        defer { gate.open() }
        let erasing = try await beginErasure(gate)
        #expect(try await second.sessions.update(session) { _ in true } == nil)
        await first.postgres.close()
        await #expect(throws: StorageFault.self) { _ = try await erasing.value }
        try await second.erasures.tend()
        #expect(try await second.sessions.update(session) { _ in true } == true)
    }
}
