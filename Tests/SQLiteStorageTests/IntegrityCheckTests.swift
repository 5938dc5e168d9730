import Foundation
import Engine
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

/// DUR-09 and DUR-19: a large file is read while it serves, in steps, and what is wrong with it is found.
@Suite struct IntegrityCheckTests {
    private func open(_ folder: TemporaryFolder, _ change: (inout SQLiteLimits) -> Void = { _ in }) throws
        -> SQLiteDatabase
    {
        var limits = SQLiteLimits()
        limits.bytesCheckedAtStart = 0
        limits.pauseBetweenCheckSteps = .zero
        change(&limits)
        return try SQLiteDatabase(
            .directory(DataDirectory(folder.path)), migrations: Fixture.migrations, now: Fixture.now, limits: limits,
            onFatal: { _ in })
    }

    private func fill(_ folder: TemporaryFolder) async throws {
        let database = try open(folder) { $0.bytesCheckedAtStart = .max }
        let sessions = Fixture.sessions(database)
        for _ in 0..<800 { try await sessions.insert(Fixture.session()) }
        await database.close()
    }

    /// Damages pages late in the file, where rows of sessions are among those of indexes.
    private func damage(_ folder: TemporaryFolder) throws {
        var bytes = try #require(folder.contents()["holdfast.db"])
        for index in bytes.count / 4 * 3..<bytes.count { bytes[index] ^= 0xFF }
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/holdfast.db"))
    }

    @Test func `a file over the bound starts though it is damaged, and the check finds it`() async throws {
        let folder = try TemporaryFolder()
        try await fill(folder)
        try damage(folder)
        #expect(throws: OpeningFault.self) { try open(folder) { $0.bytesCheckedAtStart = .max } }
        let database = try open(folder)
        #expect(!database.wasChecked)
        let finding = try await database.checkIntegrity { Fixture.now }
        guard case .damaged(let what) = finding else {
            Issue.record("\(finding)")
            return
        }
        #expect(!what.isEmpty)
        #expect(try await database.lastCheck() == nil)
        await database.close()
    }

    @Test(arguments: [Duration.seconds(60), .zero])
    func `a sound file passes, also row by row, and the time is kept`(longestStep: Duration) async throws {
        let folder = try TemporaryFolder()
        try await fill(folder)
        let database = try open(folder) {
            $0.longestCheckStep = longestStep
            $0.rowsPerCheckStep = 7
        }
        #expect(try await database.lastCheck() == nil)
        #expect(try await database.checkIntegrity { Fixture.now } == .sound)
        await database.close()
        let again = try open(folder)
        #expect(try await again.lastCheck() == Fixture.now)
        #expect(!again.endedBadly)
        await again.close()
    }

    @Test func `a walk reads every row of every table once, whatever its key is`() async throws {
        let folder = try TemporaryFolder()
        try await fill(folder)
        let connection = try SQLiteConnection(path: folder.path + "/holdfast.db", .reader)
        let tables = try connection.checkedTables()
        #expect(tables.first?.name == "sqlite_schema")
        #expect(tables.first { $0.name == "sessions" }?.key == ["rowid"])
        #expect(tables.first { $0.name == "session_events" }?.key == ["correlation_id", "number"])
        for table in tables {
            for rows in [1, 7, 200, 201] {
                var walk = try TableWalk(table, connection)
                var steps = 0
                while try walk.step(rows: rows) { steps += 1 }
                let count = try connection.all("SELECT count(*) FROM sessions") { (row) throws(StorageFault) in
                    Int(try row.integer("count"))
                }
                if table.name == "sessions" || table.name == "session_events" { #expect(steps == count[0] / rows) }
            }
        }
    }

    @Test func `a walk finds a damaged page`() async throws {
        let folder = try TemporaryFolder()
        try await fill(folder)
        try damage(folder)
        let connection = try SQLiteConnection(path: folder.path + "/holdfast.db", .reader)
        connection.checkCells()
        #expect(throws: SQLiteFailure.self) {
            for table in try connection.checkedTables() {
                var walk = try TableWalk(table, connection)
                while try walk.step(rows: 50) {}
            }
        }
    }

    @Test func `an end that was not in good order shows in the log it leaves`() async throws {
        let folder = try TemporaryFolder()
        let copy = try TemporaryFolder()
        let database = try open(folder)
        #expect(!database.endedBadly)
        try await Fixture.sessions(database).insert(Fixture.session())
        #expect(try await database.checkIntegrity { Fixture.now } == .sound)
        // The files that a crash leaves: as they are now.
        for (name, bytes) in try folder.contents() where name != "holdfast.db-shm" {
            try Data(bytes).write(to: URL(fileURLWithPath: copy.path + "/" + name))
        }
        await database.close()
        let after = try open(copy)
        #expect(after.endedBadly)
        await after.close()
        // An end in good order, without a check, does not hide it.
        let again = try open(copy)
        #expect(!again.endedBadly)
        #expect(try await again.lastCheck() == nil)
        await again.close()
    }

    @Test func `no write waits for a check, and closing ends one under way`() async throws {
        let folder = try TemporaryFolder()
        try await fill(folder)
        let database = try open(folder) {
            // One row a step and a second between two: without an end it would take minutes.
            $0.longestCheckStep = .zero
            $0.rowsPerCheckStep = 1
            $0.pauseBetweenCheckSteps = .seconds(1)
        }
        async let finding = database.checkIntegrity { Fixture.now }
        for _ in 0..<5 { try await Fixture.sessions(database).insert(Fixture.session()) }
        await database.close()
        #expect(try await finding == .cancelled)
        // Nobody kept the log: it was emptied at the end.
        #expect(try folder.contents()["holdfast.db-wal"]?.isEmpty ?? true)
    }

    @Test func `a cancelled task ends its check`() async throws {
        let folder = try TemporaryFolder()
        try await fill(folder)
        let database = try open(folder) {
            $0.longestCheckStep = .zero
            $0.rowsPerCheckStep = 1
            $0.pauseBetweenCheckSteps = .seconds(1)
        }
        let task = Task { try await database.checkIntegrity { Fixture.now } }
        task.cancel()
        #expect(try await task.value == .cancelled)
        #expect(try await database.lastCheck() == nil)
        await database.close()
    }
}
