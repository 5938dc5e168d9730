import Engine
import Locks
import Possession
import PostgresStorage
import PostgresTestSupport
import Storage
import TestSupport
import Testing

/// A change at one server wakes what waits for it at the others.
@Suite(
    .enabled(if: TestedPostgres.address != nil, "scripts/with-postgres starts the PostgreSQL"),
    .timeLimit(.minutes(60)))
struct WakesTests {
    /// A server that exchanges notes.
    private struct Server: Sendable {
        let postgres: PostgresDatabase
        let sessions: SessionsTable
        private let heard = Locked<[WakeNote]>([])

        /// Returns when the server hears the others.
        /// - Parameter awaited: the sessions that its callers wait for.
        init(_ postgres: PostgresDatabase, awaited: [AuthID] = []) async {
            self.postgres = postgres
            sessions = SessionsTable(postgres.database, sealing: .fake, holder: postgres.server)
            let heard = heard
            postgres.exchangeNotes(
                WakeListener(hear: { notes in heard.withLock { $0 += notes } }, awaited: { awaited }))
            await hears([.events])
        }

        /// Returns when the server has heard all these notes, and forgets them.
        func hears(_ notes: Set<WakeNote>) async {
            while !has(notes) { await Task.yield() }
            heard.withLock { heard in heard.removeAll { notes.contains($0) } }
        }

        func has(_ notes: Set<WakeNote>) -> Bool { heard.withLock { notes.isSubset(of: $0) } }

        /// Cuts the connections by which all servers of this database exchange notes.
        func cutConnections() async throws {
            let ended = try await postgres.database.read { (connection) throws(StorageFault) in
                try connection.all(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name =
                      (SELECT 'holdfast_wakes_' || oid::text FROM pg_namespace WHERE nspname = current_schema())
                    """
                ) { (row) throws(StorageFault) in try row.integer("pg_terminate_backend") }
            }
            #expect(ended == [1, 1])
        }

        /// Changes a session, and tells no other server.
        func change(_ session: Session) async throws {
            _ = try await sessions.update(session) { $0.session.cancel(at: Sample.now) }
        }
    }

    /// The clock of both servers.
    private let time = Locked<UInt64>(0)
    private let servers: [PostgresDatabase]

    init() throws {
        let time = time
        servers = try TestedPostgres.makeServers(2) { time.withLock(\.self) }
    }

    @Test func `a server hears the others, and not itself`() async throws {
        let (first, second) = (await Server(servers[0]), await Server(servers[1]))
        let (one, two): (AuthID, AuthID) = (Sample.id(), Sample.id())
        first.postgres.tell(.changed(one))
        first.postgres.tell(.watched(two))
        await second.hears([.changed(one), .watched(two)])
        // PostgreSQL delivers notes in the order of their transactions, so the first would have heard its own by then.
        second.postgres.tell(.changed(two))
        second.postgres.tell(.events)
        #expect(!first.has([.changed(one)]))
        while !first.has([.changed(two), .events]) { await Task.yield() }
        #expect(!first.has([.changed(one)]) && !first.has([.watched(two)]))
        await first.postgres.close()
        await second.postgres.close()
    }

    @Test func `many notes at once are all heard`() async throws {
        let (first, second) = (await Server(servers[0]), await Server(servers[1]))
        let notes = Set((0..<1000).map { _ in WakeNote.changed(Sample.id()) })
        for note in notes { first.postgres.tell(note) }
        await second.hears(notes)
    }

    @Test func `a server without a connection hears later what has changed`() async throws {
        let (first, session) = (await Server(servers[0]), try Sample.waiting())
        try await first.sessions.insert(session)
        let second = await Server(servers[1], awaited: [session.authID])
        await second.hears([.changed(session.authID)])
        try await first.change(session)
        // The clock does not move, so neither looks.
        #expect(!second.has([.changed(session.authID)]))
        try await second.cutConnections()
        await second.hears([.changed(session.authID), .events])
        await first.hears([.events])
        let other: AuthID = Sample.id()
        first.postgres.tell(.changed(other))
        await second.hears([.changed(other)])
    }

    @Test func `a server finds within a second what it was not told of`() async throws {
        let (first, session) = (await Server(servers[0]), try Sample.waiting())
        try await first.sessions.insert(session)
        // More than a page; the other sessions do not exist.
        let others: [AuthID] = (0..<1200).map { _ in Sample.id() }
        let second = await Server(servers[1], awaited: others + [session.authID])
        // At the first look nothing is known of them.
        await second.hears(Set((others + [session.authID]).map { WakeNote.changed($0) }))
        try await first.change(session)
        time.withLock { $0 += 1_000_000_000 }
        while !second.has([.changed(session.authID)]) { await Task.yield() }
        #expect(!second.has([.changed(others[0])]))
    }
}
