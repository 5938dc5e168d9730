package import Possession

/// Which gateways take which messages: the first route that fits a message decides.
package struct MessageRoute: Sendable, Equatable {
    /// One gateway of a route, and what the messages of this route have there.
    package struct Leg: Sendable, Equatable {
        package var gateway: String
        /// Its share of the first messages, against the weights of the others; `nil`: the legs are tried in their order.
        package var weight: Int?
        /// A number or a name that the recipient sees.
        package var sender: String?
        /// Registrations that some countries ask for: a principal entity, and the template of the text.
        package var entityID: String?
        package var templateID: String?

        package init(
            gateway: String, weight: Int? = nil, sender: String? = nil, entityID: String? = nil,
            templateID: String? = nil
        ) {
            self.gateway = gateway
            self.weight = weight
            self.sender = sender
            self.entityID = entityID
            self.templateID = templateID
        }
    }

    /// Countries as `NumberDirectory.country` has them; empty: all.
    package var countries: [String]
    /// Beginnings of numbers in E.164; empty: all. Of a route with both, one is enough.
    package var prefixes: [String]
    package var channels: [OutgoingMessage.Channel]
    /// API clients; empty: all.
    package var tenants: [ClientID]
    /// Never empty.
    package var legs: [Leg]

    package init(
        countries: [String] = [], prefixes: [String] = [], channels: [OutgoingMessage.Channel] = [.sms],
        tenants: [ClientID] = [], legs: [Leg]
    ) {
        self.countries = countries
        self.prefixes = prefixes
        self.channels = channels
        self.tenants = tenants
        self.legs = legs
    }

    /// Whether the route is for a message on a channel.
    package func fits(_ message: OutgoingMessage, _ channel: OutgoingMessage.Channel) -> Bool {
        fits(channel, of: message.tenant, to: message.to.number, in: message.country)
    }

    /// The same before there is a message.
    /// - Parameter country: as `NumberDirectory.country` has it.
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

    /// Whether it fits every message that another route fits.
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
    /// Weights decide the first one, the same way for all messages of a session. The next message of a session begins
    /// with the next leg, since the one before may not have arrived.
    /// - Parameter last: the gateway of the session's message before this one, where it is known.
    package func order(of message: OutgoingMessage, after last: String?) -> [Leg] {
        var order = legs
        let weights = legs.map { $0.weight ?? 1 }
        if legs.contains(where: { $0.weight != nil }) {
            // The random half of an id decides. The rest follows in its order.
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
