/// The tallies that a transaction read, for a rule to check and to count in; what it changed is stored with the rest.
package struct LimitTallies: Sendable {
    /// A handful: looking through them takes less than hashing a key.
    private var tallies: [(key: LimitKey, tally: LimitTally)]
    /// By what a store has found the tallies it read, in their order, so that it need not work that out again.
    private let rowKeys: [[UInt8]]
    /// Keys of the tallies to be stored, each once.
    package private(set) var changed: [LimitKey] = []
    /// Keys whose run of failures ends, each once, whether they were read or not.
    package private(set) var endedRuns: [LimitKey] = []
    /// Limits that refused something, with the number in question: for the log, once the change is durable.
    package private(set) var hits: [Hit] = []

    /// Prefixes and countries that have no more room for strangers.
    package internal(set) var closings: [PlaceNews] = []
    /// Those that have plenty again.
    package internal(set) var openings: [PlaceNews] = []
    /// Budgets that are near their end, or over.
    package internal(set) var budgets: [BudgetNote] = []
    /// Set where a message goes whose backend did not say for whom: its tenant.
    package internal(set) var sentWithoutAddress: ClientID?
    /// Checks that came to their full stop.
    package private(set) var stops: [Stop] = []

    package struct Hit: Sendable {
        package let limit: LimitName
        package let number: PhoneNumber?
        /// Set where a place had no room for strangers: who asked for a message there.
        var asker: (source: MessageSource, tenant: ClientID)?
    }

    /// News about a prefix or a country, at one API client.
    package struct PlaceNews: Sendable, Equatable {
        package let key: LimitKey
        package let at: Timestamp
        /// `false`: it was told, and messages go on.
        package let isEnforced: Bool

        package init(key: LimitKey, at: Timestamp, isEnforced: Bool) {
            self.key = key
            self.at = at
            self.isEnforced = isEnforced
        }

        /// `+1206555` or `US`.
        package var place: String { String(decoding: key.ownSubject, as: UTF8.self) }
        package var isCountry: Bool { key.counter == .country }
    }

    package struct Stop: Sendable {
        package let key: LimitKey
        package let failuresInARow: Int
        package let at: Timestamp
    }

    /// - Parameters:
    ///   - tallies: what was read, each key once.
    ///   - rowKeys: as the property.
    package init(_ tallies: [(key: LimitKey, tally: LimitTally)] = [], at rowKeys: [[UInt8]] = []) {
        self.tallies = tallies
        self.rowKeys = rowKeys
    }

    /// By what the store has found a tally; `nil`: it has not read that.
    package func rowKey(of key: LimitKey) -> [UInt8]? {
        index(of: key).flatMap { $0 < rowKeys.count ? rowKeys[$0] : nil }
    }

    package subscript(key: LimitKey) -> LimitTally? { index(of: key).map { tallies[$0].tally } }

    /// Looks at the keys alone: a tally that is passed over is not copied.
    private func index(of key: LimitKey) -> Int? { tallies.indices.first { tallies[$0].key == key } }

    /// No rule has counted anything or ended a run.
    package var isUntouched: Bool { changed.isEmpty && endedRuns.isEmpty }

    /// A key that was not read has no known count: better refused than unlimited.
    func read(_ key: LimitKey) throws(LimitHit) -> LimitTally {
        guard let tally = self[key] else { throw LimitHit(key.counter.limit, retryAfterSeconds: 1) }
        return tally
    }

    mutating func note(
        _ limit: LimitName, _ number: PhoneNumber? = nil, asker: (source: MessageSource, tenant: ClientID)? = nil
    ) {
        hits.append(Hit(limit: limit, number: number, asker: asker))
    }

    mutating func endRuns(_ keys: [LimitKey]) {
        for key in keys {
            if !endedRuns.contains(key) { endedRuns.append(key) }
            guard self[key]?.failuresInARow ?? 0 > 0 else { continue }
            change(key) { $0.endRun() }
        }
    }

    /// Why a claim about the person of `number` is not even looked at; a refusal is noted.
    mutating func refusalOfClaim(
        _ keys: [LimitKey], _ number: PhoneNumber?, by limits: Limits.OverSessions, at now: Timestamp
    ) -> PlatformRefusal? {
        if keys.contains(where: { isStopped($0, by: limits) }) {
            note(.failuresInARow, number)
            return .numberStopped
        }
        do throws(LimitHit) { try check(keys, by: limits, at: now) } catch {
            note(error.limit, number)
            return .rateLimited(error)
        }
        return nil
    }

    // MARK: checking and counting

    /// Refuses where any window of any key is full; the longest wait counts.
    func check(_ keys: [LimitKey], by limits: Limits.OverSessions, at now: Timestamp) throws(LimitHit) {
        if let worst = try fullest(keys, by: limits, at: now) { throw LimitHit(worst.limit, until: worst.end, at: now) }
    }

    /// The same for a message, which must also not follow the last one to its number too soon.
    func checkSend(
        _ key: LimitKey, by limits: Limits.OverSessions, at now: Timestamp
    ) throws(LimitHit) {
        var worst = try fullest([key], by: limits, at: now)
        // As it will be when the fullest window has room: what is told as the wait has to be true.
        let end = self[key]?.isTooSoon(
            least: .seconds(limits.secondsBetweenSends), within: limits.quarterHour, at: worst?.end ?? now)
        if let end { worst = (end, .sendsPerNumber) }
        if let worst { throw LimitHit(worst.limit, until: worst.end, at: now) }
    }

    private func fullest(
        _ keys: [LimitKey], by limits: Limits.OverSessions, at now: Timestamp
    ) throws(LimitHit) -> (end: Timestamp, limit: LimitName)? {
        var worst: (end: Timestamp, limit: LimitName)?
        for key in keys where limits.reads(key.counter) {
            let tally = try read(key)
            for window in limits.windows(of: key.counter) {
                guard let end = tally.isFull(window, at: now), worst.map({ end > $0.end }) ?? true else { continue }
                worst = (end, key.counter.limit)
            }
        }
        return worst
    }

    /// Counts one under each key.
    mutating func count(_ keys: [LimitKey], by limits: Limits.OverSessions, at now: Timestamp) {
        for key in keys {
            let most = limits.most(of: key.counter)
            guard most > 0 else { continue }
            change(key) { $0.count(at: now, most: most, reach: key.counter.reach) }
        }
    }

    /// Counts once under each key, unless one of them is at its limit.
    /// - Returns: that limit; nothing was counted then.
    mutating func take(_ keys: [LimitKey], by limits: Limits.OverSessions, at now: Timestamp) -> LimitHit? {
        do throws(LimitHit) { try check(keys, by: limits, at: now) } catch { return error }
        count(keys, by: limits, at: now)
        return nil
    }

    /// Counts one failure under each key, for its windows and for its run.
    mutating func countFailure(_ keys: [LimitKey], by limits: Limits.OverSessions, at now: Timestamp) {
        for key in keys {
            let wasStopped = isStopped(key, by: limits)
            change(key) { $0.countFailure(at: now, most: limits.most(of: key.counter), reach: key.counter.reach) }
            guard !wasStopped, isStopped(key, by: limits) else { continue }
            stops.append(Stop(key: key, failuresInARow: limits.mostInARow(of: key.counter), at: now))
        }
    }

    /// Whether the check that the key counts has come to its full stop.
    func isStopped(_ key: LimitKey, by limits: Limits.OverSessions) -> Bool {
        (self[key]?.failuresInARow ?? 0) >= limits.mostInARow(of: key.counter)
    }

    mutating func change(_ key: LimitKey, _ body: (inout LimitTally) -> Void) {
        if !changed.contains(key) { changed.append(key) }
        if let index = index(of: key) {
            body(&tallies[index].tally)
        } else {
            var tally = LimitTally()
            body(&tally)
            tallies.append((key, tally))
        }
    }
}
