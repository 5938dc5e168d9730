import Engine
import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

/// The bound on what is stored of webhooks for one API client.
@Suite struct WebhookStoresTests {
    private static let other = ClientID("other")!

    /// A store in which each API client may have so many bytes.
    private final class Store: Sendable {
        let database: Database
        let table: WebhookEndpointsTable

        init(bytes: Int) throws {
            var limits = SQLiteLimits()
            limits.storage.webhookBytesPerClient = bytes
            database = try Fixture.database(limits: limits)
            table = WebhookEndpointsTable(database, sealing: Fixture.sealing)
        }

        func add(
            _ number: Int, of client: ClientID = Fixture.client, failures: Int = 0,
            ordering: WebhookEndpoint.Ordering = .none
        ) async throws -> WebhookEndpoint {
            let endpoint = WebhookEndpoint(
                id: WebhookEndpointID(bits: UInt128(number)), clientID: client, url: "https://shop.example/h",
                filter: try WebhookFilter(["*"]), ordering: ordering, keys: .init(secret: [1], seed: nil),
                createdAt: Fixture.now, failingSince: failures > 0 ? Fixture.now : nil, failures: failures)
            #expect(try await table.add(endpoint, most: 99))
            return endpoint
        }

        /// Stores one event, a second after the one before it.
        @discardableResult
        func tell(
            _ second: Int, _ type: WebhookEventType = .sessionSucceeded, of session: CorrelationID? = nil,
            to endpoints: [WebhookEndpoint]
        ) async throws -> WebhookEventID {
            let now = Fixture.now.adding(.seconds(second))
            let event = WebhookEvent(
                id: WebhookEventID(at: now, random: 0), clientID: endpoints[0].clientID,
                news: WebhookNews(type, at: now, session: session, [WebhookFact("a", .text("x"))]))
            try await table.addEvents([NewWebhookEvent(event, to: endpoints.map(\.id))])
            return event.id
        }

        func waiting(at endpoint: WebhookEndpoint) async throws -> [WebhookEventID] {
            try await table.webhookDeliveries(at: endpoint.id, of: nil, in: .pending, limit: 1000).map(\.event.id)
                .sorted()
        }

        func deliver(_ event: WebhookEventID, at endpoint: WebhookEndpoint) async throws {
            let all = try await table.webhookDeliveries(at: endpoint.id, of: nil, in: .pending, limit: 1000)
            var delivery = try #require(all.first { $0.event.id == event })
            delivery.note(.taken(200), at: Fixture.now, spread: 0)
            _ = try await table.storeResult(of: delivery, standing: nil)
        }

        func bytes(of client: ClientID = Fixture.client) async throws -> Int {
            try await database.read { (connection) throws(StorageFault) in
                try WebhookStoresTable.bytes(of: client, connection)
            }
        }

        /// The same, from the rows.
        func counted(of client: ClientID = Fixture.client) async throws -> Int {
            try await database.read { (connection) throws(StorageFault) in
                try connection.first(
                    """
                    SELECT coalesce((SELECT sum(length(event_sealed) + 220) FROM webhook_events WHERE client_id = ?1), 0)
                      + 180 * (SELECT count(*) FROM webhook_deliveries d JOIN webhook_endpoints p USING (endpoint_id)
                                 WHERE p.client_id = ?1)
                    """
                ) {
                    $0.text(client.text)
                } _: { (row) throws(StorageFault) in
                    Int(try row.integer("bytes"))
                } ?? 0
            }
        }
    }

    @Test func `counts what is stored, whatever adds or removes it`() async throws {
        let store = try Store(bytes: 1 << 30)
        let (one, two) = (try await store.add(1), try await store.add(2))
        let foreign = try await store.add(3, of: Self.other)
        for second in 0..<20 { try await store.tell(second, to: second % 2 == 0 ? [one] : [one, two]) }
        try await store.tell(30, to: [foreign])
        #expect(try await store.bytes() == store.counted())
        #expect(try await store.bytes() > 20 * 400)
        #expect(try await store.bytes(of: Self.other) == store.counted(of: Self.other))
        _ = try await store.table.removeWebhookEndpoint(two.id, of: nil, at: Fixture.now)
        #expect(try await store.bytes() == store.counted())
        _ = try await store.table.sweepWebhooks(before: Fixture.now.adding(.seconds(7)))
        #expect(try await store.bytes() == store.counted())
        try await store.database.transaction { (connection) throws(StorageFault) in
            try connection.run("UPDATE webhook_events SET event_sealed = zeroblob(500) WHERE client_id = 'acme'")
        }
        #expect(try await store.bytes() == store.counted())
        _ = try await store.table.sweepWebhooks(before: Fixture.now.adding(.seconds(99)))
        #expect(try await store.bytes() == 0)
        #expect(try await store.bytes(of: Self.other) == 0)
    }

