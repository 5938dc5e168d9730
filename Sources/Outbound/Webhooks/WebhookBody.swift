package import Engine
package import Possession
internal import StrictJSON
internal import Text

/// The wire form of an event. It contains only IDs, the outcome, a masked number or address, and a digest of it.
///
///     {"type":"session.succeeded","timestamp":"2026-01-01T00:00:03.214Z","data":{"sessionId":"0198...", ...}}
package struct WebhookBody: Sendable {
    /// `live` or `sandbox`.
    private let mode: String
    /// The `source` of CloudEvents.
    private let publicURL: String
    private let subject: @Sendable (ClientID, Target) -> String
    private let statement: @Sendable (PossessionStatement) -> String?

    /// - Parameter statement: signs a statement with the times of the proof; `nil` if the number proves nothing, the
    ///   statement would be expired, or signing is impossible.
    package init(
        mode: String, publicURL: String, subject: @escaping @Sendable (ClientID, Target) -> String,
        statement: @escaping @Sendable (PossessionStatement) -> String? = { _ in nil }
    ) {
        self.mode = mode
        self.publicURL = publicURL
        self.subject = subject
        self.statement = statement
    }

    static func contentType(_ format: WebhookEndpoint.Format) -> String {
        format == .cloudevents ? "application/cloudevents+json" : "application/json"
    }

    /// The signed and sent bytes; `nil` for a vendor's format.
    package func bytes(_ event: WebhookEvent, for endpoint: WebhookEndpoint) -> [UInt8]? {
        var data = data(of: event, includesTarget: endpoint.includes.contains(.phoneNumber))
        if endpoint.includes.contains(.statement), let audience = endpoint.origin,
            let fact = event.provenFact(for: audience)
        {
            data.set("statement", statement(fact))
        }
        let time = RFC3339.text(milliseconds: event.news.at.milliseconds, showsMilliseconds: true)
        var object = JSONObject()
        switch endpoint.format {
        case .standard:
            object.set("type", event.news.type.rawValue)
            object.set("timestamp", time)
        case .cloudevents:
            object.set("specversion", "1.0")
            object.set("id", event.id.name)
            object.set("source", publicURL)
            object.set("type", "com.holdfast." + event.news.type.rawValue)
            object.set("subject", event.news.session?.text)
            object.set("time", time)
            object.set("datacontenttype", "application/json")
        case .prelude, .otpless: return nil
        }
        object.set("data", data)
        return object.serialized()
    }

    private func data(of event: WebhookEvent, includesTarget: Bool) -> JSONObject {
        var data = JSONObject()
        if let session = event.news.session {
            data.set("sessionId", session.text)
            data.set("correlationId", session.text)
        }
        data.set("mode", mode)
        data.set("sequence", event.sequence)
        for fact in event.news.facts {
            switch fact.value {
            case .text(let text): data.set(fact.name, text)
            case .integer(let number): data.set(fact.name, number)
            case .texts(let texts): data.set(fact.name, texts)
            case .map(let map):
                data.set(fact.name, JSONObject(map.entries.map { ($0.name, .string($0.value)) }))
            case .time(let time):
                data.set(fact.name, RFC3339.text(milliseconds: time.milliseconds, showsMilliseconds: true))
            }
        }
        guard let target = event.news.target else { return data }
        switch target {
        case .number(let number): data.set("phoneNumberHint", Self.hint(number))
        case .email(let address): data.set("emailAddressHint", address.masked)
        case .nobody: return data
        }
        data.set("subject", subject(event.clientID, target))
        if includesTarget { data.set(target.number == nil ? "emailAddress" : "phoneNumber", target.text) }
        return data
    }

    /// `+1•••0123`: the country and the last four digits.
    private static func hint(_ number: PhoneNumber) -> String {
        let masked = Array(number.masked.utf8)
        let star = UInt8(ascii: "*")
        let head = String(decoding: masked.prefix { $0 != star }, as: UTF8.self)
        let tail = String(decoding: masked.reversed().prefix { $0 != star }.reversed(), as: UTF8.self)
        return head + "•••" + tail
    }
}

extension WebhookEvent {
    /// The statement for `audience` that a check has proven a number; `nil`: the event is about something else.
    fileprivate func provenFact(for audience: String) -> PossessionStatement? {
        guard news.type == .sessionSucceeded, let session = news.session, let number = news.target?.number else {
            return nil
        }
        let word = news.facts.first { $0.name.utf8.elementsEqual("method".utf8) }?.value
        guard case .text(let word) = word, let method = CheckName(rawValue: word) else { return nil }
        return PossessionStatement(
            audience: audience, clientID: clientID, session: session, number: number, method: method, provenAt: news.at)
    }
}
