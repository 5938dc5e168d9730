internal import Engine
internal import Possession

/// The state of the spend guard: the cost of messages, and the places that get none or few.
struct GuardStanding: Sendable {
    struct Spent: Sendable {
        enum Scope: Sendable {
            /// The part that all API clients share.
            case common
            case client(ClientID)
            case country(String)
        }

        let scope: Scope
        let ledger: SpendGuard.Ledger
        /// In the last 24 hours, in the ledger's unit.
        let units: Int
        /// 0: no budget.
        let budget: Int
        /// Only for a client: the part of the budget that no other client can use.
        var reserved: Int?
    }

    /// Whether the guard counts money. If not, it counts messages.
    var isMoney = false
    var spent: [Spent] = []
    var closed: [ClosedPrefix] = []
    /// Each place with the number of messages that may still go to unknown people there.
    var scarce: [(place: ExhaustedPlace, left: Int)] = []
    /// API clients that sent messages without the person's address, each with the number of such messages that it may
    /// still send.
    var withoutAddress: [(client: ClientID, left: Int, last: Timestamp)] = []
}

extension Administrator {
    static let mostPlaces = 1_000

    /// Every possible country code: two capital letters.
    private static var countries: [String] {
        let letters = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { String(Unicode.Scalar($0)) }
        return letters.flatMap { first in letters.map { first + $0 } }
    }

    /// The ledgers that are in use.
    private static func ledgers(of spend: SpendGuard) -> [SpendGuard.Ledger] {
        spend.emailPrice == nil ? [spend.ledger, .mail] : [spend.ledger]
    }

    /// The key for a client's messages without an address: a network without a name.
    private static func withoutAddress(of client: ClientID) -> LimitKey { LimitKey(.network, of: client) }

    /// - Throws: `.failed`.
    func guardStanding() async throws(Refusal) -> GuardStanding {
        var standing = GuardStanding()
        let now = now()
        let limitsNow = liveLimits.limits
        let rules = limitsNow.overSessions ?? Limits.OverSessions()
        let spend = rules.spend
        standing.isMoney = spend.countsParts
        do {
            let clients = try await tenants.tenants().filter { $0.revokedAt == nil }.map(\.id)
            let countries = spend.perCountryPerDay > 0 ? Self.countries : []
            for ledger in Self.ledgers(of: spend) {
                func note(_ scope: GuardStanding.Spent.Scope, _ units: Int, _ budget: Int, reserved: Int? = nil) {
                    // Most servers send no e-mail, so its ledger is shown only if it was used.
                    guard ledger != .mail || units > 0 else { return }
                    standing.spent.append(
                        GuardStanding.Spent(
                            scope: scope, ledger: ledger, units: units, budget: budget, reserved: reserved))
                }
                let ofCountries = countries.map { country in
                    [spend.key(ofCountry: country, in: ledger)]
                        + clients.map { spend.key(ofCountry: country, of: $0, in: ledger) }
                }
                let keys =
                    [spend.commonKey(in: ledger)] + clients.map { spend.key(ofTenant: $0, in: ledger) }
                    + ofCountries.flatMap(\.self)
                let tallies = try await limits.tallies(keys)
                func units(_ key: LimitKey) -> Int { tallies[key]?.counted(within: key.counter.reach, at: now) ?? 0 }
                if spend.perDay > 0 { note(.common, units(spend.commonKey(in: ledger)), spend.perDay / 2) }
                for client in clients {
                    let spend = limitsNow.overSessions(of: client)?.spend ?? spend
                    guard spend.hasBudget else { continue }
                    note(
                        .client(client), units(spend.key(ofTenant: client, in: ledger)),
                        spend.most(clients: clients.count),
                        reserved: spend.perDay > 0 ? spend.reserve(clients: clients.count) : nil)
                }
                for (country, keys) in zip(countries, ofCountries) {
                    let units = keys.dropFirst().reduce(0) { $0 + units($1) }
                    if units > 0 { note(.country(country), units, spend.perCountryPerDay) }
                }
            }
            standing.closed = closedPrefixes.closedPrefixes.filter { now < $0.until }
            for place in try await limits.scarcePlaces(limit: Self.mostPlaces) {
                let tally = try await limits.tallies([place.key])[place.key]
                let sizes = (limitsNow.overSessions(of: place.client) ?? rules).sizes
                let left = sizes.left(of: place.key.counter, tally, at: now)
                // If this is false, the place has recovered by itself over time, so it is not listed.
                if left < sizes.floor(of: place.key.counter) + 1 { standing.scarce.append((place, left)) }
            }
            let unnamed = try await limits.tallies(clients.map { Self.withoutAddress(of: $0) })
            for client in clients {
                let (sizes, tally) = (
                    (limitsNow.overSessions(of: client) ?? rules).sizes, unnamed[Self.withoutAddress(of: client)]
                )
                guard let left = sizes.leftWithoutAddress(tally, at: now) else { continue }
                standing.withoutAddress.append((client, left.messages, left.last))
            }
        } catch {
            throw .failed("storage: \(error)")
        }
        return standing
    }

    /// Allows messages to a prefix again, and resets the counts of unanswered messages there.
    /// - Returns: whether the prefix was closed or had counts.
    /// - Throws: `.failed`.
    func open(_ prefix: NumberPrefix) async throws(Refusal) -> Bool {
        try await stored {
            let wasClosed = try await closedPrefixes.open(prefix)
            let keys = try await tenants.tenants().map { LimitKey(.prefix, of: $0.id, Array(prefix.text.utf8)) }
            return try await limits.forgetTallies(keys) > 0 || wasClosed
        }
    }

    /// Blocks messages to a prefix, except to people whom an API client knows.
    /// - Returns: the end of the block.
    /// - Throws: `.failed`.
    func close(_ prefix: NumberPrefix, hours: Int) async throws(Refusal) -> Timestamp {
        let now = now()
        let closed = ClosedPrefix(prefix: prefix, until: now.adding(.seconds(hours * 3600)))
        guard let until = try await stored({ try await closedPrefixes.close(closed, at: now) }) else {
            throw .failed("\(ClosedPrefix.most) prefixes are closed already; open some, or close a shorter one")
        }
        return until
    }

    /// Resets the counted cost of messages in the last 24 hours.
    /// - Parameter client: the client to reset; `nil`: all counts.
    /// - Returns: whether there were any counts.
    /// - Throws: `.unknownClient`, `.failed`.
    func resetSpending(of client: ClientID?) async throws(Refusal) -> Bool {
        let spend = (liveLimits.limits.overSessions ?? Limits.OverSessions()).spend
        let clients = try await stored { try await tenants.tenants().map(\.id) }
        if let client, !clients.contains(client) { throw .unknownClient }
        let countries = spend.perCountryPerDay > 0 ? Self.countries : []
        let keys = Self.ledgers(of: spend).flatMap { ledger in
            client.map { [spend.key(ofTenant: $0, in: ledger)] }
                ?? [spend.commonKey(in: ledger)] + clients.map { spend.key(ofTenant: $0, in: ledger) }
                + countries.flatMap { country in
                    [spend.key(ofCountry: country, in: ledger)]
                        + clients.map { spend.key(ofCountry: country, of: $0, in: ledger) }
                }
        }
        return try await stored { try await limits.forgetTallies(keys) > 0 }
    }
}
