internal import Possession

/// Transactions that wait for the writer, and the choice of those that come next.
///
/// Transactions begin in their order, as many at a time as share a commit. When the oldest has waited for half of the
/// longest wait, as after a stall of the disk, the newest go first: their callers still wait for the answer. Those that
/// have waited too long are never begun (OVL-01). Of the long ones a batch has one, so that others wait for no more
/// (ABU-11).
struct WriterInbox {
    private(set) var waiting: [PendingTransaction] = []
    /// Those that nobody waits for: they go with the next batch of the others, or when the timer looks.
    private(set) var unawaited: [PendingTransaction] = []
    /// The queue has been asked to run, or is running.
    var isScheduled = false
    /// A timer will look at what waits.
    var isTimed = false
    /// Why nothing is taken any more.
    var refusal: StorageFault?
    private(set) var mostWaiting = 0
    /// Number of long ones in `waiting`.
    private var longOnes = 0

    var count: Int { waiting.count + unawaited.count }

    /// Takes as many as there is room for, and returns those there is none for.
    mutating func take(_ transactions: [PendingTransaction], room: Int) -> ArraySlice<PendingTransaction> {
        let free = max(0, room - waiting.count)
        for transaction in transactions.prefix(free) {
            waiting.append(transaction)
            if transaction.isLong { longOnes += 1 }
        }
        mostWaiting = max(mostWaiting, waiting.count)
        return transactions.dropFirst(free)
    }

    mutating func takeUnawaited(_ transaction: PendingTransaction) { unawaited.append(transaction) }

    /// Puts those that nobody waits for in front: a change that was asked for after a note sees it.
    mutating func mergeUnawaited() {
        guard !unawaited.isEmpty else { return }
        waiting = unawaited + waiting
        unawaited = []
    }

    /// A batch, and those that came too late for it and are out. `nil`: nothing waits.
    /// - Parameters:
    ///   - now: monotonic nanoseconds.
    ///   - longestWait: nanoseconds.
    mutating func next(
        atMost limit: Int, now: UInt64, longestWait: UInt64
    ) -> (batch: [PendingTransaction], late: [PendingTransaction])? {
        guard !waiting.isEmpty else { return nil }
        func waited(_ transaction: PendingTransaction) -> UInt64 { now &- min(now, transaction.submittedAt) }
        var late: [PendingTransaction] = []
        var oldest = waiting.lazy.map(waited).max() ?? 0
        if oldest > longestWait {
            late = waiting.filter { waited($0) > longestWait }
            longOnes -= late.count(where: \.isLong)
            waiting.removeAll { waited($0) > longestWait }
        }
        let heldBack = longOnes > 1 ? holdBack() : []
        // Long ones wait for each other, which says nothing of the disk.
        if !late.isEmpty || longOnes > 0 { oldest = waiting.lazy.filter { !$0.isLong }.map(waited).max() ?? 0 }
        // In front, since they have waited.
        defer {
            if longOnes > 0 {
                waiting = heldBack + waiting
                longOnes = waiting.count(where: \.isLong)
            }
        }
        let notes = unawaited.count
        mergeUnawaited()
        guard waiting.count > limit else {
            defer { waiting = [] }
            return (waiting, late)
        }
        guard oldest > longestWait / 2, notes < limit else {
            defer { waiting.removeFirst(limit) }
            return (Array(waiting.prefix(limit)), late)
        }
        // With the notes, which nobody waits for, all the same.
        let newest = limit - notes
        let batch = Array(waiting.prefix(notes) + waiting.suffix(newest))
        waiting.removeLast(newest)
        waiting.removeFirst(notes)
        return (batch, late)
    }

    /// Takes out the long ones but for the first.
    private mutating func holdBack() -> [PendingTransaction] {
        var (heldBack, kept): ([PendingTransaction], [PendingTransaction]) = ([], [])
        var hasLongOne = false
        for transaction in waiting {
            if transaction.isLong && hasLongOne { heldBack.append(transaction) } else { kept.append(transaction) }
            hasLongOne = hasLongOne || transaction.isLong
        }
        waiting = kept
        return heldBack
    }
}
