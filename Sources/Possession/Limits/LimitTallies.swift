/// The tallies that a transaction has read. A rule checks them and counts in them; changed tallies are stored by that
/// transaction.
package struct LimitTallies: Sendable {
    /// The tally of one key.
    package struct Entry: Sendable {
        package let key: LimitKey
        package fileprivate(set) var tally: LimitTally
        /// The store's row, so that the store need not look for it again; `nil`: it did not read the tally.
        package let row: Row?
        /// A rule has changed the tally, so it must be stored.
        package fileprivate(set) var isChanged = false
    }

    /// The row of a tally in the store.
    package struct Row: Sendable {
        package let key: [UInt8]
        /// False: there is no row with this key yet.
        package let isStored: Bool

        package init(key: [UInt8], isStored: Bool) {
            self.key = key
            self.isStored = isStored
        }
    }

    /// Each key once. A few entries: a linear search costs less than hashing a key.
    package private(set) var entries: [Entry]
    /// Keys whose run of failures ends, each once, whether they were read or not.
    package private(set) var endedRuns: [LimitKey] = []
    /// Limits that refused something, with the number in question. They are logged once the change is durable.
    package private(set) var hits: [Hit] = []

    /// Prefixes and countries whose budget for unknown callers is used up.
    package internal(set) var closings: [PlaceNews] = []
    /// Prefixes and countries that have plenty of budget again.
    package internal(set) var openings: [PlaceNews] = []
    /// Budgets that are nearly or fully spent.
    package internal(set) var budgets: [BudgetNote] = []
    /// The tenant, if its backend sent a message without naming the person's address.
    package internal(set) var sentWithoutAddress: ClientID?
    /// Checks that stopped after too many failures in a row.
    package private(set) var stops: [Stop] = []

    package struct Hit: Sendable {
        package let limit: LimitName
        package let number: PhoneNumber?
        /// The caller who requested the message, if a limit of the place refused it.
        package var asker: (source: MessageSource, tenant: ClientID)?
    }

    /// A prefix or a country that an API client's budget opens or closes.
    package struct PlaceNews: Sendable, Equatable {
        package let key: LimitKey
        package let at: Timestamp
        /// `false`: the event is only reported, and messages are still sent.
        package let isEnforced: Bool

        /// `+1206555` or `US`.
        package var place: String { String(decoding: key.ownSubject, as: UTF8.self) }
        package var isCountry: Bool { key.counter == .country }
    }

    package struct Stop: Sendable {
        package let key: LimitKey
        package let failuresInARow: Int
        package let at: Timestamp
    }

    /// - Parameter tallies: the tallies that were read, each key once.
    package init(_ tallies: [(key: LimitKey, tally: LimitTally)] = []) {
        entries = tallies.map { Entry(key: $0.key, tally: $0.tally, row: nil) }
    }

    /// - Parameters:
    ///   - keys: of the tallies to read. A key that is named twice is read once.
    ///   - read: returns the store's row and the tally.
    package init<Fault: Error>(
        reading keys: [LimitKey], _ read: (LimitKey) throws(Fault) -> (row: Row, tally: LimitTally)
    ) throws(Fault) {
        entries = []
        entries.reserveCapacity(keys.count)
        for key in keys where index(of: key) == nil {
            let found = try read(key)
            entries.append(Entry(key: key, tally: found.tally, row: found.row))
        }
    }

    package subscript(key: LimitKey) -> LimitTally? { index(of: key).map { entries[$0].tally } }

    /// Compares keys only, so that tallies are not copied.
    private func index(of key: LimitKey) -> Int? { entries.indices.first { entries[$0].key == key } }

    /// Keys of the tallies to be stored.
    package var changed: [LimitKey] { entries.filter(\.isChanged).map(\.key) }

    /// Keys whose run of failures ends, and whose tallies were not read.
    package var unreadEndedRuns: [LimitKey] { endedRuns.filter { index(of: $0) == nil } }

    /// No rule has counted anything or ended a run.
    package var isUntouched: Bool { endedRuns.isEmpty && !entries.contains(where: \.isChanged) }

    /// A key that was not read has no known count, so it refuses the call.
    func read(_ key: LimitKey) throws(LimitHit) -> LimitTally {
        guard let tally = self[key] else { throw LimitHit(key.counter.limit, retryAfterSeconds: 1) }
        return tally
    }

    package mutating func note(
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

    /// The refusal of a claim about the person of `number`, before the claim is compared; it is recorded. `nil`:
    /// compare it.
    package mutating func refusalOfClaim(
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

    /// Refuses if any window of any key is full. The longest wait is reported.
    func check(_ keys: [LimitKey], by limits: Limits.OverSessions, at now: Timestamp) throws(LimitHit) {
        if let worst = try fullest(keys, by: limits, at: now) { throw LimitHit(worst.limit, until: worst.end, at: now) }
    }

    /// As `check`, and also refuses a message too soon after the previous one to its number.
    func checkSend(
        _ key: LimitKey, by limits: Limits.OverSessions, at now: Timestamp
    ) throws(LimitHit) {
        var worst = try fullest([key], by: limits, at: now)
        // Computed for the time when the fullest window has room, so that the reported wait is right.
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
    package mutating func count(_ keys: [LimitKey], by limits: Limits.OverSessions, at now: Timestamp) {
        for key in keys {
            let most = limits.most(of: key.counter)
            guard most > 0 else { continue }
            change(key) { $0.count(at: now, most: most, reach: key.counter.reach) }
        }
    }

    /// Counts once under each key, unless one of them is at its limit.
    /// - Returns: the limit that refused, in which case nothing was counted; else `nil`.
    package mutating func take(_ keys: [LimitKey], by limits: Limits.OverSessions, at now: Timestamp) -> LimitHit? {
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

    /// Whether the check that the key counts has stopped after too many failures in a row.
    func isStopped(_ key: LimitKey, by limits: Limits.OverSessions) -> Bool {
        (self[key]?.failuresInARow ?? 0) >= limits.mostInARow(of: key.counter)
    }

    mutating func change(_ key: LimitKey, _ body: (inout LimitTally) -> Void) {
        let index =
            index(of: key)
            ?? {
                entries.append(Entry(key: key, tally: LimitTally(), row: nil))
                return entries.count - 1
            }()
        entries[index].isChanged = true
        body(&entries[index].tally)
    }
}
