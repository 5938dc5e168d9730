import Locks
import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// Rules of the port for endpoints, events and deliveries, checked on every store.
@Suite struct WebhookStoreContractTests {
    static func endpoint(
        _ ordering: WebhookEndpoint.Ordering = .none, of client: ClientID = Sample.client, types: [String] = ["*"],
        at now: Timestamp = Sample.now
    ) throws -> WebhookEndpoint {
        WebhookEndpoint(
            id: Sample.id(at: now), clientID: client, url: "https://shop.example/h?token=1",
            filter: try WebhookFilter(types), includes: [.statement], format: .cloudevents, ordering: ordering,
            hasHandshake: true, keys: .init(secret: [1, 2], seed: [3]), otherKeys: .init(secret: [4], seed: nil),
            otherKeysUntil: Sample.now.adding(.seconds(60)), createdAt: now)
    }

    static func event(
        _ type: WebhookEventType = .sessionSucceeded, of session: CorrelationID? = nil, at now: Timestamp = Sample.now,
        number: PhoneNumber? = Sample.number, to endpoints: [WebhookEndpoint]
    ) -> NewWebhookEvent {
        let news = WebhookNews(
            type, at: now, session: session, of: number.map(Target.number),
            [
                WebhookFact("a", .text("x")), WebhookFact("b", .integer(7)), WebhookFact("c", .texts(["y", "z"])),
                WebhookFact("d", .time(now)),
            ], callback: .init(endpoint: endpoints[0].id, url: "https://shop.example/h/1"))
        let id: WebhookEventID = Sample.id(at: now)
        return NewWebhookEvent(
            WebhookEvent(id: id, clientID: endpoints[0].clientID, news: news), to: endpoints.map(\.id))
    }

    private func due(
        _ stores: Stores, _ endpoint: WebhookEndpoint, at now: Timestamp = Sample.now, limit: Int = 100,
        besides: Set<WebhookEventID> = []
    ) async throws -> DueWebhooks {
        try await stores.webhooks.dueWebhooks(at: endpoint, now: now, limit: limit, besides: besides)
    }

    @Test(arguments: TestedStore.allCases)
    func `keeps an endpoint as it was given, and knows at once who is to be told`(store: TestedStore) async throws {
        let webhooks = try store.make().webhooks
        #expect(!webhooks.hasSubscriptions)
        let endpoint = try Self.endpoint()
        #expect(try await webhooks.add(endpoint, most: 1))
        #expect(try await !webhooks.add(Self.endpoint(), most: 1))
        #expect(try await webhooks.add(Self.endpoint(of: Sample.other), most: 1))
        #expect(try await webhooks.webhookEndpoint(endpoint.id) == endpoint)
        #expect(try await webhooks.webhookEndpoints(of: Sample.client).endpoints == [endpoint])
        #expect(try await webhooks.webhookEndpoints(of: nil).endpoints.count == 2)
        #expect(webhooks.hasSubscriptions)
        #expect(webhooks.subscriptions(of: Sample.client) == [WebhookSubscription(endpoint)])
        let disabled = try await webhooks.updateWebhookEndpoint(endpoint.id, of: Sample.client) {
            $0.disable(.byHand, at: Sample.now)
            return []
        }
        #expect(disabled?.stop == .byHand && webhooks.subscriptions(of: Sample.client).isEmpty)
        #expect(try await webhooks.webhookEndpoint(endpoint.id) == disabled)
        #expect(try await webhooks.updateWebhookEndpoint(endpoint.id, of: Sample.other, { _ in [] }) == nil)
        #expect(try await !webhooks.removeWebhookEndpoint(endpoint.id, of: Sample.other, at: Sample.now))
        #expect(try await webhooks.removeWebhookEndpoint(endpoint.id, of: Sample.client, at: Sample.now))
        #expect(try await webhooks.webhookEndpoint(endpoint.id) == nil)
    }

