/// Counts under one key: a value without clock or I/O.
package struct LimitTally: Sendable, Equatable {
    /// Events of one moment, or of one slice of time.
    package struct Entry: Sendable, Equatable {
        /// When the events happened; for a slice, when it ends.
        package let at: Timestamp
        package var count: Int
        /// Tag of the events, 0 to 65,535: 0 if the counter does not distinguish them.
        package let tag: Int

        package init(at: Timestamp, count: Int = 1, tag: Int = 0) {
            self.at = at
            self.count = count
            self.tag = tag
        }
    }

    /// Oldest first.
    package private(set) var entries: [Entry]
    package private(set) var failuresInARow: Int
    package private(set) var lastFailureAt: Timestamp?
    /// Bucket of a source, a prefix or a country.
    package internal(set) var bucket: Bucket?
    /// Bucket of a prefix for messages after the first to their number.
    package internal(set) var again: Bucket?
    /// Numbers of a prefix to which a network has requested messages and which have not answered.
    package internal(set) var open: [OpenNumber]

    package init(
        entries: [Entry] = [], failuresInARow: Int = 0, lastFailureAt: Timestamp? = nil, bucket: Bucket? = nil,
        again: Bucket? = nil, open: [OpenNumber] = []
    ) {
        self.entries = entries
        self.failuresInARow = failuresInARow
        self.lastFailureAt = lastFailureAt
        self.bucket = bucket
        self.again = again
        self.open = open
    }

    /// Up to this many events are stored one by one, which is exact. A counter with a higher limit counts in slices of
    /// its window, and a slice counts until its end leaves the window, so the count is never too low.
    package static let maxEntries = 1000
    private static let slices: Int64 = 120
    /// A run of failures is deleted this long after its last failure. A run that has stopped a check is kept.
    package static let runLifetime = Duration.seconds(90 * 86_400)

    /// When one more event fits into the window; `nil`: it fits now.
    /// - Parameter amount: the weight of the event. An amount that never fits waits for a whole window.
    /// - Parameter isCounted: called with the tag of each entry.
    func isFull(
        _ window: LimitWindow, adding amount: Int = 1, at now: Timestamp, where isCounted: (Int) -> Bool = { _ in true }
    ) -> Timestamp? {
        guard window.most > 0 else { return nil }
        guard amount <= window.most else { return now.adding(window.length) }
        var counted = 0
        for entry in entries.reversed() where isCounted(entry.tag) && now < entry.at.adding(window.length) {
            counted += entry.count
            if counted > window.most - amount { return entry.at.adding(window.length) }
        }
        return nil
    }

    /// The part of the count that is left at `now`, if `amount` of it drains evenly in each `reach`.
    /// - Parameter isCounted: called with the tag of each entry.
    func level(
        draining amount: Int, in reach: Duration, at now: Timestamp, where isCounted: (Int) -> Bool
    ) -> Int {
        let rate = Double(amount) / Double(max(1, reach.wholeMilliseconds))
        var (level, last) = (0.0, Timestamp(milliseconds: .min))
        func drain(to moment: Timestamp) {
            guard moment > last, level > 0 else { return }
            level = max(0, level - rate * Double(moment.milliseconds - last.milliseconds))
        }
        for entry in entries where entry.count > 0 && isCounted(entry.tag) && now < entry.at.adding(reach) {
            drain(to: entry.at)
            level += Double(entry.count)
            last = entry.at
        }
        drain(to: now)
        return Int(level.rounded(.up))
    }

    /// When one more event may follow the last one: after `least` if the last one is the only one in the window. Each
    /// earlier one doubles the wait. The wait is never longer than the window. `nil`: it may follow now.
    func isTooSoon(least: Duration, within window: Duration, at now: Timestamp) -> Timestamp? {
        let recent = entries.filter { now < $0.at.adding(window) }
        guard least > .zero, let last = recent.last else { return nil }
        let doublings = min(recent.reduce(-1) { $0 + $1.count }, 20)
        let wait = min(least.wholeMilliseconds << Int64(doublings), window.wholeMilliseconds)
        let end = last.at.adding(.milliseconds(wait))
        return now < end ? end : nil
    }

    /// Counts one more event, and drops entries older than `reach`.
    /// - Parameter amount: the weight of the event.
    mutating func count(at now: Timestamp, amount: Int = 1, tag: Int = 0, most: Int, reach: Duration) {
        guard most > Self.maxEntries else {
            return add(Entry(at: now, count: amount, tag: tag), now: now, reach: reach, joins: false)
        }
        let slice = max(1, reach.wholeMilliseconds / Self.slices)
        let end = Timestamp(milliseconds: (now.milliseconds / slice + 1) * slice)
        add(Entry(at: end, count: amount, tag: tag), now: now, reach: reach)
    }

    /// Adds an entry, and drops entries older than `reach`.
    /// - Parameter joins: merge with an entry of the same moment and tag.
    mutating func add(_ entry: Entry, now: Timestamp, reach: Duration, joins: Bool = true) {
        entries.removeAll { now >= $0.at.adding(reach) }
        if joins, let index = entries.lastIndex(where: { $0.at == entry.at && $0.tag == entry.tag }) {
            entries[index].count += entry.count
        } else {
            insert(entry)
        }
    }

    /// Keeps the entries in order even if the clock went back.
    private mutating func insert(_ entry: Entry) {
        let index = entries.lastIndex { $0.at <= entry.at }.map { $0 + 1 } ?? 0
        entries.insert(entry, at: index)
        if entries.count > Self.maxEntries { entries.removeFirst() }
    }

    /// Adds one to the count of the first entry that fits.
    mutating func addOne(_ fits: (Entry) -> Bool) {
        if let index = entries.firstIndex(where: fits) { entries[index].count += 1 }
    }

    mutating func forget(_ isGone: (Entry) -> Bool) { entries.removeAll(where: isGone) }

    mutating func countFailure(at now: Timestamp, most: Int, reach: Duration) {
        count(at: now, most: most, reach: reach)
        countRun(at: now)
    }

    mutating func countRun(at now: Timestamp) {
        failuresInARow += 1
        lastFailureAt = max(lastFailureAt ?? now, now)
    }

    mutating func endRun() {
        failuresInARow = 0
        lastFailureAt = nil
    }

    /// The tags of the entries within `reach`.
    func tags(at now: Timestamp, reach: Duration) -> Set<Int> {
        Set(entries.filter { now < $0.at.adding(reach) }.map(\.tag))
    }

    /// The count within a time.
    /// - Parameter isCounted: called with the tag of each entry.
    package func counted(
        within window: Duration, at now: Timestamp, where isCounted: (Int) -> Bool = { _ in true }
    ) -> Int {
        entries.reduce(0) { isCounted($1.tag) && now < $1.at.adding(window) ? $0 + $1.count : $0 }
    }

    /// When the tally can be deleted (DAT-04). A run that has stopped a check never ends by time.
    package func end(of key: LimitKey, by limits: Limits.OverSessions) -> Timestamp {
        let counter = key.counter
        if failuresInARow >= limits.mostInARow(of: counter) { return Timestamp(milliseconds: .max) }
        let sizes = limits.sizes
        return [
            entries.last?.at.adding(counter.reach), lastFailureAt?.adding(Self.runLifetime),
            bucket?.end(sizes.size(of: key)), again?.end(sizes.again), open.last?.end,
        ].reduce(Timestamp(milliseconds: 0)) { latest, end in max(latest, end ?? latest) }
    }
}

/// A number to which one network has requested messages and which has not answered.
package struct OpenNumber: Sendable, Equatable {
    /// The last four digits.
    package let place: Int
    /// Which address of the network sent the first request.
    package let address: Int
    package internal(set) var messages: Int
    /// Messages that prefix and country count: all but those to known people.
    package internal(set) var counted: Int
    /// Time of the last message.
    package internal(set) var at: Timestamp

    package init(place: Int, address: Int, messages: Int, counted: Int, at: Timestamp) {
        self.place = place
        self.address = address
        self.messages = messages
        self.counted = counted
        self.at = at
    }

    static let lifetime = Duration.seconds(7 * 86_400)

    var end: Timestamp { at.adding(Self.lifetime) }
}

/// At most `most` events in `length`; `most` 0: no limit.
package struct LimitWindow: Sendable, Equatable {
    package let length: Duration
    package let most: Int

    package init(_ length: Duration, most: Int) {
        self.length = length
        self.most = most
    }
}
