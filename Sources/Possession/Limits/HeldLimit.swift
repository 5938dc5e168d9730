/// A limit that refuses a message to a number or an address just now.
package struct HeldLimit: Sendable, Equatable {
    package let limit: LimitName
    /// From when on it refuses no more; `nil`: until another check passes, or an operator unlocks it.
    package let until: Timestamp?
    /// At whose calls it holds.
    package let client: ClientID
    /// Nothing is used up: it is the pause after the message before.
    package let isPause: Bool

    package init(_ limit: LimitName, until: Timestamp?, client: ClientID, isPause: Bool = false) {
        self.limit = limit
        self.until = until
        self.client = client
        self.isPause = isPause
    }
}

extension Limits.OverSessions {
    /// The limits of a target itself that hold for one API client now, each once, the longest first. Limits of networks,
    /// prefixes and countries belong to whoever calls.
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

    /// The budget that has no room for a message to a number in `country`, from the whole part of the API client.
    /// - Parameters:
    ///   - clients: that share the budget of all.
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

    /// All that has to be read for it.
    package func budgetKeys(of tenant: ClientID, to country: String) -> [LimitKey] {
        purchase(of: tenant, to: country, clients: 1).keys(by: spend)
    }

    private func purchase(of tenant: ClientID, to country: String, clients: Int) -> Purchase {
        Purchase(tenant: tenant, country: country, price: spend.price(of: country), purse: [], clients: clients)
    }
}
