import Engine
import TestSupport
import Testing

@testable import Possession

/// A store with two tenants, and sessions of numbers that are proven there.
private struct Proofs {
    let stores: Stores

    init(_ store: TestedStore) async throws { try await self.init(try store.make()) }

    init(_ stores: Stores) async throws {
        self.stores = stores
        for id in [Sample.client, Sample.other] {
            try await stores.tenants.add(
                Tenant(id: id, rules: TenantRules(), secretDigests: [], createdAt: Sample.now))
        }
    }

    private func key(_ byte: UInt8, of client: ClientID, _ number: PhoneNumber) -> DeviceKey {
        var key = Sample.key(byte, of: client)
        key.number = number
        return key
    }

    /// A session of the number that has proven it, bound a key and noted a send.
    func prove(_ number: PhoneNumber, at client: ClientID, key byte: UInt8) async throws -> Session {
        let session = Sample.session(number: number, of: client)
        try await stores.sessions.insert(session)
        let key = key(byte, of: client, number)
        _ = try await stores.sessions.update(session) { change in
            change.session.complete(success: true, numberIfUnknown: nil, at: Sample.now, rules: Sample.rules)
            change.tallies.count(
                [LimitKey(.sendsToNumber, number, of: client)], by: Limits.OverSessions(), at: Sample.now)
            change.deviceKey = key
        }
        return session
    }
}

/// The contract of every store that erases numbers. `EmailContractTests` and `SweepContractTests` have more of it.
@Suite struct ErasureStoreContractTests {
    private static let number = Sample.number
    private static let neighbour = PhoneNumber(e164: "+12001004015")!

    private static func data(_ sessions: Int, _ identities: Int, _ deviceKeys: Int, limits: Int = 0) -> ErasedData {
        var data = ErasedData()
        data.sessions = sessions
        data.identities = identities
        data.deviceKeys = deviceKeys
        data.limitEntries = limits
        return data
    }

    @Test(arguments: DurableStore.allCases)
    func `forgets the calls about the number that started nothing, of the tenant that asks or of all`(
        store: DurableStore
    ) async throws {
        let stores = try await store.make()
        let (starts, erasures) = (stores.refusedStarts, stores.erasures)
        let product = ProductName("prelude")!
        for client in [Sample.client, Sample.other] {
            for number in [Self.number, Self.neighbour] {
                let id = CorrelationID(at: Sample.now, random: UInt128.random(in: 0...UInt128.max))
                try await starts.note(
                    RefusedStart(id: id, product: product, number: number, reason: "in_block_list"), of: client)
            }
        }
        func numbers(_ client: ClientID) async throws -> [PhoneNumber] {
            try await starts.refusedStarts(of: client, product: product, number: nil, before: nil, most: 10)
                .map(\.number)
        }
        #expect(try await erasures.erase(.number(Self.number), at: Sample.client).data.listEntries == 1)
        #expect(try await numbers(Sample.client) == [Self.neighbour])
        #expect(try await Set(numbers(Sample.other)) == [Self.number, Self.neighbour])
        #expect(try await erasures.erase(.number(Self.number), at: nil).data.listEntries == 1)
        #expect(try await numbers(Sample.other) == [Self.neighbour])
    }

    @Test(arguments: DurableStore.allCases)
    func `takes the number off the lists of the tenant that asks, or of all`(store: DurableStore) async throws {
        let stores = try await store.make()
        let (lists, erasures) = (stores.lists, stores.erasures)
        for client in [Sample.client, Sample.other] {
            for number in [Self.number, Self.neighbour] {
                _ = try await lists.add(number, to: .blocked, of: client, at: Sample.now)
            }
        }
        let erased = try await erasures.erase(.number(Self.number), at: Sample.client)
        #expect(erased.data.listEntries == 1)
        #expect(try await lists.numbers(.blocked, of: Sample.client).map(\.number) == [Self.neighbour])
        #expect(try await lists.contains(Self.number, .blocked, of: Sample.other))
        _ = try await erasures.erase(.number(Self.number), at: nil)
        #expect(try await !lists.contains(Self.number, .blocked, of: Sample.other))
    }

