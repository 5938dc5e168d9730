import Locks
import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// The look for sessions that time has ended, on every store: what one bad row or a busy store does to the others.
@Suite struct ExpiryWatchTests {
    private let clock = FixedClock()

    /// Two sessions of a client who is told, the older one first, and time to end both.
    private func sessions(_ stores: Stores) async throws -> (older: CorrelationID, younger: CorrelationID) {
        let endpoint = WebhookEndpoint(
            id: Sample.id(at: clock.now()), clientID: Sample.client, url: "https://shop.example/h",
            filter: try WebhookFilter(["session.expired"]), keys: .init(secret: [1], seed: nil), createdAt: clock.now())
        _ = try await stores.webhooks.add(endpoint, most: 1)
        let process = ServerProcess(stores, stores.outbox, clock)
        let older = try await process.session()
        _ = clock.advance(seconds: 1)
        let younger = try await process.session()
        _ = clock.advance(seconds: 2000)
        return (older.correlationID, younger.correlationID)
    }

    private func told(_ stores: Stores) async throws -> [CorrelationID] {
        try await stores.webhooks.webhookDeliveries(at: nil, of: nil, in: nil, limit: 9).reversed()
            .filter { $0.event.news.type == .sessionExpired }.compactMap(\.event.news.session)
    }

    @Test(arguments: TestedStore.allCases)
    func `a damaged session keeps no other from ending, and is reported once`(store: TestedStore) async throws {
        let stores = try store.make()
        let (damaged, sound) = try await sessions(stores)
        let next = ServerProcess(stores, stores.nextOutbox, clock, damaged: [damaged])
        var watch = ExpiryWatch(next.engine)
        for _ in 0..<3 {
            while try await watch.expireSome() {}
        }
        #expect(try await told(stores) == [sound])
        let reports = next.reports.withLock { $0 }
        #expect(reports.count == 1 && reports.allSatisfy { $0.contains(damaged.text) }, "\(reports)")
    }

    @Test(arguments: TestedStore.allCases, [StorageFault.overloaded, .failed(code: 10, operation: "a test")])
    func `a fault of the store puts off what it met`(store: TestedStore, fault: StorageFault) async throws {
        let stores = try store.make()
        let (older, younger) = try await sessions(stores)
        let current = Locked<StorageFault?>(fault)
        let next = ServerProcess(stores, stores.nextOutbox, clock, damaged: [older], fault: { current.withLock { $0 } })
        var watch = ExpiryWatch(next.engine)
        for _ in 0..<2 {
            do throws(EngineFault) {
                _ = try await watch.expireSome()
                Issue.record("no fault")
            } catch { #expect(error == EngineFault(fault)) }
        }
        #expect(next.reports.withLock { $0.isEmpty })
        current.withLock { $0 = nil }
        while try await watch.expireSome() {}
        #expect(Set(try await told(stores)) == [older, younger])
    }
}
