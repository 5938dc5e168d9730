internal import Locks
internal import Dispatch
internal import Possession

/// The one writing connection on its own serial queue, and group commit.
///
/// Whenever the queue is free it takes all transactions that wait and runs them as one transaction of the engine: one
/// commit, one fsync, then every waiter is resumed. No timer: a batch is what arrived during the last fsync. One that
/// throws is rolled back alone.
final class Writer: @unchecked Sendable {
    // Sendable: `inbox` and `counters` are locked; all else is touched on `queue` only, and checked there.

    private struct Inbox {
        var waiting: [PendingTransaction] = []
        /// The queue has been asked to run, or is running.
        var isScheduled = false
        /// Why nothing is taken any more.
        var refusal: StorageFault?
        var refused = 0
        var mostWaiting = 0
    }

    private let queue = DispatchQueue(label: "holdfast.database")
    private let inbox = Locked(Inbox())
    private let counters = Locked(DatabaseStatistics())
    private let limits: StorageLimits
    private let longestWait: UInt64
    private let uptime: @Sendable () -> UInt64
    private let onFatal: @Sendable (String) -> Void

    /// `nil` after `close`.
    private var connection: Connection?
    private let loggedPages: UnsafeMutablePointer<Int32>

    init(
        _ connection: sending Connection, limits: StorageLimits, uptime: @escaping @Sendable () -> UInt64,
        onFatal: @escaping @Sendable (String) -> Void
    ) {
        self.limits = limits
        self.uptime = uptime
        self.onFatal = onFatal
        longestWait = UInt64(max(0, limits.longestWait.wholeMilliseconds)) * 1_000_000
        loggedPages = .allocate(capacity: 1)
        loggedPages.initialize(to: 0)
        connection.watchLog(loggedPages)
        self.connection = connection
    }

    deinit {
        connection = nil
        loggedPages.deallocate()
    }

    // MARK: Submitting, from any thread

    /// Takes transactions in their order; those that find no room are resumed with `.overloaded` at once.
    func submit(_ transactions: [PendingTransaction]) {
        var refused: ArraySlice<PendingTransaction> = []
        var fault = StorageFault.overloaded
        let mustSchedule = inbox.withLock { inbox in
            if let refusal = inbox.refusal {
                fault = refusal
                refused = transactions[...]
                return false
            }
            let room = max(0, limits.waitingTransactions - inbox.waiting.count)
            inbox.waiting += transactions.prefix(room)
            refused = transactions.dropFirst(room)
            inbox.refused += refused.count
            inbox.mostWaiting = max(inbox.mostWaiting, inbox.waiting.count)
            let mustSchedule = !inbox.isScheduled && !inbox.waiting.isEmpty
            if mustSchedule { inbox.isScheduled = true }
            return mustSchedule
        }
        if mustSchedule { queue.async { self.drain() } }
        guard !refused.isEmpty else { return }
        for transaction in refused { transaction.fail(fault) }
        resume(Array(refused))
    }

    func statistics() -> DatabaseStatistics {
        var statistics = counters.withLock { $0 }
        inbox.withLock { inbox in
            statistics.waiting = inbox.waiting.count
            statistics.mostWaiting = inbox.mostWaiting
            statistics.refused = inbox.refused
        }
        return statistics
    }

    // MARK: The queue

    private func drain() {
        dispatchPrecondition(condition: .onQueue(queue))
        while let batch = nextBatch() {
            commit(batch)
            resume(batch)
            keepLogSmall()
        }
    }

    private func nextBatch() -> [PendingTransaction]? {
        inbox.withLock { inbox in
            guard !inbox.waiting.isEmpty else {
                inbox.isScheduled = false
                return nil
            }
            guard inbox.waiting.count > limits.transactionsPerBatch else {
                let batch = inbox.waiting
                inbox.waiting = []
                return batch
            }
            let batch = Array(inbox.waiting.prefix(limits.transactionsPerBatch))
            inbox.waiting.removeFirst(limits.transactionsPerBatch)
            return batch
        }
    }

    /// Runs a batch; afterwards each of its transactions has its result, and every success is durable.
    private func commit(_ batch: [PendingTransaction]) {
        let inTime = dropLate(batch)
        guard !inTime.isEmpty else { return }
        guard let connection else { return fail(inTime, .failed(code: 0, operation: "closed")) }
        if let fatal = connection.fatal { return fail(inTime, fatal.fault) }
        do throws(StorageFault) {
            try connection.begin()
            let rolledBack = try runAll(inTime, connection)
            let start = uptime()
            try connection.commit()
            let seconds = Double(uptime() - start) / 1e9
            let pages = Int(loggedPages.pointee)
            counters.withLock { counters in
                counters.count(batchOf: inTime.count)
                counters.rolledBack += rolledBack
                counters.commitSeconds += seconds
                counters.logBytes = pages * Writer.bytesPerLoggedPage
            }
        } catch {
            connection.rollBack()
            fail(inTime, error)
            stopIfFatal(connection)
        }
    }

