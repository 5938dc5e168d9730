import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// The order of a session's events, as every store keeps it.
@Suite struct WebhookOrderContractTests {
    private func due(
        _ stores: Stores, _ endpoint: WebhookEndpoint, at now: Timestamp = Sample.now, limit: Int = 100,
        besides: Set<WebhookEventID> = []
    ) async throws -> DueWebhooks {
        try await stores.webhooks.dueWebhooks(at: endpoint, now: now, limit: limit, besides: besides)
    }

    @Test(arguments: TestedStore.allCases)
    func `keeps later events of a session back where order is wanted, for half an hour`(store: TestedStore)
        async throws
    {
        let stores = try store.make()
        let endpoint = try WebhookStoreContractTests.endpoint(.session)
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let (one, other): (CorrelationID, CorrelationID) = (Sample.id(), Sample.id())
        let events = [one, one, other].enumerated().map { place, session in
            WebhookStoreContractTests.event(of: session, at: Sample.now.adding(.seconds(place)), to: [endpoint])
        }
        try await stores.webhooks.addEvents(events)
        let now = Sample.now.adding(.seconds(2))
        let found = try await due(stores, endpoint, at: now)
        #expect(found.deliveries.map(\.event.id) == [events[0].event.id, events[2].event.id])
        #expect(found.nextAt.map { $0 <= Sample.now.adding(.seconds(1801)) } == true, "somebody looks again")
        var first = found.deliveries[0]
        first.note(WebhookAttempt(status: 500, failure: .status), at: now, spread: 0)
        _ = try await stores.webhooks.storeResult(of: first, standing: nil)
        #expect(try await due(stores, endpoint, at: now).deliveries.map(\.event.id) == [events[2].event.id])
        let late = Sample.now.adding(.seconds(1801))
        #expect(try await due(stores, endpoint, at: late).deliveries.contains { $0.event.id == events[1].event.id })
        first.note(.taken(200), at: now, spread: 0)
        _ = try await stores.webhooks.storeResult(of: first, standing: nil)
        #expect(try await due(stores, endpoint, at: now).deliveries.contains { $0.event.id == events[1].event.id })
    }

    @Test(arguments: TestedStore.allCases)
    func `lets the next of a session go once the one before is taken, given up or dropped`(store: TestedStore)
        async throws
    {
        let stores = try store.make()
        let endpoint = try WebhookStoreContractTests.endpoint(.session, types: ["*", "check.*"])
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let session: CorrelationID = Sample.id()
        let types: [WebhookEventType] = [.sessionCreated, .sessionRedeemed, .checkStarted, .sessionSucceeded]
        let events = types.enumerated().map { place, type in
            WebhookStoreContractTests.event(
                type, of: session, at: Sample.now.adding(.milliseconds(place)), to: [endpoint])
        }
        try await stores.webhooks.addEvents(events)
        func next() async throws -> [WebhookEventType] {
            try await due(stores, endpoint, at: Sample.now.adding(.seconds(1))).deliveries.map(\.event.news.type)
        }
        func settle(_ attempt: WebhookAttempt) async throws {
            var first = try await due(stores, endpoint, at: Sample.now.adding(.seconds(1))).deliveries[0]
            first.note(attempt, at: Sample.now.adding(.seconds(1)), spread: 0)
            _ = try await stores.webhooks.storeResult(of: first, standing: nil)
        }
        #expect(try await next() == [.sessionCreated])
        try await settle(.taken(200))
        #expect(try await next() == [.sessionRedeemed])
        try await settle(WebhookAttempt(status: 500, failure: .aborted))
        #expect(try await next() == [.checkStarted])
        #expect(try await stores.webhooks.dropWebhooks(at: endpoint.id, over: 0) == [.checkStarted: 1])
        #expect(try await next() == [.sessionSucceeded])
        // An event that is told again goes in order too.
        #expect(
            try await stores.webhooks.replayWebhooks(
                .missed(since: Sample.now), to: endpoint.id, of: nil, limit: 9, at: Sample.now) == 2)
        #expect(try await next() == [.sessionRedeemed])
    }

    @Test(arguments: TestedStore.allCases)
    func `finds what is due behind more that waits for its turn than one look takes`(store: TestedStore) async throws {
        let stores = try store.make()
        let endpoint = try WebhookStoreContractTests.endpoint(.session)
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let (busy, other): (CorrelationID, CorrelationID) = (Sample.id(), Sample.id())
        let events = (0..<700).map { place in
            WebhookStoreContractTests.event(
                of: place < 699 ? busy : other, at: Sample.now.adding(.milliseconds(place)), to: [endpoint])
        }
        try await stores.webhooks.addEvents(events)
        let now = Sample.now.adding(.seconds(1))
        let found = try await due(stores, endpoint, at: now, limit: 2)
        #expect(found.deliveries.map(\.event.id) == [events[0].event.id, events[699].event.id])
        #expect(try await due(stores, endpoint, at: now, besides: [events[0].event.id]).deliveries.count == 1)
        let late = Sample.now.adding(.seconds(1802))
        #expect(try await due(stores, endpoint, at: late, limit: 1000).deliveries.count == 700)
    }

    @Test(arguments: TestedStore.allCases)
    func `counts the events of a session on, also once all earlier ones were removed`(store: TestedStore) async throws {
        let stores = try store.make()
        let endpoint = try WebhookStoreContractTests.endpoint()
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let session = Sample.session()
        let first = WebhookStoreContractTests.event(.sessionCreated, of: session.correlationID, to: [endpoint])
        try await stores.sessions.insert(session, freshHolderID: Sample.id(), webhooks: [first])
        for second in 1...3 {
            let time = Sample.now.adding(.seconds(second))
            #expect(try await stores.webhooks.sweepWebhooks(before: time) == 1)
            let event = WebhookStoreContractTests.event(of: session.correlationID, at: time, to: [endpoint])
            _ = try await stores.sessions.update(session) { $0.webhooks = [event] }
            #expect(try await due(stores, endpoint).deliveries.map(\.event.sequence) == [second + 1])
        }
        // Nothing is known of another session.
        let other = Sample.session()
        let event = WebhookStoreContractTests.event(
            of: other.correlationID, at: Sample.now.adding(.seconds(9)), to: [endpoint])
        try await stores.sessions.insert(other, freshHolderID: Sample.id(), webhooks: [event])
        #expect(try await due(stores, endpoint).deliveries.compactMap(\.event.sequence).sorted() == [1, 4])
    }
}
