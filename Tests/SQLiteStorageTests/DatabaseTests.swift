import Locks
import Dispatch
import Engine
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite struct DatabaseTests {
    @Test func `shares commits between transactions that wait at the same time`() async throws {
        let folder = try TemporaryFolder()
        let database = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        let sessions = Fixture.sessions(database)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<400 { group.addTask { try await sessions.insert(Fixture.session()) } }
            try await group.waitForAll()
        }
        let statistics = database.statistics()
        #expect(statistics.transactions == 400)
        #expect(statistics.batches < 400)
        #expect(statistics.batchSizes.reduce(0, +) == statistics.batches)
        #expect(statistics.waiting == 0)
        #expect(try await sessions.recentSessions(limit: 1000).count == 400)
        await database.close()
    }

    @Test func `commits each change alone where no two may share a commit`() async throws {
        var limits = SQLiteLimits()
        limits.storage.transactionsPerBatch = 1
        let database = try Fixture.sqlite(limits: limits)
        let sessions = Fixture.sessions(database)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try await sessions.insert(Fixture.session()) } }
            try await group.waitForAll()
        }
        let statistics = database.statistics()
        #expect(statistics.transactions == 50)
        #expect(statistics.batches == 50)
    }

    @Test func `rolls a failing transaction back alone`() async throws {
        let stall = Stall()
        let database = try Fixture.sqlite()
        async let first: Void = stall.hold(database)
        await stall.begun()
        async let before: Void = database.transaction { (connection) throws(StorageFault) in
            try ProbesTable.write(connection)
        }
        let failing = Task {
            try await database.transaction { (connection) throws(StorageFault) in
                try connection.script("UPDATE probes SET writes = 1000")
                throw .corrupt(what: "a test")
            }
        }
        async let after: Void = database.transaction { (connection) throws(StorageFault) in
            try ProbesTable.write(connection)
        }
        while database.statistics().waiting < 3 { await Task.yield() }
        stall.release()
        try await first
        try await before
        try await after
        await #expect(throws: StorageFault.corrupt(what: "a test")) { try await failing.value }
        #expect(try await writes(database) == 2)
        let statistics = database.statistics()
        #expect(statistics.rolledBack == 1)
        #expect(statistics.batches == 3)
    }

    @Test func `refuses at once what finds no room, and late work when its turn comes`() async throws {
        let stall = Stall()
        var limits = SQLiteLimits()
        limits.storage.waitingTransactions = 2
        let time = Locked<UInt64>(1_000_000_000)
        let database = try Fixture.sqlite(limits: limits, uptime: { time.withLock { $0 } })
        async let first: Void = stall.hold(database)
        await stall.begun()
        let late = Task {
            try await database.transaction { (connection) throws(StorageFault) in try ProbesTable.write(connection) }
        }
        while database.statistics().waiting < 1 { await Task.yield() }
        time.withLock { $0 += 1 }
        async let inTime: Void = database.transaction { (connection) throws(StorageFault) in
            try ProbesTable.write(connection)
        }
        while database.statistics().waiting < 2 { await Task.yield() }
        await #expect(throws: StorageFault.overloaded) { try await database.transaction { _ in } }
        time.withLock { $0 += 1_000_000_000 }
        stall.release()
        try await first
        try await inTime
        await #expect(throws: StorageFault.overloaded) { try await late.value }
        #expect(try await writes(database) == 1)
        #expect(database.statistics().refused == 2)
    }

    @Test(.timeLimit(.minutes(60)))
    func `four transactions of a turn do not wait for its end, fewer do`() async throws {
        let home = TestHome(endsTurns: false)
        let database = try Fixture.sqlite(home: { home })
        let sessions = Fixture.sessions(database)
        let stored = Task(executorPreference: home) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<5 { group.addTask { try await sessions.insert(Fixture.session()) } }
                for _ in 0..<4 { try await group.next() }
                #expect(database.statistics().transactions == 4)
                home.endTurn()
                try await group.waitForAll()
            }
        }
        try await stored.value
        #expect(database.statistics().transactions == 5)
    }

    @Test func `resumes a batch in one hop`() async throws {
        let home = TestHome()
        let database = try Fixture.sqlite(home: { home })
        let sessions = Fixture.sessions(database)
        let stored = Task(executorPreference: home) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 { group.addTask { try await sessions.insert(Fixture.session()) } }
                try await group.waitForAll()
            }
        }
        try await stored.value
        // Whether the writer has begun with the four when the two come is its own affair.
        let hops = home.batches.withLock { $0 }
        #expect(hops == [4, 2] || hops == [6])
        #expect(database.statistics().batches == hops.count)
    }

    @Test func `answers overloaded while the disk is full, and recovers`() async throws {
        let folder = try TemporaryFolder()
        let fatal = FatalNotes()
        let database = try Fixture.sqlite(.directory(DataDirectory(folder.path)), fatal: fatal)
        let sessions = Fixture.sessions(database)
        let kept = Fixture.session()
        try await sessions.insert(kept)
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.script("PRAGMA max_page_count = 1")
        }
        var refused = 0
        for _ in 0..<200 {
            do { try await sessions.insert(Fixture.session()) } catch {
                #expect(error == .overloaded)
                refused += 1
            }
        }
        #expect(refused > 0)
        #expect(try await sessions.session(.auth(kept.authID)) == kept.asStored)
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.script("PRAGMA max_page_count = 1000000")
        }
        try await sessions.insert(Fixture.session())
        #expect(fatal.all.withLock { $0 }.isEmpty)
        await database.close()
    }

    @Test func `keeps the write-ahead log small under steady load`() async throws {
        let folder = try TemporaryFolder()
        var limits = SQLiteLimits()
        limits.pagesBeforeCheckpoint = 50
        let database = try Fixture.sqlite(.directory(DataDirectory(folder.path)), limits: limits)
        let sessions = Fixture.sessions(database)
        for _ in 0..<20 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let session = Fixture.session()
                        try await sessions.insert(session)
                        _ = try await sessions.session(.auth(session.authID))
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(database.statistics().checkpoints > 1)
        #expect(try #require(folder.contents()["holdfast.db-wal"]).count < 400 * 4120)
        await database.close()
        #expect(try folder.contents()["holdfast.db-wal"] ?? [] == [])
    }

    @Test func `reads with a connection that can neither write nor checkpoint`() async throws {
        let folder = try TemporaryFolder()
        let database = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        await #expect(throws: StorageFault.self) {
            try await database.read { (connection) throws(StorageFault) in try ProbesTable.write(connection) }
        }
        await database.close()
    }

    @Test func `gives a fault after it was closed`() async throws {
        let folder = try TemporaryFolder()
        let database = try Fixture.sqlite(.directory(DataDirectory(folder.path)))
        let sessions = Fixture.sessions(database)
        await database.close()
        await #expect(throws: StorageFault.self) { try await sessions.insert(Fixture.session()) }
        await #expect(throws: StorageFault.self) { try await sessions.session(.auth(Fixture.id())) }
    }

    @Test func `probes with a real write once a second`() async throws {
        let time = Locked<UInt64>(1_000_000_000)
        let database = try Fixture.sqlite(uptime: { time.withLock { $0 } })
        try await database.probe()
        time.withLock { $0 += 999_999_999 }
        try await database.probe()
        #expect(try await writes(database) == 1)
        time.withLock { $0 += 1 }
        try await database.probe()
        #expect(try await writes(database) == 2)
    }

    private func writes(_ database: SQLiteDatabase) async throws -> Int64? {
        try await database.read { (connection) throws(StorageFault) in
            try connection.first("SELECT writes FROM probes") { (row) throws(StorageFault) in try row.integer("writes")
            }
        }
    }
}

