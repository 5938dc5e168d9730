package import Possession

/// The part of an endpoint that a change of a session needs: which events it gets.
package struct WebhookSubscription: Sendable, Equatable {
    package let endpoint: WebhookEndpointID
    package let filter: WebhookFilter
    package let format: WebhookEndpoint.Format
    /// Earlier events are not sent to it.
    package let since: Timestamp
    /// Whether it gets events of the whole server.
    package let seesServer: Bool

    package init(
        endpoint: WebhookEndpointID, filter: WebhookFilter, format: WebhookEndpoint.Format = .standard,
        since: Timestamp, seesServer: Bool = false
    ) {
        self.endpoint = endpoint
        self.filter = filter
        self.format = format
        self.since = since
        self.seesServer = seesServer
    }

    package init(_ endpoint: WebhookEndpoint) {
        self.init(
            endpoint: endpoint.id, filter: endpoint.filter, format: endpoint.format, since: endpoint.createdAt,
            seesServer: endpoint.includes.contains(.server))
    }

    func asks(for news: WebhookNews) -> Bool {
        guard format.tells(of: news) else { return false }
        // An event that a filter must name is sent to a vendor's format without that, because the format has no name
        // for it.
        return filter.matches(news.type) || filter.isForAll && format.isOfVendor
            || news.callback?.endpoint == endpoint
    }
}

/// The endpoints of each tenant that get events of the whole server.
package typealias ServerSubscriptions = [ClientID: [WebhookSubscription]]

extension ServerSubscriptions {
    /// The subscriptions among `all` that see the whole server.
    package init(among all: [ClientID: [WebhookSubscription]]) {
        self = all.mapValues { $0.filter(\.seesServer) }.filter { !$0.value.isEmpty }
    }
}

/// Deliveries that can be made now, and when the next one is due.
package struct DueWebhooks: Sendable, Equatable {
    package let deliveries: [WebhookDelivery]
    /// When the next delivery is due, or when one that waits for an earlier event of its session may be sent; `nil`:
    /// none is pending.
    package let nextAt: Timestamp?
    /// Deliveries that cannot be read. They count as failed from now on.
    package let unreadable: Int

    package init(_ deliveries: [WebhookDelivery], nextAt: Timestamp?, unreadable: Int = 0) {
        self.deliveries = deliveries
        self.nextAt = nextAt
        self.unreadable = unreadable
    }
}

