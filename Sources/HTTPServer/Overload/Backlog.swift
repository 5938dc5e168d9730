/// Work that has arrived and can begin at once or a little later.
protocol Startable: AnyObject {
    /// Begins, on the loop.
    /// - Parameter waited: nanoseconds since it arrived.
    func start(waited: UInt64)
}

/// Requests of one loop that have arrived but not begun, and how long a new one would wait.
///
/// They begin in order of arrival. If the oldest has waited longer than a burst lasts, as after a stall, the newest
/// begins first, because its caller is still waiting. Times are monotonic nanoseconds.
struct Backlog<Item> {
    private var items: [(item: Item, arrivedAt: UInt64)] = []
    /// Index of the oldest item; earlier items are gone.
    private var first = 0
    /// Since when the backlog has not been empty.
    private var waitingSince: UInt64 = 0
    private var windowStart: UInt64 = 0
    private var begunInWindow = 0
    /// How long one item takes, measured while others waited. 0: not known yet.
    private var measured: UInt64 = 0

    /// A backlog that has not been empty for longer than this is not a burst.
    static var longestBurst: UInt64 { 500_000_000 }
    /// The shortest time and the fewest requests over which the speed is measured.
    private static var window: UInt64 { 20_000_000 }
    private static var leastInWindow: Int { 16 }
    /// Upper bound for the first estimate of one item's time, in nanoseconds.
    private static var longestFirstGuess: UInt64 { 2_000_000 }

    var count: Int { items.count - first }
    var isEmpty: Bool { items.count == first }

    /// Whether requests have arrived faster than they begin for longer than a burst lasts.
    func isStanding(at now: UInt64) -> Bool {
        !isEmpty && now &- waitingSince > Backlog.longestBurst
    }

    /// Nanoseconds until an item that arrives now would begin.
    func expectedWait(at now: UInt64) -> UInt64 {
        guard !isEmpty else { return 0 }
        let bySpeed = UInt64(count) * measured
        let oldest = age(at: now)
        // If the loop is stuck, the age of the oldest item is the best estimate. After a stall the oldest does not
        // begin first, so its age does not count.
        return oldest > Backlog.longestBurst ? bySpeed : max(bySpeed, oldest)
    }

    mutating func append(_ item: Item, at now: UInt64) {
        if isEmpty {
            waitingSince = now
            windowStart = now
            begunInWindow = 0
        }
        items.append((item, now))
    }

    /// The next item to begin, and how long it has waited. Items past `longestWait` come first: refusing them costs
    /// almost nothing.
    /// - Parameter longestWait: nanoseconds after which an item is refused.
    mutating func next(at now: UInt64, longestWait: UInt64) -> (item: Item, waited: UInt64)? {
        guard !isEmpty else { return nil }
        let oldest = age(at: now)
        let taken: (item: Item, arrivedAt: UInt64)
        if oldest > Backlog.longestBurst && oldest <= longestWait {
            taken = items.removeLast()
        } else {
            taken = items[first]
            first += 1
            if first >= 256 || first == items.count {
                items.removeFirst(first)
                first = 0
            }
        }
        let waited = now &- min(now, taken.arrivedAt)
        // Refusals cost almost nothing and do not count in the measured speed.
        if waited <= longestWait {
            begunInWindow += 1
            measure(at: now)
        }
        return (taken.item, waited)
    }

    /// Nanoseconds that the oldest has waited.
    private func age(at now: UInt64) -> UInt64 { now &- min(now, items[first].arrivedAt) }

    private mutating func measure(at now: UInt64) {
        let elapsed = now &- min(now, windowStart)
        let each = elapsed / UInt64(begunInWindow)
        // A stall must not count as slow work: one window changes the estimate little, and a backlog that emptied early
        // lowers it.
        if isEmpty { measured = min(measured, each) }
        guard elapsed >= Backlog.window, begunInWindow >= Backlog.leastInWindow else { return }
        let seen = min(each, max(4 * measured, Backlog.longestFirstGuess))
        measured = measured == 0 ? seen : (measured * 3 + seen) / 4
        windowStart = now
        begunInWindow = 0
    }
}
