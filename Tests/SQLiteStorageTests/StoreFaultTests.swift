import Foundation
import Locks
import Engine
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

/// Faults of the disk and of the files: what is told of them, and that they end by themselves (DUR-06, OPS-03).
@Suite struct StoreFaultTests {
    private func limitPages(_ database: SQLiteDatabase, to pages: Int) async throws {
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.script("PRAGMA max_page_count = \(pages)")
        }
    }

    @Test func `a full disk is counted, makes the probe fail though a page would fit, and ends by itself`() async throws
    {
        let time = Locked<UInt64>(1_000_000_000)
        let folder = try TemporaryFolder()
        let database = try Fixture.sqlite(
            .directory(DataDirectory(folder.path)), uptime: { time.withLock { $0 } })
        let sessions = Fixture.sessions(database)
        try await sessions.insert(Fixture.session())
        try await database.probe()
        try await limitPages(database, to: 1)
        var refused = 0
        for _ in 0..<200 {
            do { try await sessions.insert(Fixture.session()) } catch { refused += 1 }
        }
        let full = database.statistics()
        #expect(refused > 0 && full.refusals[.diskFull] == refused && full.rolledBack >= refused)
        #expect(full.isDiskFull)
        for _ in 0..<3 {
            time.withLock { $0 += 1_000_000_000 }
            await #expect(throws: StorageFault.overloaded) { try await database.probe() }
        }
        try await limitPages(database, to: 1_000_000)
        time.withLock { $0 += 1_000_000_000 }
        try await database.probe()
        #expect(!database.statistics().isDiskFull)
        try await sessions.insert(Fixture.session())
        await database.close()
    }

    @Test func `another writer is waited for, then counted as a lock`() async throws {
        let folder = try TemporaryFolder()
        let directory = try DataDirectory(folder.path)
        let database = try Fixture.sqlite(.directory(directory))
        let other = try SQLiteConnection(path: directory.databasePath, .writer)
        try other.runScript("BEGIN IMMEDIATE")
        await #expect(throws: StorageFault.overloaded) { try await database.transaction { _ in } }
        #expect(database.statistics().refusals == [.locked: 1])
        try other.runScript("ROLLBACK")
        try await database.transaction { _ in }
        await database.close()
    }

    @Test(arguments: ["holdfast.db", "holdfast.db-wal"], [true, false])
    func `notices that a file was removed or replaced`(name: String, isReplaced: Bool) async throws {
        let folder = try TemporaryFolder()
        let database = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        #expect(database.lostFile() == nil)
        let path = folder.path + "/" + name
        if isReplaced {
            try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
            _ = rename(path + ".copy", path)
        } else {
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(database.lostFile() == .database(path: path))
        database.refuseWrites("it is gone")
        await #expect(throws: StorageFault.failed(code: 0, operation: "it is gone")) { try await database.probe() }
        #expect(database.statistics().refusals[.failed] == 1)
        await database.close()
    }

    @Test func `notices that its lock is another file, before a second server can have it unseen`() async throws {
        let folder = try TemporaryFolder()
        let database = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        try FileManager.default.removeItem(atPath: folder.path + "/holdfast.lock")
        #expect(database.lostFile() == .lock(path: folder.path + "/holdfast.lock"))
        let second = try DataDirectory(folder.path)
        #expect(database.lostFile() == .lock(path: folder.path + "/holdfast.lock"))
        #expect(second.path == folder.path)
        await database.close()
        #expect(database.lostFile() == nil)
    }

    @Test(arguments: ["missing", "empty", "blank"])
    func `makes no new database where there was one, and leaves the files as they are`(how: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/holdfast.db"
        let database = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        try await Fixture.sessions(database).insert(Fixture.session())
        let saved = folder.path + "/kept"
        try FileManager.default.copyItem(atPath: folder.path + "/holdfast.db-wal", toPath: saved)
        await database.close()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.removeItem(atPath: path + "-wal")
        if how == "empty" {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
            try FileManager.default.moveItem(atPath: saved, toPath: path + "-wal")
        }
        if how == "blank" {
            let blank = try SQLiteConnection(path: path, .writer)
            try blank.runScript("PRAGMA page_size = 4096; VACUUM")
        }
        let before = try folder.contents()
        #expect(throws: OpeningFault.lost(path: path)) {
            try SQLiteDatabase(
                .directory(DataDirectory(folder.path)), migrations: Fixture.migrations, now: Fixture.now,
                mayBeNew: false, onFatal: { _ in })
        }
        #expect(try folder.contents() == before)
        let new = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        try await new.probe()
        await new.close()
    }

    @Test func `stores the latest time told with commits that happen anyway, ahead of it and not each time`()
        async throws
    {
        let told = Locked(Fixture.now)
        let folder = try TemporaryFolder()
        func open() throws -> SQLiteDatabase {
            try SQLiteDatabase(
                .directory(DataDirectory(folder.path)), migrations: Fixture.migrations, now: Fixture.now,
                uptime: { 0 }, clock: { ClockReading(told: told.withLock { $0 }, steady: 0, boot: nil) },
                onFatal: { _ in })
        }
        let database = try open()
        let table = ClockMarkTable(database.database)
        #expect(try await table.find() == nil)
        try await database.transaction { _ in }
        #expect(try await table.find()?.latest == Fixture.now.adding(.seconds(5)))
        told.withLock { $0 = Fixture.now.adding(.milliseconds(2500)) }
        try await database.transaction { _ in }
        #expect(try await table.find()?.latest == Fixture.now.adding(.seconds(5)))
        told.withLock { $0 = Fixture.now.adding(.milliseconds(2501)) }
        try await database.transaction { _ in }
        #expect(try await table.find()?.latest == Fixture.now.adding(.milliseconds(7501)))
        // Nobody writes, and still somebody was told.
        told.withLock { $0 = Fixture.now.adding(.seconds(60)) }
        let commits = database.statistics().batches
        database.tend()
        try await database.transaction { _ in }
        #expect(try await table.find()?.latest == Fixture.now.adding(.seconds(65)))
        #expect(database.statistics().batches == commits + 1)
        await database.close()
        let again = try open()
        #expect(try await ClockMarkTable(again.database).find()?.latest == Fixture.now.adding(.seconds(60)))
        await again.close()
    }
}