/// A transaction that holds the writer until it is told to let go.
final class Stall: Sendable {
    private let hasBegun = Locked(false)
    private let mayEnd = DispatchSemaphore(value: 0)

    func hold(_ database: SQLiteDatabase) async throws {
        try await database.transaction { _ in
            self.hasBegun.withLock { $0 = true }
            self.mayEnd.wait()
        }
    }

    func begun() async {
        while !hasBegun.withLock({ $0 }) { await Task.yield() }
    }

    func release() { mayEnd.signal() }
}

/// A home that ends its turn when it has nothing else to run.
private final class TestHome: CompletionExecutor, TaskExecutor, @unchecked Sendable {
    // Sendable: `work` is touched on `queue` only.
    let batches = Locked<[Int]>([])
    private let queue = DispatchQueue(label: "test home")
    private let endsTurns: Bool
    private var work: [@Sendable () -> Void] = []

    /// - Parameter endsTurns: by itself; else `endTurn` does.
    init(endsTurns: Bool = true) { self.endsTurns = endsTurns }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }

    func resume(batch: [@Sendable () -> Void]) {
        batches.withLock { $0.append(batch.count) }
        queue.async {
            for resume in batch { resume() }
        }
    }

    func atTurnEnd(_ work: @escaping @Sendable () -> Void) {
        self.work.append(work)
        if endsTurns { queue.async { self.endTurn(rounds: 20) } }
    }

    func endTurn() { queue.async { self.endTurn(rounds: 0) } }

    /// Lets what stands in the queue run first, a few times over.
    private func endTurn(rounds: Int) {
        if rounds > 0 { return queue.async { self.endTurn(rounds: rounds - 1) } }
        let work = work
        self.work = []
        for step in work { step() }
    }
}
