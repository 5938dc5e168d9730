import Engine
import Possession
import Records
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

/// Rows that go from a restored database before anybody is served (DUR-18, TOK-11).
@Suite struct RestoredDatabaseTests {
    private let database: Database
    private let sessions: SessionsTable
    private let restored: RestoredDatabase

    init() throws {
        database = try Fixture.database()
        sessions = Fixture.sessions(database)
        restored = RestoredDatabase(database, sealing: Fixture.sealing)
    }

    private func endAll(_ sessions: any SessionStore) async throws -> RestoredSessions.Outcome {
        try await RestoredSessions(
            sessions, NoWebhooks(), limits: Limits(), now: { Fixture.now.adding(.seconds(10)) },
            randomBytes: { (count) throws(EntropyFault) in [UInt8](repeating: 3, count: count) }
        ).endAll()
    }

    @Test func `a waiting code, a waiting link, an unused session: all fail, and say why`() async throws {
        let waiting = try Fixture.waitingSession()
        let link = try Fixture.linkSession()
        let unused = Fixture.session()
        for session in [waiting, link, unused] { try await sessions.insert(session) }
        let outcome = try await endAll(sessions)
        #expect(outcome.ended == 3 && outcome.unreadable == 0)
        for session in [waiting, link, unused] {
            let found = try #require(try await sessions.session(.correlation(session.correlationID)))
            #expect(found.outcome == .failed && found.otp.expiresAt == nil && found.nextExpiry == nil)
            let last = try #require(try await sessions.events(of: session.correlationID).last)
            #expect(last.kind == .failed && last.detail == "restored" && last.at == Fixture.now.adding(.seconds(10)))
        }
        #expect(try await endAll(sessions) == RestoredSessions.Outcome())
    }

    @Test func `what is over stays as it was, and what had expired is expired`() async throws {
        var over = Fixture.session()
        over.cancel(at: Fixture.now)
        let late = Fixture.session(at: Fixture.now.adding(.seconds(-100_000)))
        try await sessions.insert(over)
        try await sessions.insert(late)
        #expect(try await endAll(sessions).ended == 1)
        #expect(try await sessions.session(.correlation(over.correlationID))?.outcome == .cancelled)
        #expect(try await sessions.session(.correlation(late.correlationID))?.outcome == .expired)
    }

    @Test func `a session from ahead of the clock ends when it began`() async throws {
        let ahead = Fixture.session(at: Fixture.now.adding(.seconds(500)))
        try await sessions.insert(ahead)
        #expect(try await endAll(sessions).ended == 1)
        let found = try #require(try await sessions.session(.correlation(ahead.correlationID)))
        #expect(found.outcome == .failed && found.endedAt == ahead.createdAt)
    }

