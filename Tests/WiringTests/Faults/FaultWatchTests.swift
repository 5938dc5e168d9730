import Clocks
import Foundation
import Sandbox
import Locks
import Logging
import Engine
import Possession
import SQLiteStorage
import Storage
import Testing

@testable import Observation
@testable import Wiring

/// Reports of faults around the server, and their effects.
@Suite struct FaultWatchTests {
    private func metrics(_ watch: FaultWatch) -> String {
        var text = MetricsText()
        watch.collect(&text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    @Test func `tells of a clock that is over a minute behind, until it has caught up`() async throws {
        let store = try WatchedStore()
        let watch = store.watch()
        _ = store.clock.now()
        store.clocks.jump(-60)
        await watch.check()
        #expect(watch.lasting.isEmpty)
        store.clocks.jump(-1)
        await watch.check()
        #expect(watch.lasting == [.clockAhead])
        #expect(metrics(watch).contains("holdfast_clock_lead_seconds 61"))
        #expect(metrics(watch).contains(#"holdfast_fault{fault="clock_ahead"} 1"#))
        store.clocks.pass(.seconds(62))
        await watch.check()
        store.clocks.pass(.seconds(5))
        await watch.check()
        #expect(watch.lasting.isEmpty)
        let log = try await store.end()
        #expect(log.contains { $0.hasPrefix("warning: the machine's clock is behind the time") })
        #expect(log.last == "notice: the machine's clock has caught up")
    }

    @Test(arguments: [(3600, "ahead"), (-3600, "back")])
    func `removes nothing for fifteen minutes after a jump`(seconds: Int, way: String) async throws {
        let store = try WatchedStore()
        let watch = store.watch()
        await watch.check()
        #expect(watch.timeToRemoveBy != nil)
        store.clocks.jump(seconds)
        await watch.check()
        #expect(watch.timeToRemoveBy == nil)
        #expect(metrics(watch).contains(#"holdfast_clock_jumps_total{direction="\#(way)"} 1"#))
        store.clocks.pass(.seconds(15 * 60 - 1))
        await watch.check()
        #expect(watch.timeToRemoveBy == nil)
        store.clocks.pass(.seconds(1))
        await watch.check()
        let time = try #require(watch.timeToRemoveBy)
        #expect(time <= store.clocks.wall)
        let log = try await store.end()
        #expect(log.contains { $0.hasPrefix("warning: the machine's clock has jumped \(way)") })
    }

    @Test func `removes nothing by a clock that jumped while the server was stopped`() async throws {
        let store = try WatchedStore()
        #expect(store.watch(mark: HandClocks.start.adding(.seconds(-60))).timeToRemoveBy != nil)
        #expect(store.watch(mark: HandClocks.start.adding(.seconds(-61))).timeToRemoveBy == nil)
        #expect(store.watch(mark: HandClocks.start.adding(.seconds(61))).timeToRemoveBy == nil)
        _ = try await store.end()
    }

    @Test func `ends the process when the lock is not ours any more`() async throws {
        let store = try WatchedStore()
        let watch = store.watch()
        await watch.check()
        #expect(store.fatal.withLock { $0 }.isEmpty)
        try FileManager.default.removeItem(atPath: store.directory + "/holdfast.lock")
        await watch.check()
        let reasons = store.fatal.withLock { $0 }
        #expect(reasons.count == 1 && reasons[0].contains("holdfast.lock was removed or replaced"))
        _ = try await store.end()
    }

    @Test func `acknowledges nothing once the database is not at its place`() async throws {
        let store = try WatchedStore()
        let watch = store.watch()
        try FileManager.default.removeItem(atPath: store.directory + "/holdfast.db")
        await watch.check()
        #expect(watch.lasting == [.databaseLost])
        await #expect(throws: StorageFault.self) { try await store.database.probe() }
        let log = try await store.end()
        #expect(log.contains { $0.hasPrefix("error: the database or its log was removed or replaced") })
    }

    @Test func `tells of a full disk, and finds out by itself when there is room`() async throws {
        let store = try WatchedStore()
        let watch = store.watch()
        try await store.database.limitPages(to: 1)
        // The first large write that finds no room.
        try await store.database.fill()
        await watch.check()
        #expect(watch.lasting == [.diskFull])
        try await store.database.limitPages(to: 1_000_000)
        store.clocks.pass(.seconds(1))
        await watch.check()
        store.clocks.pass(.seconds(5))
        await watch.check()
        #expect(watch.lasting.isEmpty)
        let log = try await store.end()
        #expect(log.contains { $0.hasPrefix("error: the disk is full") })
        #expect(log.last == "notice: there is room on the disk again")
    }

    @Test func `tells of log lines that were lost`() async throws {
        let store = try WatchedStore(logCapacity: 100)
        let watch = store.watch()
        await watch.check()
        #expect(watch.lasting.isEmpty)
        for _ in 0..<50 { store.logger.notice("a line that fills the log, which has no room for two of them") }
        await watch.check()
        #expect(watch.lasting == [.logLost])
        #expect(store.sink.lost > 0)
        _ = try await store.end()
    }

    @Test func `tells of damage as an error`() async throws {
        let store = try WatchedStore()
        let watch = store.watch(isDamaged: { true })
        await watch.check()
        #expect(watch.lasting == [.databaseDamaged])
        let log = try await store.end()
        #expect(log.contains { $0.hasPrefix("error: the database is damaged") && $0.contains("restore a backup") })
    }
}
