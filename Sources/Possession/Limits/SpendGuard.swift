internal import Text

/// Limits on the cost of messages, and each API client's share of it (ABU-07).
///
/// One half of a budget is reserved, in equal parts for all API clients, and the other half is common: what one client
/// spends leaves the others their part. Runs without an API client's credentials have a part of their client's.
package struct SpendGuard: Sendable, Equatable {
    package enum Mode: String, Sendable, CaseIterable {
        /// Nothing is counted.
        case off
        /// Counted and told, and nothing is refused for money or for where it goes.
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
    /// Price of a message to a country that has none of its own. Without any prices a message counts as one of the currency:
    /// budgets then count messages.
    package var standardPrice = unit
    /// Whether prices are of one part of a message, so that each of its parts costs as much. Without prices, budgets count
    /// messages whatever they say.
    package var countsParts = false
    /// In units, for 24 hours; 0: no budget.
    package var perDay = 0
    package var perTenantPerDay = 0
    package var perCountryPerDay = 0
    /// The part of what a client may spend that callers without its credentials may, in percent. Half of it is for networks that
    /// are not known.
    package var anonymousPercent = 20

    package init() {}

    /// Units as people read them: `4`, `0.0125`.
    package static func text(ofUnits units: Int) -> String {
        guard units % unit != 0 else { return String(units / unit) }
        var fraction = Array(String(units % unit + unit).utf8.dropFirst())
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        return String(units / unit) + "." + String(decoding: fraction, as: UTF8.self)
    }

    /// Price of a message to a country, in units.
    /// - Parameter parts: as how many messages it is billed.
    /// - Parameter country: `nil`: to an e-mail address.
    package func price(of country: String?, parts: Int = 1) -> Int {
        let own = if let country { prices[country] } else { emailPrice }
        return (own ?? standardPrice) * (countsParts ? parts : 1)
    }

    package var hasBudget: Bool { perDay > 0 || perTenantPerDay > 0 || perCountryPerDay > 0 }

    /// Whether clients share a budget: the part of each depends on their number.
    var isShared: Bool { perDay > 0 || perCountryPerDay > 0 }

    /// A client's part of the budget that nobody else can spend.
    package func reserve(clients: Int) -> Int { SharedBudget.reserve(of: perDay, clients: clients) }

    /// Most that a client may spend; 0: as much as it likes.
    package func most(clients: Int) -> Int {
        guard perDay > 0 else { return perTenantPerDay }
        let most = reserve(clients: clients) + perDay / 2
        return perTenantPerDay > 0 ? min(perTenantPerDay, most) : most
    }

    // MARK: Ledgers

    /// Sums that are counted apart: none is part of another.
    package enum Ledger: UInt8, Sendable {
        case money = 0x70
        case messages = 0x6D
        /// E-mails without a price of their own. They cost next to nothing, so they use up nothing that an SMS needs.
        case mail = 0x65
    }

    /// The ledger of messages to numbers.
    package var ledger: Ledger { countsParts ? .money : .messages }

    /// - Parameter country: `nil`: an e-mail.
    package func ledger(of country: String?) -> Ledger { country == nil && emailPrice == nil ? .mail : ledger }

    package func key(ofTenant tenant: ClientID, in ledger: Ledger) -> LimitKey {
        LimitKey(.spendOfTenant, of: tenant, [ledger.rawValue])
    }

    /// The sum that all clients have spent in common for a country.
    package func key(ofCountry country: String, in ledger: Ledger) -> LimitKey {
        LimitKey(.spendOfCountry, [ledger.rawValue] + Array(country.utf8))
    }

    /// The sum that one client has spent for a country.
    package func key(ofCountry country: String, of tenant: ClientID, in ledger: Ledger) -> LimitKey {
        LimitKey(.spendOfCountry, of: tenant, [ledger.rawValue] + Array(country.utf8))
    }

    package func commonKey(in ledger: Ledger) -> LimitKey { LimitKey(.spendInCommon, [ledger.rawValue]) }

    /// The sum that a network has spent at one client without the client's credentials.
    func key(ofNetwork source: MessageSource, of tenant: ClientID, in ledger: Ledger) -> LimitKey {
        LimitKey(.spendOfNetwork, of: tenant, [ledger.rawValue] + (source.network?.bytes ?? []))
    }
}

/// A budget that all API clients share: one half is reserved in equal parts for all of them, and the other half is for those
/// that need it.
struct SharedBudget: Sendable {
    /// In units, for 24 hours.
    let amount: Int
    /// Clients that share it.
    let clients: Int
    /// Everything that one client has spent. Entries of the common half are marked.
    let own: LimitKey
    /// The sum that all clients have spent of the common half.
    let common: LimitKey

    var reserve: Int { Self.reserve(of: amount, clients: clients) }
    var commonHalf: Int { amount / 2 }
    /// Most that one client may spend.
    var most: Int { reserve + commonHalf }

    static func reserve(of amount: Int, clients: Int) -> Int { amount / 2 / max(1, clients) }
}

/// From which part of a budget a message is paid; its number is the tag of the entry.
package struct Purse: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// From what all clients share.
    package static let common = Purse(rawValue: 1)
    /// For a run without credentials of an API client.
    package static let anonymous = Purse(rawValue: 2)
    /// For a network that is not known.
    package static let unknown = Purse(rawValue: 4)
}

