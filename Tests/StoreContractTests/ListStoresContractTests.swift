import Engine
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

    private static func start(
        _ seconds: Int64 = 0, number: PhoneNumber = Sample.number, product: ProductName = Sample.product
    ) -> RefusedStart {
        RefusedStart(
            id: Sample.id(at: Sample.now.adding(.seconds(seconds))), product: product, number: number,
            reason: "in_block_list", reference: "order-\(seconds)", address: "203.0.113.7")
    }

    @Test(arguments: TestedStore.allCases)
    func `tells a tenant of its own calls that started nothing, newest first`(tested: TestedStore) async throws {
        let store = try tested.make().refusedStarts
        let neighbour = PhoneNumber(e164: "+12001004015")!
        let starts = [Self.start(0), Self.start(1, number: neighbour), Self.start(2)]
        for start in starts { try await store.note(start, of: Sample.client) }
        try await store.note(Self.start(3, product: ProductName("auth")!), of: Sample.client)
        try await store.note(Self.start(4), of: Sample.other)
        func found(
            number: PhoneNumber? = nil, before: CorrelationID? = nil, most: Int = 10
        ) async throws -> [RefusedStart] {
            try await store.refusedStarts(
                of: Sample.client, product: Sample.product, number: number, before: before, most: most)
        }
        #expect(try await found() == starts.reversed())
        #expect(try await found(number: neighbour) == [starts[1]])
        #expect(try await found(before: starts[2].id) == [starts[1], starts[0]])
        #expect(try await found(number: Sample.number, before: starts[2].id) == [starts[0]])
        #expect(try await found(most: 1) == [starts[2]])
        #expect(
            try await store.refusedStart(starts[0].id, of: Sample.client, product: Sample.product) == starts[0])
        #expect(try await store.refusedStart(starts[0].id, of: Sample.other, product: Sample.product) == nil)
        #expect(
            try await store.refusedStart(starts[0].id, of: Sample.client, product: ProductName("auth")!) == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `keeps a thousand calls of a tenant that started nothing`(tested: TestedStore) async throws {
        let store = try tested.make().refusedStarts
        let first = Self.start(0)
        try await store.note(first, of: Sample.client)
        try await store.note(Self.start(0), of: Sample.other)
        for second in 1..<Int64(RefusedStart.most) { try await store.note(Self.start(second), of: Sample.client) }
        #expect(try await store.refusedStart(first.id, of: Sample.client, product: Sample.product) != nil)
        try await store.note(Self.start(Int64(RefusedStart.most)), of: Sample.client)
        #expect(try await store.refusedStart(first.id, of: Sample.client, product: Sample.product) == nil)
        let kept = try await store.refusedStarts(
            of: Sample.client, product: Sample.product, number: nil, before: nil, most: 2000)
        #expect(kept.count == RefusedStart.most)
        let others = try await store.refusedStarts(
            of: Sample.other, product: Sample.product, number: nil, before: nil, most: 10)
        #expect(others.count == 1, "another tenant's entry makes no room")
    }

    @Test(arguments: TestedStore.allCases)
    func `forgets calls that started nothing when their time is over`(tested: TestedStore) async throws {
        let store = try tested.make().refusedStarts
        for second in [Int64(0), 1] { try await store.note(Self.start(second), of: Sample.client) }
        #expect(try await store.sweepRefusedStarts(before: Sample.now) == 0)
        #expect(try await store.sweepRefusedStarts(before: Sample.now.adding(.milliseconds(1))) == 1)
        #expect(try await store.sweepRefusedStarts(before: Sample.now.adding(.milliseconds(1))) == 0)
        let left = try await store.refusedStarts(
            of: Sample.client, product: Sample.product, number: nil, before: nil, most: 10)
        #expect(left.map(\.reference) == ["order-1"])
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
