import Engine
import Possession
import Records
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

/// The rows that a session is found by.
@Suite struct SessionKeysTests {
    private func sendLink(
        _ byte: UInt8, _ order: Session.SendOrder = .again, to session: Session, _ sessions: SessionsTable
    ) async throws {
        let isSent = try await sessions.update(session) { change in
            (try? change.session.sendLink(
                order, link: Fixture.link(byte), browser: nil, at: Fixture.now, rules: Fixture.rules)) != nil
        }
        #expect(isSent == true)
    }

    @Test func `finds a session by any link it ever sent`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        let session = try Fixture.linkSession()
        try await sessions.insert(session)
        try await sessions.insert(try Fixture.linkSession())
        try await sendLink(1, .first(nil), to: session, sessions)
        try await sendLink(2, to: session, sessions)
        for byte: UInt8 in [1, 2] {
            #expect(try await sessions.session(.link(Fixture.digest(byte)))?.authID == session.authID)
            let found = try await sessions.update(
                .link(Fixture.digest(byte)), ChangeInputs(), freshHolderID: Fixture.id()
            ) { $0.session.authID }
            #expect(found == session.authID)
        }
        #expect(try await sessions.session(.link(Fixture.digest(2)))?.link.digest == Fixture.digest(2))
        #expect(try await sessions.session(.link(Fixture.digest(3))) == nil)
    }

    @Test func `finds a session by any attempt it ever opened`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        let session = try Fixture.mobileAuthSession()
        try await sessions.insert(session)
        for byte: UInt8 in [1, 2] {
            _ = try await sessions.update(session) { change in
                try? change.session.beginMobileAuth(
                    Fixture.attempt(byte), ticket: TicketDigest([byte]), at: Fixture.now, rules: Fixture.rules)
            }
        }
        for byte: UInt8 in [1, 2] {
            let found = try #require(try await sessions.session(.attempt(Fixture.attempt(byte))))
            #expect(found.authID == session.authID)
            #expect(found.mobileAuth.attempt == Fixture.attempt(2))
            #expect(found.mobileAuth.attemptsLeft == 1)
        }
        #expect(try await sessions.session(.attempt(Fixture.attempt(3))) == nil)
    }

    @Test func `finds a session by the link and the attempt it was stored with`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        var linked = try Fixture.linkSession()
        _ = try linked.sendLink(
            .first(nil), link: Fixture.link(1), browser: "Firefox on Linux", at: Fixture.now, rules: Fixture.rules)
        try await sessions.insert(linked)
        #expect(try await sessions.session(.link(Fixture.digest(1))) == linked.asStored)
        var attempting = try Fixture.mobileAuthSession()
        try attempting.beginMobileAuth(
            Fixture.attempt(1), ticket: TicketDigest([1]), at: Fixture.now, rules: Fixture.rules)
        try await sessions.insert(attempting)
        #expect(try await sessions.session(.attempt(Fixture.attempt(1))) == attempting.asStored)
    }

    @Test func `keeps both links when the carrier refused the newer one`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        let session = try Fixture.linkSession()
        try await sessions.insert(session)
        try await sendLink(1, .first(nil), to: session, sessions)
        let sent = try await sessions.update(session) { change in
            try? change.session.sendLink(
                .again, link: Fixture.link(2), browser: nil, at: Fixture.now, rules: Fixture.rules
            )
        }
        let message = try #require(sent ?? nil)
        _ = try await sessions.update(session) { $0.session.giveBack(message, at: Fixture.now) }
        for byte: UInt8 in [1, 2] {
            #expect(try await sessions.session(.link(Fixture.digest(byte)))?.link.digest == Fixture.digest(1))
        }
    }

    @Test func `finds a run by its flow token, which no other may have`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        let run = Fixture.run(FlowDigest([1]))
        try await sessions.insert(run)
        try await sessions.insert(Fixture.run(nil))
        try await sessions.insert(Fixture.run(nil))
        #expect(try await sessions.session(.flow(FlowDigest([1]))) == run.asStored)
        #expect(try await sessions.session(.flow(FlowDigest([2]))) == nil)
        await #expect(throws: StorageFault.duplicate) { try await sessions.insert(Fixture.run(FlowDigest([1]))) }
    }

    @Test func `gives a link to one session only`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        for expected in [nil, StorageFault.duplicate] {
            var session = try Fixture.linkSession()
            _ = try session.sendLink(
                .first(nil), link: Fixture.link(1), browser: nil, at: Fixture.now, rules: Fixture.rules)
            var fault: StorageFault?
            do { try await sessions.insert(session) } catch { fault = error }
            #expect(fault == expected)
        }
    }

    @Test func `adds no key when a fault takes the change back`() async throws {
        let cipher = Fixture.sealing
        let fault = StorageFault.failed(code: 0, operation: "seal")
        let sealing = Sealing(
            seal: { (bytes, context) throws(StorageFault) in
                if bytes.count > 1000 { throw fault }
                return try cipher.seal(bytes, context)
            },
            open: cipher.open, blindIndex: cipher.blindIndex, deviceIndex: cipher.deviceIndex,
            credentialIndex: cipher.credentialIndex, limitKey: cipher.limitKey
        )
        let sessions = SessionsTable(try Fixture.database(), sealing: sealing, holder: 1)
        let session = try Fixture.linkSession()
        try await sessions.insert(session)
        let tooLong = String(repeating: "x", count: 1000)
        await #expect(throws: fault) {
            try await sessions.update(session) { change in
                _ = try? change.session.sendLink(
                    .first(nil), link: Fixture.link(1), browser: tooLong, at: Fixture.now, rules: Fixture.rules)
            }
        }
        #expect(try await sessions.session(.link(Fixture.digest(1))) == nil)
        #expect(try await sessions.session(.auth(session.authID)) == session.asStored)
    }

    /// Session and first event; a key only where the session has a name.
    @Test func `a new session writes a row a name, and no more`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        let all = [
            (Fixture.session(), 2), (Fixture.session(policy: .standard("prelude", isFoundByNumber: true)), 3),
            (Fixture.run(FlowDigest([1])), 3),
        ]
        for (session, rows) in all {
            let before = try await database.transaction { $0.totalChanges }
            try await sessions.insert(session)
            #expect(try await database.transaction { $0.totalChanges } == before + rows)
        }
    }

    @Test func `every key has the tenant and the product of its session`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        try await sessions.insert(Fixture.session(policy: .standard("prelude", isFoundByNumber: true)))
        try await sessions.insert(Fixture.run(FlowDigest([1])))
        let keys = try await database.read { (connection) throws(StorageFault) in
            try connection.all("SELECT kind, client_id, product FROM session_keys ORDER BY kind") {
                (row) throws(StorageFault) in
                [try row.text("kind"), try row.text("client_id"), try row.text("product")]
            }
        }
        #expect(keys == [["flow", "acme", "prefill"], ["target", "acme", "prelude"]])
    }
}
