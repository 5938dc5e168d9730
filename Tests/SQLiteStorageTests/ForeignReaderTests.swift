import Locks
import Engine
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

/// A reader that is not ours, in the middle of its transaction: it keeps the log, and holds nobody up (DUR-10).
@Suite struct ForeignReaderTests {
    private static func limits() -> SQLiteLimits {
        var limits = SQLiteLimits()
        limits.pagesBeforeCheckpoint = 40
        limits.pagesBeforeRestart = 80
        limits.truncationGap = .zero
        return limits
    }

    /// Sees the database as it is now, until it is let go.
    private static func reader(of directory: DataDirectory) throws -> SQLiteConnection {
        let reader = try SQLiteConnection(path: directory.databasePath, .reader)
        try reader.configureReader()
        try reader.runScript("BEGIN")
        _ = try reader.all("SELECT count(*) FROM sessions") { (row) throws(StorageFault) in try row.integer("n") }
        return reader
    }

    @Test func `no write waits for it, the log is watched, and shrinks once it has gone`() async throws {
        let folder = try TemporaryFolder()
        let directory = try DataDirectory(folder.path)
        let time = Locked<UInt64>(1_000_000_000)
        let fatal = FatalNotes()
        let database = try Fixture.sqlite(
            .directory(directory), limits: Self.limits(), uptime: { time.withLock { $0 } }, fatal: fatal)
        let sessions = Fixture.sessions(database)
        try await sessions.insert(Fixture.session())
        var reader: SQLiteConnection? = try Self.reader(of: directory)
        let start = ContinuousClock.now
        for _ in 0..<200 { try await sessions.insert(Fixture.session()) }
        // One wait for the reader is five seconds, and each of most of the changes would have one.
        #expect(start.duration(to: .now) < .seconds(600))
        #expect(database.statistics().refused == 0)
        #expect(database.statistics().logBytes > 80 * 4096)
        time.withLock { $0 += 30_000_000_000 }
        #expect(database.statistics().logHeldSeconds == 30)
        #expect(reader != nil)
        reader = nil
        database.tend()
        try await sessions.insert(Fixture.session())
        database.tend()
        try await sessions.insert(Fixture.session())
        #expect(database.statistics().logHeldSeconds == 0)
        #expect(database.statistics().logBytes < 80 * 4096)
        #expect(fatal.all.withLock { $0 }.isEmpty)
        await database.close()
    }

    @Test func `an erasure and the end wait for it a moment only, and the log is emptied when it has gone`()
        async throws
    {
        let folder = try TemporaryFolder()
        let directory = try DataDirectory(folder.path)
        let database = try Fixture.sqlite(.directory(directory), limits: Self.limits())
        let sessions = Fixture.sessions(database)
        try await sessions.insert(Fixture.session())
        var reader: SQLiteConnection? = try Self.reader(of: directory)
        try await sessions.insert(Fixture.session())
        // It comes back although the reader stays.
        await database.truncateLog()
        #expect(try folder.contents()["holdfast.db-wal"] != [])
        #expect(reader != nil)
        reader = nil
        database.tend()
        try await database.transaction { _ in }
        #expect(try folder.contents()["holdfast.db-wal"]?.count ?? 0 <= 4120 + 32)
        reader = try Self.reader(of: directory)
        try await sessions.insert(Fixture.session())
        // It ends although the reader stays.
        await database.close()
        #expect(reader != nil)
    }

    @Test func `one truncation serves many who erase`() async throws {
        let folder = try TemporaryFolder()
        var limits = SQLiteLimits()
        limits.truncationGap = .milliseconds(50)
        let database = try Fixture.sqlite(.directory(DataDirectory(folder.path)), limits: limits)
        try await database.probe()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<40 { group.addTask { await database.truncateLog() } }
        }
        #expect((1...8).contains(database.statistics().checkpoints))
        #expect(try folder.contents()["holdfast.db-wal"] == [])
        await database.close()
    }
}

@Suite struct CheckpointPlanTests {
    private let second: UInt64 = 1_000_000_000

    @Test func `moves pages from the first limit on, and starts the log again from the second`() {
        let plan = CheckpointPlan(limits: SQLiteLimits())
        #expect(plan.mode(pages: 2047, at: 0) == nil)
        #expect(plan.mode(pages: 2048, at: 0) == .passive)
        #expect(plan.mode(pages: 10_240, at: 0) == .restart)
    }

    @Test func `tries again when the log has grown by a quarter, or after a pause that doubles`() {
        var plan = CheckpointPlan(limits: SQLiteLimits())
        plan.left(pages: 4000, at: 10 * second, isHeld: true)
        #expect(plan.heldSince == 10 * second)
        #expect(plan.mode(pages: 5000, at: 10 * second) == nil)
        #expect(plan.mode(pages: 5001, at: 10 * second) == .passive)
        #expect(plan.mode(pages: 4000, at: 11 * second) == .passive)
        for (at, next) in [(11, 13), (13, 17), (17, 25), (25, 33)] as [(UInt64, UInt64)] {
            plan.left(pages: 4000, at: at * second, isHeld: true)
            #expect(plan.mode(pages: 4000, at: next * second - 1) == nil)
            #expect(plan.mode(pages: 4000, at: next * second) == .passive)
        }
        #expect(plan.heldSince == 10 * second)
        plan.emptied()
        #expect(plan.heldSince == nil && plan.mode(pages: 2048, at: 26 * second) == .passive)
    }

    @Test func `a full disk is no reader`() {
        var plan = CheckpointPlan(limits: SQLiteLimits())
        plan.left(pages: 4000, at: second, isHeld: false)
        #expect(plan.heldSince == nil)
    }
}
