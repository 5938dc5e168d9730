internal import Text

/// Limits on the cost of messages, and each API client's share of it (ABU-07).
///
/// One half of a budget is reserved, in equal parts for all API clients, and the other half is common: whatever one
/// client spends, the others keep their parts. Callers without credentials may spend only a part of their client's
/// share.
package struct SpendGuard: Sendable, Equatable {
    package enum Mode: String, Sendable, CaseIterable {
        /// Nothing is counted.
        case off
        /// Counted and reported. No message is refused because of budgets or places.
        case watch
        case block
    }

    /// Prices and budgets are counted in ten-thousandths of the currency.
    package static let unit = 10_000

    package var mode = Mode.block
    /// Price of one message, by country (`NumberDirectory.country`), in units.
    package var prices: [String: Int] = [:]
    /// The price of one e-mail; `nil`: the standard price.
    package var emailPrice: Int?
    /// Price of a message to a country without a price of its own. Without any prices a message costs one unit of
    /// currency, so budgets count messages.
    package var standardPrice = unit
    /// Whether prices are per part, so that a message costs its price for each part. Without prices, budgets count
    /// messages regardless of parts.
    package var countsParts = false
    /// In units, for 24 hours; 0: no budget.
    package var perDay = 0
    package var perTenantPerDay = 0
    package var perCountryPerDay = 0
    /// Percentage of a client's budget that callers without its credentials may spend. Half of that is for unknown
    /// networks.
    package var anonymousPercent = 20

    package init() {}

    /// Units as decimal text: `4`, `0.0125`.
    package static func text(ofUnits units: Int) -> String {
        guard units % unit != 0 else { return String(units / unit) }
        var fraction = Array(String(units % unit + unit).utf8.dropFirst())
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        return String(units / unit) + "." + String(decoding: fraction, as: UTF8.self)
    }

    /// Price of a message to a country, in units.
    /// - Parameter parts: number of messages that it is billed as.
    /// - Parameter country: `nil`: to an e-mail address.
    package func price(of country: String?, parts: Int = 1) -> Int {
        let own = if let country { prices[country] } else { emailPrice }
        return (own ?? standardPrice) * (countsParts ? parts : 1)
    }

    package var hasBudget: Bool { perDay > 0 || perTenantPerDay > 0 || perCountryPerDay > 0 }

    /// Whether clients share a budget. The part of each then depends on the number of clients.
    package var isShared: Bool { perDay > 0 || perCountryPerDay > 0 }

    /// The reserved part of a client, which other clients cannot spend.
    package func reserve(clients: Int) -> Int { SharedBudget.reserve(of: perDay, clients: clients) }

    /// The most that a client may spend; 0: no limit.
    package func most(clients: Int) -> Int {
        guard perDay > 0 else { return perTenantPerDay }
        let most = reserve(clients: clients) + perDay / 2
        return perTenantPerDay > 0 ? min(perTenantPerDay, most) : most
    }

    // MARK: Ledgers

    /// Separate sums: an amount counts in one of them only.
    package enum Ledger: UInt8, Sendable {
        case money = 0x70
        case messages = 0x6D
        /// E-mails without a price of their own. They cost almost nothing, so they do not use up the budget for SMS.
        case mail = 0x65
    }

    /// The ledger of messages to numbers.
    package var ledger: Ledger { countsParts ? .money : .messages }

    /// - Parameter country: `nil`: an e-mail.
    package func ledger(of country: String?) -> Ledger { country == nil && emailPrice == nil ? .mail : ledger }

    package func key(ofTenant tenant: ClientID, in ledger: Ledger) -> LimitKey {
        LimitKey(.spendOfTenant, of: tenant, [ledger.rawValue])
    }

    /// The key of the sum that all clients have spent from the common half for a country.
    package func key(ofCountry country: String, in ledger: Ledger) -> LimitKey {
        LimitKey(.spendOfCountry, [ledger.rawValue] + Array(country.utf8))
    }

    /// The key of the sum that one client has spent for a country.
    package func key(ofCountry country: String, of tenant: ClientID, in ledger: Ledger) -> LimitKey {
        LimitKey(.spendOfCountry, of: tenant, [ledger.rawValue] + Array(country.utf8))
    }

    package func commonKey(in ledger: Ledger) -> LimitKey { LimitKey(.spendInCommon, [ledger.rawValue]) }

    /// The key of the sum that a network has spent at one client without that client's credentials.
    func key(ofNetwork source: MessageSource, of tenant: ClientID, in ledger: Ledger) -> LimitKey {
        LimitKey(.spendOfNetwork, of: tenant, [ledger.rawValue] + (source.network?.bytes ?? []))
    }
}

