/// Part of an endpoint that a change of a session asks for: who is to be told of what.
package struct WebhookSubscription: Sendable, Equatable {
    package let endpoint: WebhookEndpointID
    package let filter: WebhookFilter
    package let format: WebhookEndpoint.Format
    /// Nothing from before is told.
    package let since: Timestamp
    /// Whether it is told of the whole server.
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
        // An event that a filter must name is told to a vendor's format unasked: it has no other name for it.
        return filter.matches(news.type) || filter.isForAll && format.isOfVendor
            || news.callback?.endpoint == endpoint
    }
}

/// The endpoints of each tenant that are told of the whole server.
package typealias ServerSubscriptions = [ClientID: [WebhookSubscription]]

extension ServerSubscriptions {
    /// Those of all subscriptions.
    package init(among all: [ClientID: [WebhookSubscription]]) {
        self = all.mapValues { $0.filter(\.seesServer) }.filter { !$0.value.isEmpty }
    }
}

/// Deliveries that can be made now, and when the next one is due.
package struct DueWebhooks: Sendable, Equatable {
    package let deliveries: [WebhookDelivery]
    /// Time of the next one that is not due yet, or that waits for an earlier one of its session; `nil`: none waits.
    package let nextAt: Timestamp?
    /// Those that cannot be read: they count as failed from now on.
    package let unreadable: Int

    package init(_ deliveries: [WebhookDelivery], nextAt: Timestamp?, unreadable: Int = 0) {
        self.deliveries = deliveries
        self.nextAt = nextAt
        self.unreadable = unreadable
    }
}

/// Keeps endpoints, events, and the deliveries of events to endpoints.
///
/// Events get in with the change that makes them true (`SessionChange.webhooks` and its like), and one delivery with
/// each endpoint they name that is there then.
package protocol WebhookStore: Sendable {
    /// Whether any endpoint of any tenant is to be told anything. Asked with every change: it costs next to nothing.
    var hasSubscriptions: Bool { get }
    /// The active endpoints of a tenant, as the last change of one left them. Rules ask within their change: it answers at
    /// once, and waits for no change.
    func subscriptions(of client: ClientID) -> [WebhookSubscription]
    /// The same of those that are told of the whole server, whichever tenant has them.
    var serverSubscriptions: ServerSubscriptions { get }

    /// Every endpoint, oldest first; of one tenant where one is named.
    func webhookEndpoints(of client: ClientID?) async throws(StorageFault) -> WebhookEndpointList
    func webhookEndpoint(_ id: WebhookEndpointID) async throws(StorageFault) -> WebhookEndpoint?
    /// `false`: the tenant has `most` of them already.
    func add(_ endpoint: WebhookEndpoint, most: Int) async throws(StorageFault) -> Bool
    /// Changes one endpoint as one step; gives back what is stored then, and stores `tell` of it in the same one. `nil`:
    /// there is no such endpoint, or it is another tenant's than the named one.
    func updateWebhookEndpoint(
        _ id: WebhookEndpointID, of client: ClientID?,
        _ change: @escaping @Sendable (inout WebhookEndpoint) -> [NewWebhookEvent]
    ) async throws(StorageFault) -> WebhookEndpoint?
    /// With its deliveries. From `now` on it is told nothing. `false`: as above.
    func removeWebhookEndpoint(
        _ id: WebhookEndpointID, of client: ClientID?, at now: Timestamp
    ) async throws(StorageFault) -> Bool

    /// Stores events that no other change brings.
    func tell(_ events: [NewWebhookEvent]) async throws(StorageFault)
    /// Stores a ping, unless `most` events or more wait for its endpoint. `false`: they do.
    func ping(_ ping: NewWebhookEvent, ifFewerThan most: Int) async throws(StorageFault) -> Bool

    /// The endpoints for which deliveries wait, and since when or from when on.
    func waitingWebhooks() async throws(StorageFault) -> [WebhookEndpointID: Timestamp]
    /// Deliveries that are due at an endpoint, in the order of their times.
    /// - Parameter besides: those under way, which are left out.
    func dueWebhooks(
        at endpoint: WebhookEndpoint, now: Timestamp, limit: Int, besides: Set<WebhookEventID>
    ) async throws(StorageFault) -> DueWebhooks
    /// Stores what an attempt has come to, with the endpoint's standing and what is told of that. What was removed
    /// meanwhile stays so.
    /// - Parameter standing: applied to the endpoint; `nil`: it stays as it is.
    /// - Returns: the endpoint as `standing` has left it; `nil` without one.
    func settle(
        _ delivery: WebhookDelivery, standing: (@Sendable (inout WebhookEndpoint) -> [NewWebhookEvent])?
    ) async throws(StorageFault) -> WebhookEndpoint?

    /// The newest deliveries first, of one endpoint or of all that `client` has; of one state where one is named.
    func webhookDeliveries(
        at endpoint: WebhookEndpointID?, of client: ClientID?, in state: WebhookDelivery.State?, limit: Int
    ) async throws(StorageFault) -> [WebhookDelivery]
    /// Makes deliveries due again that are not pending: of one event, or of those that were told since a time. At most
    /// `limit`; how many.
    /// - Parameter endpoint: only there.
    func replayWebhooks(
        _ what: WebhookReplay, to endpoint: WebhookEndpointID?, of client: ClientID?, limit: Int, at now: Timestamp
    ) async throws(StorageFault) -> Int

    /// Drops the oldest noisy deliveries of an endpoint over `most` that wait, a bounded amount a transaction.
    /// - Returns: how many of each type; types of which none was dropped are not in it.
    func dropWebhooks(
        at endpoint: WebhookEndpointID, over most: Int
    ) async throws(StorageFault) -> [WebhookEventType: Int]
    /// Removes events told before `end`, with their deliveries, a bounded amount a call; how many.
    func sweepWebhooks(before end: Timestamp) async throws(StorageFault) -> Int
    /// How many deliveries of each tenant were removed before they were made, since the last call, because more was stored
    /// for it than may be. A store that bounds what it keeps removes them in the transaction that stores new ones.
    func takeRemovedWebhooks() async throws(StorageFault) -> [ClientID: Int]
}