    @Test func `a session that cannot be read keeps no other from its end`() async throws {
        let (bad, good) = (Fixture.session(), Fixture.session())
        try await sessions.insert(bad)
        try await sessions.insert(good)
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run("UPDATE sessions SET record_sealed = x'00' WHERE correlation_id = ?1") {
                $0.identifier(bad.correlationID)
            }
        }
        let outcome = try await endAll(sessions)
        #expect(outcome.ended == 1 && outcome.unreadable == 1)
        let opened = try await restored.openSealed(atMost: 10)
        #expect(opened.values == 1 && opened.damaged == ["sessions.record_sealed": 1])
    }

    @Test func `secrets of temporary keys go`() async throws {
        let secrets = TemporarySecretsTable(database)
        _ = try await secrets.add(TemporarySecret(period: 1, sealed: [1]))
        _ = try await restored.takeBack(now: Fixture.now)
        #expect(try await secrets.temporarySecrets() == [])
    }

    @Test func `signing keys, kept replies and waiting messages go, and time goes on from now`() async throws {
        let keys = SigningKeysTable(database)
        for (kid, half) in [("a", StoredSigningKey.Half.sealedPrivate([1])), ("b", .sealedPublic([2]))] {
            try await keys.add(
                StoredSigningKey(
                    kid: kid, purpose: .auth, createdAt: Fixture.now, activatesAt: Fixture.now, half: half))
        }
        let session = Fixture.session()
        try await sessions.insert(session)
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run(
                "INSERT INTO messages (correlation_id, message_id, state, message_sealed) VALUES (?1, ?2, 'queued', x'01')"
            ) {
                $0.identifier(session.correlationID)
                $0.blob([UInt8](repeating: 1, count: 16))
            }
            try connection.run(
                "INSERT INTO messages (correlation_id, message_id, state, receipt_due_ms) VALUES (?1, ?2, 'sent', 1)"
            ) {
                $0.identifier(session.correlationID)
                $0.blob([UInt8](repeating: 2, count: 16))
            }
            try connection.run("INSERT INTO replayed_replies VALUES (?1, '/otp', 'r-1', x'02', x'03')") {
                $0.identifier(session.correlationID)
            }
            try ClockMarkTable.save(ClockMark(latest: Fixture.now.adding(.seconds(86_400))), connection)
        }
        let taken = try await restored.takeBack(now: Fixture.now)
        #expect(taken == RestoredDatabase.Taken(messages: 1, replies: 1, activations: 0))
        #expect(try await keys.signingKeys().isEmpty)
        let left = try await sessions.outbox.takeQueued(limit: 10)
        #expect(left.messages.isEmpty && left.unreadable == 0)
        #expect(try await sessions.outbox.standings(of: session.correlationID).map(\.state) == [.expired, .sent])
        #expect(try await sessions.outbox.standings(of: session.correlationID).allSatisfy { !$0.awaitsReceipt })
        #expect(try await ClockMarkTable(database).find() == ClockMark(latest: Fixture.now))
        let again = RestoredDatabase.Taken(messages: 0, replies: 0, activations: 0)
        #expect(try await restored.takeBack(now: Fixture.now) == again)
    }

    @Test func `an active activation is blocked until an operator unblocks it, and what was not active stays`()
        async throws
    {
        let activations = ActivationsTable(database, sealing: Fixture.sealing)
        let session = Fixture.session()
        try await sessions.insert(session)
        var made: [DeviceActivation] = []
        for _ in 0..<3 {
            let activation = Fixture.activation(of: session)
            _ = try await sessions.update(session) { $0.activation = activation }
            made.append(activation)
        }
        _ = try await activations.update(made[1].id, telling: nil) { $0.block(for: .client, at: Fixture.now) }
        _ = try await activations.update(made[2].id, telling: nil) { $0.remove(for: .phone, at: Fixture.now) }
        let later = Fixture.now.adding(.seconds(9))
        #expect(try await restored.takeBack(now: later).activations == 1)
        var reasons: [DeviceActivation.Reason?] = []
        for activation in made { reasons.append(try await activations.activation(activation.id)?.standing.reason) }
        #expect(reasons == [.restored, .client, .phone])
        let outcome = try await activations.update(made[0].id, telling: nil) { activation in
            activation.take(
                SignatureMatch(skipped: 0, counter: [1]), of: .knowledge, checkedWith: activation.secrets.counter,
                at: later)
        }
        #expect(outcome == .notActive)
        #expect(try await activations.update(made[0].id, telling: nil) { $0.unblock(at: later) } == true)
    }

    @Test func `a proof that was used before stays used`() async throws {
        let session = Fixture.session()
        try await sessions.insert(session)
        let proof = Fixture.proof([5])
        var lookup = ChangeInputs()
        lookup.proof = proof
        _ = try await sessions.update(session, lookup) { _ in }
        _ = try await endAll(sessions)
        _ = try await restored.takeBack(now: Fixture.now)
        #expect(try await sessions.update(session, lookup) { $0.proof } == .usedBefore)
    }

    @Test func `opens what is sealed in each column, so many of each`() async throws {
        for _ in 0..<5 { try await sessions.insert(Fixture.session()) }
        var done = try Fixture.waitingSession()
        done.complete(success: true, numberIfUnknown: nil, at: Fixture.now, rules: Fixture.rules)
        try await sessions.insert(done)
        let endpoints = WebhookEndpointsTable(database, sealing: Fixture.sealing)
        #expect(try await endpoints.add(try endpoint(), most: 1))
        // Three sessions, the identity of the proven number, the endpoint.
        let opened = try await restored.openSealed(atMost: 3)
        #expect(opened.values == 5 && opened.damaged.isEmpty)
    }

    private func endpoint() throws -> WebhookEndpoint {
        WebhookEndpoint(
            id: WebhookEndpointID(bits: 1), clientID: Fixture.client, url: "https://shop.example/h",
            filter: try WebhookFilter(["*"]), keys: .init(secret: [1], seed: nil),
            createdAt: Fixture.now.adding(.seconds(-1)))
    }

    @Test func `a tenant's endpoint is told of each session that ended so`() async throws {
        let endpoints = WebhookEndpointsTable(database, sealing: Fixture.sealing)
        #expect(try await endpoints.add(try endpoint(), most: 1))
        let session = try Fixture.waitingSession()
        try await sessions.insert(session)
        _ = try await RestoredSessions(
            sessions, endpoints, limits: Limits(), now: { Fixture.now },
            randomBytes: { (count) throws(EntropyFault) in [UInt8](repeating: 3, count: count) }
        ).endAll()
        let due = try await endpoints.dueWebhooks(
            at: try endpoint(), now: Fixture.now.adding(.seconds(1)), limit: 10, besides: [])
        #expect(due.deliveries.map(\.event.news.type) == [.sessionFailed])
    }
}