    @Test(arguments: TestedStore.allCases)
    func `leaves another tenant's rows, and what limits have counted, when a tenant asks`(store: TestedStore)
        async throws
    {
        let all = try await Proofs(store)
        let mine = try await all.prove(Self.number, at: Sample.client, key: 1)
        let theirs = try await all.prove(Self.number, at: Sample.other, key: 2)
        let erased = try await all.stores.erasures.erase(.number(Self.number), at: Sample.client)
        #expect(erased.data == Self.data(1, 1, 1))
        #expect(try await all.stores.sessions.session(.correlation(mine.correlationID)) == nil)
        let left = try #require(try await all.stores.sessions.session(.correlation(theirs.correlationID)))
        #expect(
            try await all.stores.identities.number(of: try #require(left.holderID), of: Sample.other) == Self.number)
        #expect(try await all.stores.deviceKeys.deviceKey(Sample.key(1).thumbprint, of: Sample.client) == nil)
        #expect(try await all.stores.deviceKeys.deviceKey(Sample.key(2).thumbprint, of: Sample.other) != nil)
        let rest = try await all.stores.erasures.erase(.number(Self.number), at: nil)
        #expect(rest.data == Self.data(1, 1, 1, limits: 2), "what limits have counted was kept")
    }

    @Test(arguments: TestedStore.allCases)
    func `an identity that was only proven goes as an enrolled one does`(store: TestedStore) async throws {
        let all = try await Proofs(store)
        let session = try await all.prove(Self.number, at: Sample.client, key: 1)
        let id = try #require(try await all.stores.sessions.session(.correlation(session.correlationID))?.holderID)
        #expect(try await all.stores.identities.identity(id, of: Sample.client) == nil)
        #expect(try await all.stores.erasures.erase(.number(Self.number), at: Sample.client).data.identities == 1)
        #expect(try await all.stores.identities.number(of: id, of: Sample.client) == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `finds a session by a number that was entered, and no other session`(store: TestedStore) async throws {
        let all = try await Proofs(store)
        let session = Sample.session(number: Self.neighbour)
        try await all.stores.sessions.insert(session)
        _ = try await all.stores.sessions.update(session) { change in
            try? change.session.redeem(
                .init(platform: .web, fallback: .otp, deviceKey: false, cellular: .no), by: .bearer, challenge: [],
                at: Sample.now, rules: Sample.rules)
            for order in [Session.SendOrder.first(nil), .toNumber(Self.number)] {
                _ = try? change.session.sendCode(
                    order, issue: { _, _, _ in .init(shown: OTP("1234")!, expected: Sample.right) },
                    at: Sample.now, rules: Sample.rules)
            }
        }
        let bystander = Sample.session(number: Self.neighbour)
        try await all.stores.sessions.insert(bystander)
        #expect(
            try await all.stores.sessions.session(.correlation(session.correlationID))?.enteredNumber == Self.number)
        #expect(try await all.stores.erasures.erase(.number(Self.number), at: nil).data == Self.data(1, 0, 0))
        #expect(try await all.stores.sessions.session(.correlation(bystander.correlationID)) != nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `a key that moved to another number goes with that one`(store: TestedStore) async throws {
        let all = try await Proofs(store)
        let session = try await all.prove(Self.number, at: Sample.client, key: 1)
        var lookup = ChangeInputs()
        lookup.thumbprint = Sample.key(1).thumbprint
        _ = try await all.stores.sessions.update(session, lookup) { $0.deviceKey?.number = Self.neighbour }
        #expect(try await all.stores.erasures.erase(.number(Self.number), at: nil).data.deviceKeys == 0)
        #expect(try await all.stores.erasures.erase(.number(Self.neighbour), at: nil).data.deviceKeys == 1)
    }

    @Test(arguments: TestedStore.allCases)
    func `of sixteen racing erasures each row is counted once`(store: TestedStore) async throws {
        let pair = try store.pair()
        _ = try await Proofs(pair.first).prove(Self.number, at: Sample.client, key: 1)
        let erased = try await pair.callAtOnce(16) { stores, _ in
            try await stores.erasures.erase(.number(Self.number), at: nil).data
        }
        // One server may remove the session, and the other one the rest.
        let kinds: [KeyPath<ErasedData, Int>] = [\.sessions, \.identities, \.deviceKeys, \.limitEntries]
        for kind in kinds { #expect(erased.map { $0[keyPath: kind] }.reduce(0, +) == 1) }
    }

    @Test(arguments: TestedStore.allCases)
    func `finds nothing of a number that no tenant knows`(store: TestedStore) async throws {
        let all = try await Proofs(store)
        let erased = try await all.stores.erasures.erase(.number(Self.number), at: nil)
        #expect(erased.data.isNothing && erased.sessions.isEmpty)
    }
}
