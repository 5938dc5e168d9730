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

    /// Those who wait until what was erased is out of the WAL.
    struct Erasers {
        var waiting: [UnsafeContinuation<Void, Never>] = []
        /// A truncation will come, or is under way.
        var isPlanned = false
    }

    let queue = DispatchQueue(label: "holdfast.database")
    private let inbox = Locked(WriterInbox())
    let pace = WriterPace()
    let erasers = Locked(Erasers())
    let counters = Locked(DatabaseStatistics())
    let limits: StorageLimits
    private let longestWait: UInt64
    let uptime: @Sendable () -> UInt64
    private let onFatal: @Sendable (String) -> Void
    /// The latest time that anybody was told.
    private let clock: @Sendable () -> ClockReading?

    /// Latest time as it is stored, with a lead: no time was told that is after it.
    private var marked: ClockMark?
    /// `nil` after `close`.
    var connection: Connection?
    var plan: CheckpointPlan
    /// The transaction of the batch under way that met a damaged page.
    private var metDamage: Int?
    /// A truncation was wanted and not possible: it is tried again until it is.
    var owesTruncation = false
    var lastTruncation: UInt64?
    let loggedPages: UnsafeMutablePointer<Int32>
    /// `nil` in memory, where nothing outlives the process.
    let commits: CommitRecord?
    /// Whether the statistics have commits that were not noted.
    var tellsUnnoted = false

    init(
        _ connection: sending Connection, commits: sending CommitRecord? = nil, limits: StorageLimits,
        uptime: @escaping @Sendable () -> UInt64,
        clock: @escaping @Sendable () -> ClockReading?, onFatal: @escaping @Sendable (String) -> Void
    ) {
        self.commits = commits
        self.clock = clock
        self.limits = limits
        self.uptime = uptime
        self.onFatal = onFatal
        plan = CheckpointPlan(limits: limits)
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
            refused = inbox.take(transactions, room: limits.waitingTransactions)
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

    /// How long one that nobody waits for may wait for others, to share their commit.
    private static let longestRide = DispatchTimeInterval.milliseconds(50)

    /// Takes a transaction that nobody waits for. It asks for no commit of its own while others come.
    func submitUnawaited(_ transaction: PendingTransaction) {
        var refused: StorageFault?
        let mustTime = inbox.withLock { inbox in
            let hasRoom = inbox.count < limits.waitingTransactions
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

    /// Lets those that nobody waits for wait no longer for others.
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

    /// Takes note that a large write went through again.
    func hasRoom() { counters.withLock { $0.isDiskFull = false } }

    /// From now on nothing is written, and every transaction gets `fault`.
    func refuseAll(_ fault: StorageFault) {
        inbox.withLock { $0.refusal = $0.refusal ?? fault }
    }

    // MARK: The queue

    private func drain() {
        dispatchPrecondition(condition: .onQueue(queue))
        while let (batch, late) = nextBatch() {
            // Before the commit, which may be what they waited for.
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
            let next = inbox.next(atMost: limits.transactionsPerBatch, now: now, longestWait: longestWait)
            if next == nil { inbox.isScheduled = false }
            pace.waits(inbox.waiting.count)
            return next
        }
    }

    /// After so many transactions of a batch that needed a damaged page, each of the rest gets a commit of its own.
    private static let damagedInBatch = 4

    /// Runs a batch; afterwards each of its transactions has its result, and every success is durable.
    ///
    /// One that needs a damaged page has the engine roll back all of them. It is refused, and the others are run again.
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
    /// - Returns: which transaction was refused as it needs a damaged page; the others have no result then. `nil`: all
    ///   have one.
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
        // Transactions that were handed over before the refusal began must not be acknowledged either.
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

    /// The number of transactions that were rolled back alone.
    ///
    /// A savepoint keeps a copy of every page that changes in it, and next to no transaction throws. So the first try has
    /// none, and only a batch in which one throws is taken back and run again with a savepoint each.
    private func runAll(_ batch: [PendingTransaction], _ connection: Connection) throws(StorageFault) -> Int {
        // SQLite can roll back on its own after an error. Stop then: later statements would run outside a transaction.
        let failed = batch.firstIndex { !($0.run(on: connection) && connection.isInTransaction) }
        guard let failed else { return 0 }
        try stopAtDamage(failed, connection)
        if let fatal = connection.fatal { throw fatal.fault }
        connection.rollBack()
        // Each one that was refused is refused again below, and counted there.
        _ = connection.takeRefusal()
        try connection.begin()
        return try runApart(batch, connection)
    }

    private func runApart(_ batch: [PendingTransaction], _ connection: Connection) throws(StorageFault) -> Int {
        var rolledBack = 0
        for (index, transaction) in batch.enumerated() {
            try connection.beginSavepoint()
            if transaction.run(on: connection) {
                try connection.releaseSavepoint()
            } else {
                try stopAtDamage(index, connection)
                if let fatal = connection.fatal { throw fatal.fault }
                // A full disk can make the engine roll everything back by itself: then no earlier result of the batch
                // holds.
                guard connection.isInTransaction else { throw .overloaded }
                try connection.rollBackToSavepoint()
                rolledBack += 1
                if let reason = connection.takeRefusal() { count(1, reason) }
            }
        }
        return rolledBack
    }

    private func stopAtDamage(_ index: Int, _ connection: Connection) throws(StorageFault) {
        guard let fault = connection.takeDamage(), connection.fatal == nil else { return }
        metDamage = index
        throw fault
    }

    private func refuse(_ batch: [PendingTransaction], _ fault: StorageFault, _ reason: WriteRefusal) {
        count(batch.count, reason)
        for transaction in batch { transaction.fail(fault) }
    }

    /// After an I/O error nobody knows what is on the disk: nothing is written any more, and the owner is told to stop
    /// (DUR-07).
    func stopIfFatal(_ connection: Connection) {
        guard let fatal = connection.fatal else { return }
        let isFirst = inbox.withLock { inbox in
            defer { inbox.refusal = inbox.refusal ?? fatal.fault }
            return inbox.refusal == nil
        }
        if isFirst { onFatal("SQLite error \(fatal.code) in \(fatal.operation)") }
    }

    /// One hop for each home, whatever the batch holds.
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

    /// How far ahead of the time told the stored mark is, so that it need not be written with every commit.
    private static let markLead = Duration.seconds(5)
    private static let leastMarkLead = Duration.milliseconds(2500)
    /// Two clocks that are read one after the other, and one of them slewed, differ by that.
    private static let markSlack = Duration.milliseconds(2)

    /// The mark that the next commit should store; `nil`: the stored one will do.
    func timeToMark() -> ClockMark? {
        guard let now = clock() else { return nil }
        if let marked, now.told.adding(Writer.leastMarkLead) <= marked.latest, Writer.covers(marked, now) { return nil }
        return ClockMark(latest: now.told.adding(Writer.markLead), reading: now)
    }

    /// Whether a start would begin no earlier than the time told now: not where the clock was set ahead since the mark.
    private static func covers(_ mark: ClockMark, _ now: ClockReading) -> Bool {
        now.told <= mark.start(at: now).adding(markSlack)
    }

    /// Stores the time told without a lead: after a restart in good order time goes on from there.
    private func markEnd(_ connection: Connection) {
        guard let now = clock(), connection.fatal == nil else { return }
        do {
            try connection.begin()
            try ClockMarkTable.save(ClockMark(latest: now.told, reading: now), connection)
            try commitNoted(connection)
        } catch { connection.rollBack() }
    }

    // MARK: The end

    private static let closing = StorageFault.failed(code: 0, operation: "closed")

    /// Takes no more, lets what waits finish, empties the WAL and closes the connection.
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
