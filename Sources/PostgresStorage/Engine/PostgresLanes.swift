internal import Dispatch
internal import Engine
internal import Glibc
internal import Locks
internal import Possession
internal import Storage

/// Transactions on PostgreSQL. Each lane is a thread with a connection of its own, and runs one transaction at a time.
final class PostgresLanes: @unchecked Sendable {
    // Sendable: `inbox` is locked, the semaphores are thread-safe, `started` changes only in `start`.

    private let address: PostgresAddress
    let server: Int64
    /// How long a lane waits before each further try to connect.
    private let waits: [Duration]
    private let limits: StorageLimits
    /// Tests make connections with faults.
    private let connections: PostgresConnection.Type
    private let uptime: @Sendable () -> UInt64
    private let inbox = Locked(TransactionInbox())
    private let queues = Locked(TallyQueues())
    /// Signalled once for each transaction, and once for each lane when the lanes must stop.
    private let work = DispatchSemaphore(value: 0)
    /// Signalled by each lane at its end.
    private let ended = DispatchSemaphore(value: 0)
    private var started = 0
    private let isStopped = Locked(false)
    private let unfinished = Locked(UnfinishedTransactions())
    private let counted = Locked(PostgresStatistics())
    /// When the newest acknowledged commit began, on the monotonic clock; `nil`: there was none.
    private let confirmedAt = Locked<UInt64?>(nil)
    /// Called once if another server has removed this one, or the database lacks acknowledged changes. This process
    /// must end.
    private let onFatal: @Sendable (String) -> Void

    private struct Lane {
        let name: LaneName
        var connection: PostgresConnection?
        /// Number of the last transaction that this process knows to be stored.
        var stored: Int64 = 0
        let tally: LaneTally
    }

    /// How often a transaction runs before a deadlock or a lost claim is its result. Of transactions that claim the same
    /// row, one succeeds in each round.
    private static let maxRuns = 16
    /// The time between two tries to settle a lane that has nothing else to do.
    private static let settlingInterval = DispatchTimeInterval.milliseconds(200)
    /// How many blind transactions share a commit.
    private static let mostBlind = 64
    /// How many transactions that count at the same tally share a commit. Each one waits for all of them.
    private static let mostCounting = 16
    /// How many transactions are taken out of a batch because of a refusal, before each of the others runs alone.
    private static let mostTakenOut = 3
    /// How long a transaction may have tried, in nanoseconds, when it waits for another connection.
    private static let longestTry: UInt64 = 4_000_000_000
    /// How old the newest acknowledged commit may be when a read begins, in nanoseconds.
    private static let longestUnconfirmed: UInt64 = 1_000_000_000

    init(
        _ address: PostgresAddress, server: Int64, waits: [Duration], limits: StorageLimits,
        connections: PostgresConnection.Type = PostgresConnection.self, uptime: @escaping @Sendable () -> UInt64,
        onFatal: @escaping @Sendable (String) -> Void
    ) {
        self.address = address
        self.server = server
        self.waits = waits
        self.limits = limits
        self.connections = connections
        self.uptime = uptime
        self.onFatal = onFatal
    }

    /// Call once, before anything else. A lane connects at its first transaction.
    func start(_ lanes: Int) {
        for lane in 0..<lanes where BackgroundThread.start(.equal, { self.runLane(Int64(lane)) }) { started += 1 }
        counted.withLock { $0.lanes = started }
        if started == 0 { inbox.withLock { $0.refusal = .failed(code: 0, operation: "a thread for the database") } }
    }

    func put(_ transaction: PendingTransaction) {
        unfinished.withLock { $0.add(transaction) }
        let fault = inbox.withLock { inbox -> StorageFault? in
            if let refusal = inbox.refusal { return refusal }
            let elsewhere = queues.withLock(\.count)
            let rest = inbox.take([transaction], room: limits.waitingTransactions, elsewhere: elsewhere)
            return rest.isEmpty ? nil : .overloaded
        }
        if let fault { end(transaction, fault, fault == .overloaded ? .queueFull : .failed) } else { work.signal() }
    }

    /// - Throws: `.failed`: a lane has ended before it was settled.
    func waitForEarlierTransactions() async throws(StorageFault) {
        let haveEnded = await withUnsafeContinuation { (waiter: UnsafeContinuation<Bool, Never>) in
            let known = unfinished.withLock { $0.wait(waiter) }
            if let known { waiter.resume(returning: known) }
        }
        guard haveEnded else { throw PostgresFailure.unsettled.fault }
    }

