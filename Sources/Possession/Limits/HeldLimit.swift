/// A limit that currently refuses messages to a number or an address.
package struct HeldLimit: Sendable, Equatable {
    package let limit: LimitName
    /// The limit refuses until this time; `nil`: until another check passes, or an operator unlocks it.
    package let until: Timestamp?
    /// The API client whose calls are refused.
    package let client: ClientID
    /// No budget is used up: this is only the pause after the previous message.
    package let isPause: Bool

    package init(_ limit: LimitName, until: Timestamp?, client: ClientID, isPause: Bool = false) {
        self.limit = limit
        self.until = until
        self.client = client
        self.isPause = isPause
    }
}

extension Limits.OverSessions {
    /// The limits of a target that currently refuse one API client, each once, the longest first. Limits of networks,
    /// prefixes and countries depend on the caller and are not included.
    package func held(
        _ target: Target, of tenant: ClientID, _ tallies: [LimitKey: LimitTally], at now: Timestamp
    ) -> [HeldLimit] {
        var held: [HeldLimit] = []
        func note(_ limit: LimitName, until end: Timestamp?, isPause: Bool = false) {
            guard let index = held.firstIndex(where: { $0.limit == limit }) else {
                return held.append(HeldLimit(limit, until: end, client: tenant, isPause: isPause))
            }
            guard let known = held[index].until else { return }
            held[index] = HeldLimit(limit, until: end.map { max($0, known) }, client: tenant)
        }
        for key in NumberStanding.keys(of: target, at: tenant) {
            guard reads(key.counter), let tally = tallies[key] else { continue }
            for window in windows(of: key.counter) {
                if let end = tally.isFull(window, at: now) { note(key.counter.limit, until: end) }
            }
            if key.counter == .sendsToNumber,
                let end = tally.isTooSoon(least: .seconds(secondsBetweenSends), within: quarterHour, at: now)
            {
                note(.sendsPerNumber, until: end, isPause: true)
            }
            if tally.failuresInARow >= mostInARow(of: key.counter) { note(.failuresInARow, until: nil) }
        }
        let far = Timestamp(milliseconds: .max)
        return held.sorted { ($0.until ?? far) > ($1.until ?? far) }
    }

    /// The budget that cannot pay a message to a number in `country`, if the API client may use its whole share.
    /// - Parameters:
    ///   - clients: number of clients that share the common budget.
    ///   - tallies: by `budgetKeys`.
    package func heldBudget(
        of tenant: ClientID, to country: String, clients: Int, _ tallies: [LimitKey: LimitTally], at now: Timestamp
    ) -> HeldLimit? {
        guard spend.mode == .block else { return nil }
        let purchase = purchase(of: tenant, to: country, clients: clients)
        var read = LimitTallies(purchase.keys(by: spend).map { ($0, tallies[$0] ?? LimitTally()) })
        do throws(LimitHit) {
            try read.check(purchase, by: spend, at: now)
            return nil
        } catch {
            return HeldLimit(error.limit, until: now.adding(.seconds(error.retryAfterSeconds)), client: tenant)
        }
    }

    /// All keys that must be read for `heldBudget`.
    package func budgetKeys(of tenant: ClientID, to country: String) -> [LimitKey] {
        purchase(of: tenant, to: country, clients: 1).keys(by: spend)
    }

    private func purchase(of tenant: ClientID, to country: String, clients: Int) -> Purchase {
        Purchase(tenant: tenant, country: country, price: spend.price(of: country), share: [], clients: clients)
    }
}
