/// Something that has arrived and can begin at once or a little later.
protocol Startable: AnyObject {
    /// Begins, on the loop.
    /// - Parameter waited: nanoseconds since it came.
    func start(waited: UInt64)
}

/// Requests of one loop that have arrived and not begun, and how long the next one would wait.
///
/// They begin in their order. When the oldest has waited too long, as after a stall, the newest goes first: its caller
/// still waits for the answer. Times are monotonic nanoseconds.
struct Backlog<Item> {
    private var items: [(item: Item, arrivedAt: UInt64)] = []
    /// Where the oldest is; what is before it is gone.
    private var first = 0
    /// Since when something has always waited.
    private var waitingSince: UInt64 = 0
    private var windowStart: UInt64 = 0
    private var begunInWindow = 0
    /// How long one takes, measured while others waited. 0: not known yet.
    private var measured: UInt64 = 0

    /// A backlog that has not been empty for as long is no burst any more.
    static var longestBurst: UInt64 { 500_000_000 }
    /// The least time, and the fewest requests, that the speed is measured over.
    private static var window: UInt64 { 20_000_000 }
    private static var leastInWindow: Int { 16 }
    /// The most nanoseconds that one item is believed to take, before anything is known.
    private static var longestFirstGuess: UInt64 { 2_000_000 }

    var count: Int { items.count - first }
    var isEmpty: Bool { items.count == first }

    /// Whether more has come than was begun for longer than a burst lasts.
    func isStanding(at now: UInt64) -> Bool {
        !isEmpty && now &- waitingSince > Backlog.longestBurst
    }

    /// Nanoseconds until one that comes now would begin.
    func expectedWait(at now: UInt64) -> UInt64 {
        guard !isEmpty else { return 0 }
        let bySpeed = UInt64(count) * measured
        let oldest = age(at: now)
        // While a loop does not get on, the age of the oldest tells most; after a stall the oldest does not come first any more.
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

    /// The next to begin, and how long it has waited. Those that have waited too long come first: to refuse them takes
    /// next to nothing.
    /// - Parameter longestWait: nanoseconds after which one is not begun any more.
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
        // A refusal takes next to nothing, and is no speed.
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
        // A stall is no speed: one window changes little, and a backlog that was soon empty was not that slow.
        if isEmpty { measured = min(measured, each) }
        guard elapsed >= Backlog.window, begunInWindow >= Backlog.leastInWindow else { return }
        let seen = min(each, max(4 * measured, Backlog.longestFirstGuess))
        measured = measured == 0 ? seen : (measured * 3 + seen) / 4
        windowStart = now
        begunInWindow = 0
    }
}
