import Foundation
import Engine
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite struct ActivationsTableTests {
    private static let match = SignatureMatch(skipped: 0, counter: [1])

    /// Stores an activation with the session that makes it.
    private func make(_ database: Database) async throws -> DeviceActivation {
        let sessions = Fixture.sessions(database)
        let session = Fixture.session()
        try await sessions.insert(session)
        let activation = Fixture.activation(of: session)
        _ = try await sessions.update(session) { $0.activation = activation }
        return activation
    }

    private func take(
        _ activation: DeviceActivation, _ table: ActivationsTable
    ) async throws -> SignatureOutcome? {
        try await table.update(activation.id, telling: nil) {
            $0.take(Self.match, of: .possession, checkedWith: activation.secrets.counter, at: Fixture.now)
        }
    }

    @Test func `a signature is used up once its update returns, also for the next process`() async throws {
        let folder = try TemporaryFolder()
        let sqlite = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        let database = sqlite.database
        let activation = try await make(database)
        #expect(try await take(activation, ActivationsTable(database, sealing: Fixture.sealing)) == .matched)
        // The state that a process leaves behind which is killed now.
        let copy = try TemporaryFolder()
        for (name, content) in try folder.contents() where name.hasPrefix("holdfast.") {
            try Data(content).write(to: URL(fileURLWithPath: copy.path + "/" + name))
        }
        await sqlite.close()
        let next = try Fixture.sqlite(.directory(DataDirectory(copy.path)))
        let table = ActivationsTable(next.database, sealing: Fixture.sealing)
        #expect(try await table.activation(activation.id)?.secrets.counter == [1])
        #expect(try await take(activation, table) == .outdated)
        await next.close()
    }

    @Test func `one of sixteen threads uses a signature up in a file`() async throws {
        let folder = try TemporaryFolder()
        let sqlite = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        let database = sqlite.database
        let table = ActivationsTable(database, sealing: Fixture.sealing)
        let activation = try await make(database)
        let matches = try await withThrowingTaskGroup(of: Bool.self) { racers in
            for _ in 0..<16 {
                racers.addTask { try await OwnThread.run { try await take(activation, table) == .matched } }
            }
            return try await racers.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(matches == 1)
        await sqlite.close()
    }

    @Test func `a rule that changes nothing writes nothing`() async throws {
        let database = try Fixture.database()
        let table = ActivationsTable(database, sealing: Fixture.sealing)
        let activation = try await make(database)
        func changes() async throws -> Int {
            try await database.transaction { (connection) throws(StorageFault) in connection.totalChanges }
        }
        let before = try await changes()
        _ = try await table.update(activation.id, telling: nil) { $0.unblock(at: Fixture.now) }
        #expect(try await changes() == before)
    }

    @Test func `a change of a session that throws its transaction away makes no activation`() async throws {
        let database = try Fixture.database()
        let sessions = Fixture.sessions(database)
        let activation = try await make(database)
        let other = Fixture.session()
        try await sessions.insert(other)
        // The id is taken, so the whole change fails.
        let twin = DeviceActivation(
            id: activation.id, clientID: other.clientID, applicationKey: "a", target: activation.target,
            sessionID: other.correlationID, details: .init(), secrets: activation.secrets, at: Fixture.now)
        await #expect(throws: StorageFault.self) {
            _ = try await sessions.update(other) { change in
                change.session.complete(success: true, numberIfUnknown: nil, at: Fixture.now, rules: Fixture.rules)
                change.activation = twin
            }
        }
        #expect(try await sessions.session(.auth(other.authID))?.isDone == false)
        let table = ActivationsTable(database, sealing: Fixture.sealing)
        #expect(try await table.activation(activation.id) == activation)
    }

    @Test func `a row with a status that no build knows does not open`() async throws {
        let database = try Fixture.database()
        let table = ActivationsTable(database, sealing: Fixture.sealing)
        let activation = try await make(database)
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run("UPDATE activations SET status = 'other', reason = 'operator' WHERE activation_id = ?1")
            {
                $0.identifier(activation.id)
            }
        }
        await #expect(throws: StorageFault.self) { try await table.activation(activation.id) }
    }
}