    /// Refuses new transactions. Each lane ends when no transaction waits.
    func stop() {
        inbox.withLock { $0.refusal = $0.refusal ?? .failed(code: 0, operation: "closed") }
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        if isFirst { for _ in 0..<started { work.signal() } }
    }

    /// Lets waiting transactions finish, and closes all connections.
    func close() async {
        stop()
        await withUnsafeContinuation { waiter in
            let isStarted = BackgroundThread.start(.equal) {
                for _ in 0..<self.started { self.ended.wait() }
                // A later call returns at once.
                for _ in 0..<self.started { self.ended.signal() }
                waiter.resume()
            }
            if !isStarted { waiter.resume() }
        }
    }

    func statistics() -> PostgresStatistics {
        var statistics = counted.withLock { $0 }
        (statistics.waiting, statistics.mostWaiting) = inbox.withLock { ($0.count, $0.mostWaiting) }
        statistics.waiting += queues.withLock(\.count)
        return statistics
    }

    /// Nanoseconds until a new change would begin.
    /// - Parameter changesAtWork: changes that have reached the server and are not finished; some may not have reached
    ///   the lanes yet.
    func expectedWait(behind changesAtWork: Int) -> UInt64 {
        let statistics = statistics()
        if statistics.reasonUnreachable != nil { return .max / 2 }
        let ahead = max(statistics.waiting, changesAtWork - statistics.busyLanes)
        return UInt64(max(0, ahead) / max(1, statistics.lanes)) * statistics.pace
    }

    // MARK: A lane

    private func runLane(_ number: Int64) {
        var lane = Lane(name: LaneName(server: server, lane: number), tally: LaneTally(queues))
        while true {
            guard waitForWork(number) else {
                settle(&lane)
                continue
            }
            guard let (batch, late) = next() else { break }
            for transaction in late { end(transaction, .overloaded, .late) }
            guard !batch.isEmpty else { continue }
            counted.withLock { $0.busyLanes += 1 }
            run(batch, on: &lane)
            // Others may have waited because this lane counts at their tally.
            while let (batch, late) = lane.tally.next(
                atMost: PostgresLanes.mostCounting, now: uptime(), longestWait: longestWait)
            {
                for transaction in late { end(transaction, .overloaded, .late) }
                if !batch.isEmpty { run(batch, on: &lane) }
            }
            counted.withLock { $0.busyLanes -= 1 }
        }
        lane.connection = nil
        for waiter in unfinished.withLock({ $0.giveUp(number) }) { waiter.resume(returning: false) }
        ended.signal()
    }

    /// - Returns: false: none has come for a while, and the lane is not settled.
    private func waitForWork(_ lane: Int64) -> Bool {
        if unfinished.withLock({ $0.unsettled[lane] != nil }) {
            return work.wait(timeout: .now() + PostgresLanes.settlingInterval) == .success
        }
        work.wait()
        return true
    }

    /// Tries to take the lane with another connection. That returns when the last transaction of the lane has ended, and
    /// one that has not begun yet is refused from then on.
    private func settle(_ lane: inout Lane) {
        do throws(PostgresFailure) { lane.connection = try connect(lane) } catch {
            guard error.isSuperseded else { return }
            // The row of the lane is gone, so no transaction holds it.
            supersede()
            noteSettled(lane.name.lane)
        }
    }

    private func noteSettled(_ lane: Int64) {
        for waiter in unfinished.withLock({ $0.settle(lane) }) { waiter.resume(returning: true) }
    }

    private func run(_ batch: [PendingTransaction], on lane: inout Lane) {
        guard batch.count > 1 else {
            for transaction in batch { runAlone(transaction, on: &lane) }
            return
        }
        for transaction in runJoined(batch, on: &lane) {
            // The runs with others took time.
            let now = uptime()
            if now &- min(now, transaction.submittedAt) > longestWait {
                end(transaction, .overloaded, .late)
            } else {
                runAlone(transaction, on: &lane)
            }
        }
    }

    private func runAlone(_ transaction: PendingTransaction, on lane: inout Lane) {
        var hurries = lane.tally.isCounting
        var failure = run(transaction, on: &lane)
        if lane.tally.isBusy {
            counted.withLock { $0.runsAgain[.tally, default: 0] += 1 }
            switch lane.tally.postpone(transaction) {
            case .waits: return
            case .full: return end(transaction, .overloaded, .queueFull)
            case .free:
                hurries = true
                failure = run(transaction, on: &lane)
            }
        }
        // It did not wait long for a row, because others wait for this lane.
        if hurries, failure?.isLockTimeout == true { return putBack([transaction]) }
        end(transaction, failure?.fault, failure?.refusal)
    }