    /// The number of transactions that were rolled back alone.
    ///
    /// A savepoint keeps a copy of every page that changes in it, and next to no transaction throws. So the first try has
    /// none, and only a batch in which one throws is taken back and run again with a savepoint each.
    private func runAll(_ batch: [PendingTransaction], _ connection: Connection) throws(StorageFault) -> Int {
        // Were the engine to roll back by itself under a transaction that goes on, what follows would be outside of any.
        if batch.allSatisfy({ $0.run(on: connection) && connection.isInTransaction }) { return 0 }
        if let fatal = connection.fatal { throw fatal.fault }
        connection.rollBack()
        try connection.begin()
        return try runApart(batch, connection)
    }

    private func runApart(_ batch: [PendingTransaction], _ connection: Connection) throws(StorageFault) -> Int {
        var rolledBack = 0
        for transaction in batch {
            try connection.beginSavepoint()
            if transaction.run(on: connection) {
                try connection.releaseSavepoint()
            } else {
                if let fatal = connection.fatal { throw fatal.fault }
                // A full disk can make the engine roll everything back by itself: then no earlier result of the batch
                // holds.
                guard connection.isInTransaction else { throw .overloaded }
                try connection.rollBackToSavepoint()
                rolledBack += 1
            }
        }
        return rolledBack
    }

    private func dropLate(_ batch: [PendingTransaction]) -> [PendingTransaction] {
        let now = uptime()
        func isLate(_ transaction: PendingTransaction) -> Bool {
            now > transaction.submittedAt && now - transaction.submittedAt > longestWait
        }
        guard batch.contains(where: isLate) else { return batch }
        let late = batch.filter(isLate)
        fail(late, .overloaded)
        inbox.withLock { $0.refused += late.count }
        return batch.filter { !isLate($0) }
    }

    private func fail(_ batch: [PendingTransaction], _ fault: StorageFault) {
        for transaction in batch { transaction.fail(fault) }
    }

    /// After an I/O error nobody knows what is on the disk: nothing is written any more, and the owner is told to stop
    /// (DUR-07).
    private func stopIfFatal(_ connection: Connection) {
        guard let fatal = connection.fatal else { return }
        let isFirst = inbox.withLock { inbox in
            defer { inbox.refusal = inbox.refusal ?? fatal.fault }
            return inbox.refusal == nil
        }
        if isFirst { onFatal("SQLite error \(fatal.code) in \(fatal.operation)") }
    }

    /// One hop for each home, whatever the batch holds.
    private func resume(_ batch: [PendingTransaction]) {
        var homes: [(home: any ResumptionHome, work: [@Sendable () -> Void])] = []
        for transaction in batch {
            guard let home = transaction.home else {
                transaction.resume()
                continue
            }
            let work: @Sendable () -> Void = { transaction.resume() }
            if let index = homes.firstIndex(where: { $0.home === home }) {
                homes[index].work.append(work)
            } else {
                homes.append((home, [work]))
            }
        }
        for (home, work) in homes { home.resume(batch: work) }
    }

    // MARK: The log

    /// A page in the WAL has a header of 24 bytes (sqlite.org/fileformat2.html section 4).
    private static let bytesPerLoggedPage = 4096 + 24

    /// The only place that checkpoints: two connections at it can damage the file in this engine's version (DUR-04).
    private func keepLogSmall() {
        let pages = Int(loggedPages.pointee)
        guard pages >= limits.pagesBeforeCheckpoint, let connection, connection.fatal == nil else { return }
        checkpoint(connection, pages >= limits.pagesBeforeRestart ? .restart : .passive)
    }

    private func checkpoint(_ connection: Connection, _ mode: Connection.Checkpoint) {
        let start = uptime()
        // A failure that is not fatal, a full disk, leaves all pages in the WAL: the next round tries again.
        if (try? connection.checkpoint(mode)) == 0 { loggedPages.pointee = 0 }
        let seconds = Double(uptime() - start) / 1e9
        counters.withLock { counters in
            counters.checkpoints += 1
            counters.checkpointSeconds += seconds
            if mode == .truncate { counters.logBytes = Int(loggedPages.pointee) * Writer.bytesPerLoggedPage }
        }
        stopIfFatal(connection)
    }

    /// Empties the WAL, so that what was erased is in no file any more (DAT-05).
    func truncateLog() async {
        await withUnsafeContinuation { waiter in
            queue.async {
                if let connection = self.connection, connection.fatal == nil { self.checkpoint(connection, .truncate) }
                waiter.resume()
            }
        }
    }

    /// Takes no more, lets what waits finish, empties the WAL and closes the connection.
    func close() async {
        inbox.withLock { $0.refusal = $0.refusal ?? .failed(code: 0, operation: "closed") }
        await withUnsafeContinuation { waiter in
            queue.async {
                if let connection = self.connection, connection.fatal == nil { self.checkpoint(connection, .truncate) }
                self.connection = nil
                waiter.resume()
            }
        }
    }
}
