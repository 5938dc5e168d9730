/// A limit that refuses a message to a number or an address just now.
package struct HeldLimit: Sendable, Equatable {
    package let limit: LimitName
    /// From when on it refuses no more; `nil`: until another check passes, or an operator unlocks it.
    package let until: Timestamp?

    package init(_ limit: LimitName, until: Timestamp?) {
        self.limit = limit
        self.until = until
    }
}

extension Limits.OverSessions {
    /// Under what the limits count that `held` looks at: those of the number or e-mail address, and of what a number
    /// begins with. Limits of network addresses and of API clients belong to callers.
    package static func keys(of target: Target) -> [LimitKey] {
        let own = NumberStanding.keys(of: target)
        guard let number = target.number else { return own }
        return own + [LimitKey(.numbersOfBlock, number.block), LimitKey(prefixOf: number)]
    }

    /// The limits that hold for a target now, each once, the longest first.
    package func held(
        _ target: Target, _ tallies: [LimitKey: LimitTally], at now: Timestamp
    ) -> [HeldLimit] {
        var held: [HeldLimit] = []
        func note(_ limit: LimitName, until end: Timestamp?) {
            guard let index = held.firstIndex(where: { $0.limit == limit }) else {
                return held.append(HeldLimit(limit, until: end))
            }
            guard let known = held[index].until else { return }
            held[index] = HeldLimit(limit, until: end.map { max($0, known) })
        }
        for key in Self.keys(of: target) {
            guard reads(key.counter), let tally = tallies[key] else { continue }
            for window in windows(of: key.counter) {
                if let end = tally.isFull(window, at: now) { note(key.counter.limit, until: end) }
            }
            if key.counter == .sendsToNumber,
                let end = tally.isTooSoon(least: .seconds(secondsBetweenSends), within: quarterHour, at: now)
            {
                note(.sendsPerNumber, until: end)
            }
            if let end = tally.stoppedUntil, now < end { note(key.counter.limit, until: end) }
            if key.counter != .answersOfPrefix, tally.failuresInARow >= failuresInARow {
                note(.failuresInARow, until: nil)
            }
        }
        let far = Timestamp(milliseconds: .max)
        return held.sorted { ($0.until ?? far) > ($1.until ?? far) }
    }
}
