import Engine
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite struct SessionsTableTests {
    @Test func `gives back every member of any session it was given`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        var generator = SessionGenerator(seed: 1)
        for _ in 0..<400 {
            let session = generator.session()
            try await sessions.insert(session)
            #expect(try await sessions.session(.correlation(session.correlationID)) == session)
            #expect(try await sessions.session(.auth(session.authID)) == session)
        }
    }

    @Test func `stores every member that a rule changes`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        var generator = SessionGenerator(seed: 2)
        for _ in 0..<200 {
            let before = generator.session()
            let after = generator.session(like: before)
            try await sessions.insert(before)
            #expect(try await sessions.update(before) { $0.session = after } != nil)
            #expect(try await sessions.session(.auth(before.authID)) == after)
        }
    }

    @Test func `knows no session by an id that was never stored`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        try await sessions.insert(Fixture.session())
        #expect(try await sessions.session(.correlation(Fixture.id())) == nil)
        #expect(try await sessions.session(.auth(Fixture.id())) == nil)
        #expect(try await sessions.update(Fixture.session()) { _ in 1 } == nil)
        #expect(try await sessions.events(of: Fixture.id()) == [])
    }

    @Test func `refuses a second session with the same id`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        let session = Fixture.session()
        try await sessions.insert(session)
        await #expect(throws: StorageFault.duplicate) { try await sessions.insert(session) }
    }

    @Test func `keeps the timeline in order over inserts and updates`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        let session = try Fixture.waitingSession()
        try await sessions.insert(session)
        _ = try await sessions.update(session) { $0.session.cancel(at: Fixture.now) }
        let kinds = try await sessions.events(of: session.correlationID).map(\.kind)
        #expect(kinds == [.created, .redeemed, .otpSent, .cancelled])
        #expect(try await sessions.session(.auth(session.authID))?.storedEventCount == 4)
    }

    @Test func `writes nothing when the rule changes nothing`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        let session = Fixture.session()
        try await sessions.insert(session)
        let before = try await database.transaction { $0.totalChanges }
        _ = try await sessions.update(session) { $0.session.isDone }
        #expect(try await database.transaction { $0.totalChanges } == before)
    }

    @Test func `lets one of sixteen racing right codes pass`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        let session = try Fixture.waitingSession()
        try await sessions.insert(session)
        let passes = try await race(16) {
            try await sessions.update(session) { change -> Bool in
                (try? change.session.verifyOTP(
                    { _, _ in OTPDigest(Fixture.right) }, at: Fixture.now, rules: Fixture.rules)) == .taken
            } ?? false
        }
        #expect(passes == 1)
    }

    @Test func `evaluates exactly the allowed number of racing wrong codes`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        let session = try Fixture.waitingSession()
        try await sessions.insert(session)
        let evaluated = try await race(100) {
            let wrong = OTPDigest([UInt8](repeating: 9, count: 32))
            return try await sessions.update(session) { change -> Bool in
                (try? change.session.verifyOTP({ _, _ in wrong }, at: Fixture.now, rules: Fixture.rules))
                    == .refused(.otpMismatch)
            } ?? false
        }
        #expect(evaluated == 3)
        #expect(try await sessions.session(.auth(session.authID))?.outcome == .failed)
    }

    @Test func `takes a proof for new once, however many come at a time`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        let session = Fixture.session()
        try await sessions.insert(session)
        var lookup = ChangeInputs()
        lookup.proof = Fixture.proof([1, 2, 3])
        let fresh = try await race(50) { [lookup] in
            try await sessions.update(session, lookup) { $0.proof } == .new
        }
        #expect(fresh == 1)
        let other = Fixture.session()
        try await sessions.insert(other)
        #expect(try await sessions.update(other, lookup) { $0.proof } == .new)
    }

    /// Uses up proof `number`, made and checked so many seconds after the first; what became of it.
    private func use(
        _ number: Int, of session: Session, _ sessions: SessionsTable, isRead: Bool = false, at seconds: Int64 = 0
    ) async throws -> ProofUse? {
        var lookup = ChangeInputs()
        lookup.proof = Fixture.proof([UInt8(number >> 8), UInt8(number & 0xFF)], at: seconds)
        lookup.isRead = isRead
        return try await sessions.update(session, lookup) { $0.proof }
    }

    @Test func `takes a bounded number of valid proofs, each session its own`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        let session = Fixture.session()
        let other = Fixture.session()
        for session in [session, other] { try await sessions.insert(session) }
        for number in 1...ProofUse.most {
            #expect(try await use(number, of: session, sessions, at: Int64(number) / 10) == .new)
        }
        // The first nine end after 61 seconds, the next ones a second later.
        let one = ProofUse.most + 1
        #expect(try await use(one, of: session, sessions, at: 52) == .tooMany(retryAfterSeconds: 9))
        #expect(try await use(1, of: other, sessions) == .new)
        for number in one..<one + 9 { #expect(try await use(number, of: session, sessions, at: 61) == .new) }
        #expect(try await use(one + 9, of: session, sessions, at: 61) == .tooMany(retryAfterSeconds: 1))
        #expect(try await use(one + 9, of: session, sessions, at: 62) == .new)
        #expect(try await use(ProofUse.most, of: session, sessions, at: 62) == .usedBefore)
    }

    @Test func `looks leave room for the proofs of other calls`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        let session = Fixture.session()
        try await sessions.insert(session)
        for number in 1...ProofUse.mostByReads {
            #expect(try await use(number, of: session, sessions, isRead: true) == .new)
        }
        #expect(try await use(2000, of: session, sessions, isRead: true) == .tooMany(retryAfterSeconds: 61))
        for number in 1000..<1000 + ProofUse.most - ProofUse.mostByReads {
            #expect(try await use(number, of: session, sessions) == .new)
        }
        #expect(try await use(2000, of: session, sessions) == .tooMany(retryAfterSeconds: 61))
        #expect(try await use(2000, of: session, sessions, isRead: true, at: 61) == .new)
    }

    @Test func `gives a tenant one id for a number, and another tenant another`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        let identities = IdentitiesTable(database, sealing: Fixture.sealing)
        var ids: [HolderID] = []
        for client in ["a", "a", "b"].compactMap(ClientID.init) {
            let session = Fixture.session(client: client)
            try await sessions.insert(session)
            _ = try await sessions.update(session) {
                $0.session.complete(success: true, numberIfUnknown: nil, at: Fixture.now, rules: Fixture.rules)
            }
            let id = try #require(try await sessions.session(.auth(session.authID))?.holderID)
            #expect(try await identities.number(of: id, of: client) == Fixture.number)
            ids.append(id)
        }
        #expect(ids[0] == ids[1] && ids[0] != ids[2])
        #expect(try await identities.number(of: ids[0], of: ClientID("b")!) == nil)
        var instant = Fixture.session(client: ClientID("a")!)
        instant.complete(success: true, numberIfUnknown: nil, at: Fixture.now, rules: Fixture.rules)
        try await sessions.insert(instant)
        #expect(try await sessions.session(.auth(instant.authID))?.holderID == ids[0])
    }

    @Test func `lists the newest sessions first`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        for second in [3, 1, 2] { try await sessions.insert(Fixture.session(at: Timestamp(seconds: Int64(second)))) }
        #expect(try await sessions.recentSessions(limit: 2).map(\.createdAt.seconds) == [3, 2])
        #expect(try await sessions.recentSessions(limit: 0) == [])
    }

    @Test func `finds a ciphertext that was moved to another row`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        let (one, two) = (Fixture.session(), Fixture.session())
        try await sessions.insert(one)
        try await sessions.insert(two)
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.script("UPDATE sessions SET record_sealed = (SELECT max(record_sealed) FROM sessions)")
        }
        var faults = 0
        for session in [one, two] {
            do { _ = try await sessions.session(.auth(session.authID)) } catch { faults += 1 }
        }
        #expect(faults == 1)
    }

    @Test(arguments: [
        ("client_id = 'no space'", "sessions.client_id"), ("otp_digest = x'01'", "sessions.otp_digest"),
    ])
    func `names the column of a value that breaks a rule`(change: String, column: String) async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        let session = Fixture.session()
        try await sessions.insert(session)
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.script("UPDATE sessions SET \(change)")
        }
        await #expect(throws: StorageFault.corrupt(what: column)) {
            try await sessions.session(.auth(session.authID))
        }
    }

    /// How many of `count` tasks at a time say yes.
    private func race(_ count: Int, _ run: @escaping @Sendable () async throws -> Bool) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { racers in
            for _ in 0..<count { racers.addTask { try await run() } }
            return try await racers.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
    }

    @Test(arguments: ["client_id = ''", "client_id = 'a b'"])
    func `a damaged row hides no other session that is not over`(change: String) async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        let all = (0..<3).map { Fixture.session(at: Fixture.now.adding(.seconds($0))) }
        for session in all { try await sessions.insert(session) }
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.script(
                """
                UPDATE sessions SET \(change)
                  WHERE correlation_id = (SELECT correlation_id FROM sessions ORDER BY correlation_id LIMIT 1 OFFSET 1)
                """)
        }
        let page = try await sessions.unfinishedSessions(
            after: nil, from: Fixture.now, before: Fixture.now.adding(.seconds(9)))
        #expect(page.sessions.map(\.id) == [all[0].correlationID, all[2].correlationID])
        #expect(page.last == all[2].correlationID && page.damaged == 1)
    }
}
