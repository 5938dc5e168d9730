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
    /// The part of what a client may spend that runs of `/initialize` may, in percent. Networks that are not known may use
    /// half of it.
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

    func budget(_ counter: LimitKey.Counter) -> Int {
        switch counter {
        case .spendInCommon: perDay
        case .spendOfTenant: perTenantPerDay
        case .spendOfCountry: perCountryPerDay
        default: 0
        }
    }

    package var hasBudget: Bool { perDay > 0 || perTenantPerDay > 0 || perCountryPerDay > 0 }

    /// A client's part of the budget that nobody else can spend.
    package func reserve(clients: Int) -> Int { perDay / 2 / max(1, clients) }

    /// Most that a client may spend; 0: as much as it likes.
    package func most(clients: Int) -> Int {
        guard perDay > 0 else { return perTenantPerDay }
        let most = reserve(clients: clients) + perDay / 2
        return perTenantPerDay > 0 ? min(perTenantPerDay, most) : most
    }

    /// Messages and money are counted apart: a sum of one is none of the other.
    private var unitMark: UInt8 { countsParts ? UInt8(ascii: "p") : UInt8(ascii: "m") }

    package func key(ofTenant tenant: ClientID) -> LimitKey { LimitKey(.spendOfTenant, of: tenant, [unitMark]) }
    package func key(ofCountry country: String) -> LimitKey {
        LimitKey(.spendOfCountry, [unitMark] + Array(country.utf8))
    }
    package var commonKey: LimitKey { LimitKey(.spendInCommon, [unitMark]) }
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

    func keys(by spend: SpendGuard) -> [LimitKey] {
        guard spend.mode != .off, spend.hasBudget else { return [] }
        var keys = [spend.key(ofTenant: tenant)]
        if spend.perDay > 0 { keys.append(spend.commonKey) }
        if spend.perCountryPerDay > 0, let country { keys.append(spend.key(ofCountry: country)) }
        return keys
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
        let keys = purchase.keys(by: spend)
        guard !keys.isEmpty else { return }
        for key in keys where key.counter != .spendInCommon {
            try check(key, spend.budget(key.counter), adding: purchase.price, by: spend, at: now) { _ in true }
        }
        let own = spend.key(ofTenant: purchase.tenant)
        if purchase.purse.contains(.anonymous) {
            let part = spend.most(clients: purchase.clients) * spend.anonymousPercent / 100
            try check(own, part, adding: purchase.price, by: spend, at: now) { $0.contains(.anonymous) }
            if purchase.purse.contains(.unknown) {
                try check(own, part / 2, adding: purchase.price, by: spend, at: now) {
                    $0.isSuperset(of: [.anonymous, .unknown])
                }
            }
        }
        guard spend.perDay > 0 else { return }
        let common = purchase.price - (try reserved(for: purchase, by: spend, at: now))
        guard common > 0 else { return }
        try check(spend.commonKey, spend.perDay / 2, adding: common, by: spend, at: now) { _ in true }
        // Where the budget was larger before, the client has spent more than its part of this one.
        do throws(LimitHit) {
            let most = spend.most(clients: purchase.clients)
            try check(own, most, adding: purchase.price, by: spend, at: now) { _ in true }
        } catch { throw LimitHit(.budget, retryAfterSeconds: error.retryAfterSeconds) }
    }

    /// - Parameter most: 0: any amount.
    private mutating func check(
        _ key: LimitKey, _ most: Int, adding price: Int, by spend: SpendGuard, at now: Timestamp,
        _ isCounted: (Purse) -> Bool
    ) throws(LimitHit) {
        guard most > 0 else { return }
        let window = LimitWindow(key.counter.reach, most: most)
        guard let end = try read(key).isFull(window, adding: price, at: now, where: { isCounted(Purse(rawValue: $0)) })
        else { return }
        tell(.spent, key, most, by: spend, at: now)
        throw LimitHit(key.counter.limit, until: end, at: now)
    }

    /// The part of the price that the client's reserve can pay.
    private func reserved(for purchase: Purchase, by spend: SpendGuard, at now: Timestamp) throws(LimitHit) -> Int {
        let key = spend.key(ofTenant: purchase.tenant)
        let used = try read(key).counted(within: key.counter.reach, at: now) { !Purse(rawValue: $0).contains(.common) }
        return min(purchase.price, max(0, spend.reserve(clients: purchase.clients) - used))
    }

    /// Counts a message that may go out.
    mutating func count(_ purchase: Purchase, by spend: SpendGuard, at now: Timestamp) {
        let keys = purchase.keys(by: spend)
        guard !keys.isEmpty else { return }
        var reserved = purchase.price
        if spend.perDay > 0 { reserved = (try? self.reserved(for: purchase, by: spend, at: now)) ?? 0 }
        let common = purchase.price - reserved
        for key in keys {
            let parts: [(amount: Int, purse: Purse)] =
                switch key.counter {
                case .spendInCommon: [(common, [])]
                case .spendOfTenant: [(reserved, purchase.purse), (common, purchase.purse.union(.common))]
                default: [(purchase.price, [])]
                }
            for part in parts where part.amount > 0 {
                change(key) {
                    $0.count(
                        at: now, amount: part.amount, tag: part.purse.rawValue, most: .max, reach: key.counter.reach)
                }
            }
            let most = key.counter == .spendInCommon ? spend.perDay / 2 : spend.budget(key.counter)
            guard most > 0, let tally = self[key] else { continue }
            if tally.counted(within: key.counter.reach, at: now) >= most - most / 5 {
                tell(.near, key, most, by: spend, at: now)
            }
        }
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
