import Engine
import Possession
import Testing

/// The contract of every store of closed prefixes.
@Suite struct ClosedPrefixStoreContractTests {
    private static func closed(_ prefix: String, for seconds: Int64 = 100) -> ClosedPrefix {
        ClosedPrefix(prefix: NumberPrefix(prefix)!, until: Sample.now.adding(.seconds(seconds)))
    }

    @Test(arguments: DurableStore.allCases)
    func `gives back all by prefix, also in the next process`(store: DurableStore) async throws {
        let stores = try await store.make()
        #expect(stores.closedPrefixes.closedPrefixes == [])
        for prefix in ["+44", "+1206", "+1"] {
            let until = try await stores.closedPrefixes.close(Self.closed(prefix), at: Sample.now)
            #expect(until == Sample.now.adding(.seconds(100)))
        }
        let all = ["+1", "+1206", "+44"].map { Self.closed($0) }
        #expect(stores.closedPrefixes.closedPrefixes == all)
        #expect(try await stores.next().closedPrefixes.closedPrefixes == all)
    }

    @Test(arguments: DurableStore.allCases)
    func `never closes a prefix for a shorter time than before`(store: DurableStore) async throws {
        let prefixes = try await store.make().closedPrefixes
        for (seconds, most): (Int64, Int64) in [(100, 100), (50, 100), (200, 200)] {
            let until = try await prefixes.close(Self.closed("+1206", for: seconds), at: Sample.now)
            #expect(until == Sample.now.adding(.seconds(most)))
        }
        #expect(prefixes.closedPrefixes == [Self.closed("+1206", for: 200)])
    }

    @Test(arguments: DurableStore.allCases)
    func `an expired prefix is there until another is closed`(store: DurableStore) async throws {
        let prefixes = try await store.make().closedPrefixes
        _ = try await prefixes.close(Self.closed("+1206", for: 100), at: Sample.now)
        _ = try await prefixes.close(Self.closed("+44", for: 200), at: Sample.now.adding(.seconds(99)))
        #expect(prefixes.closedPrefixes.count == 2)
        _ = try await prefixes.close(Self.closed("+49", for: 200), at: Sample.now.adding(.seconds(100)))
        #expect(prefixes.closedPrefixes == [Self.closed("+44", for: 200), Self.closed("+49", for: 200)])
    }

    @Test(arguments: DurableStore.allCases)
    func `opens a prefix, and says whether it was closed`(store: DurableStore) async throws {
        let stores = try await store.make()
        let prefixes = stores.closedPrefixes
        _ = try await prefixes.close(Self.closed("+1206"), at: Sample.now)
        #expect(try await !prefixes.open(NumberPrefix("+1")!))
        #expect(try await prefixes.open(NumberPrefix("+1206")!))
        #expect(try await !prefixes.open(NumberPrefix("+1206")!))
        #expect(prefixes.closedPrefixes == [])
        #expect(try await stores.next().closedPrefixes.closedPrefixes == [])
        _ = try await prefixes.close(Self.closed("+1206", for: 10), at: Sample.now)
        #expect(prefixes.closedPrefixes == [Self.closed("+1206", for: 10)])
    }

    @Test(arguments: DurableStore.allCases)
    func `keeps a thousand, of which each can be closed for longer`(store: DurableStore) async throws {
        let prefixes = try await store.make().closedPrefixes
        for index in 0..<ClosedPrefix.most {
            _ = try await prefixes.close(Self.closed("+\(10_000 + index)"), at: Sample.now)
        }
        #expect(try await prefixes.close(Self.closed("+2"), at: Sample.now) == nil)
        #expect(prefixes.closedPrefixes.count == ClosedPrefix.most)
        let longer = Self.closed("+10000", for: 200)
        #expect(try await prefixes.close(longer, at: Sample.now) == longer.until)
        #expect(try await prefixes.open(NumberPrefix("+10001")!))
        #expect(try await prefixes.close(Self.closed("+2"), at: Sample.now) != nil)
    }

    @Test(arguments: DurableStore.allCases)
    func `of racing times for one prefix the longest stays`(store: DurableStore) async throws {
        let pair = try await store.pair()
        let close: @Sendable (any ClosedPrefixStore, Int) async throws -> Void = { prefixes, number in
            _ = try await prefixes.close(Self.closed("+1206", for: Int64(1 + number)), at: Sample.now)
        }
        try await pair.map(\.closedPrefixes).callAtOnce(16, close)
        let longest = [Self.closed("+1206", for: 16)]
        #expect(try await pair.first.next().closedPrefixes.closedPrefixes == longest)
        // The memory of a server follows its own changes only.
        let prefixes = try await store.make().closedPrefixes
        try await Pair(prefixes, prefixes).callAtOnce(16, close)
        #expect(prefixes.closedPrefixes == longest)
    }
}
