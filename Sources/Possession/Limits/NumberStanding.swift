/// Counters of a number or an e-mail address at one API client. An operator can see and reset them (OTP-06).
package struct NumberStanding: Sendable, Equatable {
    package struct Check: Sendable, Equatable {
        package let limit: LimitName
        /// In the last 24 hours.
        package let counted: Int
        package let failuresInARow: Int
    }

    package let client: ClientID
    /// Only counters that are not zero.
    package let checks: [Check]

    package init(_ target: Target, at client: ClientID, _ tallies: [LimitKey: LimitTally], at now: Timestamp) {
        self.client = client
        checks = LimitKey.Counter.ofNumber.compactMap { counter in
            guard counter != .proofs, let tally = tallies[LimitKey(counter, target, of: client)] else { return nil }
            let counted = tally.counted(within: counter.reach, at: now)
            guard counted > 0 || tally.failuresInARow > 0 else { return nil }
            return Check(limit: counter.limit, counted: counted, failuresInARow: tally.failuresInARow)
        }
    }

    /// The keys of all counters of a target at a client.
    package static func keys(of target: Target, at client: ClientID) -> [LimitKey] {
        LimitKey.Counter.ofNumber.map { LimitKey($0, target, of: client) }
    }

    /// The keys that an unlock deletes: failures. Messages stay counted, because they cost money.
    package static func failures(of target: Target, at client: ClientID) -> [LimitKey] {
        keys(of: target, at: client).filter { $0.counter != .sendsToNumber && $0.counter != .proofs }
    }
}