    @Test func `over its bound an API client loses its oldest events, and another one nothing`() async throws {
        let store = try Store(bytes: 10_000)
        let (own, foreign) = (try await store.add(1), try await store.add(2, of: Self.other))
        for second in 0..<5 { try await store.tell(second, to: [foreign]) }
        var events: [WebhookEventID] = []
        for second in 10..<110 {
            events.append(try await store.tell(second, to: [own]))
            #expect(try await store.bytes() <= 10_000, "in the transaction that stores them")
        }
        let left = try await store.waiting(at: own)
        #expect(left == Array(events.suffix(left.count)) && left.count > 10)
        #expect(try await store.bytes() > 9_000, "no more goes than has to")
        #expect(try await store.waiting(at: foreign).count == 5)
        #expect(try await store.table.takeRemovedWebhooks() == [Fixture.client: 100 - left.count])
        #expect(try await store.table.takeRemovedWebhooks() == [:])
    }

    @Test func `what a failing endpoint does not take goes first, events of sessions too`() async throws {
        let store = try Store(bytes: 10_000)
        let (quick, dead) = (try await store.add(1), try await store.add(2, failures: 3))
        var forQuick: [WebhookEventID] = []
        for second in 0..<8 { forQuick.append(try await store.tell(second, to: [quick])) }
        for second in 10..<100 {
            try await store.tell(second, .sessionFailed, of: Fixture.id(), to: [dead])
            #expect(try await store.bytes() <= 10_000)
        }
        #expect(try await store.waiting(at: quick) == forQuick)
        #expect(try await store.waiting(at: dead).count < 30)
    }

    @Test func `an event that another endpoint waits for stays for that one`() async throws {
        let store = try Store(bytes: 3_400)
        let (quick, dead) = (try await store.add(1), try await store.add(2, failures: 3))
        var events: [WebhookEventID] = []
        for second in 0..<6 { events.append(try await store.tell(second, to: [quick, dead])) }
        #expect(try await store.waiting(at: quick) == events)
        #expect(try await store.waiting(at: dead).count < 6)
        #expect(try await store.bytes() <= 3_400)
        #expect(try await store.bytes() == store.counted())
    }

    @Test func `what was delivered goes without a word`() async throws {
        let store = try Store(bytes: 3_000)
        let endpoint = try await store.add(1)
        for second in 0..<50 {
            let event = try await store.tell(second, to: [endpoint])
            try await store.deliver(event, at: endpoint)
        }
        #expect(try await store.bytes() <= 3_000)
        #expect(try await store.table.takeRemovedWebhooks() == [:])
    }

    @Test func `a later event of a session waits for no one that was removed`() async throws {
        let store = try Store(bytes: 2_000)
        let endpoint = try await store.add(1, ordering: .session)
        let session: CorrelationID = Fixture.id()
        for second in 0..<20 {
            try await store.tell(second, of: session, to: [endpoint])
            // An event that waits for an earlier one is kept back.
            _ = try await store.table.dueWebhooks(at: endpoint, now: Fixture.now, limit: 1, besides: [])
        }
        let due = try await store.table.dueWebhooks(at: endpoint, now: Fixture.now, limit: 10, besides: [])
        #expect(due.deliveries.map(\.event.id) == [try await store.waiting(at: endpoint)[0]])
    }

    @Test func `a store that is far over its bound shrinks with each event, by a bounded amount`() async throws {
        let store = try Store(bytes: 1 << 30)
        let endpoint = try await store.add(1)
        for second in 0..<200 { try await store.tell(second, to: [endpoint]) }
        let before = try await store.bytes()
        try await store.database.transaction { (connection) throws(StorageFault) in
            guard let connection = connection as? SQLiteConnection else { return }
            connection.limits.webhookBytesPerClient = 1_000
        }
        try await store.tell(300, to: [endpoint])
        let after = try await store.bytes()
        #expect(after < before && after > before / 2)
        for second in 301..<320 { try await store.tell(second, to: [endpoint]) }
        #expect(try await store.bytes() <= 1_000)
    }
}
