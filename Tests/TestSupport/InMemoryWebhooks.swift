internal import Locks
package import Engine
package import Possession

/// Endpoints, events and deliveries of an `InMemoryStore`.
struct InMemoryWebhooks: Sendable {
    struct Place: Hashable {
        let endpoint: WebhookEndpointID
        let event: WebhookEventID
    }

    var endpoints: [WebhookEndpointID: WebhookEndpoint] = [:]
    var events: [WebhookEventID: WebhookEvent] = [:]
    var deliveries: [Place: WebhookDelivery] = [:]
    /// The highest number that an event of a session has got.
    var sequences: [CorrelationID: Int] = [:]

    func endpoints(of client: ClientID?) -> [WebhookEndpoint] {
        endpoints.values.filter { client == nil || $0.clientID == client }.sorted { $0.id < $1.id }
    }

    mutating func add(_ new: [NewWebhookEvent]) {
        for new in new {
            var event = new.event
            if let session = event.news.session {
                sequences[session, default: 0] += 1
                event.sequence = sequences[session]
            }
            events[event.id] = event
            for endpoint in new.endpoints where endpoints[endpoint] != nil {
                deliveries[Place(endpoint: endpoint, event: event.id)] = WebhookDelivery(
                    event: event, endpoint: endpoint, nextAt: Timestamp(milliseconds: 0))
            }
        }
    }

    mutating func remove(_ isMeant: (WebhookEvent) -> Bool) {
        for id in events.values.filter(isMeant).map(\.id) {
            events[id] = nil
            for place in deliveries.keys where place.event == id { deliveries[place] = nil }
        }
    }

    mutating func change(
        _ id: WebhookEndpointID, _ body: (inout WebhookEndpoint) -> [NewWebhookEvent]
    ) -> WebhookEndpoint? {
        guard var endpoint = endpoints[id] else { return nil }
        let told = body(&endpoint)
        endpoints[id] = endpoint
        add(told)
        return endpoint
    }

    func pending(at endpoint: WebhookEndpointID) -> [WebhookDelivery] {
        deliveries.values.filter { $0.endpoint == endpoint && $0.state == .pending }
            .sorted { ($0.nextAt?.milliseconds ?? 0, $0.event.id) < ($1.nextAt?.milliseconds ?? 0, $1.event.id) }
    }

    func isHeld(_ delivery: WebhookDelivery, at endpoint: WebhookEndpoint, _ now: Timestamp) -> Bool {
        guard endpoint.ordering == .session, let session = delivery.event.news.session,
            delivery.event.news.at > now.adding(.zero - WebhookRules.longestHold)
        else { return false }
        return deliveries.values.contains {
            $0.event.news.session == session && $0.endpoint == endpoint.id && $0.state == .pending
                && ($0.event.sequence ?? 0) < (delivery.event.sequence ?? 0)
        }
    }
}

extension InMemoryStore: WebhookStore {
    package var hasSubscriptions: Bool { subscriptions.withLock { !$0.isEmpty } }

    package func subscriptions(of client: ClientID) -> [WebhookSubscription] {
        subscriptions.withLock { $0[client] ?? [] }
    }

    package var serverSubscriptions: ServerSubscriptions {
        subscriptions.withLock { ServerSubscriptions(among: $0) }
    }

    private func learn(_ webhooks: InMemoryWebhooks) {
        let active = webhooks.endpoints(of: nil).filter(\.isActive)
        let learnt = Dictionary(grouping: active, by: \.clientID).mapValues { $0.map(WebhookSubscription.init) }
        subscriptions.withLock { $0 = learnt }
    }

    package func webhookEndpoints(of client: ClientID?) async throws(StorageFault) -> WebhookEndpointList {
        try withContent { content in WebhookEndpointList(content.webhooks.endpoints(of: client)) }
    }

    package func webhookEndpoint(_ id: WebhookEndpointID) async throws(StorageFault) -> WebhookEndpoint? {
        try withContent { content in content.webhooks.endpoints[id] }
    }

    package func add(_ endpoint: WebhookEndpoint, most: Int) async throws(StorageFault) -> Bool {
        try withContent { content in
            guard content.webhooks.endpoints(of: endpoint.clientID).count < most else { return false }
            content.webhooks.endpoints[endpoint.id] = endpoint
            learn(content.webhooks)
            return true
        }
    }

    package func updateWebhookEndpoint(
        _ id: WebhookEndpointID, of client: ClientID?,
        _ change: @escaping @Sendable (inout WebhookEndpoint) -> [NewWebhookEvent]
    ) async throws(StorageFault) -> WebhookEndpoint? {
        try withContent { content in
            guard let endpoint = content.webhooks.endpoints[id], client == nil || endpoint.clientID == client else {
                return nil
            }
            defer { learn(content.webhooks) }
            return content.webhooks.change(id, change)
        }
    }

    package func removeWebhookEndpoint(
        _ id: WebhookEndpointID, of client: ClientID?, at now: Timestamp
    ) async throws(StorageFault) -> Bool {
        try withContent { content in
            guard let endpoint = content.webhooks.endpoints[id], client == nil || endpoint.clientID == client else {
                return false
            }
            content.webhooks.endpoints[id] = nil
            for place in content.webhooks.deliveries.keys where place.endpoint == id {
                content.webhooks.deliveries[place] = nil
            }
            learn(content.webhooks)
            return true
        }
    }

