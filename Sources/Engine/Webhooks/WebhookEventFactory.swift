package import Possession

/// Makes events from news, for the endpoints of one tenant that asked for them.
package struct WebhookEventFactory: Sendable {
    package let client: ClientID
    package let now: Timestamp
    private let subscriptions: [WebhookSubscription]
    /// The id of the first event. Further events get the following ids.
    private let first: WebhookEventID

    init(client: ClientID, subscriptions: [WebhookSubscription], first: WebhookEventID, at now: Timestamp) {
        self.client = client
        self.subscriptions = subscriptions
        self.first = first
        self.now = now
    }

    /// All events of one change. News that no endpoint asked for makes no event.
    package func events(_ news: [WebhookNews]) -> [NewWebhookEvent] {
        var events: [NewWebhookEvent] = []
        for item in news {
            let endpoints = subscriptions.filter { $0.asks(for: item) && item.at >= $0.since }
            guard !endpoints.isEmpty else { continue }
            events.append(event(item, number: events.count, to: endpoints.map(\.endpoint)))
        }
        return events
    }

    /// One event for all endpoints except `excluded`, whatever they asked for; `nil`: no other endpoint's format has
    /// it.
    package func event(_ news: WebhookNews, toAllBut excluded: WebhookEndpointID) -> NewWebhookEvent? {
        let endpoints = subscriptions.filter { $0.format.tells(of: news) }.map(\.endpoint).filter { $0 != excluded }
        return endpoints.isEmpty ? nil : event(news, number: 0, to: endpoints)
    }

    private func event(_ news: WebhookNews, number: Int, to endpoints: [WebhookEndpointID]) -> NewWebhookEvent {
        NewWebhookEvent(WebhookEvent(id: first.following(number), clientID: client, news: news), to: endpoints)
    }

    /// Endpoints that may have pending deliveries.
    var endpoints: [WebhookEndpointID] { subscriptions.map(\.endpoint) }
}

extension WebhookEventID {
    /// The id that is `count` places after this one. The low 62 bits wrap around.
    package func following(_ count: Int) -> WebhookEventID {
        let random: UInt64 = 0x3FFF_FFFF_FFFF_FFFF
        return WebhookEventID(high: high, low: low & ~random | (low &+ UInt64(count)) & random)
    }
}

extension Engine {
    /// Seed of the event ids of one change; `nil` if no tenant has an endpoint, which is the usual case and costs only
    /// one comparison.
    func webhookSeed(at now: Timestamp) throws(EntropyFault) -> WebhookEventID? {
        stores.webhooks.hasSubscriptions ? try crypto.fresh(WebhookEventID.self, at: now) : nil
    }

    /// `nil` where the tenant has no endpoint.
    func webhookEventFactory(for client: ClientID, at now: Timestamp) throws(EntropyFault) -> WebhookEventFactory? {
        guard let seed = try webhookSeed(at: now) else { return nil }
        return webhookEventFactory(for: client, seed, at: now)
    }

    private func webhookEventFactory(for client: ClientID, _ seed: WebhookEventID, at now: Timestamp)
        -> WebhookEventFactory?
    {
        let subscriptions = stores.webhooks.subscriptions(of: client)
        return subscriptions.isEmpty
            ? nil : WebhookEventFactory(client: client, subscriptions: subscriptions, first: seed, at: now)
    }

    /// Events of a change: those for the tenant's endpoints, and those about limits for endpoints that see the whole
    /// server.
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
        var events = webhookEventFactory(for: client, seed, at: now)?.events(ofSession + own) ?? []
        guard !ofLimits.isEmpty else { return events }
        for (reader, subscriptions) in stores.webhooks.serverSubscriptions {
            let teller = WebhookEventFactory(
                client: reader, subscriptions: subscriptions, first: seed.following(events.count), at: now)
            // Events about the reader's own limits were added above.
            events += teller.events(ofLimits.filter { $0.client != reader }.map(\.news))
        }
        return events
    }

    /// The events of a new session.
    func webhooks(ofNew session: Session, at now: Timestamp) throws(EntropyFault) -> [NewWebhookEvent] {
        guard let teller = try webhookEventFactory(for: session.clientID, at: now) else { return [] }
        return teller.events(session.webhookNews(since: nil, key: nil))
    }

    /// The events of something outside a change. Without random bytes no event is made: a failed event must not undo
    /// its cause.
    func webhooks(of news: @autoclosure () -> [WebhookNews], for client: ClientID) -> [NewWebhookEvent] {
        guard let teller = try? webhookEventFactory(for: client, at: now()) else { return [] }
        return teller.events(news())
    }

    func wake(for events: [NewWebhookEvent]) {
        if !events.isEmpty { reports.wakeWebhooks(events.flatMap(\.endpoints)) }
    }

    func wake(_ teller: WebhookEventFactory?) {
        if let teller { reports.wakeWebhooks(teller.endpoints) }
    }
}
