import Locks
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

/// DUR-13: where the time of a start begins.
@Suite struct ClockMarkTests {
    private static let boot: [UInt8] = [1]
    private static let second = UInt64(1_000_000_000)

    private func reading(_ told: Timestamp, steadySeconds: Int, boot: [UInt8]? = boot) -> ClockReading {
        ClockReading(told: told, steady: UInt64(steadySeconds) * Self.second, boot: boot)
    }

    private func mark(boot: [UInt8]? = boot) -> ClockMark {
        ClockMark(
            latest: Fixture.now.adding(.seconds(5)), reading: reading(Fixture.now, steadySeconds: 100, boot: boot))
    }

    @Test(arguments: [(100, 0), (102, 2), (105, 5), (4000, 5)])
    func `after a crash time has gone on as far as it can have, and no further than the mark`(steady: Int, passed: Int)
    {
        let start = mark().start(at: reading(Fixture.now, steadySeconds: steady))
        #expect(start == Fixture.now.adding(.seconds(passed)))
    }

    @Test func `a machine that was started anew cannot tell, and begins with the mark`() {
        for other in [[2], nil] as [[UInt8]?] {
            #expect(mark().start(at: reading(Fixture.now, steadySeconds: 101, boot: other)) == mark().latest)
        }
        #expect(mark(boot: nil).start(at: reading(Fixture.now, steadySeconds: 101, boot: nil)) == mark().latest)
        #expect(
            mark().start(at: reading(Fixture.now, steadySeconds: 99)) == mark().latest, "a steady clock that went back")
        #expect(ClockMark(latest: Fixture.now).start(at: reading(Fixture.now, steadySeconds: 1)) == Fixture.now)
    }

    @Test func `is stored with the next commit where the clock was set ahead, and as it was`() async throws {
        let now = Locked(reading(Fixture.now, steadySeconds: 100))
        let database = try SQLiteDatabase(
            .memory, migrations: Fixture.migrations, now: Fixture.now, uptime: { 0 }, clock: { now.withLock { $0 } },
            onFatal: { _ in })
        let table = ClockMarkTable(database.database)
        func find() async throws -> ClockMark? {
            try await database.transaction { _ in }
            return try await table.find()
        }
        #expect(try await find() == mark())
        now.withLock { $0 = reading(Fixture.now.adding(.seconds(1)), steadySeconds: 101) }
        #expect(try await find() == mark(), "a start now begins a second later by itself")
        let ahead = reading(Fixture.now.adding(.seconds(2)), steadySeconds: 101)
        now.withLock { $0 = ahead }
        #expect(try await find() == ClockMark(latest: Fixture.now.adding(.seconds(7)), reading: ahead))
        await database.close()
    }
}
