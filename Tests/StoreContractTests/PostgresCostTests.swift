import PostgresStorage
import PostgresTestSupport
import Storage
import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// How often the calls of a store wait for PostgreSQL, and how many commits they make. Over a network each exchange takes
/// the time of the network.
@Suite(.enabled(if: TestedPostgres.address != nil, "scripts/with-postgres starts the PostgreSQL"))
struct PostgresCostTests {
    private struct Cost: Equatable {
        var exchanges: Int
        var commits: Int
    }

    private let postgres: PostgresDatabase
    private let sessions: SessionsTable

    init() async throws {
        postgres = try TestedPostgres.makeDatabase()
        sessions = SessionsTable(postgres.database, sealing: .fake, holder: 1)
        try await postgres.database.waitForEarlierTransactions()
    }

    private func cost(of work: () async throws -> Void) async throws -> Cost {
        let before = postgres.statistics()
        try await work()
        let after = postgres.statistics()
        return Cost(exchanges: after.exchanges - before.exchanges, commits: after.commits - before.commits)
    }

    @Test func `a start waits once`() async throws {
        let session = Sample.session()
        let cost = try await cost { try await sessions.insert(session) }
        #expect(cost == Cost(exchanges: 1, commits: 1))
    }

    @Test func `a read waits once`() async throws {
        let session = Sample.session()
        try await sessions.insert(session)
        let cost = try await cost { _ = try await sessions.session(.correlation(session.correlationID)) }
        #expect(cost == Cost(exchanges: 1, commits: 0))
    }

    /// For the session, for all that the rule needs, and for the commit.
    @Test func `a change with a proof, limits and a kept reply waits three times`() async throws {
        let session = try Sample.waiting()
        try await sessions.insert(session)
        var inputs = ChangeInputs()
        inputs.proof = Sample.proof(1)
        inputs.retry = RetryKey(path: "/otp", requestID: "r-1", body: BodyDigest([1]))
        let keys = [.wrongCodes, .sendsToNumber, .prefix, .country].map {
            LimitKey($0, Sample.number, of: Sample.client)
        }
        inputs.limitKeys = { _, _ in keys }
        let cost = try await cost {
            _ = try await sessions.update(session, inputs) { change in
                change.tallies.count(keys, by: Limits.OverSessions(), at: Sample.now)
                change.session.cancel(at: Sample.now)
            }
        }
        #expect(cost == Cost(exchanges: 3, commits: 1))
    }

    /// For the order that other servers read, for all that is removed, and to take the order back.
    @Test func `an erasure that finds no session makes three commits`() async throws {
        let erasures = Erasures(postgres.database, sealing: .fake)
        let cost = try await cost { _ = try await erasures.erase(.number(Sample.number), at: nil) }
        #expect(cost.commits == 3)
    }

    /// For the session, for the message and the tenant, and for the commit.
    @Test func `the receipt of a message waits three times`() async throws {
        let session = Sample.session()
        try await sessions.insert(session)
        var inputs = ChangeInputs()
        inputs.message = Sample.id()
        let cost = try await cost { _ = try await sessions.update(session, inputs) { $0.messageState } }
        #expect(cost == Cost(exchanges: 3, commits: 1))
    }
}
