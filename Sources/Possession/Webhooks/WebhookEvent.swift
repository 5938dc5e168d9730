internal import Text

/// Names one event: the same in every delivery of it.
package struct WebhookEventID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// As receivers get it: `evt_0198f0c2-...`.
    package var name: String { "evt_" + text }

    /// Reads what `name` wrote.
    package init?(name: String) {
        guard name.utf8.starts(with: "evt_".utf8) else { return nil }
        self.init(String(decoding: name.utf8.dropFirst(4), as: UTF8.self))
    }
}

/// Names one endpoint of a tenant.
package struct WebhookEndpointID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    package var name: String { "we_" + text }

    /// Reads what `name` wrote.
    package init?(name: String) {
        guard name.utf8.starts(with: "we_".utf8) else { return nil }
        self.init(String(decoding: name.utf8.dropFirst(3), as: UTF8.self))
    }
}

/// One value that an event tells. No code, no link and no token is ever among them, and a number or an address only as
/// `target`.
package struct WebhookFact: Sendable, Equatable {
    package enum Value: Sendable, Hashable {
        case text(String)
        case integer(Int)
        case texts([String])
        case time(Timestamp)
        case map(SessionMetadata)
    }

    package let name: String
    package let value: Value

    package init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }

    static let metadataName = "metadata"

    /// `nil` where there is nothing to tell.
    static func text(_ name: String, _ value: String?) -> WebhookFact? { value.map { WebhookFact(name, .text($0)) } }
}

/// Something that has become true, for whoever asked to be told.
package struct WebhookNews: Sendable, Equatable {
    package let type: WebhookEventType
    package let at: Timestamp
    package let session: CorrelationID?
    /// Only the endpoints that ask for it see it whole.
    package let target: Target?
    package let facts: [WebhookFact]
    /// Where the session's backend wished to be called: one endpoint gets the event there, whatever it asks for.
    package let callback: SessionRequest.Callback?

    package init(
        _ type: WebhookEventType, at: Timestamp, session: CorrelationID? = nil, of target: Target? = nil,
        _ facts: [WebhookFact?] = [], callback: SessionRequest.Callback? = nil
    ) {
        self.type = type
        self.at = at
        self.session = session
        self.target = target
        self.facts = facts.compactMap { $0 }
        self.callback = callback
    }

    /// The text of a fact.
    package func text(_ name: String) -> String? {
        guard case .text(let text) = facts.first(where: { $0.name.isSame(as: name) })?.value else { return nil }
        return text
    }

    /// The texts of a fact that has several; none where there is no such fact.
    package func texts(_ name: String) -> [String] {
        guard case .texts(let texts) = facts.first(where: { $0.name.isSame(as: name) })?.value else { return [] }
        return texts
    }

    /// Metadata that the session's backend keeps with it.
    package var metadata: SessionMetadata {
        guard case .map(let map) = facts.first(where: { $0.name.isSame(as: WebhookFact.metadataName) })?.value else {
            return SessionMetadata()
        }
        return map
    }

    /// Where an endpoint is told of it.
    package func url(for endpoint: WebhookEndpoint) -> String {
        callback.flatMap { $0.endpoint == endpoint.id ? $0.url : nil } ?? endpoint.url
    }
}

/// News with a name, for the endpoints of one tenant. Stored in the transaction that makes it true.
package struct WebhookEvent: Sendable, Equatable, CustomStringConvertible {
    package let id: WebhookEventID
    package let clientID: ClientID
    package let news: WebhookNews
    /// From 1, rising by one with each event of the session that is stored; the store counts. `nil` outside sessions.
    package var sequence: Int?

    package init(id: WebhookEventID, clientID: ClientID, news: WebhookNews, sequence: Int? = nil) {
        self.id = id
        self.clientID = clientID
        self.news = news
        self.sequence = sequence
    }

    package var description: String { "<\(news.type.rawValue) \(id.name)>" }
}

/// An event on its way into a store, and who is to get it.
package struct NewWebhookEvent: Sendable, Equatable {
    package let event: WebhookEvent
    package let endpoints: [WebhookEndpointID]

    package init(_ event: WebhookEvent, to endpoints: [WebhookEndpointID]) {
        self.event = event
        self.endpoints = endpoints
    }
}
