internal import Text

/// Id of an event, the same in all its deliveries.
package struct WebhookEventID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// The id on the wire: `evt_0198f0c2-...`.
    package var name: String { "evt_" + text }

    /// Reads the form of `name`.
    package init?(name: String) {
        guard name.utf8.starts(with: "evt_".utf8) else { return nil }
        self.init(String(decoding: name.utf8.dropFirst(4), as: UTF8.self))
    }
}

/// Id of an endpoint.
package struct WebhookEndpointID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    package var name: String { "we_" + text }

    /// Reads the form of `name`.
    package init?(name: String) {
        guard name.utf8.starts(with: "we_".utf8) else { return nil }
        self.init(String(decoding: name.utf8.dropFirst(3), as: UTF8.self))
    }
}

/// One value in an event. It never contains a code, a link or a token. Numbers and addresses appear only as `target`.
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

    /// `nil` if there is no value.
    static func text(_ name: String, _ value: String?) -> WebhookFact? { value.map { WebhookFact(name, .text($0)) } }
}

/// Something that happened, before it becomes an event for endpoints.
package struct WebhookNews: Sendable, Equatable {
    package let type: WebhookEventType
    package let at: Timestamp
    package let session: CorrelationID?
    /// Only endpoints that asked for it get the whole target.
    package let target: Target?
    package let facts: [WebhookFact]
    /// URL that the session's backend named: the endpoint it belongs to gets the event there, whatever it asked for.
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

    /// The texts of a fact with several texts; empty if there is no such fact.
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

    /// The URL at which an endpoint gets the event.
    package func url(for endpoint: WebhookEndpoint) -> String {
        callback.flatMap { $0.endpoint == endpoint.id ? $0.url : nil } ?? endpoint.url
    }
}

/// A `WebhookNews` with an id, for the endpoints of one tenant. Stored in the transaction of the change that it
/// reports.
package struct WebhookEvent: Sendable, Equatable, CustomStringConvertible {
    package let id: WebhookEventID
    package let clientID: ClientID
    package let news: WebhookNews
    /// From 1, rising by one with each stored event of the session. The store assigns it. `nil` for events outside
    /// sessions.
    package var sequence: Int?

    package init(id: WebhookEventID, clientID: ClientID, news: WebhookNews, sequence: Int? = nil) {
        self.id = id
        self.clientID = clientID
        self.news = news
        self.sequence = sequence
    }

    package var description: String { "<\(news.type.rawValue) \(id.name)>" }
}

/// An event to store, and the endpoints that will get it.
package struct NewWebhookEvent: Sendable, Equatable {
    package let event: WebhookEvent
    package let endpoints: [WebhookEndpointID]

    package init(_ event: WebhookEvent, to endpoints: [WebhookEndpointID]) {
        self.event = event
        self.endpoints = endpoints
    }
}
