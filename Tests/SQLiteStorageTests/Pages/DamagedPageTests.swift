import Foundation
import Locks
import Engine
import Possession
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

/// A damaged page while the server runs: a call that needs it is refused, all else goes on.
@Suite struct DamagedPageTests {
    private func damage(_ pages: Pages, leafOf session: Session) throws -> Int {
        let leaf = try pages.leaf(of: session)
        // Near the end of a leaf are its rows, without gaps.
        try pages.flip(2, ofByte: leaf * Pages.bytes - 40)
        return leaf
    }

    /// Two sessions whose rows are on different pages.
    private func apart(_ pages: Pages, _ sessions: [Session]) throws -> (first: Session, second: Session) {
        let first = sessions[0]
        let page = try pages.leaf(of: first)
        return (first, try #require(sessions.first { try pages.leaf(of: $0) != page }))
    }

    @Test func `a read that needs it fails and names the page, others pass, and the writer goes on`() async throws {
        let (pages, sessions) = try await Pages.filled()
        let (bad, good) = try apart(pages, sessions)
        let page = try damage(pages, leafOf: bad)
        let fatal = FatalNotes()
        let database = try pages.open(checks: false, fatal: fatal)
        let table = Fixture.sessions(database)
        let fault = await #expect(throws: StorageFault.self) { try await table.session(.auth(bad.authID)) }
        guard case .failed(_, let operation) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(operation.hasPrefix("page \(page) is damaged: "), "\(operation)")
        #expect(try await table.session(.auth(good.authID)) == good.asStored)
        try await database.probe()
        #expect(database.damagedPages.text == "page \(page)" && database.damagedPages.reads == 1)
        #expect(try await database.checkIntegrity { Fixture.now } == .damaged("page \(page)"))
        #expect(fatal.all.withLock { $0 } == [])
        await database.close()
    }

    @Test func `a read of pages that are gone from the end fails, and takes nothing for zeros`() async throws {
        let (pages, sessions) = try await Pages.filled()
        let database = try pages.open(checks: false)
        let table = Fixture.sessions(database)
        // From now on the log says how many pages there are.
        try await table.insert(Fixture.session())
        try #require(truncate(pages.path, Pages.bytes) == 0)
        var failures: [String] = []
        for session in sessions {
            do {
                // The log has some of them.
                #expect(try await table.session(.auth(session.authID)) == session.asStored)
            } catch StorageFault.failed(_, let operation) { failures.append(operation) }
        }
        #expect(failures.count > 20 && failures.allSatisfy { $0.contains("is damaged: ") }, "\(failures)")
        #expect(database.damagedPages.text != nil)
        await database.close()
    }

    /// Its checksums are announced there: another number in their place must not end the checks.
    @Test(arguments: [16, 17, 20]) func `a reader that finds the head damaged reads nothing`(byte: Int) async throws {
        let (pages, sessions) = try await Pages.filled()
        let database = try pages.open(checks: false)
        try pages.flip(4, ofByte: byte)
        let table = Fixture.sessions(database)
        await #expect(throws: StorageFault.self) { try await table.session(.auth(sessions[0].authID)) }
        try pages.flip(4, ofByte: byte)
        #expect(try await table.session(.auth(sessions[0].authID)) == sessions[0].asStored)
        await database.close()
    }

    @Test func `a change that needs it is refused alone, and the others of its commit are durable`() async throws {
        let (pages, sessions) = try await Pages.filled()
        let (bad, good) = try apart(pages, sessions)
        let page = try damage(pages, leafOf: bad)
        let fatal = FatalNotes()
        let database = try pages.open(checks: false, fatal: fatal)
        let table = Fixture.sessions(database)
        let stall = Stall()
        async let held: Void = stall.hold(database)
        await stall.begun()
        // All in one batch, as the writer is busy; a thrown one has it run apart.
        async let thrown: Void = database.transaction { (_) throws(StorageFault) in
            throw StorageFault.corrupt(what: "test")
        }
        async let first = table.update(good) { $0.session.cancel(at: Fixture.now) }
        async let refused = table.update(bad) { $0.session.cancel(at: Fixture.now) }
        async let second = table.update(good) { $0.session.cancel(at: Fixture.now) }
        while database.statistics().waiting < 4 { await Task.yield() }
        stall.release()
        try await held
        do {
            try await thrown
            Issue.record("it was to throw")
        } catch { #expect(error as? StorageFault == .corrupt(what: "test")) }
        let changed = (try await first, try await second)
        #expect(changed.0 != nil && changed.1 != nil)
        do {
            _ = try await refused
            Issue.record("it was to be refused")
        } catch {
            guard case .failed(_, let operation)? = error as? StorageFault else { throw error }
            #expect(operation.hasPrefix("page \(page) is damaged: "))
        }
        #expect(database.damagedPages.text == "page \(page)")
        #expect(database.statistics().refusals[.failed] == 1)
        // A later session is taken.
        let later = Fixture.session()
        try await table.insert(later)
        #expect(fatal.all.withLock { $0 } == [])
        await database.close()
        let again = try pages.open(checks: false)
        #expect(try await Fixture.sessions(again).session(.auth(later.authID)) == later.asStored)
        await again.close()
    }

    @Test func `many changes that need it are refused, and none of the others of their commit`() async throws {
        let (pages, sessions) = try await Pages.filled()
        let (bad, good) = try apart(pages, sessions)
        _ = try damage(pages, leafOf: bad)
        let database = try pages.open(checks: false)
        let table = Fixture.sessions(database)
        let stall = Stall()
        async let held: Void = stall.hold(database)
        await stall.begun()
        let changes = Task {
            await withTaskGroup(of: Bool.self) { group in
                for number in 0..<24 {
                    group.addTask {
                        let session = number % 2 == 0 ? bad : good
                        return (try? await table.update(session) { $0.session.cancel(at: Fixture.now) }) != nil
                    }
                }
                return await group.reduce(into: [true: 0, false: 0]) { $0[$1, default: 0] += 1 }
            }
        }
        while database.statistics().waiting < 24 { await Task.yield() }
        stall.release()
        try await held
        #expect(await changes.value == [true: 12, false: 12])
        #expect(database.statistics().refusals[.failed] == 12)
        #expect(database.statistics().waiting == 0)
        await database.close()
    }

    @Test func `a damaged page in the log ends the acknowledging, whoever meets it`() async throws {
        let (pages, _) = try await Pages.filled()
        let fatal = FatalNotes()
        let database = try pages.open(checks: false, fatal: fatal)
        let table = Fixture.sessions(database)
        let session = Fixture.session()
        try await table.insert(session)
        let frames = try Files(pages.folder).frames
        for frame in 0..<frames { try pages.flip(0, ofByte: 32 + frame * 4120 + 2000, "holdfast.db-wal") }
        let fault = await #expect(throws: StorageFault.self) { try await table.session(.auth(session.authID)) }
        guard case .failed(_, let operation) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(operation.contains("in the write-ahead log is damaged"), "\(operation)")
        // A commit that was acknowledged now would stand behind a frame that no start reads past.
        await #expect(throws: StorageFault.self) { try await table.insert(Fixture.session()) }
        database.tend()
        await #expect(throws: StorageFault.self) { try await table.insert(Fixture.session()) }
        #expect(fatal.all.withLock { $0.count } == 1)
        await database.close()
    }

    @Test func `a check that meets a damaged page in the log ends the acknowledging, an index's page too`() async throws
    {
        var frame = 0
        var count = 1
        while frame < count {
            let (pages, _) = try await Pages.filled(8)
            let fatal = FatalNotes()
            let database = try pages.open(checks: false, fatal: fatal)
            try await Fixture.sessions(database).insert(Fixture.session())
            count = try Files(pages.folder).frames
            try pages.flip(3, ofByte: 32 + frame * 4120 + 2000, "holdfast.db-wal")
            guard case .damaged(let what) = try await database.checkIntegrity(now: { Fixture.now }) else {
                Issue.record("frame \(frame) of \(count) is not told")
                return
            }
            #expect(what.contains("in the write-ahead log is damaged"), "\(what)")
            await #expect(throws: StorageFault.self) {
                try await Fixture.sessions(database).insert(Fixture.session())
            }
            #expect(fatal.all.withLock { $0.count } == 1)
            await database.close()
            frame += 1
        }
        #expect(count >= 5, "rows, indexes and more")
    }

    @Test func `a log that is damaged is not moved to the database`() async throws {
        let (pages, _) = try await Pages.filled()
        let fatal = FatalNotes()
        let database = try pages.open(checks: false, fatal: fatal)
        try await Fixture.sessions(database).insert(Fixture.session())
        let before = try pages.content
        for frame in 0..<(try Files(pages.folder).frames) {
            try pages.flip(0, ofByte: 32 + frame * 4120 + 2000, "holdfast.db-wal")
        }
        await database.truncateLog()
        #expect(fatal.all.withLock { $0.count } == 1)
        await database.close()
        #expect(try pages.content == before)
        #expect(try pages.damaged() == [])
        guard case .commitsLost = try await pages.refusal() else {
            Issue.record("not told")
            return
        }
    }

    // MARK: The engine

    /// Up to version 3.40, pages that went into the log before their transaction ended, and were rolled back to a
    /// savepoint, left commits that a start after a crash dropped.
    @Test func `a large transaction that is rolled back in part is there after a crash`() throws {
        let pages = try Pages()
        let connection = try SQLiteConnection(path: pages.path, .writer)
        try connection.configureWriter()
        try connection.runScript("PRAGMA cache_size = 10; CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)")
        var chance = Chance(state: 3)
        func store(_ count: Int) throws {
            for _ in 0..<count {
                let key = Int.random(in: 0..<200, using: &chance)
                let bytes = Int.random(in: 10..<9000, using: &chance)
                try connection.runScript("INSERT OR REPLACE INTO t VALUES (\(key), randomblob(\(bytes)))")
            }
        }
        for round in 0..<20 {
            try connection.begin()
            try store(15)
            try connection.beginSavepoint()
            try store(10)
            try connection.rollBackToSavepoint()
            try store(15)
            try connection.commit()
            let sum = try connection.all("SELECT count(*), sum(length(b)) FROM t", { _ in }) {
                (row) throws(StorageFault) in [try row.integer("count"), try row.integer("sum")]
            }
            let copy = try Pages(try Files(pages.folder).folder())
            let again = try SQLiteConnection(path: copy.path, .reader)
            let found = try again.all("SELECT count(*), sum(length(b)) FROM t", { _ in }) {
                (row) throws(StorageFault) in [try row.integer("count"), try row.integer("sum")]
            }
            #expect(found == sum, "round \(round)")
            #expect(try PageScan.suspected(again) == [])
        }
    }
}