    /// Runs transactions in as few commits as possible.
    /// - Returns: those that must run alone.
    private func runJoined(_ batch: [PendingTransaction], on lane: inout Lane) -> [PendingTransaction] {
        var (batch, alone, takenOut) = (batch, [PendingTransaction](), 0)
        while batch.count > 1, takenOut < PostgresLanes.mostTakenOut {
            let joined = JoinedTransactions(batch, uptime: uptime)
            let failure = run(joined, on: &lane, maxRuns: 1)
            // A connection was lost, and another lane counts at the tally now.
            if lane.tally.isBusy { break }
            if failure?.refusal == .diskFull || failure?.refusal == .unreachable {
                for transaction in batch { end(transaction, failure?.fault, failure?.refusal) }
                return alone
            }
            if failure == nil, joined.refused == nil {
                for transaction in batch.prefix(joined.count) { end(transaction, nil, nil) }
                batch.removeFirst(joined.count)
                continue
            }
            counted.withLock { $0.runsAgain[.joined, default: 0] += batch.count }
            // None is stored. One that has not got a lock waits for it where no other one waits for this lane.
            guard let refused = joined.refused else { break }
            takenOut += 1
            let transaction = batch.remove(at: refused)
            if failure?.isLockTimeout == true { putBack([transaction]) } else { alone.append(transaction) }
        }
        return batch + alone
    }

    /// Any lane may run these transactions now.
    private func putBack(_ transactions: [PendingTransaction]) {
        guard !transactions.isEmpty else { return }
        inbox.withLock { _ = $0.take(transactions, room: .max) }
        for _ in transactions { work.signal() }
    }

    /// One transaction or several blind ones, and those that have waited too long. `nil`: no transaction waits, and none
    /// will come.
    private func next() -> (batch: [PendingTransaction], late: [PendingTransaction])? {
        inbox.withLock { inbox in
            guard var taken = inbox.next(atMost: 1, now: uptime(), longestWait: longestWait) else {
                return inbox.refusal == nil ? ([], []) : nil
            }
            if taken.batch.first?.plan.isBlind == true {
                taken.batch += inbox.nextBlind(atMost: PostgresLanes.mostBlind - 1)
            }
            return taken
        }
    }

    /// How long a transaction waits before it begins, in nanoseconds.
    private var longestWait: UInt64 { UInt64(max(0, limits.longestWait.wholeMilliseconds)) * 1_000_000 }

    /// - Returns: why it was refused; `nil`: the transaction has its own result, or its tally is busy.
    private func run(
        _ transaction: PendingTransaction, on lane: inout Lane, maxRuns: Int = PostgresLanes.maxRuns
    ) -> PostgresFailure? {
        var runs = 0
        var waits = waits[...]
        let began = uptime()
        /// Number of the transaction, once its COMMIT was sent and the connection was lost.
        var unanswered: Int64?
        while true {
            lane.tally.beginTransaction()
            do throws(PostgresFailure) {
                // Another lane may have found a newer primary.
                if let open = lane.connection, !address.isNewest(open.timeline) { lane.connection = nil }
                let connection = if let open = lane.connection { open } else { try connect(lane) }
                lane.connection = connection
                if connection.batch < lane.stored { try loseCommits(connection.batch, lane) }
                if let number = unanswered {
                    counted.withLock { $0.settledCommits += 1 }
                    if connection.batch == number {
                        lane.stored = number
                        return nil
                    }
                    unanswered = nil
                }
                runs += 1
                if transaction.plan.isReading {
                    try confirmPrimary(connection, &lane.stored)
                    try checkNewest(connection)
                }
                let start = uptime()
                try connection.begin(transaction.plan)
                if transaction.run(on: connection), !lane.tally.isBusy {
                    let commit = uptime()
                    try connection.commit()
                    if transaction.plan.isReading {
                        counted.withLock { counted in
                            counted.reads += 1
                            counted.exchanges += connection.takeExchanges()
                        }
                    } else {
                        noteCommit(of: transaction.count, on: connection, &lane.stored, began: start, commit: commit)
                    }
                    return nil
                }
                guard let failure = connection.failure else {
                    try connection.rollBack()
                    if !lane.tally.isBusy { counted.withLock { $0.rolledBack += 1 } }
                    return nil
                }
                throw failure
            } catch {
                if !transaction.plan.isReading, let connection = lane.connection, connection.isCommitting {
                    unanswered = connection.batch + 1
                }
                let isLost = error.endsConnection || (try? lane.connection?.rollBack()) == nil
                if isLost, lane.connection != nil { counted.withLock { $0.lostConnections += 1 } }
                if lane.connection != nil { counted.withLock { $0.rolledBack += 1 } }
                if isLost {
                    lane.connection = nil
                    // Another lane may have its connection.
                    putBack(lane.tally.endCounting())
                }
                if error.isSuperseded { supersede() }
                let isInTime = uptime() &- began < PostgresLanes.longestTry
                if error.endsConnection, runs < PostgresLanes.maxRuns, isInTime, let wait = waits.popFirst() {
                    counted.withLock { $0.runsAgain[.connection, default: 0] += 1 }
                    PostgresLanes.sleep(wait)
                    continue
                }
                guard unanswered == nil else {
                    unfinished.withLock { $0.noteUnsettled(lane.name.lane) }
                    return .unsettled
                }
                guard error.mayPassAgain, runs < maxRuns else { return error }
                counted.withLock { $0.runsAgain[error.isClaiming ? .claim : .deadlock, default: 0] += 1 }
            }
        }
    }