/// A budget of all API clients: one half is reserved in equal parts, and any client may spend the other half.
struct SharedBudget: Sendable {
    /// In units, for 24 hours.
    let amount: Int
    /// Clients that share it.
    let clients: Int
    /// Everything that one client has spent. Entries paid from the common half are tagged.
    let own: LimitKey
    /// The sum that all clients have spent of the common half.
    let common: LimitKey

    var reserve: Int { Self.reserve(of: amount, clients: clients) }
    var commonHalf: Int { amount / 2 }
    /// The most that one client may spend.
    var most: Int { reserve + commonHalf }

    static func reserve(of amount: Int, clients: Int) -> Int { amount / 2 / max(1, clients) }
}

/// The parts of a budget that pay for a message; the raw value is the tag of the entry.
package struct BudgetShare: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The half that all clients share.
    package static let common = BudgetShare(rawValue: 1)
    /// The part for callers without credentials.
    package static let anonymous = BudgetShare(rawValue: 2)
    /// The part for unknown networks.
    package static let unknown = BudgetShare(rawValue: 4)
}

/// A message that costs something.
struct Purchase: Sendable {
    let tenant: ClientID
    /// `nil`: an e-mail.
    let country: String?
    /// In units.
    let price: Int
    /// Without `.common`, which is decided when the message is counted.
    let share: BudgetShare
    /// Number of tenants that share the budget.
    let clients: Int
    /// The network address from which it is requested.
    var source = MessageSource(nil)

    /// The shared budgets that pay for it, in addition to the tenant's own.
    func shared(by spend: SpendGuard) -> [SharedBudget] {
        let ledger = spend.ledger(of: country)
        var budgets: [SharedBudget] = []
        if spend.perDay > 0 {
            budgets.append(
                SharedBudget(
                    amount: spend.perDay, clients: clients, own: spend.key(ofTenant: tenant, in: ledger),
                    common: spend.commonKey(in: ledger)))
        }
        if spend.perCountryPerDay > 0, let country {
            budgets.append(
                SharedBudget(
                    amount: spend.perCountryPerDay, clients: clients,
                    own: spend.key(ofCountry: country, of: tenant, in: ledger),
                    common: spend.key(ofCountry: country, in: ledger)))
        }
        return budgets
    }

    func ofTenant(by spend: SpendGuard) -> LimitKey { spend.key(ofTenant: tenant, in: spend.ledger(of: country)) }

    /// The key of the unknown network's sum; `nil` if the caller's network is not unknown.
    func ofNetwork(by spend: SpendGuard) -> LimitKey? {
        share.contains(.unknown) ? spend.key(ofNetwork: source, of: tenant, in: spend.ledger(of: country)) : nil
    }

    func keys(by spend: SpendGuard) -> [LimitKey] {
        guard spend.mode != .off, spend.hasBudget else { return [] }
        let shared = shared(by: spend).flatMap { [$0.own, $0.common] }
        let ofTenant = ofTenant(by: spend)
        return (shared.contains(ofTenant) ? [] : [ofTenant]) + shared + [ofNetwork(by: spend)].compactMap(\.self)
    }
}

extension LimitTallies {
    /// A budget is nearly or fully spent. Each level is reported once in 24 hours.
    package struct BudgetNote: Sendable {
        /// The raw value tags the entry that marks the report.
        package enum Level: Int, Sendable {
            /// Four fifths are spent.
            case near = 101
            /// A message did not fit.
            case spent = 102
        }

        package let level: Level
        package let key: LimitKey
        /// In units.
        package let used: Int
        package let limit: Int
        package let at: Timestamp
        /// `false`: the budget is only reported, and messages are still sent.
        package let isEnforced: Bool
    }

    /// Refuses a message that a budget cannot pay.
    mutating func check(_ purchase: Purchase, by spend: SpendGuard, at now: Timestamp) throws(LimitHit) {
        guard !purchase.keys(by: spend).isEmpty else { return }
        let own = purchase.ofTenant(by: spend)
        try check(own, spend.perTenantPerDay, adding: purchase.price, by: spend, at: now)
        if purchase.share.contains(.anonymous) { try checkStranger(purchase, own, by: spend, at: now) }
        for budget in purchase.shared(by: spend) {
            let common = purchase.price - (try reserved(for: purchase, of: budget, at: now))
            guard common > 0 else { continue }
            try check(budget.common, budget.commonHalf, adding: common, by: spend, at: now)
            // If the budget was larger before, the client may have spent more than its part of the current one.
            do throws(LimitHit) { try check(budget.own, budget.most, adding: purchase.price, by: spend, at: now) } catch
            {
                throw LimitHit(budget.common.counter.limit, retryAfterSeconds: error.retryAfterSeconds)
            }
        }
    }

