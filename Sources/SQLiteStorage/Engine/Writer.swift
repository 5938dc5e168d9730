internal import Locks
internal import Dispatch
internal import Engine
internal import Possession
internal import Storage

/// The only writing connection, on its own serial queue, with group commit.
///
/// Whenever the queue is free, it takes all waiting transactions and runs them as one SQLite transaction: one commit,
/// one fsync, then every caller is resumed. It needs no timer: a batch is the set of transactions that arrived during
/// the last fsync. A transaction that throws is rolled back individually.
final class Writer: @unchecked Sendable {
    // Sendable: `inbox` and `counters` are locked; everything else is used only on `queue`, and checked there.

    /// Callers that wait until their erased data is out of the WAL.
    struct Erasers {
        var waiting: [UnsafeContinuation<Void, Never>] = []
        /// A truncation is planned or running.
        var isPlanned = false
    }

    let queue = DispatchQueue(label: "holdfast.database")
    private let inbox = Locked(TransactionInbox())
    let pace = WriterPace()
    let erasers = Locked(Erasers())
    let counters = Locked(DatabaseStatistics())
    let limits: SQLiteLimits
    private let longestWait: UInt64
    let uptime: @Sendable () -> UInt64
    private let onFatal: @Sendable (String) -> Void
    /// The latest time that the server has used.
    private let clock: @Sendable () -> ClockReading?

    /// The stored clock mark, which is ahead of the time: no time that the server has used is after it.
    private var marked: ClockMark?
    /// `nil` after `close`.
    var connection: SQLiteConnection?
    var plan: CheckpointPlan
    /// Index of the transaction in the current batch that met a damaged page.
    private var metDamage: Int?
    /// A truncation was needed but not possible: it is tried again until it succeeds.
    var owesTruncation = false
    var lastTruncation: UInt64?
    let loggedPages: UnsafeMutablePointer<Int32>
    /// `nil` in memory, where no data survives the process.
    let commits: CommitRecord?
    /// Whether the statistics show commits that were not recorded.
    var reportsUnrecorded = false

