import Engine
import Foundation
import Locks
import Possession
import SQLiteStorage
import Storage
import Testing

@testable import Wiring

@Suite struct ReadinessTests {
    private let signs = Locked(true)
    private let isDamaged = Locked(false)
    private let isDraining = Locked(false)

    /// The pauses that have not ended. A probe waits for its check until then.
    private let pauses = Locked<[UnsafeContinuation<Void, Never>]>([])

    private func readiness(_ store: WatchedStore) -> Readiness {
        Readiness(
            store.database, signs: { [signs] in signs.withLock { $0 } },
            isDamaged: { [isDamaged] in isDamaged.withLock { $0 } }, isDraining: isDraining, logger: store.logger,
            wall: { [clocks = store.clocks] in clocks.wall }, steady: { [clocks = store.clocks] in clocks.steady },
            pause: { [pauses] _ in
                await withUnsafeContinuation { pause in pauses.withLock { $0.append(pause) } }
            })
    }

    /// Ends the pauses of all checks.
    private func endPauses(of checks: Int) async {
        while pauses.withLock(\.count) < checks { await Task.yield() }
        let all = pauses.withLock { pauses in
            defer { pauses = [] }
            return pauses
        }
        for pause in all { pause.resume() }
    }

    @Test func `while a check takes long, it answers by the last one for two seconds`() async throws {
        let store = try WatchedStore()
        let readiness = readiness(store)
        #expect(await readiness.reason() == nil)
        let (gate, holdsWriter) = (DispatchSemaphore(value: 0), Locked(false))
        async let blocked: Void = store.database.database.transaction { _ throws(StorageFault) in
            holdsWriter.withLock { $0 = true }
            gate.wait()
        }
        while !holdsWriter.withLock(\.self) { await Task.yield() }
        store.clocks.pass(.seconds(1))
        async let first = readiness.reason()
        await endPauses(of: 2)
        #expect(await first == nil)
        store.clocks.pass(.seconds(2))
        #expect(await readiness.reason() == nil)
        store.clocks.pass(.seconds(1))
        #expect(await readiness.reason() == "the database does not answer")
        gate.signal()
        try await blocked
        while await readiness.reason() != nil { await Task.yield() }
        let log = try await store.end()
        #expect(log.first == "error: the server is not ready")
        #expect(log.last == "notice: the server is ready again")
    }

    @Test func `what it finds stands for a second, and a change is told once`() async throws {
        let store = try WatchedStore()
        let readiness = readiness(store)
        #expect(await readiness.reason() == nil)
        signs.withLock { $0 = false }
        #expect(await readiness.reason() == nil)
        for _ in 0..<3 {
            store.clocks.pass(.seconds(1))
            #expect(await readiness.reason() == "no token can be signed")
        }
        signs.withLock { $0 = true }
        #expect(await readiness.reason() == "no token can be signed")
        store.clocks.pass(.seconds(1))
        #expect(await readiness.reason() == nil)
        #expect(
            try await store.end() == ["error: the server is not ready", "notice: the server is ready again"])
    }

    @Test func `an end that is announced counts at once`() async throws {
        let store = try WatchedStore()
        let readiness = readiness(store)
        #expect(await readiness.reason() == nil)
        isDraining.withLock { $0 = true }
        #expect(await readiness.reason() == "it is about to end")
        _ = try await store.end()
    }

    @Test func `a clock that stands still is told, and time that nobody asks in is not`() async throws {
        let store = try WatchedStore()
        let readiness = readiness(store)
        #expect(await readiness.reason() == nil)
        store.clocks.pass(.seconds(600))
        #expect(await readiness.reason() == nil)
        for second in 1...3 {
            store.clocks.pass(.seconds(1))
            store.clocks.jump(-1)
            #expect(await readiness.reason() == (second < 3 ? nil : "the clock stands still"))
        }
        store.clocks.pass(.seconds(1))
        #expect(await readiness.reason() == nil)
        _ = try await store.end()
    }

    @Test func `says which part cannot do its work`() async throws {
        let store = try WatchedStore()
        let readiness = readiness(store)
        isDamaged.withLock { $0 = true }
        #expect(await readiness.reason() == "the database is damaged")
        isDamaged.withLock { $0 = false }
        try await store.database.limitPages(to: 1)
        try await store.database.fill()
        store.clocks.pass(.seconds(1))
        #expect(await readiness.reason() == "the disk is full")
        try await store.database.limitPages(to: 1_000_000)
        store.clocks.pass(.seconds(1))
        #expect(await readiness.reason() == nil)
        try FileManager.default.removeItem(atPath: store.directory + "/holdfast.db-wal")
        store.clocks.pass(.seconds(1))
        #expect(await readiness.reason() == "a file of the data directory was removed or replaced")
        await store.database.close()
        store.clocks.pass(.seconds(1))
        #expect(await readiness.reason() == "the store cannot be read and written")
        _ = try await store.end()
    }
}