/// Events that are to be told again.
package enum WebhookReplay: Sendable, Equatable {
    case event(WebhookEventID)
    /// All that failed or was dropped of the events since then.
    case missed(since: Timestamp)
}

/// A store of a server that tells nobody: for tests of what has nothing to do with it.
package struct NoWebhooks: WebhookStore {
    package init() {}

    package var hasSubscriptions: Bool { false }
    package func subscriptions(of client: ClientID) -> [WebhookSubscription] { [] }
    package var serverSubscriptions: ServerSubscriptions { [:] }
    package func webhookEndpoints(of client: ClientID?) async throws(StorageFault) -> WebhookEndpointList {
        WebhookEndpointList()
    }
    package func webhookEndpoint(_ id: WebhookEndpointID) async throws(StorageFault) -> WebhookEndpoint? { nil }
    package func add(_ endpoint: WebhookEndpoint, most: Int) async throws(StorageFault) -> Bool { false }
    package func updateWebhookEndpoint(
        _ id: WebhookEndpointID, of client: ClientID?,
        _ change: @escaping @Sendable (inout WebhookEndpoint) -> [NewWebhookEvent]
    ) async throws(StorageFault) -> WebhookEndpoint? { nil }
    package func removeWebhookEndpoint(
        _ id: WebhookEndpointID, of client: ClientID?, at now: Timestamp
    ) async throws(StorageFault) -> Bool { false }
    package func tell(_ events: [NewWebhookEvent]) async throws(StorageFault) {}
    package func ping(_ ping: NewWebhookEvent, ifFewerThan most: Int) async throws(StorageFault) -> Bool { false }
    package func waitingWebhooks() async throws(StorageFault) -> [WebhookEndpointID: Timestamp] { [:] }
    package func dueWebhooks(
        at endpoint: WebhookEndpoint, now: Timestamp, limit: Int, besides: Set<WebhookEventID>
    ) async throws(StorageFault) -> DueWebhooks { DueWebhooks([], nextAt: nil) }
    package func settle(
        _ delivery: WebhookDelivery, standing: (@Sendable (inout WebhookEndpoint) -> [NewWebhookEvent])?
    ) async throws(StorageFault) -> WebhookEndpoint? { nil }
    package func webhookDeliveries(
        at endpoint: WebhookEndpointID?, of client: ClientID?, in state: WebhookDelivery.State?, limit: Int
    ) async throws(StorageFault) -> [WebhookDelivery] { [] }
    package func replayWebhooks(
        _ what: WebhookReplay, to endpoint: WebhookEndpointID?, of client: ClientID?, limit: Int, at now: Timestamp
    ) async throws(StorageFault) -> Int { 0 }
    package func dropWebhooks(
        at endpoint: WebhookEndpointID, over most: Int
    ) async throws(StorageFault) -> [WebhookEventType: Int] { [:] }
    package func sweepWebhooks(before end: Timestamp) async throws(StorageFault) -> Int { 0 }
    package func takeRemovedWebhooks() async throws(StorageFault) -> [ClientID: Int] { [:] }
}

/// Endpoints as they are stored, each oldest first.
package struct WebhookEndpointList: Sendable, Equatable {
    package var endpoints: [WebhookEndpoint]
    /// Endpoints whose stored data cannot be read. They are told nothing, and can be removed.
    package var damaged: [WebhookEndpointID]

    package init(_ endpoints: [WebhookEndpoint] = [], damaged: [WebhookEndpointID] = []) {
        self.endpoints = endpoints
        self.damaged = damaged
    }
}
