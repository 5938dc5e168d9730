import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// The port's promises about activations, asked of every store.
@Suite struct ActivationStoreContractTests {
    private static let address = Target.email(EmailAddress("ada@example.com")!)

    /// Stores an activation with a session that makes it.
    private func make(
        _ stores: Stores, of client: ClientID = Sample.client, proving target: Target = .number(Sample.number),
        at now: Timestamp = Sample.now
    ) async throws -> DeviceActivation {
        let session = Sample.session(of: client)
        try await stores.sessions.insert(session)
        let activation = Sample.activation(of: session, of: target, at: now)
        _ = try await stores.sessions.update(session) { $0.activation = activation }
        return activation
    }

    private func take(
        _ match: SignatureMatch?, of activation: DeviceActivation, in stores: Stores
    ) async throws -> SignatureOutcome? {
        try await stores.activations.update(activation.id, telling: nil) {
            $0.take(match, of: .possessionKnowledge, checkedWith: activation.secrets.counter, at: Sample.now)
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `keeps every member of a new one, and of one that a rule has changed`(store: TestedStore) async throws {
        let stores = try store.make()
        for target in [Target.number(Sample.number), Self.address] {
            let activation = try await make(stores, proving: target)
            #expect(try await stores.activations.activation(activation.id) == activation)
            let changed = try await stores.activations.update(activation.id, telling: nil) { activation in
                _ = activation.take(
                    SignatureMatch(skipped: 2, counter: [3]), of: .possession,
                    checkedWith: activation.secrets.counter, at: Sample.now.adding(.seconds(1)))
                _ = activation.take(
                    nil, of: .knowledge, checkedWith: activation.secrets.counter, at: Sample.now.adding(.seconds(2)))
                activation.details.flags = []
                _ = activation.block(for: .operator, at: Sample.now.adding(.seconds(3)))
                return activation
            }
            #expect(changed?.failedAttempts == 1 && changed?.secrets.counter == [3])
            #expect(try await stores.activations.activation(activation.id) == changed)
        }
        #expect(try await stores.activations.activation(Sample.id()) == nil)
        #expect(try await stores.activations.update(Sample.id(), telling: nil) { _ in true } == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `of sixteen signatures at a time that were checked with one counter one matches`(
        store: TestedStore
    ) async throws {
        let pair = try store.pair()
        let activation = try await make(pair.first)
        let matches = try await pair.race(16) { stores, _ in
            try await OwnThread.run {
                try await take(SignatureMatch(skipped: 0, counter: [1]), of: activation, in: stores) == .matched
            }
        }
        #expect(matches == 1)
        #expect(try await pair.first.activations.activation(activation.id)?.secrets.counter == [1])
    }

    @Test(arguments: TestedStore.allCases)
    func `of sixteen mismatches at a time five count, and the fifth blocks`(store: TestedStore) async throws {
        let pair = try store.pair()
        let activation = try await make(pair.first)
        let counted = try await pair.race(16) { stores, _ in
            try await OwnThread.run { try await take(nil, of: activation, in: stores) == .mismatched }
        }
        #expect(counted == 5)
        let stored = try await pair.first.activations.activation(activation.id)
        #expect(stored?.failedAttempts == 5 && stored?.standing.reason == .failedAttempts)
    }

    @Test(arguments: TestedStore.allCases)
    func `lists those of a target and of a client in pages, the newest first`(store: TestedStore) async throws {
        let stores = try store.make()
        var made: [DeviceActivation] = []
        for second in 0..<5 {
            made.append(try await make(stores, at: Sample.now.adding(.seconds(Int64(second)))))
        }
        let foreign = try await make(stores, of: Sample.other)
        let mailed = try await make(stores, proving: Self.address)
        let store = stores.activations
        let target = Target.number(Sample.number)
        let first = try await store.activations(of: target, at: Sample.client, before: nil, most: 3)
        #expect(first == [made[4], made[3], made[2]])
        let second = try await store.activations(of: target, at: Sample.client, before: first.last?.id, most: 3)
        #expect(second == [made[1], made[0]])
        let everywhere = try await store.activations(of: target, at: nil, before: nil, most: 10)
        #expect(Set(everywhere.map(\.id)) == Set((made + [foreign]).map(\.id)))
        #expect(try await store.activations(of: Self.address, at: nil, before: nil, most: 10) == [mailed])
        #expect(try await store.activations(of: Sample.other, before: nil, most: 10) == [foreign])
        let ofClient = try await store.activations(of: Sample.client, before: made[4].id, most: 2)
        #expect(ofClient.allSatisfy { $0.id < made[4].id } && ofClient.count == 2)
    }

    @Test(arguments: TestedStore.allCases)
    func `finds those that never signed, and forgets those removed long ago`(store: TestedStore) async throws {
        let stores = try store.make()
        let store = stores.activations
        let (unused, used) = (try await make(stores), try await make(stores))
        #expect(try await take(SignatureMatch(skipped: 0, counter: [1]), of: used, in: stores) == .matched)
        let before = Sample.now.adding(.milliseconds(-1))
        #expect(try await store.unusedActivations(after: nil, madeUpTo: before, most: 9).isEmpty)
        let found = try await store.unusedActivations(after: nil, madeUpTo: Sample.now, most: 9)
        #expect(found == [UnusedActivation(id: unused.id, clientID: Sample.client)])
        #expect(try await store.unusedActivations(after: unused.id, madeUpTo: Sample.now, most: 9).isEmpty)
        _ = try await store.update(unused.id, telling: nil) { $0.remove(for: .unused, at: Sample.now) }
        #expect(try await store.unusedActivations(after: nil, madeUpTo: Sample.now, most: 9).isEmpty)
        #expect(try await store.forgetActivations(removedBefore: Sample.now) == 0)
        #expect(try await store.forgetActivations(removedBefore: Sample.now.adding(.milliseconds(1))) == 1)
        #expect(try await store.activation(unused.id) == nil)
        #expect(try await store.activation(used.id) != nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `an erasure removes those of the target, at one client or at all`(store: TestedStore) async throws {
        for target in [Target.number(Sample.number), Self.address] {
            let stores = try store.make()
            let (mine, theirs) = (
                try await make(stores, proving: target), try await make(stores, of: Sample.other, proving: target)
            )
            let stranger = try await make(stores, proving: .number(PhoneNumber(e164: "+12001004015")!))
            #expect(try await stores.erasures.erase(target, at: Sample.client).data.activations == 1)
            #expect(try await stores.activations.activation(mine.id) == nil)
            #expect(try await stores.activations.activation(theirs.id) == theirs)
            #expect(try await stores.erasures.erase(target, at: nil).data.activations == 1)
            #expect(try await stores.activations.activation(theirs.id) == nil)
            #expect(try await stores.activations.activation(stranger.id) == stranger)
        }
    }

    @Test(arguments: TestedStore.allCases)
    func `tells of each change of its standing once`(store: TestedStore) async throws {
        let stores = try store.make()
        let endpoint = WebhookEndpoint(
            id: Sample.id(), clientID: Sample.client, url: "https://shop.example/h",
            filter: try WebhookFilter(["activation.*"]), keys: .init(secret: [1], seed: nil), createdAt: Sample.now)
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let activation = try await make(stores)
        func teller() -> WebhookEventFactory {
            WebhookEventFactory(
                client: Sample.client, subscriptions: stores.webhooks.subscriptions(of: Sample.client),
                first: Sample.id(), at: Sample.now)
        }
        let rules: [@Sendable (inout DeviceActivation) -> Void] = [
            { _ = $0.block(for: .client, at: Sample.now) }, { _ = $0.unblock(at: Sample.now) },
            { $0.remove(for: .phone, at: Sample.now) },
        ]
        for rule in rules {
            for _ in 0..<2 { _ = try await stores.activations.update(activation.id, telling: teller(), rule) }
        }
        let told = try await stores.webhooks.dueWebhooks(at: endpoint, now: Sample.now, limit: 100, besides: [])
            .deliveries.map(\.event.news)
        let words = told.map { "\($0.type.rawValue) \($0.text("reason") ?? "-")" }
        #expect(
            words.sorted() == ["activation.blocked client", "activation.removed phone", "activation.unblocked -"])
        #expect(told.allSatisfy { $0.text("activationId") == activation.id.text && $0.target == activation.target })
    }
}
