import Foundation
import Possession
import Testing

@testable import SQLiteStorage

/// Databases that an earlier version has written.
@Suite struct MigrationTests {
    private static let thumbprint = Thumbprint([UInt8](repeating: 3, count: 32))!

    private static func hex(_ bytes: [UInt8]) -> String {
        "x'" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
    }

    private static func hex(_ id: some Identifier) -> String {
        hex(withUnsafeBytes(of: id.bits.bigEndian) { Array($0) })
    }

    /// A session of version 0005 that a tenant's own words stand in, with its first event.
    private static func session(_ id: CorrelationID, _ authID: AuthID) -> String {
        """
        INSERT INTO sessions VALUES (\(hex(id)), \(hex(authID)), 'acme', 1, 2, 'mobile', 'unify', 1, 0, 0, 1, 0, NULL,
          'https://a.example/done', NULL, 'SECRET-r-1', NULL, NULL, NULL, 'created', NULL, NULL, NULL, 7, 'unbound',
          NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'absent', NULL, NULL, NULL, NULL, NULL, 2, NULL, 'idle', NULL, NULL,
          6, 3, 4, 1, 3, NULL, NULL, NULL, NULL, 1);
        INSERT INTO session_events VALUES (\(hex(id)), 0, 'created', 1, NULL);
        """
    }

    private func open(_ folder: TemporaryFolder, _ migrations: String) throws -> Database {
        try Database(
            .directory(DataDirectory(folder.path)), migrations: migrations, now: Fixture.now,
            onFatal: { Issue.record("\($0)") })
    }

    /// A folder with a database of version 0005 that was filled by this script.
    private func folder(_ script: String) async throws -> TemporaryFolder {
        let (folder, migrations) = (try TemporaryFolder(), try TemporaryFolder())
        for file in try MigrationFile.all(in: Fixture.migrations).prefix(5) {
            try migrations.write(file.text, to: file.name)
        }
        let database = try open(folder, migrations.path)
        try await database.transaction { (connection) throws(StorageFault) in try connection.script(script) }
        await database.close()
        return folder
    }

    @Test func `sessions and keys of version 0005, which hold words in the clear, go with every byte`() async throws {
        let (id, authID): (CorrelationID, AuthID) = (Fixture.id(), Fixture.id())
        let key = """
            INSERT INTO device_keys VALUES (\(Self.hex(Fixture.id() as DeviceID)), 'acme',
              \(Self.hex(Self.thumbprint.bytes)), \(Self.hex(Self.thumbprint.bytes + Self.thumbprint.bytes)), 'ios', 1,
              x'01', 'active', 1, 1, NULL, 'SECRET-c-1', NULL);
            """
        let folder = try await folder(Self.session(id, authID) + key)
        let secret = Array("SECRET".utf8)
        #expect(try folder.contents().values.contains { $0.firstRange(of: secret) != nil })
        let database = try open(folder, Fixture.migrations)
        let sessions = Fixture.sessions(database)
        #expect(try await sessions.session(.auth(authID)) == nil)
        #expect(try await sessions.events(of: id) == [])
        let violations = try await database.transaction { (connection) throws(StorageFault) in
            try connection.all("PRAGMA foreign_key_check") { (_) throws(StorageFault) in 1 }
        }
        #expect(violations.isEmpty)
        let fresh = try Fixture.waitingSession()
        try await sessions.insert(fresh)
        #expect(try await sessions.session(.auth(fresh.authID)) == fresh.asStored)
        await database.close()
        #expect(try folder.contents().values.allSatisfy { $0.firstRange(of: secret) == nil })
    }

    @Test func `reads the tenants that version 0005 stored, without the rules it did not know`() async throws {
        let folder = try await folder(
            "INSERT INTO tenants VALUES ('acme', 1, 0, 1, 'a.example', '', '', x'01', NULL, 5000, NULL)")
        let database = try open(folder, Fixture.migrations)
        let tenant = Tenant(
            id: Fixture.client,
            rules: TenantRules(allowPhoneChange: true, finalTargetHosts: ["a.example"], anyFinalTargetHost: true),
            secretDigests: [SecretDigest([1])], createdAt: Timestamp(seconds: 5))
        #expect(try await TenantsTable(database).tenants() == [tenant])
        await database.close()
    }
}
