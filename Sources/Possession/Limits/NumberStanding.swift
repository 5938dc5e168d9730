/// What an operator is shown of a number or an e-mail address, and can free (OTP-06).
package struct NumberStanding: Sendable, Equatable {
    package struct Check: Sendable, Equatable {
        package let limit: LimitName
        /// In the last 24 hours.
        package let counted: Int
        package let failuresInARow: Int

        package init(limit: LimitName, counted: Int, failuresInARow: Int) {
            self.limit = limit
            self.counted = counted
            self.failuresInARow = failuresInARow
        }
    }

    /// Those that counted anything.
    package let checks: [Check]

    package init(_ target: Target, _ tallies: [LimitKey: LimitTally], at now: Timestamp) {
        checks = LimitKey.Counter.ofNumber.compactMap { counter in
            guard let tally = tallies[LimitKey(counter, target)] else { return nil }
            let counted = tally.entries.filter { now < $0.at.adding(counter.reach) }.reduce(0) { $0 + $1.count }
            guard counted > 0 || tally.failuresInARow > 0 else { return nil }
            return Check(limit: counter.limit, counted: counted, failuresInARow: tally.failuresInARow)
        }
    }

    /// The keys of all that is counted for a target.
    package static func keys(of target: Target) -> [LimitKey] {
        LimitKey.Counter.ofNumber.map { LimitKey($0, target) }
    }

    /// The keys that an unlock forgets: failures. Messages stay counted, since they cost money.
    package static func failures(of target: Target) -> [LimitKey] {
        LimitKey.Counter.ofNumber.filter { $0 != .sendsToNumber }.map { LimitKey($0, target) }
    }
}
