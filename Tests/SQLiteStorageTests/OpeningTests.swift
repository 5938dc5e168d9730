import Foundation
import Engine
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite struct OpeningTests {
    private func open(_ folder: TemporaryFolder, migrations: String = Fixture.migrations) throws -> SQLiteDatabase {
        try SQLiteDatabase(
            .directory(DataDirectory(folder.path)), migrations: migrations, now: Fixture.now, onFatal: { _ in })
    }

    @Test func `sets and keeps what durability rests on`() async throws {
        let folder = try TemporaryFolder()
        let database = try open(folder)
        let mode = try await database.transaction { (connection) throws(StorageFault) in
            try connection.first("PRAGMA journal_mode") { (row) throws(StorageFault) in try row.text("mode") }
        }
        #expect(mode == "wal")
        for (pragma, expected): (Statement, Int64) in [
            ("PRAGMA synchronous", 2), ("PRAGMA foreign_keys", 1), ("PRAGMA busy_timeout", 5000),
            ("PRAGMA secure_delete", 1), ("PRAGMA wal_autocheckpoint", 0),
            ("PRAGMA application_id", 0x486F_6C64),
        ] {
            let value = try await database.transaction { (connection) throws(StorageFault) in
                try connection.first(pragma) { (row) throws(StorageFault) in try row.integer("pragma") }
            }
            #expect(value == expected, "\(pragma.text)")
        }
        await database.close()
    }

    @Test func `keeps folder and files to their owner`() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        let database = try open(folder)
        try await database.probe()
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(folder.path) == 0o700)
        for name in try folder.contents().keys { #expect(try mode(folder.path + "/" + name) == 0o600, "\(name)") }
        #expect(try folder.contents().keys.contains("holdfast.db-wal"))
        await database.close()
    }

    @Test func `refuses a folder that is open to others and holds something else`() throws {
        let folder = try TemporaryFolder()
        try folder.write("mine", to: "diary.txt")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        #expect(throws: OpeningFault.self) { try DataDirectory(folder.path) }
    }

    @Test func `refuses a second owner until the first is gone`() async throws {
        let folder = try TemporaryFolder()
        var first: DataDirectory? = try DataDirectory(folder.path)
        #expect(throws: OpeningFault.inUse(path: folder.path)) { try DataDirectory(folder.path) }
        #expect(first != nil)
        first = nil
        _ = try DataDirectory(folder.path)
    }

    @Test func `finds again what was stored, over a restart`() async throws {
        let folder = try TemporaryFolder()
        let session = Fixture.session()
        let database = try open(folder)
        try await Fixture.sessions(database).insert(session)
        await database.close()
        let again = try open(folder)
        #expect(try await Fixture.sessions(again).session(.auth(session.authID)) == session.asStored)
        await again.close()
    }

    // MARK: Migrations

    private static let first = "CREATE TABLE one (a INTEGER) STRICT;"
    private static let second = "CREATE TABLE two (a INTEGER) STRICT; INSERT INTO one VALUES (1);"

    private func tables(_ folder: TemporaryFolder, _ migrations: TemporaryFolder) async throws -> [String] {
        let database = try open(folder, migrations: migrations.path)
        let names = try await database.read { (connection) throws(StorageFault) in
            try connection.all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
                (row) throws(StorageFault) in try row.text("name")
            }
        }
        await database.close()
        return names
    }

    @Test func `applies migrations once, and later ones later`() async throws {
        let (folder, migrations) = (try TemporaryFolder(), try TemporaryFolder())
        try migrations.write(Self.first, to: "0001_one.sql")
        try migrations.write("about", to: "README.md")
        #expect(try await tables(folder, migrations) == ["migrations", "one"])
        #expect(try await tables(folder, migrations) == ["migrations", "one"])
        try migrations.write(Self.second, to: "0002_two.sql")
        #expect(try await tables(folder, migrations) == ["migrations", "one", "two"])
    }

    @Test(arguments: [" CREATE TABLE broken (", " COMMIT;", " ROLLBACK;"])
    func `leaves the schema before a migration that fails, and names it`(end: String) async throws {
        let (folder, migrations) = (try TemporaryFolder(), try TemporaryFolder())
        try migrations.write(Self.first, to: "0001_one.sql")
        _ = try await tables(folder, migrations)
        try migrations.write(Self.second + end, to: "0002_two.sql")
        let error = #expect(throws: OpeningFault.self) { try open(folder, migrations: migrations.path) }
        guard case .migrationFailed("0002_two.sql", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `takes up a broken migration from where it stood`() async throws {
        let (folder, migrations) = (try TemporaryFolder(), try TemporaryFolder())
        try migrations.write(Self.first, to: "0001_one.sql")
        try migrations.write(Self.second + " CREATE TABLE broken (", to: "0002_two.sql")
        #expect(throws: OpeningFault.self) { try open(folder, migrations: migrations.path) }
        try migrations.write(Self.second, to: "0002_two.sql")
        #expect(try await tables(folder, migrations) == ["migrations", "one", "two"])
    }

    @Test func `refuses a database that a newer version has used, and leaves it alone`() async throws {
        let (folder, migrations) = (try TemporaryFolder(), try TemporaryFolder())
        try migrations.write(Self.first, to: "0001_one.sql")
        try migrations.write(Self.second, to: "0002_two.sql")
        _ = try await tables(folder, migrations)
        try FileManager.default.removeItem(atPath: migrations.path + "/0002_two.sql")
        let before = try folder.contents()["holdfast.db"]
        #expect(throws: OpeningFault.newer(path: folder.path + "/holdfast.db", version: 2, known: 1)) {
            try open(folder, migrations: migrations.path)
        }
        #expect(try folder.contents()["holdfast.db"] == before)
    }

    @Test func `refuses an applied migration that was edited or renamed`() async throws {
        let (folder, migrations) = (try TemporaryFolder(), try TemporaryFolder())
        try migrations.write(Self.first, to: "0001_one.sql")
        _ = try await tables(folder, migrations)
        try migrations.write(Self.first + " ", to: "0001_one.sql")
        #expect(throws: OpeningFault.altered(migration: "0001_one.sql")) {
            try open(folder, migrations: migrations.path)
        }
        try FileManager.default.removeItem(atPath: migrations.path + "/0001_one.sql")
        try migrations.write(Self.first, to: "0001_uno.sql")
        #expect(throws: OpeningFault.altered(migration: "0001_one.sql")) {
            try open(folder, migrations: migrations.path)
        }
    }

    @Test(arguments: [
        (["0001_a.sql", "0003_c.sql"], "number 2 is missing"), (["0002_a.sql"], "number 1 is missing"),
        (["0001_a.sql", "0001_b.sql"], "number 1 twice"), (["1_a.sql"], "1_a.sql is not named NNNN_what.sql"),
        (["0001_A.sql"], "0001_A.sql is not named NNNN_what.sql"),
        (["0001_.sql"], "0001_.sql is not named NNNN_what.sql"),
        ([], "no NNNN_what.sql file"),
    ])
    func `refuses a folder of migrations with a gap, a double or a strange name`(names: [String], reason: String) throws
    {
        let migrations = try TemporaryFolder()
        for name in names { try migrations.write(Self.first, to: name) }
        #expect(throws: OpeningFault.migrations(path: migrations.path, reason: reason)) {
            try MigrationFile.all(in: migrations.path)
        }
    }

    // MARK: Damage

    @Test func `refuses a database of another program`() async throws {
        let (folder, migrations) = (try TemporaryFolder(), try TemporaryFolder())
        let path = folder.path + "/holdfast.db"
        do {
            let connection = try SQLiteConnection(path: path, .writer)
            try connection.runScript("PRAGMA application_id = 77; CREATE TABLE theirs (a)")
        }
        try migrations.write(Self.first, to: "0001_one.sql")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        let before = try folder.contents()["holdfast.db"]
        #expect(throws: OpeningFault.foreign(path: path, applicationID: 77)) {
            try open(folder, migrations: migrations.path)
        }
        #expect(try folder.contents()["holdfast.db"] == before)
    }

    @Test(arguments: ["header", "page one", "middle", "cut", "text"])
    func `finds a damaged file at the start and leaves it as it is`(damage: String) async throws {
        let folder = try TemporaryFolder()
        let database = try open(folder)
        let sessions = Fixture.sessions(database)
        for _ in 0..<200 { try await sessions.insert(Fixture.session()) }
        await database.close()
        let path = folder.path + "/holdfast.db"
        var bytes = try #require(folder.contents()["holdfast.db"])
        switch damage {
        case "header": bytes[3] ^= 0xFF
        case "page one": for index in 100..<1000 { bytes[index] ^= 0xFF }
        case "middle": for index in bytes.count / 2..<bytes.count / 2 + 8192 { bytes[index] ^= 0xFF }
        case "cut": bytes.removeLast(bytes.count / 2)
        default: bytes = Array("this is no database, but a text that is long enough for a header".utf8) + bytes
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: OpeningFault.self) { try open(folder) }
        guard case .damaged = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try folder.contents()["holdfast.db"] == bytes)
    }
}