    private func connect(_ lane: Lane) throws(PostgresFailure) -> PostgresConnection {
        do throws(PostgresFailure) {
            let connection = try connections.init(address, lane.name, limits: limits)
            connection.tally = lane.tally
            noteSettled(lane.name.lane)
            counted.withLock { counted in
                counted.connections += 1
                counted.reasonUnreachable = nil
            }
            return connection
        } catch {
            // Without a free connection for this lane, others may still have theirs.
            if error.endsConnection { counted.withLock { $0.reasonUnreachable = error.description } }
            throw error
        }
    }

    /// Lets the primary acknowledge a commit before a read, unless it did so a short time ago. A former primary that can
    /// still be reached would answer the read with old data. It acknowledges no commit, because a commit waits for a
    /// synchronous standby.
    private func confirmPrimary(_ connection: PostgresConnection, _ stored: inout Int64) throws(PostgresFailure) {
        let start = uptime()
        if let last = confirmedAt.withLock(\.self), start < last &+ PostgresLanes.longestUnconfirmed { return }
        try connection.begin(TransactionPlan())
        try connection.commit()
        noteCommit(of: 1, on: connection, &stored, began: start, commit: start)
    }

    /// A commit of another lane may be one of a newer primary.
    private func checkNewest(_ connection: PostgresConnection) throws(PostgresFailure) {
        guard address.isNewest(connection.timeline) else { throw .lost("a read of a former primary") }
    }

    private func noteCommit(
        of transactions: Int, on connection: PostgresConnection, _ stored: inout Int64, began start: UInt64,
        commit: UInt64
    ) {
        stored = connection.batch
        let now = uptime()
        confirmedAt.withLock { $0 = max($0 ?? 0, start) }
        counted.withLock { counted in
            counted.count(transactions, in: now &- start, commit: now &- commit)
            counted.exchanges += connection.takeExchanges()
            counted.reasonUnreachable = nil
        }
    }

    /// A database that was promoted without what this server has acknowledged. What was lost may come again, such as a
    /// code that was used.
    private func loseCommits(_ found: Int64, _ lane: Lane) throws(PostgresFailure) {
        endProcess("the database has lost \(lane.stored - found) acknowledged changes of lane \(lane.name.lane)")
        throw .lost("acknowledged changes are lost")
    }

    /// Another server has removed this one. No transaction of this one is stored any more, and what it remembers may
    /// be old.
    func supersede() { endProcess("another server found this one silent and removed it") }

    /// Refuses all further transactions, and ends the process.
    private func endProcess(_ reason: String) {
        let isFirst = inbox.withLock { inbox in
            guard inbox.refusal == nil else { return false }
            inbox.refusal = .failed(code: 0, operation: reason)
            return true
        }
        if isFirst { onFatal("\(reason): this server ends") }
    }

    private static func sleep(_ wait: Duration) {
        var time = timespec(
            tv_sec: Int(wait.components.seconds), tv_nsec: Int(wait.components.attoseconds / 1_000_000_000))
        nanosleep(&time, nil)
    }

    private func end(_ transaction: PendingTransaction, _ fault: StorageFault?, _ refusal: WriteRefusal?) {
        if let refusal { counted.withLock { $0.refusals[refusal, default: 0] += 1 } }
        if let fault { transaction.fail(fault) }
        for waiter in unfinished.withLock({ $0.remove(transaction) }) { waiter.resume(returning: true) }
        guard let home = transaction.home else { return transaction.resume() }
        home.resume(batch: [{ transaction.resume() }])
    }
}
