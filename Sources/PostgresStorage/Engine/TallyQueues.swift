internal import Locks
internal import Storage

/// Transactions of this server that count at the same tallies.
///
/// Two of them at the same time would wait for each other's rows in PostgreSQL, one commit after the other. So only one
/// lane counts at a tally. It runs the transactions that came in the meantime together, in one commit.
///
/// A transaction names the tallies that it shares with many others, the one that most share first. That one is the
/// tally of a lane. Transactions share a commit if they name the same ones: each locks no others of them after the first.
struct TallyQueues {
    /// More of them would wait too long. Each group has its own bound, so an API client with many messages takes no place
    /// of another one with the same budget.
    static let mostOfGroup = 256

    private struct Queue {
        /// Transactions that name the same tallies. Those whose turn is next come first; none is empty.
        var groups: [(tallies: [[UInt8]], inbox: TransactionInbox)] = []

        /// - Returns: false: the group is full.
        mutating func put(_ transaction: PendingTransaction, at tallies: [[UInt8]]) -> Bool {
            let place = groups.firstIndex { $0.tallies == tallies } ?? groups.endIndex
            if place == groups.endIndex { groups.append((tallies, TransactionInbox())) }
            return groups[place].inbox.take([transaction], room: TallyQueues.mostOfGroup).isEmpty
        }

        mutating func next(
            atMost limit: Int, now: UInt64, longestWait: UInt64
        ) -> (batch: [PendingTransaction], late: [PendingTransaction])? {
            guard !groups.isEmpty else { return nil }
            var group = groups.removeFirst()
            let taken = group.inbox.next(atMost: limit, now: now, longestWait: longestWait)
            if group.inbox.count > 0 { groups.append(group) }
            return taken
        }
    }

    enum Place {
        case waits, full
        /// No lane counts there any more. The caller's lane does from now on.
        case free
    }

    /// For each tally at which a lane counts, by its key digest: the transactions that wait for that lane.
    private var queues: [[UInt8]: Queue] = [:]
    private(set) var count = 0

    /// - Returns: false: another lane counts there.
    mutating func beginCounting(at tally: [UInt8]) -> Bool {
        if queues[tally] != nil { return false }
        queues[tally] = Queue()
        return true
    }

    /// Adds a transaction to the queue of the lane that counts at the first of its tallies.
    mutating func put(_ transaction: PendingTransaction, at tallies: [[UInt8]]) -> Place {
        guard let tally = tallies.first else { return .full }
        guard let isPut = queues[tally]?.put(transaction, at: tallies) else {
            return beginCounting(at: tally) ? .free : .full
        }
        if isPut { count += 1 }
        return isPut ? .waits : .full
    }

    /// The next batch, as `TransactionInbox.next`. `nil`: none wait, and the lane does not count there any more.
    mutating func next(
        at tally: [UInt8], atMost limit: Int, now: UInt64, longestWait: UInt64
    ) -> (batch: [PendingTransaction], late: [PendingTransaction])? {
        guard let taken = queues[tally]?.next(atMost: limit, now: now, longestWait: longestWait) else {
            queues[tally] = nil
            return nil
        }
        count -= taken.batch.count + taken.late.count
        return taken
    }

    /// The lane does not count there any more.
    /// - Returns: the transactions that waited for it.
    mutating func endCounting(at tally: [UInt8]) -> [PendingTransaction] {
        let waiting = queues.removeValue(forKey: tally)?.groups.flatMap(\.inbox.waiting) ?? []
        count -= waiting.count
        return waiting
    }
}

/// The tally at which a lane counts. Only the thread of the lane uses it.
final class LaneTally {
    private let queues: Locked<TallyQueues>
    private var tally: [UInt8]?
    /// The tallies that the last transaction needed while another lane counted there.
    private var busyTallies: [[UInt8]]?

    init(_ queues: Locked<TallyQueues>) { self.queues = queues }

    /// Transactions of other lanes may wait for this one.
    var isCounting: Bool { tally != nil }
    /// The last transaction must run again.
    var isBusy: Bool { busyTallies != nil }

    func beginTransaction() { busyTallies = nil }

    /// Begins to count for the transaction that runs, unless the lane already counts at a tally.
    /// - Parameter tallies: at least one.
    /// - Returns: false: another lane counts at the first of them.
    func beginCounting(at tallies: [[UInt8]]) -> Bool {
        guard tally == nil, let first = tallies.first else { return true }
        if queues.withLock({ $0.beginCounting(at: first) }) { tally = first } else { busyTallies = tallies }
        return isCounting
    }

    /// Adds the last transaction to the queue of the lane that counts at its tallies.
    func postpone(_ transaction: PendingTransaction) -> TallyQueues.Place {
        guard let tallies = busyTallies.take() else { return .full }
        let place = queues.withLock { $0.put(transaction, at: tallies) }
        if place == .free { tally = tallies.first }
        return place
    }

    /// The next transactions that wait for this lane, as `TransactionInbox.next`. `nil`: none wait, and the lane counts at
    /// no tally any more.
    func next(
        atMost limit: Int, now: UInt64, longestWait: UInt64
    ) -> (batch: [PendingTransaction], late: [PendingTransaction])? {
        guard let tally else { return nil }
        let taken = queues.withLock { $0.next(at: tally, atMost: limit, now: now, longestWait: longestWait) }
        if taken == nil { self.tally = nil }
        return taken
    }

    /// The lane counts at no tally any more.
    /// - Returns: the transactions that waited for it.
    func endCounting() -> [PendingTransaction] {
        guard let ended = tally.take() else { return [] }
        return queues.withLock { $0.endCounting(at: ended) }
    }
}
