package import Engine

/// Transactions that wait for a writer, and the choice of the next batch.
///
/// Transactions begin in order, up to one commit's limit at a time. When the oldest has waited for more than half of
/// the longest wait, as after a stall of the disk, the newest go first: their callers are still waiting. A transaction
/// that has waited too long is never begun (OVL-01). A batch contains at most one long transaction, so that others wait
/// for one at most (ABU-11).
package struct TransactionInbox {
    package init() {}

    package private(set) var waiting: [PendingTransaction] = []
    /// Transactions without a waiting caller: they join the next batch, or run when the timer fires.
    package private(set) var unawaited: [PendingTransaction] = []
    /// The queue has been asked to run, or is running.
    package var isScheduled = false
    /// A timer will start the queue.
    package var isTimed = false
    /// Why no transaction is accepted.
    package var refusal: StorageFault?
    package private(set) var mostWaiting = 0
    /// Number of long transactions in `waiting`.
    private var longOnes = 0

    package var count: Int { waiting.count + unawaited.count }

    /// Queues as many as fit, and returns the rest.
    /// - Parameter elsewhere: how many wait in other queues, which share the room.
    package mutating func take(
        _ transactions: [PendingTransaction], room: Int, elsewhere: Int = 0
    ) -> ArraySlice<PendingTransaction> {
        let free = max(0, room - elsewhere - waiting.count)
        for transaction in transactions.prefix(free) {
            waiting.append(transaction)
            if transaction.isLong { longOnes += 1 }
        }
        mostWaiting = max(mostWaiting, elsewhere + waiting.count)
        return transactions.dropFirst(free)
    }

    package mutating func takeUnawaited(_ transaction: PendingTransaction) { unawaited.append(transaction) }

    /// Moves transactions without a waiting caller to the front, so that a later change sees their writes.
    package mutating func mergeUnawaited() {
        guard !unawaited.isEmpty else { return }
        waiting = unawaited + waiting
        unawaited = []
    }

    /// The next batch, and transactions that have waited too long and are refused. `nil`: none are waiting.
    /// - Parameters:
    ///   - now: monotonic nanoseconds.
    ///   - longestWait: nanoseconds.
    package mutating func next(
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
        // Long transactions wait for each other, so their wait says nothing about the disk.
        if !late.isEmpty || longOnes > 0 { oldest = waiting.lazy.filter { !$0.isLong }.map(waited).max() ?? 0 }
        // To the front, because they have already waited.
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
        // The transactions without a waiting caller are always included.
        let newest = limit - notes
        let batch = Array(waiting.prefix(notes) + waiting.suffix(newest))
        waiting.removeLast(newest)
        waiting.removeFirst(notes)
        return (batch, late)
    }

    /// Blind transactions at the front, to share the commit of one that was taken.
    package mutating func nextBlind(atMost limit: Int) -> [PendingTransaction] {
        let blind = Array(waiting.prefix(limit).prefix { $0.plan.isBlind })
        waiting.removeFirst(blind.count)
        return blind
    }

    /// Removes all long transactions except the first.
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
