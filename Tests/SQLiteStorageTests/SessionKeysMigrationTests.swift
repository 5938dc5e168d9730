import Engine
import Possession
import Records
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

/// Migration 0020: sessions that an earlier version has stored are found by everything they were found by.
@Suite struct SessionKeysMigrationTests {
    private static let earlier = 19

    private func open(_ folder: TemporaryFolder, _ migrations: String) throws -> SQLiteDatabase {
        try SQLiteDatabase(
            .directory(DataDirectory(folder.path)), migrations: migrations, now: Fixture.now,
            onFatal: { Issue.record("\($0)") })
    }

    /// A database as version 19 of the schema has it.
    private func earlierDatabase(_ folder: TemporaryFolder) throws -> SQLiteDatabase {
        let migrations = try TemporaryFolder()
        for file in try MigrationFile.all(in: Fixture.migrations).prefix(Self.earlier) {
            try migrations.write(file.text, to: file.name)
        }
        return try open(folder, migrations.path)
    }

    /// Stores a session as that version does.
    private func insert(
        _ session: Session, links: [UInt8] = [], attempts: [UInt8] = [], target: Target? = nil,
        product: String? = nil, _ database: SQLiteDatabase
    ) async throws {
        let record = try SessionRecord(session, Fixture.sealing)
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run(
                """
                INSERT INTO sessions (phase, record_sealed, correlation_id, auth_id, client_id, flow_digest, number_index,
                                      number_product)
                  VALUES ('active', ?1, ?2, ?3, ?4, ?5, ?6, ?7)
                """
            ) {
                $0.blob(record.sealed)
                $0.identifier(session.correlationID)
                $0.identifier(session.authID)
                $0.text(session.clientID.text)
                $0.blob(session.flowDigest?.bytes)
                $0.blob(target.map { Fixture.sealing.blindIndex($0) })
                $0.text(product)
            }
            for byte in links {
                try connection.run("INSERT INTO session_links (token_digest, correlation_id) VALUES (?1, ?2)") {
                    $0.blob(Fixture.digest(byte).bytes)
                    $0.identifier(session.correlationID)
                }
            }
            for byte in attempts {
                try connection.run("INSERT INTO mobile_auth_attempts (attempt_id, correlation_id) VALUES (?1, ?2)") {
                    $0.blob(Fixture.attempt(byte).bytes)
                    $0.identifier(session.correlationID)
                }
            }
        }
    }

    private func count(_ sql: Statement, _ database: SQLiteDatabase) async throws -> Int64? {
        try await database.read { (connection) throws(StorageFault) in
            try connection.first(sql) { (row) throws(StorageFault) in try row.integer("count") }
        }
    }

    @Test func `every key of before finds its session, and goes with it`() async throws {
        let folder = try TemporaryFolder()
        let before = try earlierDatabase(folder)
        let target = Target.number(Fixture.number)
        let policy = Policy.standard("prelude", isFoundByNumber: true)
        let (older, newer) = (
            Fixture.session(policy: policy), Fixture.session(at: Fixture.now.adding(.seconds(1)), policy: policy)
        )
        let (run, linked) = (Fixture.run(FlowDigest([1, 2, 3])), try Fixture.linkSession())
        for session in [newer, older] {
            try await insert(session, target: target, product: "prelude", before)
        }
        try await insert(run, attempts: [1], before)
        try await insert(linked, links: [1, 2], attempts: [2], before)
        // A version that kept no product has stored this one. No number has found it since.
        try await insert(Fixture.session(at: Fixture.now.adding(.seconds(9)), policy: policy), target: target, before)
        await before.close()

        let database = try open(folder, Fixture.migrations)
        let sessions = Fixture.sessions(database)
        let fence = SessionFence(Fixture.client, ProductName("prelude")!)
        #expect(try await sessions.session(.target(target), in: fence) == newer.asStored)
        let all = try await sessions.sessions(
            of: Fixture.client, product: ProductName("prelude")!, target: nil, before: nil, most: 10)
        #expect(all == [newer.asStored, older.asStored])
        #expect(try await sessions.session(.flow(FlowDigest([1, 2, 3])), in: run.fence) == run.asStored)
        #expect(try await sessions.session(.attempt(Fixture.attempt(1)), in: run.fence) == run.asStored)
        for key in [SessionKey.link(Fixture.digest(1)), .link(Fixture.digest(2)), .attempt(Fixture.attempt(2))] {
            #expect(try await sessions.session(key, in: linked.fence) == linked.asStored)
            #expect(try await sessions.session(key, in: run.fence) == nil, "a session of another product")
        }
        #expect(try await count("SELECT count(*) FROM session_keys", database) == 7)
        #expect(try await count("SELECT count(*) FROM pragma_foreign_key_check()", database) == 0)

        let second = try Fixture.linkSession()
        try await sessions.insert(second)
        await #expect(throws: StorageFault.duplicate) {
            _ = try await sessions.update(second) { change in
                _ = try? change.session.sendLink(
                    .first(nil), link: Fixture.link(1), browser: nil, at: Fixture.now, rules: Fixture.rules)
            }
        }
        _ = try await sessions.sweep(sessionsBefore: Fixture.now.adding(.seconds(60)), now: Fixture.now)
        #expect(try await count("SELECT count(*) FROM session_keys", database) == 0)
        await database.close()
    }
}
