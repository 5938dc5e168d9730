import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// Activations whose answer was lost, on every store.
@Suite struct ActivationSweepTests {
    private let clock = FixedClock()

    private func make(_ stores: Stores) async throws -> ActivationID {
        let session = Sample.session(at: clock.now())
        try await stores.sessions.insert(session)
        let activation = Sample.activation(of: session, at: clock.now())
        _ = try await stores.sessions.update(session) { $0.activation = activation }
        return activation.id
    }

    @Test(arguments: TestedStore.allCases)
    func `removes those that have not signed for a day, tells it, and forgets them a year later`(
        store: TestedStore
    ) async throws {
        let stores = try store.make()
        let endpoint = WebhookEndpoint(
            id: Sample.id(), clientID: Sample.client, url: "https://shop.example/h",
            filter: try WebhookFilter(["activation.*"]), keys: .init(secret: [1], seed: nil), createdAt: clock.now())
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let process = ServerProcess(stores, stores.outbox, clock)
        let sweep = ActivationSweep(process.engine)
        let (unused, used) = (try await make(stores), try await make(stores))
        let now = clock.now()
        _ = try await stores.activations.update(used, telling: nil) { activation in
            activation.take(
                SignatureMatch(skipped: 0, counter: [1]), of: .possession, checkedWith: activation.secrets.counter,
                at: now)
        }
        func status(_ id: ActivationID) async throws -> DeviceActivation.Status? {
            try await stores.activations.activation(id)?.standing.status
        }
        for (seconds, expected) in [(Int64(24 * 3600 - 1), DeviceActivation.Status.active), (1, .removed)] {
            _ = clock.advance(seconds: seconds)
            for _ in 0..<2 { try await sweep.run(at: clock.now()) }
            #expect(try await status(unused) == expected)
            #expect(try await status(used) == .active)
        }
        let told = try await stores.webhooks.webhookDeliveries(at: nil, of: nil, in: nil, limit: 9)
            .map(\.event.news)
        #expect(told.map(\.type) == [.activationRemoved] && told.first?.text("reason") == "unused")
        _ = clock.advance(seconds: 365 * 24 * 3600)
        try await sweep.run(at: clock.now())
        #expect(try await status(unused) == .removed)
        _ = clock.advance(seconds: 1)
        try await sweep.run(at: clock.now())
        #expect(try await status(unused) == nil)
        #expect(try await status(used) == .active)
    }

    @Test(arguments: TestedStore.allCases)
    func `a change that makes an activation tells it in its session`(store: TestedStore) async throws {
        let stores = try store.make()
        let endpoint = WebhookEndpoint(
            id: Sample.id(), clientID: Sample.client, url: "https://shop.example/h",
            filter: try WebhookFilter(["activation.*"]), keys: .init(secret: [1], seed: nil), createdAt: clock.now())
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let process = ServerProcess(stores, stores.outbox, clock)
        let session = try await process.session()
        let activation = Sample.activation(of: session, at: clock.now())
        _ = try await process.engine.change(.auth(session.authID), by: .caller(.all), ChangeInputs(), at: clock.now()) {
            (change) throws(StepRefusal) in change.activation = activation
        }
        let told = try await stores.webhooks.webhookDeliveries(at: nil, of: nil, in: nil, limit: 9)
            .map(\.event.news)
        #expect(told.map(\.type) == [.activationCreated])
        #expect(told.first?.session == session.correlationID && told.first?.target == activation.target)
        #expect(told.first?.text("activationId") == activation.id.text)
    }
}
