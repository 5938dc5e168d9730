/// What has been counted under one key: a value without clock or I/O.
package struct LimitTally: Sendable, Equatable {
    /// Things that happened at one moment, or in one slice of time.
    package struct Entry: Sendable, Equatable {
        /// When they happened; of a slice, when it ends.
        package let at: Timestamp
        package var count: Int
        /// Of a block of numbers: the number's last three digits; else 0.
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
    /// Set while a block of numbers gets no messages.
    package private(set) var stoppedUntil: Timestamp?

    package init(
        entries: [Entry] = [], failuresInARow: Int = 0, lastFailureAt: Timestamp? = nil, stoppedUntil: Timestamp? = nil
    ) {
        self.entries = entries
        self.failuresInARow = failuresInARow
        self.lastFailureAt = lastFailureAt
        self.stoppedUntil = stoppedUntil
    }

    /// Up to so many entries stand one by one, which is exact. What may count more goes by slices of its window, and
    /// counts until the slice has left the window: never too few.
    package static let maxEntries = 1000
    private static let slices: Int64 = 120
    /// A run of failures that does not go on is forgotten after this; a full stop never is.
    package static let runLifetime = Duration.seconds(90 * 86_400)

    /// The moment from which one more fits into the window; `nil`: it fits now.
    /// - Parameter amount: as what the one counts. What fits into no window waits for a whole one.
    func isFull(_ window: LimitWindow, adding amount: Int = 1, at now: Timestamp) -> Timestamp? {
        guard window.most > 0 else { return nil }
        guard amount <= window.most else { return now.adding(window.length) }
        var counted = 0
        for entry in entries.reversed() where now < entry.at.adding(window.length) {
            counted += entry.count
            if counted > window.most - amount { return entry.at.adding(window.length) }
        }
        return nil
    }

    /// The moment from which one more may follow the last one: `least` after it where it was the only one in the window,
    /// and twice as long for each that came before it. Never longer than the window. `nil`: it may now.
    func isTooSoon(least: Duration, within window: Duration, at now: Timestamp) -> Timestamp? {
        let recent = entries.filter { now < $0.at.adding(window) }
        guard least > .zero, let last = recent.last else { return nil }
        let doublings = min(recent.reduce(-1) { $0 + $1.count }, 20)
        let wait = min(least.wholeMilliseconds << Int64(doublings), window.wholeMilliseconds)
        let end = last.at.adding(.milliseconds(wait))
        return now < end ? end : nil
    }

    /// Counts one more, and drops what is out of `reach`.
    /// - Parameter amount: as what the one counts.
    mutating func count(at now: Timestamp, amount: Int = 1, tag: Int = 0, most: Int, reach: Duration) {
        guard most > Self.maxEntries else {
            return add(Entry(at: now, count: amount, tag: tag), now: now, reach: reach, joins: false)
        }
        let slice = max(1, reach.wholeMilliseconds / Self.slices)
        let end = Timestamp(milliseconds: (now.milliseconds / slice + 1) * slice)
        add(Entry(at: end, count: amount), now: now, reach: reach)
    }

    /// Adds an entry, and drops what is out of `reach`.
    /// - Parameter joins: with one of the same moment and tag.
    mutating func add(_ entry: Entry, now: Timestamp, reach: Duration, joins: Bool = true) {
        entries.removeAll { now >= $0.at.adding(reach) }
        if joins, let index = entries.lastIndex(where: { $0.at == entry.at && $0.tag == entry.tag }) {
            entries[index].count += entry.count
        } else {
            insert(entry)
        }
    }

    mutating func removeAll(_ isGone: (Entry) -> Bool) { entries.removeAll(where: isGone) }

    /// Counts one less of the last entry that fits.
    mutating func removeOne(_ fits: (Entry) -> Bool) {
        guard let index = entries.lastIndex(where: fits) else { return }
        entries[index].count -= 1
        if entries[index].count <= 0 { entries.remove(at: index) }
    }

    /// Keeps the order also where the clock went back.
    private mutating func insert(_ entry: Entry) {
        let index = entries.lastIndex { $0.at <= entry.at }.map { $0 + 1 } ?? 0
        entries.insert(entry, at: index)
        if entries.count > Self.maxEntries { entries.removeFirst() }
    }

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

    mutating func stop(until end: Timestamp) { stoppedUntil = end }

    /// The tags of the entries within `reach`.
    func tags(at now: Timestamp, reach: Duration) -> Set<Int> {
        Set(entries.filter { now < $0.at.adding(reach) }.map(\.tag))
    }

    /// When nothing of it counts any more (DAT-04). A full stop has no end of its own.
    /// - Parameter most: failures in a row that are a full stop.
    package func end(reach: Duration, mostInARow most: Int) -> Timestamp {
        if failuresInARow >= most { return Timestamp(milliseconds: .max) }
        return [entries.last?.at.adding(reach), lastFailureAt?.adding(Self.runLifetime), stoppedUntil].compactMap { $0 }
            .max() ?? Timestamp(milliseconds: 0)
    }
}

/// So many in so long; `most` 0: no limit.
package struct LimitWindow: Sendable, Equatable {
    package let length: Duration
    package let most: Int

    package init(_ length: Duration, most: Int) {
        self.length = length
        self.most = most
    }
}
