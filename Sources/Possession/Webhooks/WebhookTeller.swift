/// Makes events of news, for the endpoints of one tenant that ask for them.
package struct WebhookTeller: Sendable {
    package let client: ClientID
    package let now: Timestamp
    private let subscriptions: [WebhookSubscription]
    /// The id of the first event; the others follow.
    private let first: WebhookEventID

    init(client: ClientID, subscriptions: [WebhookSubscription], first: WebhookEventID, at now: Timestamp) {
        self.client = client
        self.subscriptions = subscriptions
        self.first = first
        self.now = now
    }

    /// All events of one change; news that nobody asks for makes none.
    package func events(_ news: [WebhookNews]) -> [NewWebhookEvent] {
        var events: [NewWebhookEvent] = []
        for item in news {
            let endpoints = subscriptions.filter { $0.asks(for: item) && item.at >= $0.since }
            guard !endpoints.isEmpty else { continue }
            events.append(event(item, number: events.count, to: endpoints.map(\.endpoint)))
        }
        return events
    }

    /// One event for all endpoints but one, whatever they ask for; `nil`: there is no other whose format has a word for it.
    package func event(_ news: WebhookNews, toAllBut excluded: WebhookEndpointID) -> NewWebhookEvent? {
        let endpoints = subscriptions.filter { $0.format.tells(of: news) }.map(\.endpoint).filter { $0 != excluded }
        return endpoints.isEmpty ? nil : event(news, number: 0, to: endpoints)
    }

    private func event(_ news: WebhookNews, number: Int, to endpoints: [WebhookEndpointID]) -> NewWebhookEvent {
        NewWebhookEvent(WebhookEvent(id: first.following(number), clientID: client, news: news), to: endpoints)
    }

    /// Those that may have something waiting now.
    var endpoints: [WebhookEndpointID] { subscriptions.map(\.endpoint) }
}

extension WebhookEventID {
    /// The id that is `count` behind this one in order, but where 62 bits wrap around.
    func following(_ count: Int) -> WebhookEventID {
        let random: UInt64 = 0x3FFF_FFFF_FFFF_FFFF
        return WebhookEventID(high: high, low: low & ~random | (low &+ UInt64(count)) & random)
    }
}

extension Engine {
    /// Seed of the names of a change's events; `nil` where no tenant has an endpoint. That is nearly always so, and then costs one
    /// look at a number.
    func webhookSeed(at now: Timestamp) throws(EntropyFault) -> WebhookEventID? {
        webhooks.hasSubscriptions ? try fresh(WebhookEventID.self, at: now) : nil
    }

    /// `nil` where the tenant has no endpoint.
    func webhookTeller(for client: ClientID, at now: Timestamp) throws(EntropyFault) -> WebhookTeller? {
        guard let seed = try webhookSeed(at: now) else { return nil }
        return webhookTeller(for: client, seed, at: now)
    }

    private func webhookTeller(for client: ClientID, _ seed: WebhookEventID, at now: Timestamp) -> WebhookTeller? {
        let subscriptions = webhooks.subscriptions(of: client)
        return subscriptions.isEmpty
            ? nil : WebhookTeller(client: client, subscriptions: subscriptions, first: seed, at: now)
    }

    /// Events of a change: those for the tenant's endpoints, and those about limits for endpoints that see the whole server.
    func webhooks(
        of change: SessionChange, since before: Session, _ seed: WebhookEventID, at now: Timestamp
    ) -> [NewWebhookEvent] {
        let ofLimits = change.tallies.webhookNews
        guard !change.tenantIsRevoked,
            !(change.session.newEvents.isEmpty && change.news.isEmpty && change.activation == nil && ofLimits.isEmpty)
        else { return [] }
        let client = change.session.clientID
        let ofSession =
            change.isDropped
            ? []
            : change.session.webhookNews(since: change.isNew ? nil : before, key: change.deviceKey) + change.news
                + change.activationNews
        let own = ofLimits.filter { $0.client == client }.map(\.news)
        var events = webhookTeller(for: client, seed, at: now)?.events(ofSession + own) ?? []
        guard !ofLimits.isEmpty else { return events }
        for (reader, subscriptions) in webhooks.serverSubscriptions {
            let teller = WebhookTeller(
                client: reader, subscriptions: subscriptions, first: seed.following(events.count), at: now)
            // The reader was told of its own limits above.
            events += teller.events(ofLimits.filter { $0.client != reader }.map(\.news))
        }
        return events
    }

    /// The same of a new session.
    func webhooks(ofNew session: Session, at now: Timestamp) throws(EntropyFault) -> [NewWebhookEvent] {
        guard let teller = try webhookTeller(for: session.clientID, at: now) else { return [] }
        return teller.events(session.webhookNews(since: nil, key: nil))
    }

    /// The same of what happened beside a change. Without random bytes nobody is told: it must not undo what it tells of.
    func webhooks(of news: @autoclosure () -> [WebhookNews], for client: ClientID) -> [NewWebhookEvent] {
        guard let teller = try? webhookTeller(for: client, at: now()) else { return [] }
        return teller.events(news())
    }

    func wake(for events: [NewWebhookEvent]) {
        if !events.isEmpty { wakeWebhooks(events.flatMap(\.endpoints)) }
    }

    func wake(_ teller: WebhookTeller?) {
        if let teller { wakeWebhooks(teller.endpoints) }
    }
}
