import Locks
import Engine
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

/// Facts of this store only: notes that share a commit, and rows that can be damaged.
@Suite struct MessagesTableTests {
    private let links = Locked<UInt8>(0)

    private func promise(_ sessions: SessionsTable) async throws -> OutboundMessage {
        let session = try Fixture.linkSession()
        try await sessions.insert(session)
        let id: MessageID = Fixture.id()
        // A link is one session's.
        let byte = links.withLock { number in
            number += 1
            return number
        }
        let sent = try await sessions.update(session) { change -> OutboundMessage? in
            let pending = try? change.session.sendLink(
                .first(nil), link: .init(token: "t-4711", digest: Fixture.digest(byte), matchCode: nil), browser: nil,
                at: Fixture.now, rules: Fixture.rules)
            change.message = pending.map {
                OutboundMessage(id: id, correlationID: session.correlationID, pending: $0)
            }
            return change.message
        }
        return try #require(sent ?? nil)
    }

    private func states(_ database: Database) async throws -> [String] {
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.all("SELECT state FROM messages ORDER BY message_id") { (row) throws(StorageFault) in
                try row.text("messages.state")
            }
        }
    }

    @Test func `notes what was sent with the commit of another change`() async throws {
        let folder = try TemporaryFolder()
        let sqlite = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        let database = sqlite.database
        let sessions = Fixture.sessions(database)
        let messages = [try await promise(sessions), try await promise(sessions)]
        let before = sqlite.statistics()
        for message in messages { sessions.outbox.noteSent(message, Acceptance()) }
        try await sessions.insert(Fixture.session())
        let after = sqlite.statistics()
        #expect(after.transactions == before.transactions + 3 && after.batches <= before.batches + 2)
        #expect(try await states(database) == ["sent", "sent"])
        await sqlite.close()
    }

    @Test(.timeLimit(.minutes(60))) func `notes what was sent soon when nothing else is changed`() async throws {
        let folder = try TemporaryFolder()
        let sqlite = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        let database = sqlite.database
        let sessions = Fixture.sessions(database)
        let message = try await promise(sessions)
        let before = sqlite.statistics().transactions
        sessions.outbox.noteSent(message, Acceptance())
        while sqlite.statistics().transactions == before { await Task.yield() }
        #expect(try await states(database) == ["sent"])
        await sqlite.close()
    }

    @Test func `the end of the process stores what was noted`() async throws {
        let folder = try TemporaryFolder()
        let first = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        let sessions = Fixture.sessions(first)
        sessions.outbox.noteSent(try await promise(sessions), Acceptance())
        await first.close()
        let second = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        #expect(try await states(second.database) == ["sent"])
        await second.close()
    }

    /// A message whose note found no room.
    private func refusedNote(_ sqlite: SQLiteDatabase, _ sessions: SessionsTable) async throws -> OutboundMessage {
        let stall = Stall()
        let database = sqlite.database
        let message = try await promise(sessions)
        async let held: Void = stall.hold(sqlite)
        await stall.begun()
        async let waiting: Void = database.transaction { (_) throws(StorageFault) in }
        while sqlite.statistics().waiting < 1 { await Task.yield() }
        sessions.outbox.noteSent(message, Acceptance())
        #expect(sqlite.statistics().refused == 1)
        stall.release()
        try await held
        try await waiting
        #expect(try await states(database) == ["queued"])
        return message
    }

    private static let narrow = {
        var limits = SQLiteLimits()
        limits.storage.waitingTransactions = 1
        return limits
    }()

    @Test func `a note that found no room is stored when messages are taken next`() async throws {
        let sqlite = try Fixture.sqlite(limits: Self.narrow)
        let sessions = Fixture.sessions(sqlite)
        _ = try await refusedNote(sqlite, sessions)
        #expect(try await sessions.outbox.takeQueued(limit: 10).isEmpty)
        #expect(try await states(sqlite.database) == ["sent"])
    }

    @Test func `a note that found no room is stored before the change that follows it`() async throws {
        let sqlite = try Fixture.sqlite(limits: Self.narrow)
        let sessions = Fixture.sessions(sqlite)
        let message = try await refusedNote(sqlite, sessions)
        var inputs = ChangeInputs()
        inputs.message = message.id
        let key = SessionKey.correlation(message.correlationID)
        let found = try await sessions.update(key, inputs, freshHolderID: Fixture.id()) { $0.messageState }
        #expect(found == .sent)
    }

    @Test func `a settled message keeps neither number nor link`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        sessions.outbox.noteSent(try await promise(sessions), Acceptance())
        let left = try await database.transaction { (connection) throws(StorageFault) in
            try connection.first(
                "SELECT count(*) FROM messages WHERE message_sealed IS NOT NULL OR holder IS NOT NULL"
            ) { (row) throws(StorageFault) in try row.integer("count") }
        }
        #expect(left == 0)
    }

    @Test func `names the gateway of a message whose receipt came first`() async throws {
        let sessions = Fixture.sessions(try Fixture.database())
        let message = try await promise(sessions)
        var lookup = ChangeInputs()
        lookup.message = message.id
        _ = try await sessions.update(
            .correlation(message.correlationID), lookup, freshHolderID: Fixture.id()
        ) { change in
            change.messageState = .sent
            change.messageEnd = .delivered
        }
        sessions.outbox.noteSent(message, Acceptance(gateway: "main", channel: .sms))
        try await sessions.insert(Fixture.session())
        #expect(
            try await sessions.outbox.standings(of: message.correlationID)
                == [MessageStanding(id: message.id, state: .sent, gateway: "main", channel: .sms, end: .delivered)])
    }

    @Test func `what an earlier process has kept goes on once as well`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        let message = try await promise(sessions)
        sessions.outbox.noteSent(message, Acceptance(gateway: "main"), keeps: true, webhooks: [])
        let next = SessionsTable(database, sealing: Fixture.sealing, holder: 2)
        var lookup = ChangeInputs()
        lookup.message = message.id
        lookup.wantsKeptMessage = true
        var goesOn: [Bool] = []
        for id in [Fixture.id(), Fixture.id()] as [MessageID] {
            let found = try await next.update(
                .correlation(message.correlationID), lookup, freshHolderID: Fixture.id()
            ) { change in
                guard let kept = change.keptMessage else { return false }
                change.message = OutboundMessage(id: id, correlationID: message.correlationID, pending: kept.pending)
                return true
            }
            goesOn.append(found == true)
        }
        #expect(goesOn == [true, false])
    }

    @Test func `counts a damaged message, and takes the others`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        let messages = [try await promise(sessions), try await promise(sessions)].sorted { $0.id < $1.id }
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.script(
                "UPDATE messages SET message_sealed = x'00' WHERE message_id = (SELECT min(message_id) FROM messages)")
        }
        let next = MessagesTable(database, sealing: Fixture.sealing, holder: 2)
        let taken = try await next.takeQueued(limit: 10)
        #expect(taken.messages == [messages[1]] && taken.unreadable == 1)
        #expect(try await next.takeQueued(limit: 10).isEmpty)
        #expect(try await states(database) == ["queued", "queued"])
    }
}
