package import Possession

/// Which gateways carry which messages: the first matching route is used.
package struct MessageRoute: Sendable, Equatable {
    /// One gateway of a route, and the values for messages of this route there.
    package struct Leg: Sendable, Equatable {
        package var gateway: String
        /// Its share of first messages, relative to the weights of the other legs; `nil`: the legs are tried in order.
        package var weight: Int?
        /// A number or a name that recipients see.
        package var sender: String?
        /// Registrations that some countries require: a principal entity, and the template of the text.
        package var entityID: String?
        package var templateID: String?
    }

    /// Countries in the form of `NumberDirectory.country`; empty: all.
    package var countries: [String] = []
    /// Prefixes of E.164 numbers; empty: all. If a route has countries and prefixes, one match is enough.
    package var prefixes: [String] = []
    package var channels: [OutgoingMessage.Channel] = [.sms]
    /// API clients; empty: all.
    package var tenants: [ClientID] = []
    /// Never empty.
    package var legs: [Leg]

    /// Whether the route matches a message on a channel.
    package func fits(_ message: OutgoingMessage, _ channel: OutgoingMessage.Channel) -> Bool {
        fits(channel, of: message.tenant, to: message.to.number, in: message.country)
    }

    /// The same before a message exists.
    /// - Parameter country: in the form of `NumberDirectory.country`.
    package func fits(
        _ channel: OutgoingMessage.Channel, of tenant: ClientID?, to number: PhoneNumber?, in country: String?
    ) -> Bool {
        guard channels.contains(channel) else { return false }
        if !tenants.isEmpty, tenant.map(tenants.contains) != true { return false }
        if countries.isEmpty, prefixes.isEmpty { return true }
        if let country, countries.contains(where: { $0.utf8.elementsEqual(country.utf8) }) { return true }
        guard let number else { return false }
        return prefixes.contains { number.e164.utf8.starts(with: $0.utf8) }
    }

    /// Whether it matches every message that another route matches.
    func covers(_ other: MessageRoute) -> Bool {
        guard other.channels.allSatisfy(channels.contains) else { return false }
        if !tenants.isEmpty, other.tenants.isEmpty || !other.tenants.allSatisfy(tenants.contains) { return false }
        if countries.isEmpty, prefixes.isEmpty { return true }
        if other.countries.isEmpty, other.prefixes.isEmpty { return false }
        return other.countries.allSatisfy { country in
            countries.contains { $0.utf8.elementsEqual(country.utf8) }
        }
            && other.prefixes.allSatisfy { prefix in prefixes.contains { prefix.utf8.starts(with: $0.utf8) } }
    }

    /// The legs in the order in which a message tries them.
    ///
    /// Weights determine the first leg, the same one for all messages of a session. The next message of a session
    /// begins with the next leg, because the previous message may not have arrived.
    /// - Parameter last: the gateway of the session's previous message, if known.
    package func order(of message: OutgoingMessage, after last: String?) -> [Leg] {
        var order = legs
        let weights = legs.map { $0.weight ?? 1 }
        if legs.contains(where: { $0.weight != nil }) {
            // The random half of the ID selects the first leg. The others follow in order.
            var place = Int(message.correlationID.low % UInt64(max(1, weights.reduce(0, +))))
            let first = weights.firstIndex { weight in
                place -= weight
                return place < 0
            }
            if let first { order = [legs[first]] + legs[..<first] + legs[(first + 1)...] }
        }
        guard message.ordinal > 0, order.count > 1 else { return order }
        let place = last.flatMap { last in order.firstIndex { $0.gateway.utf8.elementsEqual(last.utf8) } }
        let first = (place.map { $0 + 1 } ?? message.ordinal) % order.count
        return Array(order[first...] + order[..<first])
    }
}