    @Test(arguments: TestedStore.allCases)
    func `stores an event with the change that makes it true, numbered within its session`(store: TestedStore)
        async throws
    {
        let stores = try store.make()
        let endpoint = try Self.endpoint()
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let session = Sample.session()
        let first = Self.event(.sessionCreated, of: session.correlationID, to: [endpoint])
        try await stores.sessions.insert(session, freshHolderID: Sample.id(), webhooks: [first])
        let more = [
            Self.event(.sessionRedeemed, of: session.correlationID, to: [endpoint]),
            Self.event(.sessionSucceeded, of: session.correlationID, to: [endpoint]),
        ].sorted { $0.event.id < $1.event.id }
        _ = try await stores.sessions.update(session) { $0.webhooks = more }
        let found = try await due(stores, endpoint).deliveries

        #expect(Set(found.compactMap(\.event.sequence)) == [1, 2, 3])
        let stored = try #require(found.first { $0.event.id == first.event.id })
        #expect(stored.event.news == first.event.news && stored.attempts == 0 && stored.state == .pending)
    }

    @Test(arguments: TestedStore.allCases)
    func `tells nothing of a session that was not stored`(store: TestedStore) async throws {
        let stores = try store.make()
        let endpoint = try Self.endpoint()
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let session = Sample.session()
        try await stores.sessions.insert(session)
        let event = Self.event(of: session.correlationID, to: [endpoint])
        await #expect(throws: StorageFault.duplicate) {
            try await stores.sessions.insert(session, freshHolderID: Sample.id(), webhooks: [event])
        }
        let key = LimitKey(.sendsToNumber, Sample.number, of: Sample.client)
        let hit = try await stores.sessions.insert(
            Sample.session(), freshHolderID: Sample.id(), webhooks: [event], counting: [key]
        ) { _ in LimitHit(.sendsPerNumber, retryAfterSeconds: 1) }
        #expect(hit != nil)
        #expect(try await due(stores, endpoint).deliveries.isEmpty)
    }

    @Test(arguments: TestedStore.allCases)
    func `makes no delivery for an endpoint that has gone meanwhile`(store: TestedStore) async throws {
        let stores = try store.make()
        let (kept, gone) = (try Self.endpoint(), try Self.endpoint())
        _ = try await stores.webhooks.add(kept, most: 9)
        try await stores.webhooks.addEvents([Self.event(to: [kept, gone])])
        #expect(try await due(stores, kept).deliveries.count == 1)
        #expect(try await due(stores, gone).deliveries.isEmpty)
    }

    @Test(arguments: TestedStore.allCases)
    func `hands out what is due and not under way, and says when the next one is`(store: TestedStore) async throws {
        let stores = try store.make()
        let endpoint = try Self.endpoint()
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let events = (0..<5).map { Self.event(at: Sample.now.adding(.seconds($0)), to: [endpoint]) }
        try await stores.webhooks.addEvents(events)
        let ids = events.map(\.event.id)
        #expect(
            try await due(stores, endpoint, limit: 2, besides: [ids[0]]).deliveries.map(\.event.id) == [ids[1], ids[2]])
        var delivery = try await due(stores, endpoint, limit: 1).deliveries[0]
        delivery.note(WebhookAttempt(status: 500, failure: .status), at: Sample.now, spread: 0)
        _ = try await stores.webhooks.storeResult(of: delivery, standing: nil)
        let rest = try await due(stores, endpoint)
        #expect(rest.deliveries.map(\.event.id) == Array(ids[1...]) && rest.nextAt == delivery.nextAt)
        #expect(try await due(stores, endpoint, at: Sample.now.adding(.seconds(4))).deliveries.contains(delivery))
        #expect(try await stores.webhooks.waitingWebhooks().keys.contains(endpoint.id))
    }

    @Test(arguments: TestedStore.allCases)
    func `stores an endpoint's standing with an attempt, and what is told of it`(store: TestedStore) async throws {
        let stores = try store.make()
        let (failing, other) = (try Self.endpoint(), try Self.endpoint())
        _ = try await stores.webhooks.add(failing, most: 9)
        _ = try await stores.webhooks.add(other, most: 9)
        try await stores.webhooks.addEvents([Self.event(to: [failing])])
        var delivery = try await due(stores, failing).deliveries[0]
        let attempt = WebhookAttempt(status: 410, failure: .status)
        delivery.note(attempt, at: Sample.now, spread: 0)
        let told = Self.event(.endpointDisabled, number: nil, to: [other])
        let stored = try await stores.webhooks.storeResult(of: delivery) {
            $0.note(attempt, at: Sample.now) ? [told] : []
        }
        #expect(stored?.stop == .gone && stores.webhooks.subscriptions(of: Sample.client).map(\.endpoint) == [other.id])
        #expect(try await due(stores, failing).deliveries.isEmpty)
        #expect(try await due(stores, other).deliveries.map(\.event.id) == [told.event.id])
        let listed = try await stores.webhooks.webhookDeliveries(
            at: failing.id, of: Sample.client, in: .failed, limit: 9)
        #expect(listed == [delivery] && listed[0].lastStatus == 410)
        #expect(try await stores.webhooks.webhookDeliveries(at: nil, of: Sample.other, in: nil, limit: 9).isEmpty)
    }

    @Test(arguments: TestedStore.allCases)
    func `sends again what was given up, or one event whatever came of it`(store: TestedStore) async throws {
        let stores = try store.make()
        let endpoint = try Self.endpoint()
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let events = (0..<3).map { Self.event(at: Sample.now.adding(.seconds($0)), to: [endpoint]) }
        try await stores.webhooks.addEvents(events)
        for (place, delivery) in try await due(stores, endpoint).deliveries.enumerated() {
            var delivery = delivery
            delivery.note(place == 0 ? .taken(200) : .init(status: 410, failure: .status), at: Sample.now, spread: 0)
            _ = try await stores.webhooks.storeResult(of: delivery, standing: nil)
        }
        let later = Sample.now.adding(.seconds(1))
        func replay(_ what: WebhookReplay, of client: ClientID? = nil) async throws -> Int {
            try await stores.webhooks.replayWebhooks(what, to: endpoint.id, of: client, limit: 9, at: Sample.now)
        }
        #expect(try await replay(.missed(since: later), of: Sample.other) == 0)
        #expect(try await replay(.missed(since: later)) == 2)
        #expect(try await replay(.missed(since: later)) == 0, "they wait already")
        #expect(try await replay(.event(events[0].event.id)) == 1)
        let found = try await due(stores, endpoint).deliveries
        #expect(Set(found.map(\.event.id)) == Set(events.map(\.event.id)) && found.allSatisfy { $0.attempts == 0 })
    }

    @Test(arguments: TestedStore.allCases)
    func `drops the oldest noisy events over the bound, and never what a session came to`(store: TestedStore)
        async throws
    {
        let stores = try store.make()
        let endpoint = try Self.endpoint(types: ["*", "check.*"])
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let types: [WebhookEventType] = [.sessionFailed, .checkFailed, .messageSent, .sessionFailed, .checkStarted]
        let events = types.enumerated().map { place, type in
            Self.event(type, at: Sample.now.adding(.seconds(place)), to: [endpoint])
        }
        try await stores.webhooks.addEvents(events)
        #expect(try await stores.webhooks.dropWebhooks(at: endpoint.id, over: 5) == [:])
        #expect(try await stores.webhooks.dropWebhooks(at: endpoint.id, over: 3) == [.checkFailed: 1, .messageSent: 1])
        #expect(
            try await due(stores, endpoint).deliveries.map(\.event.news.type) == [
                .sessionFailed, .sessionFailed, .checkStarted,
            ])
        #expect(try await stores.webhooks.dropWebhooks(at: endpoint.id, over: 0) == [.checkStarted: 1])
        #expect(try await due(stores, endpoint).deliveries.count == 2)
    }

    @Test(arguments: TestedStore.allCases)
    func `drops, replays and removes more than one transaction takes`(store: TestedStore) async throws {
        let stores = try store.make()
        let (endpoint, other) = (try Self.endpoint(), try Self.endpoint())
        for endpoint in [endpoint, other] { _ = try await stores.webhooks.add(endpoint, most: 9) }
        let events = (0..<450).map { place in
            Self.event(
                place < 2 ? .sessionFailed : .messageSent, at: Sample.now.adding(.seconds(place)),
                to: [endpoint, other])
        }
        try await stores.webhooks.addEvents(events)
        func count(_ state: WebhookDelivery.State, at endpoint: WebhookEndpoint) async throws -> Int {
            try await stores.webhooks.webhookDeliveries(at: endpoint.id, of: nil, in: state, limit: 1000).count
        }
        #expect(try await stores.webhooks.dropWebhooks(at: endpoint.id, over: 10) == [.messageSent: 440])
        #expect(try await stores.webhooks.dropWebhooks(at: endpoint.id, over: 10) == [:])
        #expect(try await count(.pending, at: endpoint) == 10)
        #expect(try await count(.pending, at: other) == 450)
        let late = Sample.now.adding(.seconds(102))
        func replay(limit: Int) async throws -> Int {
            try await stores.webhooks.replayWebhooks(
                .missed(since: late), to: nil, of: Sample.client, limit: limit, at: Sample.now)
        }
        #expect(try await replay(limit: 250) == 250)
        #expect(try await replay(limit: 250) == 90)
        #expect(try await count(.pending, at: endpoint) == 350)
        #expect(try await stores.webhooks.removeWebhookEndpoint(endpoint.id, of: nil, at: Sample.now))
        #expect(try await count(.pending, at: endpoint) == 0)
        #expect(try await count(.pending, at: other) == 450)
        #expect(stores.webhooks.subscriptions(of: Sample.client).map(\.endpoint) == [other.id])
    }

    @Test(arguments: TestedStore.allCases)
    func `takes a ping only where little waits`(store: TestedStore) async throws {
        let stores = try store.make()
        let endpoint = try Self.endpoint()
        _ = try await stores.webhooks.add(endpoint, most: 9)
        for place in 0..<3 {
            let ping = Self.event(.ping, at: Sample.now.adding(.seconds(place)), number: nil, to: [endpoint])
            #expect(try await stores.webhooks.ping(ping, ifFewerThan: 2) == (place < 2))
        }
        #expect(try await due(stores, endpoint).deliveries.count == 2)
    }

    @Test(arguments: TestedStore.allCases)
    func `removes what is old, with its deliveries`(store: TestedStore) async throws {
        let stores = try store.make()
        let endpoint = try Self.endpoint()
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let events = (0..<2).map { Self.event(at: Sample.now.adding(.seconds($0 * 60)), to: [endpoint]) }
        try await stores.webhooks.addEvents(events)
        #expect(try await stores.webhooks.sweepWebhooks(before: Sample.now.adding(.seconds(60))) == 1)
        #expect(try await due(stores, endpoint).deliveries.map(\.event.id) == [events[1].event.id])
    }

    @Test(arguments: TestedStore.allCases)
    func `erases the events of a number and of its sessions`(store: TestedStore) async throws {
        let stores = try store.make()
        let endpoint = try Self.endpoint()
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let session = Sample.session()
        try await stores.sessions.insert(
            session, freshHolderID: Sample.id(),
            webhooks: [Self.event(of: session.correlationID, number: nil, to: [endpoint])])
        let stranger = Self.event(number: PhoneNumber(e164: "+12015550123"), to: [endpoint])
        try await stores.webhooks.addEvents([Self.event(.identityEnrolled, to: [endpoint]), stranger])
        _ = try await stores.erasures.erase(.number(Sample.number), at: Sample.client)
        #expect(try await due(stores, endpoint).deliveries.map(\.event.id) == [stranger.event.id])
    }

    @Test(arguments: TestedStore.allCases)
    func `tells of an identity's end with the erasure that ends it, and of no other`(store: TestedStore) async throws {
        let stores = try store.make()
        let endpoint = try Self.endpoint()
        _ = try await stores.webhooks.add(endpoint, most: 9)
        func erase() async throws -> (identities: Int, told: [WebhookEventType]) {
            let event = Self.event(.identityDeleted, number: nil, to: [endpoint])
            let erased = try await stores.erasures.erase(.number(Sample.number), at: Sample.client, telling: [event])
            return (erased.data.identities, try await due(stores, endpoint).deliveries.map(\.event.news.type))
        }
        #expect(try await erase() == (0, []))
        _ = try await stores.identities.enrol(
            [Enrolment(.number(Sample.number))], of: Sample.client, fresh: [Sample.id()], telling: nil, at: Sample.now)
        #expect(try await erase() == (1, [.identityDeleted]))
        #expect(try await erase() == (0, [.identityDeleted]))
    }

    @Test(arguments: TestedStore.allCases)
    func `tells of a revoked key once, and of identities when they change`(store: TestedStore) async throws {
        let stores = try store.make()
        let endpoint = try Self.endpoint()
        _ = try await stores.webhooks.add(endpoint, most: 9)
        let session = Sample.session()
        try await stores.sessions.insert(session)
        let key = Sample.key(1)
        var lookup = ChangeInputs()
        lookup.thumbprint = key.thumbprint
        _ = try await stores.sessions.update(session, lookup) { $0.deviceKey = key }
        func teller() -> WebhookEventFactory {
            WebhookEventFactory(
                client: Sample.client, subscriptions: stores.webhooks.subscriptions(of: Sample.client),
                first: Sample.id(), at: Sample.now)
        }
        for _ in 0..<2 {
            #expect(
                try await stores.deviceKeys.revokeDeviceKey(
                    key.id, of: Sample.client, telling: teller(), at: Sample.now))
        }
        var enrolment = Enrolment(.number(Sample.number))
        for customer in [nil, nil, "c-1"] {
            enrolment.references.clientCustomerID = customer
            _ = try await stores.identities.enrol(
                [enrolment], of: Sample.client, fresh: [Sample.id()], telling: teller(), at: Sample.now)
        }
        let id = try #require(try await stores.identities.identity(Sample.number, of: Sample.client)).id
        for _ in 0..<2 {
            #expect(
                try await stores.identities.setActive(false, id, of: Sample.client, telling: teller()))
        }
        let told = try await due(stores, endpoint).deliveries.map(\.event.news)
        #expect(
            told.map(\.type.rawValue).sorted() == [
                "device_key.revoked", "identity.changed", "identity.changed", "identity.enrolled",
            ])
        #expect(
            Set(told.flatMap(\.facts).filter { $0.name == "changes" }.map(\.value))
                .isSuperset(of: [.texts(["references"]), .texts(["active"])]))
    }

    @Test(arguments: TestedStore.allCases)
    func `finds the sessions that are not over, a page at a time`(store: TestedStore) async throws {
        let stores = try store.make()
        var sessions: [Session] = []
        for second in 0..<4 {
            var session = Sample.session(at: Sample.now.adding(.seconds(second)))
            if second == 1 { session.cancel(at: Sample.now.adding(.seconds(second))) }
            try await stores.sessions.insert(session)
            sessions.append(session)
        }
        let end = Sample.now.adding(.seconds(3))
        let page = try await stores.sessions.unfinishedSessions(after: nil, from: Sample.now, before: end)
        #expect(page.sessions.map(\.id) == [sessions[0].correlationID, sessions[2].correlationID])
        #expect(page.last == sessions[2].correlationID && page.sessions.allSatisfy { $0.client == Sample.client })
        let next = try await stores.sessions.unfinishedSessions(after: page.last, from: Sample.now, before: end)
        #expect(next == UnfinishedSessions([], last: nil))
        let later = try await stores.sessions.unfinishedSessions(
            after: nil, from: Sample.now.adding(.seconds(2)), before: end)
        #expect(later.sessions.map(\.id) == [sessions[2].correlationID])
    }
}