/// A message that costs something.
struct Purchase: Sendable {
    let tenant: ClientID
    /// `nil`: an e-mail.
    let country: String?
    /// In units.
    let price: Int
    /// Not counting the part that is common.
    let purse: Purse
    /// Tenants that share the budget.
    let clients: Int
    /// The place in the network that asks for it.
    var source = MessageSource(nil)

    /// Budgets that it is paid from beside the tenant's own.
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

    /// The sum of the stranger's network; `nil` for a caller who is none.
    func ofNetwork(by spend: SpendGuard) -> LimitKey? {
        purse.contains(.unknown) ? spend.key(ofNetwork: source, of: tenant, in: spend.ledger(of: country)) : nil
    }

    func keys(by spend: SpendGuard) -> [LimitKey] {
        guard spend.mode != .off, spend.hasBudget else { return [] }
        let shared = shared(by: spend).flatMap { [$0.own, $0.common] }
        let ofTenant = ofTenant(by: spend)
        return (shared.contains(ofTenant) ? [] : [ofTenant]) + shared + [ofNetwork(by: spend)].compactMap(\.self)
    }
}

extension LimitTallies {
    /// Note of a budget that is near its end or spent. Each is told once a day.
    package struct BudgetNote: Sendable {
        /// As the mark of it stands among the entries of the budget.
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
        /// `false`: messages go on all the same.
        package let isEnforced: Bool
    }

    /// Why a message may not be paid for.
    mutating func check(_ purchase: Purchase, by spend: SpendGuard, at now: Timestamp) throws(LimitHit) {
        guard !purchase.keys(by: spend).isEmpty else { return }
        let own = purchase.ofTenant(by: spend)
        try check(own, spend.perTenantPerDay, adding: purchase.price, by: spend, at: now)
        if purchase.purse.contains(.anonymous) { try checkStranger(purchase, own, by: spend, at: now) }
        for budget in purchase.shared(by: spend) {
            let common = purchase.price - (try reserved(for: purchase, of: budget, at: now))
            guard common > 0 else { continue }
            try check(budget.common, budget.commonHalf, adding: common, by: spend, at: now)
            // Where the budget was larger before, the client has spent more than its part of this one.
            do throws(LimitHit) { try check(budget.own, budget.most, adding: purchase.price, by: spend, at: now) } catch
            {
                throw LimitHit(budget.common.counter.limit, retryAfterSeconds: error.retryAfterSeconds)
            }
        }
    }