    init(
        _ connection: sending SQLiteConnection, commits: sending CommitRecord? = nil, limits: SQLiteLimits,
        uptime: @escaping @Sendable () -> UInt64,
        clock: @escaping @Sendable () -> ClockReading?, onFatal: @escaping @Sendable (String) -> Void
    ) {
        self.commits = commits
        self.clock = clock
        self.limits = limits
        self.uptime = uptime
        self.onFatal = onFatal
        plan = CheckpointPlan(limits: limits)
        longestWait = UInt64(max(0, limits.storage.longestWait.wholeMilliseconds)) * 1_000_000
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

    /// Queues transactions in order; those that do not fit are resumed with `.overloaded` at once.
    func submit(_ transactions: [PendingTransaction]) {
        var refused: ArraySlice<PendingTransaction> = []
        var fault = StorageFault.overloaded
        let mustSchedule = inbox.withLock { inbox in
            if let refusal = inbox.refusal {
                fault = refusal
                refused = transactions[...]
                return false
            }
            refused = inbox.take(transactions, room: limits.storage.waitingTransactions)
            pace.waits(inbox.waiting.count)
            let mustSchedule = !inbox.isScheduled && !inbox.waiting.isEmpty
            if mustSchedule { inbox.isScheduled = true }
            return mustSchedule
        }
        if mustSchedule { queue.async { self.drain() } }
        guard !refused.isEmpty else { return }
        count(refused.count, fault == .overloaded ? .queueFull : .failed)
        for transaction in refused { transaction.fail(fault) }
        resume(Array(refused))
    }

    /// How long a transaction without a waiting caller may wait for others, to share their commit.
    private static let longestRide = DispatchTimeInterval.milliseconds(50)

    /// Queues a transaction without a waiting caller. It causes no commit of its own while others arrive.
    func submitUnawaited(_ transaction: PendingTransaction) {
        var refused: StorageFault?
        let mustTime = inbox.withLock { inbox in
            let hasRoom = inbox.count < limits.storage.waitingTransactions
            refused = inbox.refusal ?? (hasRoom ? nil : .overloaded)
            guard refused == nil else { return false }
            inbox.takeUnawaited(transaction)
            if inbox.isTimed { return false }
            inbox.isTimed = true
            return true
        }
        if mustTime { queue.asyncAfter(deadline: .now() + Writer.longestRide) { self.drainUnawaited() } }
        guard let refused else { return }
        count(1, refused == .overloaded ? .queueFull : .failed)
        transaction.fail(refused)
        transaction.resume()
    }

    /// Ends the wait of transactions without a waiting caller.
    private func drainUnawaited() {
        inbox.withLock { inbox in
            inbox.isTimed = false
            inbox.mergeUnawaited()
        }
        drain()
    }

    func statistics() -> DatabaseStatistics {
        var statistics = counters.withLock { $0 }
        inbox.withLock { inbox in
            statistics.waiting = inbox.count
            statistics.mostWaiting = inbox.mostWaiting
        }
        if let since = statistics.logHeldSince {
            statistics.logHeldSeconds = Double(max(uptime(), since) - since) / 1e9
        }
        return statistics
    }

    private func count(_ transactions: Int, _ reason: WriteRefusal) {
        counters.withLock { counters in
            counters.refusals[reason, default: 0] += transactions
            if reason == .diskFull { counters.isDiskFull = true }
        }
    }

    /// Records that a large write succeeded again.
    func hasRoom() { counters.withLock { $0.isDiskFull = false } }

    /// Refuses all further writes: every transaction gets `fault`.
    func refuseAll(_ fault: StorageFault) {
        inbox.withLock { $0.refusal = $0.refusal ?? fault }
    }

    // MARK: The queue

    private func drain() {
        dispatchPrecondition(condition: .onQueue(queue))
        while let (batch, late) = nextBatch() {
            // Answered before the commit: these callers have already waited too long.
            if !late.isEmpty {
                refuse(late, .overloaded, .late)
                resume(late)
            }
            guard !batch.isEmpty else { continue }
            pace.batchBegan(of: batch.count, at: uptime())
            commit(batch)
            resume(batch)
            pace.batchEnded(at: uptime())
            keepLogSmall()
            pace.rests()
        }
    }

    private func nextBatch() -> (batch: [PendingTransaction], late: [PendingTransaction])? {
        let now = uptime()
        return inbox.withLock { inbox in
            let next = inbox.next(atMost: limits.storage.transactionsPerBatch, now: now, longestWait: longestWait)
            if next == nil { inbox.isScheduled = false }
            pace.waits(inbox.waiting.count)
            return next
        }
    }

    /// After this many transactions of a batch needed a damaged page, each of the rest gets its own commit.
    private static let damagedInBatch = 4

    /// Runs a batch; afterwards each of its transactions has its result, and every success is durable.
    ///
    /// A transaction that needs a damaged page makes SQLite roll back the whole batch. It is refused, and the others
    /// run again.
    func commit(_ batch: [PendingTransaction]) {
        var rest = batch
        for _ in 0..<Writer.damagedInBatch {
            guard let refused = attempt(rest) else { return }
            rest.remove(at: refused)
            if rest.isEmpty { return }
        }
        for transaction in rest { _ = attempt([transaction]) }
    }

    /// Runs a batch once.
    /// - Returns: index of the transaction that was refused because it needs a damaged page; the others have no result
    ///   yet. `nil`: all have a result.
    private func attempt(_ batch: [PendingTransaction]) -> Int? {
        guard let connection else {
            refuse(batch, .failed(code: 0, operation: "closed"), .failed)
            return nil
        }
        if let fatal = connection.fatal {
            refuse(batch, fatal.fault, .failed)
            stopIfFatal(connection)
            return nil
        }
        // Transactions that were submitted before the refusal began must not be acknowledged either.
        if let refusal = inbox.withLock({ $0.refusal }), refusal != Writer.closing {
            refuse(batch, refusal, .failed)
            return nil
        }
        _ = connection.takeDamage()
        do throws(StorageFault) {
            try connection.begin()
            let rolledBack = try runAll(batch, connection)
            let mark = timeToMark()
            if let mark { try ClockMarkTable.save(mark, connection) }
            let start = uptime()
            try commitNoted(connection)
            marked = mark ?? marked
            let seconds = Double(uptime() - start) / 1e9
            let pages = Int(loggedPages.pointee)
            counters.withLock { counters in
                if !batch.isEmpty { counters.count(batchOf: batch.count) }
                counters.rolledBack += rolledBack
                counters.commitSeconds += seconds
                counters.logBytes = pages * Writer.bytesPerLoggedPage
            }
        } catch {
            connection.rollBack()
            if let index = metDamage.take() {
                counters.withLock { $0.rolledBack += 1 }
                refuse([batch[index]], error, .failed)
                return index
            }
            counters.withLock { $0.rolledBack += batch.count }
            refuse(batch, error, connection.takeRefusal() ?? .failed)
            stopIfFatal(connection)
        }
        return nil
    }

    /// Runs all transactions of a batch.
    ///
    /// A savepoint keeps a copy of every page that changes in it, and transactions rarely throw. So the first try uses
    /// no savepoints. Only if a transaction throws is the batch rolled back and run again with a savepoint for each.
    /// - Returns: the number of transactions that were rolled back individually.
    private func runAll(_ batch: [PendingTransaction], _ connection: SQLiteConnection) throws(StorageFault) -> Int {
        // SQLite can roll back by itself after an error. Stop in that case: later statements would run outside a
        // transaction.
        let failed = batch.firstIndex { !($0.run(on: connection) && connection.isInTransaction) }
        guard let failed else { return 0 }
        try stopAtDamage(failed, connection)
        if let fatal = connection.fatal { throw fatal.fault }
        connection.rollBack()
        // Each refused transaction is refused again below, and counted there.
        _ = connection.takeRefusal()
        try connection.begin()
        return try runApart(batch, connection)
    }

    private func runApart(_ batch: [PendingTransaction], _ connection: SQLiteConnection) throws(StorageFault) -> Int {
        var rolledBack = 0
        for (index, transaction) in batch.enumerated() {
            try connection.beginSavepoint()
            if transaction.run(on: connection) {
                try connection.releaseSavepoint()
            } else {
                try stopAtDamage(index, connection)
                if let fatal = connection.fatal { throw fatal.fault }
                // A full disk can make SQLite roll everything back by itself: then no earlier result of the batch is
                // valid.
                guard connection.isInTransaction else { throw .overloaded }
                try connection.rollBackToSavepoint()
                rolledBack += 1
                if let reason = connection.takeRefusal() { count(1, reason) }
            }
        }
        return rolledBack
    }

    private func stopAtDamage(_ index: Int, _ connection: SQLiteConnection) throws(StorageFault) {
        guard let fault = connection.takeDamage(), connection.fatal == nil else { return }
        metDamage = index
        throw fault
    }

    private func refuse(_ batch: [PendingTransaction], _ fault: StorageFault, _ reason: WriteRefusal) {
        count(batch.count, reason)
        for transaction in batch { transaction.fail(fault) }
    }

    /// After an I/O error the state of the disk is unknown: writes stop, and the owner is asked to stop the process
    /// (DUR-07).
    func stopIfFatal(_ connection: SQLiteConnection) {
        guard let fatal = connection.fatal else { return }
        let isFirst = inbox.withLock { inbox in
            defer { inbox.refusal = inbox.refusal ?? fatal.fault }
            return inbox.refusal == nil
        }
        if isFirst { onFatal("SQLite error \(fatal.code) in \(fatal.operation)") }
    }

    /// One hop for each executor, regardless of the batch size.
    private func resume(_ batch: [PendingTransaction]) {
        var homes: [(home: any CompletionExecutor, work: [@Sendable () -> Void])] = []
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

    // MARK: Time

    /// How far the stored mark is ahead of the current time, so that it need not be written with every commit.
    private static let markLead = Duration.seconds(5)
    private static let leastMarkLead = Duration.milliseconds(2500)
    /// The largest difference between two clocks that are read one after the other while one of them is slewed.
    private static let markSlack = Duration.milliseconds(2)

    /// The mark that the next commit should store; `nil`: the stored one is still good.
    func timeToMark() -> ClockMark? {
        guard let now = clock() else { return nil }
        if let marked, now.told.adding(Writer.leastMarkLead) <= marked.latest, Writer.covers(marked, now) { return nil }
        return ClockMark(latest: now.told.adding(Writer.markLead), reading: now)
    }

    /// Whether a restart would begin no earlier than the current time. False if the clock was set ahead since the mark.
    private static func covers(_ mark: ClockMark, _ now: ClockReading) -> Bool {
        now.told <= mark.start(at: now).adding(markSlack)
    }

    /// Stores the current time without a lead: after a proper shutdown, time continues from there.
    private func markEnd(_ connection: SQLiteConnection) {
        guard let now = clock(), connection.fatal == nil else { return }
        do {
            try connection.begin()
            try ClockMarkTable.save(ClockMark(latest: now.told, reading: now), connection)
            try commitNoted(connection)
        } catch { connection.rollBack() }
    }

    // MARK: The end

    private static let closing = StorageFault.failed(code: 0, operation: "closed")

    /// Refuses new transactions, lets waiting ones finish, empties the WAL and closes the connection.
    func close() async {
        refuseAll(Writer.closing)
        await withUnsafeContinuation { waiter in
            queue.async {
                self.drainUnawaited()
                if let connection = self.connection, connection.fatal == nil {
                    self.markEnd(connection)
                    self.checkpoint(connection, .truncate)
                    try? self.commits?.sync()
                }
                self.connection = nil
                waiter.resume()
            }
        }
    }
}
