import Possession
import TestSupport
import Testing

/// Rules for every store of notices, lists and sender names.
@Suite struct ListStoresContractTests {
    private static func notice(
        _ low: UInt64, at now: Timestamp = Sample.now, of tenant: ClientID = Sample.client, can: Bool = true,
        cellular: Bool = false
    ) -> ConnectionNotice {
        ConnectionNotice(
            id: NoticeID(high: 0, low: low), tenant: tenant, at: now, canUseMobileAuth: can, cameOverCellular: cellular)
    }

    @Test(arguments: TestedStore.allCases)
    func `joins what one phone says twice`(tested: TestedStore) async throws {
        let store = try tested.make().notices
        try await store.note(Self.notice(7))
        try await store.note(Self.notice(7, at: Sample.now.adding(.seconds(2)), can: false, cellular: true))
        let found = try #require(try await store.notice(NoticeID(high: 0, low: 7), of: Sample.client))
        #expect(found.canUseMobileAuth && found.cameOverCellular)
        #expect(try await store.notice(NoticeID(high: 0, low: 7), of: Sample.other) == nil)
        #expect(try await store.notice(NoticeID(high: 0, low: 8), of: Sample.client) == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `forgets a phone whose place another one takes, and what is an hour old`(tested: TestedStore) async throws {
        let store = try tested.make().notices
        try await store.note(Self.notice(7, cellular: true))
        try await store.note(Self.notice(7, at: Sample.now.adding(ConnectionNotice.lifetime)))
        #expect(try await store.notice(NoticeID(high: 0, low: 7), of: Sample.client)?.cameOverCellular == false)
        try await store.note(Self.notice(7 + ConnectionNotice.places))
        #expect(try await store.notice(NoticeID(high: 0, low: 7), of: Sample.client) == nil)
        #expect(try await store.notice(NoticeID(high: 0, low: 7 + ConnectionNotice.places), of: Sample.client) != nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `keeps a list of numbers for each tenant`(tested: TestedStore) async throws {
        let store = try tested.make().lists
        let later = Sample.now.adding(.seconds(1))
        let other = PhoneNumber(e164: "+12001004015")!
        // Asked before there is anything, as it is for each message: what is known from that must not outlive an addition.
        for _ in 0..<2 { #expect(try await !store.contains(Sample.number, .blocked, of: Sample.client)) }
        for _ in 0..<2 {
            #expect(try await store.add(Sample.number, to: .blocked, of: Sample.client, at: Sample.now))
        }
        #expect(try await store.add(other, to: .blocked, of: Sample.client, at: later))
        #expect(
            try await store.numbers(.blocked, of: Sample.client) == [
                ListedNumber(other, since: later), ListedNumber(Sample.number, since: Sample.now),
            ])
        #expect(try await store.numbers(.allowed, of: Sample.client) == [])
        #expect(try await store.contains(Sample.number, .blocked, of: Sample.client))
        #expect(try await !store.contains(Sample.number, .blocked, of: Sample.other))
        #expect(try await !store.contains(Sample.number, .allowed, of: Sample.client))
        for _ in 0..<2 { try await store.remove(Sample.number, from: .blocked, of: Sample.client) }
        #expect(try await !store.contains(Sample.number, .blocked, of: Sample.client))
        #expect(try await store.add(Sample.number, to: .blocked, of: Sample.client, at: later))
        #expect(try await store.contains(Sample.number, .blocked, of: Sample.client))
    }

    @Test(arguments: TestedStore.allCases)
    func `keeps fifty sender names of a tenant`(tested: TestedStore) async throws {
        let store = try tested.make().senders
        for index in 0..<SenderName.most {
            let name = SenderName("Shop \(index)")!
            #expect(try await store.add(name, of: Sample.client, at: Sample.now.adding(.seconds(Int64(index)))))
        }
        #expect(try await store.add(SenderName("Shop 0")!, of: Sample.client, at: Sample.now), "it is there")
        #expect(try await !store.add(SenderName("Shop 50")!, of: Sample.client, at: Sample.now))
        #expect(try await store.add(SenderName("Shop 50")!, of: Sample.other, at: Sample.now))
        #expect(try await store.names(of: Sample.client).count == SenderName.most)
        #expect(try await store.names(of: Sample.client).first == SenderName("Shop 0"))
    }
}
