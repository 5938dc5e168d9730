internal import Locks
internal import Synchronization

/// Lets requests wait for a change without blocking a thread: long polls and streams.
///
///     let ticket = waits.register(key)      // before the state is read, so that no change is missed
///     ...read the state, answer if it is new...
///     await ticket.wait(for: .seconds(25))  // then read again
///
/// A ticket is valid for one change. A stream repeats all three steps after each wait, including one that timed out. A
/// change published between two waits is then seen by the read, or it wakes the new ticket.
///
/// A waiter belongs to the loop it registered on, so it needs no lock. `publish` hops to the loops that have waiters.
package final class WaitList: Sendable {
    /// Why a wait ended.
    package enum Outcome: Sendable, Equatable {
        /// The key was published since the ticket was made.
        case published
        case timedOut
        /// The task was cancelled because the peer disconnected.
        case cancelled
        /// The server is shutting down: answer with the current state.
        case draining
    }

    private static let lastID = Atomic<Int>(0)

    let id = WaitList.lastID.add(1, ordering: .relaxed).newValue
    private let tables = Locked<[WaitTable]>([])

    package init() {}

    /// Registers interest in `key` from now on. Call on a loop; every request handler runs on one.
    package func register(_ key: String) -> Ticket {
        guard let loop = EventLoop.current else { preconditionFailure("waits belong to a loop") }
        let table = loop.waitTable(id) {
            let table = WaitTable(loop: loop)
            tables.withLock { $0.append(table) }
            return table
        }
        return Ticket(table.add(key))
    }

    /// Wakes all waiters of `key`. Callable from any thread.
    package func publish(_ key: String) {
        publish([key])
    }

    /// Wakes all waiters of any of `keys`, with one hop per loop.
    package func publish(_ keys: [String]) {
        guard !keys.isEmpty else { return }
        for table in tables.withLock({ $0 }) where table.hasWaiters {
            table.loop.post { for key in keys { table.wake(key) } }
        }
    }

    /// Wakes all waiters of all keys.
    package func publishAll() {
        for table in tables.withLock({ $0 }) where table.hasWaiters {
            table.loop.post { table.endAll(.published) }
        }
    }

    /// Interest in one key. Ends when it is released.
    package final class Ticket: Sendable {
        private let waiter: Waiter

        fileprivate init(_ waiter: Waiter) {
            self.waiter = waiter
        }

        deinit {
            waiter.abandon()
        }

        /// Suspends until the key is published or the time is over. Returns at once if it was already published.
        @discardableResult
        package func wait(for duration: Duration) async -> Outcome {
            await waiter.wait(for: duration)
        }
    }
}

/// The waiters of one wait list on one loop.
final class WaitTable: @unchecked Sendable {
    // Sendable: `count` is atomic; all else is confined to `loop`.
    let loop: EventLoop
    private var waiters: [String: [Waiter]] = [:]
    private let count = Atomic<Int>(0)

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Sequentially consistent with `add`: a publisher either sees the waiter here, or the waiter registers later and
    /// reads the change.
    var hasWaiters: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

    func add(_ key: String) -> Waiter {
        let waiter = Waiter(self, key)
        if loop.isDraining {
            waiter.end(.draining)
        } else {
            count.add(1, ordering: .sequentiallyConsistent)
            waiters[key, default: []].append(waiter)
        }
        return waiter
    }

    func remove(_ waiter: Waiter) {
        guard var list = waiters[waiter.key], let index = list.firstIndex(where: { $0 === waiter }) else { return }
        list.remove(at: index)
        waiters[waiter.key] = list.isEmpty ? nil : list
        count.subtract(1, ordering: .relaxed)
    }

    func wake(_ key: String) {
        guard let list = waiters.removeValue(forKey: key) else { return }
        count.subtract(list.count, ordering: .relaxed)
        for waiter in list { waiter.end(.published) }
    }

    func endAll(_ outcome: WaitList.Outcome) {
        let all = waiters
        waiters = [:]
        for list in all.values {
            count.subtract(list.count, ordering: .relaxed)
            for waiter in list { waiter.end(outcome) }
        }
    }
}

/// One registered interest. The first call that ends it decides the outcome and takes the continuation.
///
///     registered --end--> ended
///     registered --wait--> waiting --end: continuation resumed--> ended
final class Waiter: @unchecked Sendable {
    // Sendable: all state is confined to the table's loop.
    let key: String
    private let table: WaitTable
    private var outcome: WaitList.Outcome?
    private var continuation: UnsafeContinuation<WaitList.Outcome, Never>?
    private var timer: TimerToken?

    init(_ table: WaitTable, _ key: String) {
        self.table = table
        self.key = key
    }

    func wait(for duration: Duration) async -> WaitList.Outcome {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { begin($0, duration) }
        } onCancel: {
            table.loop.post { self.leave(.cancelled) }
        }
    }

    private func begin(_ continuation: UnsafeContinuation<WaitList.Outcome, Never>, _ duration: Duration) {
        precondition(table.loop.isCurrent, "a wait stays on the loop it registered on")
        if let outcome {
            continuation.resume(returning: outcome)
        } else {
            precondition(self.continuation == nil, "one wait a ticket at a time")
            self.continuation = continuation
            timer = table.loop.schedule(after: duration) { self.leave(.timedOut) }
        }
    }

    /// Ends the wait. The table has already removed the waiter.
    func end(_ outcome: WaitList.Outcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        timer?.cancel()
        timer = nil
        continuation?.resume(returning: outcome)
        continuation = nil
    }

    private func leave(_ outcome: WaitList.Outcome) {
        guard self.outcome == nil else { return }
        table.remove(self)
        end(outcome)
    }

    /// The ticket was released, possibly on another thread.
    func abandon() {
        if table.loop.isCurrent { leave(.cancelled) } else { table.loop.post { self.leave(.cancelled) } }
    }
}