    /// The part of callers without credentials. Half of it is for unknown networks. Their half fills up again all
    /// the time, at once half of it is there, and a network leaves as much to others as it has used itself: of `n` networks
    /// that take all they can, each gets an equal part, and the next one finds something.
    private mutating func checkStranger(
        _ purchase: Purchase, _ own: LimitKey, by spend: SpendGuard, at now: Timestamp
    ) throws(LimitHit) {
        let part = spend.most(clients: purchase.clients) * spend.anonymousPercent / 100
        try check(own, part, adding: purchase.price, by: spend, at: now) { $0.contains(.anonymous) }
        guard let ofNetwork = purchase.ofNetwork(by: spend), part > 0 else { return }
        let room = part / 4
        let reach = own.counter.reach
        let used = try read(own).level(draining: room, in: reach, at: now) {
            Purse(rawValue: $0).isSuperset(of: [.anonymous, .unknown])
        }
        // A small part holds one message at least.
        if used == 0, purchase.price <= part / 2 { return }
        // All networks share the room that drains free. A network that has used some of it waits behind one that has used none.
        let ofItself = try read(ofNetwork).counted(within: reach, at: now)
        let missing = used + ofItself + purchase.price - room
        guard missing > 0 else { return }
        tell(.spent, own, part / 2, by: spend, at: now)
        let wait = min(Double(missing) / Double(max(1, room)), 1) * Double(reach.wholeMilliseconds)
        throw LimitHit(own.counter.limit, until: now.adding(.milliseconds(Int64(wait.rounded(.up)))), at: now)
    }

    /// - Parameter most: 0: any amount.
    private mutating func check(
        _ key: LimitKey, _ most: Int, adding price: Int, by spend: SpendGuard, at now: Timestamp,
        _ isCounted: (Purse) -> Bool = { _ in true }
    ) throws(LimitHit) {
        guard most > 0 else { return }
        let window = LimitWindow(key.counter.reach, most: most)
        guard let end = try read(key).isFull(window, adding: price, at: now, where: { isCounted(Purse(rawValue: $0)) })
        else { return }
        tell(.spent, key, most, by: spend, at: now)
        throw LimitHit(key.counter.limit, until: end, at: now)
    }

    /// The part of the price that the client's reserve can pay.
    private func reserved(
        for purchase: Purchase, of budget: SharedBudget, at now: Timestamp
    ) throws(LimitHit) -> Int {
        let used = try read(budget.own).counted(within: budget.own.counter.reach, at: now) {
            !Purse(rawValue: $0).contains(.common)
        }
        return min(purchase.price, max(0, budget.reserve - used))
    }

    /// Counts a message that may go out.
    mutating func count(_ purchase: Purchase, by spend: SpendGuard, at now: Timestamp) {
        guard !purchase.keys(by: spend).isEmpty else { return }
        let shared = purchase.shared(by: spend)
        let ofTenant = purchase.ofTenant(by: spend)
        if !shared.contains(where: { $0.own == ofTenant }) {
            add(purchase.price, purchase.purse, to: ofTenant, at: now)
        }
        for budget in shared {
            let reserved = (try? reserved(for: purchase, of: budget, at: now)) ?? 0
            let common = purchase.price - reserved
            add(reserved, purchase.purse, to: budget.own, at: now)
            add(common, purchase.purse.union(.common), to: budget.own, at: now)
            add(common, [], to: budget.common, at: now)
            warn(of: budget.common, budget.commonHalf, by: spend, at: now)
        }
        if let ofNetwork = purchase.ofNetwork(by: spend) { add(purchase.price, [], to: ofNetwork, at: now) }
        warn(of: ofTenant, spend.perTenantPerDay, by: spend, at: now)
    }

    private mutating func add(_ amount: Int, _ purse: Purse, to key: LimitKey, at now: Timestamp) {
        guard amount > 0 else { return }
        change(key) {
            $0.count(at: now, amount: amount, tag: purse.rawValue, most: .max, reach: key.counter.reach)
        }
    }

    private mutating func warn(of key: LimitKey, _ most: Int, by spend: SpendGuard, at now: Timestamp) {
        guard most > 0, let tally = self[key],
            tally.counted(within: key.counter.reach, at: now) >= most - most / 5
        else { return }
        tell(.near, key, most, by: spend, at: now)
    }

    /// Notes what a budget has come to, unless that was noted in the last 24 hours. The mark is an entry that counts
    /// nothing, so it leaves the tally as what was spent does.
    private mutating func tell(
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
