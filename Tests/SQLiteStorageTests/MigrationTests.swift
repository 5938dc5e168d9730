import Foundation
import Engine
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

/// Databases that an earlier version has written: what was in them is there, or gone with every byte.
@Suite struct MigrationTests {
    private func open(_ folder: TemporaryFolder, _ migrations: String) throws -> SQLiteDatabase {
        try SQLiteDatabase(
            .directory(DataDirectory(folder.path)), migrations: migrations, now: Fixture.now,
            onFatal: { Issue.record("\($0)") })
    }

    /// The migrations of this version, and one more.
    private func migrations(and next: String) throws -> TemporaryFolder {
        let migrations = try TemporaryFolder()
        let files = try MigrationFile.all(in: Fixture.migrations)
        for file in files { try migrations.write(file.text, to: file.name) }
        try migrations.write(
            next, to: String(repeating: "0", count: 4 - "\(files.count + 1)".utf8.count) + "\(files.count + 1)_next.sql"
        )
        return migrations
    }

    @Test func `a migration adds to what is stored, and leaves it as it is`() async throws {
        let folder = try TemporaryFolder()
        let before = try open(folder, Fixture.migrations)
        let session = try Fixture.waitingSession()
        let tenant = Tenant(
            id: Fixture.client, rules: TenantRules(allowPhoneChange: true, finalTargetHosts: ["a.example"]),
            secretDigests: [SecretDigest([1])], createdAt: Fixture.now)
        try await Fixture.sessions(before).insert(session)
        try await TenantsTable(before.database).add(tenant)
        await before.close()
        let migrations = try migrations(
            and: """
                ALTER TABLE sessions ADD COLUMN note TEXT;
                ALTER TABLE tenants ADD COLUMN is_new INTEGER NOT NULL DEFAULT 0;
                """)
        let database = try open(folder, migrations.path)
        #expect(try await Fixture.sessions(database).session(.auth(session.authID)) == session.asStored)
        #expect(try await TenantsTable(database.database).tenants() == [tenant])
        await database.close()
    }

    @Test func `what a migration removes goes with every byte and all that hangs on it`() async throws {
        let folder = try TemporaryFolder()
        let before = try open(folder, Fixture.migrations)
        let session = try Fixture.waitingSession()
        try await Fixture.sessions(before).insert(session)
        try await before.transaction { (connection) throws(StorageFault) in
            try connection.script("UPDATE session_events SET detail = 'SECRET'")
        }
        await before.close()
        let secret = Array("SECRET".utf8)
        #expect(try folder.contents().values.contains { $0.firstRange(of: secret) != nil })
        let migrations = try migrations(and: "DELETE FROM sessions;")
        let database = try open(folder, migrations.path)
        #expect(try await Fixture.sessions(database).session(.auth(session.authID)) == nil)
        #expect(try await Fixture.sessions(database).events(of: session.correlationID) == [])
        let violations = try await database.transaction { (connection) throws(StorageFault) in
            try connection.all("PRAGMA foreign_key_check") { (_) throws(StorageFault) in 1 }
        }
        #expect(violations.isEmpty)
        try await Fixture.sessions(database).insert(session)
        await database.close()
        #expect(try folder.contents().values.allSatisfy { $0.firstRange(of: secret) == nil })
    }
}