    /// The part for callers without credentials; half of it is for unknown networks. That half refills evenly over the
    /// window, and half of it is available at once. A network must leave as much to others as it has used itself, so
    /// `n` networks that take all they can get equal parts, and another one still gets something.
    private mutating func checkStranger(
        _ purchase: Purchase, _ own: LimitKey, by spend: SpendGuard, at now: Timestamp
    ) throws(LimitHit) {
        let part = spend.most(clients: purchase.clients) * spend.anonymousPercent / 100
        try check(own, part, adding: purchase.price, by: spend, at: now) { $0.contains(.anonymous) }
        guard let ofNetwork = purchase.ofNetwork(by: spend), part > 0 else { return }
        let room = part / 4
        let reach = own.counter.reach
        let used = try read(own).level(draining: room, in: reach, at: now) {
            BudgetShare(rawValue: $0).isSuperset(of: [.anonymous, .unknown])
        }
        // Even a small part pays for one message.
        if used == 0, purchase.price <= part / 2 { return }
        // All networks share the refill. A network that has used some of it waits behind a network that has used none.
        let ofItself = try read(ofNetwork).counted(within: reach, at: now)
        let missing = used + ofItself + purchase.price - room
        guard missing > 0 else { return }
        report(.spent, own, part / 2, by: spend, at: now)
        let wait = min(Double(missing) / Double(max(1, room)), 1) * Double(reach.wholeMilliseconds)
        throw LimitHit(own.counter.limit, until: now.adding(.milliseconds(Int64(wait.rounded(.up)))), at: now)
    }

    /// - Parameter most: 0: no limit.
    private mutating func check(
        _ key: LimitKey, _ most: Int, adding price: Int, by spend: SpendGuard, at now: Timestamp,
        _ isCounted: (BudgetShare) -> Bool = { _ in true }
    ) throws(LimitHit) {
        guard most > 0 else { return }
        let window = LimitWindow(key.counter.reach, most: most)
        guard
            let end = try read(key).isFull(
                window, adding: price, at: now, where: { isCounted(BudgetShare(rawValue: $0)) })
        else { return }
        report(.spent, key, most, by: spend, at: now)
        throw LimitHit(key.counter.limit, until: end, at: now)
    }

    /// The part of the price that the client's reserve can pay.
    private func reserved(
        for purchase: Purchase, of budget: SharedBudget, at now: Timestamp
    ) throws(LimitHit) -> Int {
        let used = try read(budget.own).counted(within: budget.own.counter.reach, at: now) {
            !BudgetShare(rawValue: $0).contains(.common)
        }
        return min(purchase.price, max(0, budget.reserve - used))
    }

    /// Counts a message that may be sent.
    mutating func count(_ purchase: Purchase, by spend: SpendGuard, at now: Timestamp) {
        guard !purchase.keys(by: spend).isEmpty else { return }
        let shared = purchase.shared(by: spend)
        let ofTenant = purchase.ofTenant(by: spend)
        if !shared.contains(where: { $0.own == ofTenant }) {
            add(purchase.price, purchase.share, to: ofTenant, at: now)
        }
        for budget in shared {
            let reserved = (try? reserved(for: purchase, of: budget, at: now)) ?? 0
            let common = purchase.price - reserved
            add(reserved, purchase.share, to: budget.own, at: now)
            add(common, purchase.share.union(.common), to: budget.own, at: now)
            add(common, [], to: budget.common, at: now)
            warn(of: budget.common, budget.commonHalf, by: spend, at: now)
        }
        if let ofNetwork = purchase.ofNetwork(by: spend) { add(purchase.price, [], to: ofNetwork, at: now) }
        warn(of: ofTenant, spend.perTenantPerDay, by: spend, at: now)
    }

    private mutating func add(_ amount: Int, _ share: BudgetShare, to key: LimitKey, at now: Timestamp) {
        guard amount > 0 else { return }
        change(key) {
            $0.count(at: now, amount: amount, tag: share.rawValue, most: .max, reach: key.counter.reach)
        }
    }

    private mutating func warn(of key: LimitKey, _ most: Int, by spend: SpendGuard, at now: Timestamp) {
        guard most > 0, let tally = self[key],
            tally.counted(within: key.counter.reach, at: now) >= most - most / 5
        else { return }
        report(.near, key, most, by: spend, at: now)
    }

    /// Reports the level that a budget has reached, unless that was reported in the last 24 hours. The report is marked
    /// by an entry with count 0, which leaves the tally with time as all entries do.
    private mutating func report(
        _ level: BudgetNote.Level, _ key: LimitKey, _ limit: Int, by spend: SpendGuard, at now: Timestamp
    ) {
        let reach = key.counter.reach
        guard let tally = self[key], !tally.tags(at: now, reach: reach).contains(level.rawValue) else { return }
        change(key) {
            $0.add(LimitTally.Entry(at: now, count: 0, tag: level.rawValue), now: now, reach: reach, joins: false)
        }
        budgets.append(
            BudgetNote(
                level: level, key: key, used: tally.counted(within: reach, at: now), limit: limit, at: now,
                isEnforced: spend.mode == .block))
    }
}