    package func addEvents(_ events: [NewWebhookEvent]) async throws(StorageFault) {
        try withContent { content in content.webhooks.add(events) }
    }

    package func ping(_ ping: NewWebhookEvent, ifFewerThan most: Int) async throws(StorageFault) -> Bool {
        try withContent { content in
            guard ping.endpoints.allSatisfy({ content.webhooks.pending(at: $0).count < most }) else { return false }
            content.webhooks.add([ping])
            return true
        }
    }

    package func waitingWebhooks() async throws(StorageFault) -> [WebhookEndpointID: Timestamp] {
        try withContent { content in
            Dictionary(
                content.webhooks.deliveries.values.compactMap { delivery in
                    delivery.nextAt.map { (delivery.endpoint, $0) }
                }, uniquingKeysWith: min)
        }
    }

    package func dueWebhooks(
        at endpoint: WebhookEndpoint, now: Timestamp, limit: Int, besides: Set<WebhookEventID>
    ) async throws(StorageFault) -> DueWebhooks {
        try withContent { content in
            let pending = content.webhooks.pending(at: endpoint.id)
            let due = pending.filter { $0.nextAt.map { $0 <= now } ?? false }
            let free = due.filter {
                !besides.contains($0.event.id) && !content.webhooks.isHeld($0, at: endpoint, now)
            }
            var next = pending.compactMap(\.nextAt).filter { $0 > now }.min()
            if endpoint.ordering == .session, !due.isEmpty {
                let hold = now.adding(.seconds(30))
                next = min(next ?? hold, hold)
            }
            return DueWebhooks(Array(free.prefix(limit)), nextAt: next)
        }
    }

    package func storeResult(
        of delivery: WebhookDelivery, standing: (@Sendable (inout WebhookEndpoint) -> [NewWebhookEvent])?
    ) async throws(StorageFault) -> WebhookEndpoint? {
        try withContent { content in
            let place = InMemoryWebhooks.Place(endpoint: delivery.endpoint, event: delivery.event.id)
            if content.webhooks.deliveries[place] != nil { content.webhooks.deliveries[place] = delivery }
            guard let standing else { return nil }
            defer { learn(content.webhooks) }
            return content.webhooks.change(delivery.endpoint, standing)
        }
    }

    package func webhookDeliveries(
        at endpoint: WebhookEndpointID?, of client: ClientID?, in state: WebhookDelivery.State?, limit: Int
    ) async throws(StorageFault) -> [WebhookDelivery] {
        try withContent { content in
            let found = content.webhooks.deliveries.values.filter { delivery in
                (endpoint == nil || delivery.endpoint == endpoint)
                    && (client == nil || delivery.event.clientID == client) && (state == nil || delivery.state == state)
            }
            return Array(found.sorted { $0.event.id > $1.event.id }.prefix(limit))
        }
    }

    package func replayWebhooks(
        _ what: WebhookReplay, to endpoint: WebhookEndpointID?, of client: ClientID?, limit: Int, at now: Timestamp
    ) async throws(StorageFault) -> Int {
        try withContent { content in
            var count = 0
            for (place, delivery) in content.webhooks.deliveries where count < limit {
                guard endpoint == nil || place.endpoint == endpoint,
                    client == nil || delivery.event.clientID == client
                else { continue }
                switch what {
                case .event(let id):
                    guard place.event == id, delivery.state != .pending else { continue }
                case .missed(let since):
                    guard delivery.event.news.at >= since, [.failed, .dropped].contains(delivery.state) else {
                        continue
                    }
                }
                content.webhooks.deliveries[place] = WebhookDelivery(
                    event: delivery.event, endpoint: delivery.endpoint, nextAt: now, lastStatus: delivery.lastStatus,
                    lastFailure: delivery.lastFailure, lastAt: delivery.lastAt)
                count += 1
            }
            return count
        }
    }

    package func dropWebhooks(
        at endpoint: WebhookEndpointID, over most: Int
    ) async throws(StorageFault) -> [WebhookEventType: Int] {
        try withContent { content in
            let pending = content.webhooks.pending(at: endpoint)
            let noisy = pending.filter { WebhookEventType.noisy.contains($0.event.news.type) }
                .sorted { $0.event.id < $1.event.id }.prefix(max(0, pending.count - most))
            for delivery in noisy {
                let place = InMemoryWebhooks.Place(endpoint: endpoint, event: delivery.event.id)
                content.webhooks.deliveries[place] = WebhookDelivery(
                    event: delivery.event, endpoint: endpoint, state: .dropped, attempts: delivery.attempts,
                    nextAt: nil,
                    lastStatus: delivery.lastStatus, lastFailure: .dropped, lastAt: delivery.lastAt)
            }
            return noisy.reduce(into: [:]) { $0[$1.event.news.type, default: 0] += 1 }
        }
    }

    package func sweepWebhooks(before end: Timestamp) async throws(StorageFault) -> Int {
        try withContent { content in
            let bound = WebhookEventID(bits: UInt128(UInt64(clamping: end.milliseconds)) << 80)
            let before = content.webhooks.events.count
            content.webhooks.remove { $0.id < bound }
            return before - content.webhooks.events.count
        }
    }

    /// It keeps whatever it is given.
    package func takeRemovedWebhooks() async throws(StorageFault) -> [ClientID: Int] { [:] }
}
