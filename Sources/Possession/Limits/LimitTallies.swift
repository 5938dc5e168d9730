/// The tallies that a transaction read, for a rule to check and to count in; what it changed is stored with the rest.
package struct LimitTallies: Sendable {
    /// A handful: looking through them takes less than hashing a key.
    private var tallies: [(key: LimitKey, tally: LimitTally)]
    /// What is to be stored, each key once.
    package private(set) var changed: [LimitKey] = []
    /// Keys whose run of failures ends, each once, whether they were read or not.
    package private(set) var endedRuns: [LimitKey] = []
    /// Limits that refused something, with the number in question: for the log, once the change is durable.
    package private(set) var hits: [Hit] = []

    /// Prefixes that were closed.
    package internal(set) var closings: [Closing] = []
    /// Prefixes that are trusted again.
    package internal(set) var openings: [Opening] = []
    /// Budgets that are near their end, or over.
    package internal(set) var budgets: [BudgetNote] = []
    /// Checks that came to their full stop.
    package private(set) var stops: [Stop] = []

    package struct Hit: Sendable {
        package let limit: LimitName
        package let number: PhoneNumber?
    }

    package struct Stop: Sendable {
        package let key: LimitKey
        package let failuresInARow: Int
        package let at: Timestamp
    }

    /// - Parameter tallies: what was read, each key once.
    package init(_ tallies: [(key: LimitKey, tally: LimitTally)] = []) {
        self.tallies = tallies
    }

    package subscript(key: LimitKey) -> LimitTally? { tallies.first { $0.key == key }?.tally }

    mutating func note(_ limit: LimitName, _ number: PhoneNumber? = nil) {
        hits.append(Hit(limit: limit, number: number))
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
        _ keys: [LimitKey], to target: Target, by limits: Limits.OverSessions, at now: Timestamp
    ) throws(LimitHit) {
        var worst = try fullest(keys, by: limits, at: now)
        let key = LimitKey(.sendsToNumber, target)
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
            // A key that was not read has no known count: better refused than unlimited.
            guard let tally = self[key] else { throw LimitHit(key.counter.limit, retryAfterSeconds: 1) }
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
            stops.append(Stop(key: key, failuresInARow: limits.failuresInARow, at: now))
        }
    }

    /// Whether the check that the key counts has come to its full stop.
    func isStopped(_ key: LimitKey, by limits: Limits.OverSessions) -> Bool {
        (self[key]?.failuresInARow ?? 0) >= limits.failuresInARow
    }

    /// Takes one number of a block, or stops the block: too many different numbers, or a row of neighbours (ABU-04).
    mutating func checkBlock(
        _ key: LimitKey, _ place: Int, by limits: Limits.OverSessions, at now: Timestamp
    ) throws(LimitHit) {
        guard limits.numbersPerBlock > 0 else { return }
        guard let tally = self[key] else { throw LimitHit(.sendsPerBlock, retryAfterSeconds: 1) }
        if let end = tally.stoppedUntil, now < end { throw LimitHit(.sendsPerBlock, until: end, at: now) }
        let places = tally.tags(at: now, reach: key.counter.reach)
        guard !places.contains(place) else { return }
        var (low, high) = (place, place)
        while places.contains(low - 1) { low -= 1 }
        while places.contains(high + 1) { high += 1 }
        guard places.count >= limits.numbersPerBlock || high - low + 1 >= limits.consecutiveNumbers else { return }
        let end = now.adding(limits.blockPause)
        change(key) { $0.stop(until: end) }
        throw LimitHit(.sendsPerBlock, until: end, at: now)
    }

    mutating func countBlock(_ key: LimitKey, _ place: Int, by limits: Limits.OverSessions, at now: Timestamp) {
        guard limits.numbersPerBlock > 0, let tally = self[key],
            !tally.tags(at: now, reach: key.counter.reach).contains(place)
        else { return }
        change(key) { $0.count(at: now, tag: place, most: limits.numbersPerBlock, reach: key.counter.reach) }
    }

    mutating func change(_ key: LimitKey, _ body: (inout LimitTally) -> Void) {
        if !changed.contains(key) { changed.append(key) }
        if let index = tallies.firstIndex(where: { $0.key == key }) {
            body(&tallies[index].tally)
        } else {
            var tally = LimitTally()
            body(&tally)
            tallies.append((key, tally))
        }
    }
}