/// Stores endpoints, events, and the deliveries of events to endpoints.
///
/// Events are stored with the change that causes them (`SessionChange.webhooks` and similar), with one delivery for
/// each endpoint in them that exists then.
package protocol WebhookStore: Sendable {
    /// Whether any tenant has an active endpoint. Read with every change, so it costs almost nothing.
    var hasSubscriptions: Bool { get }
    /// The active endpoints of a tenant, as the last change of one left them. Rules call it within their change, so it
    /// answers at once and waits for no change.
    func subscriptions(of client: ClientID) -> [WebhookSubscription]
    /// The active endpoints of all tenants that get events of the whole server.
    var serverSubscriptions: ServerSubscriptions { get }

    /// Every endpoint, or those of one tenant, oldest first.
    func webhookEndpoints(of client: ClientID?) async throws(StorageFault) -> WebhookEndpointList
    func webhookEndpoint(_ id: WebhookEndpointID) async throws(StorageFault) -> WebhookEndpoint?
    /// `false`: the tenant already has `most` endpoints.
    func add(_ endpoint: WebhookEndpoint, most: Int) async throws(StorageFault) -> Bool
    /// Changes one endpoint as one step, stores the events of `tell` in the same step, and returns the stored endpoint.
    /// `nil`: there is no such endpoint, or it belongs to another tenant than `client`.
    func updateWebhookEndpoint(
        _ id: WebhookEndpointID, of client: ClientID?,
        _ change: @escaping @Sendable (inout WebhookEndpoint) -> [NewWebhookEvent]
    ) async throws(StorageFault) -> WebhookEndpoint?
    /// Removes an endpoint with its deliveries. It gets no events from `now` on. `false`: there is no such endpoint of
    /// `client`.
    func removeWebhookEndpoint(
        _ id: WebhookEndpointID, of client: ClientID?, at now: Timestamp
    ) async throws(StorageFault) -> Bool

    /// Stores events that belong to no other change.
    func addEvents(_ events: [NewWebhookEvent]) async throws(StorageFault)
    /// Stores a ping, unless `most` or more deliveries are pending for its endpoint. `false`: it was not stored.
    func ping(_ ping: NewWebhookEvent, ifFewerThan most: Int) async throws(StorageFault) -> Bool

    /// The endpoints with pending deliveries, and when the first one is due.
    func waitingWebhooks() async throws(StorageFault) -> [WebhookEndpointID: Timestamp]
    /// Deliveries that are due at an endpoint, in the order of their times.
    /// - Parameter besides: deliveries in progress, which are left out.
    func dueWebhooks(
        at endpoint: WebhookEndpoint, now: Timestamp, limit: Int, besides: Set<WebhookEventID>
    ) async throws(StorageFault) -> DueWebhooks
    /// Stores the result of an attempt, with the endpoint's new state and the events about it. A delivery that was
    /// removed meanwhile stays removed.
    /// - Parameter standing: applied to the endpoint; `nil`: the endpoint does not change.
    /// - Returns: the endpoint after `standing`; `nil` without one.
    func storeResult(
        of delivery: WebhookDelivery, standing: (@Sendable (inout WebhookEndpoint) -> [NewWebhookEvent])?
    ) async throws(StorageFault) -> WebhookEndpoint?

    /// The newest deliveries first, of one endpoint or of all endpoints of `client`; only those of `state` if it is
    /// set.
    func webhookDeliveries(
        at endpoint: WebhookEndpointID?, of client: ClientID?, in state: WebhookDelivery.State?, limit: Int
    ) async throws(StorageFault) -> [WebhookDelivery]
    /// Makes deliveries due again that are not pending: of one event, or of events since a time. At most `limit`;
    /// returns how many.
    /// - Parameter endpoint: only deliveries to this endpoint; `nil`: to all.
    func replayWebhooks(
        _ what: WebhookReplay, to endpoint: WebhookEndpointID?, of client: ClientID?, limit: Int, at now: Timestamp
    ) async throws(StorageFault) -> Int

    /// Drops the oldest noisy deliveries of an endpoint if more than `most` are pending, a bounded number in each
    /// transaction.
    /// - Returns: how many of each type. Types without dropped deliveries are not in it.
    func dropWebhooks(
        at endpoint: WebhookEndpointID, over most: Int
    ) async throws(StorageFault) -> [WebhookEventType: Int]
    /// Removes events from before `end`, with their deliveries, a bounded number in each call. Returns how many.
    func sweepWebhooks(before end: Timestamp) async throws(StorageFault) -> Int
    /// How many pending deliveries of each tenant were removed since the last call, because the tenant had more stored
    /// than it may have. The store removes them in the transaction that stores new ones.
    func takeRemovedWebhooks() async throws(StorageFault) -> [ClientID: Int]
}

/// Events to send again.
package enum WebhookReplay: Sendable, Equatable {
    case event(WebhookEventID)
    /// All deliveries that failed or were dropped, of events since then.
    case missed(since: Timestamp)
}

/// Stored endpoints, the oldest first.
package struct WebhookEndpointList: Sendable, Equatable {
    package var endpoints: [WebhookEndpoint]
    /// Endpoints whose stored data cannot be read. They get no events and can be removed.
    package var damaged: [WebhookEndpointID]

    package init(_ endpoints: [WebhookEndpoint] = [], damaged: [WebhookEndpointID] = []) {
        self.endpoints = endpoints
        self.damaged = damaged
    }
}
