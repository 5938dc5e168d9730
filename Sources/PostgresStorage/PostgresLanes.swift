internal import Dispatch
internal import Engine
internal import Locks
internal import Possession
internal import Storage

/// Transactions on PostgreSQL. Each lane is a thread with a connection of its own, and runs one transaction at a time.
final class PostgresLanes: @unchecked Sendable {
    // Sendable: `inbox` is locked, the semaphores are thread-safe, `started` changes only in `start`.

    private let address: String
    private let limits: StorageLimits
    private let uptime: @Sendable () -> UInt64
    private let inbox = Locked(TransactionInbox())
    /// Signalled once for each transaction, and once for each lane when the lanes must stop.
    private let work = DispatchSemaphore(value: 0)
    /// Signalled by each lane at its end.
    private let ended = DispatchSemaphore(value: 0)
    private var started = 0

    /// How often a transaction runs before a deadlock or a lock timeout is its result.
    private static let maxRuns = 8

    init(_ address: String, limits: StorageLimits, uptime: @escaping @Sendable () -> UInt64) {
        self.address = address
        self.limits = limits
        self.uptime = uptime
    }

    /// Call once, before anything else. A lane connects at its first transaction.
    func start(_ lanes: Int) {
        for _ in 0..<lanes where BackgroundThread.start(.equal, { self.runLane() }) { started += 1 }
        if started == 0 { inbox.withLock { $0.refusal = .failed(code: 0, operation: "a thread for the database") } }
    }

    func put(_ transaction: PendingTransaction) {
        let fault = inbox.withLock { inbox -> StorageFault? in
            if let refusal = inbox.refusal { return refusal }
            return inbox.take([transaction], room: limits.waitingTransactions).isEmpty ? nil : .overloaded
        }
        if let fault { PostgresLanes.end(transaction, fault) } else { work.signal() }
    }

    /// Refuses new transactions. Each lane ends when no transaction waits.
    func stop() {
        let isFirst = inbox.withLock { inbox in
            guard inbox.refusal == nil else { return false }
            inbox.refusal = .failed(code: 0, operation: "closed")
            return true
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

    // MARK: A lane

    private func runLane() {
        var connection: PostgresConnection?
        while true {
            work.wait()
            guard let (batch, late) = next() else { break }
            for transaction in late { PostgresLanes.end(transaction, .overloaded) }
            for transaction in batch { PostgresLanes.end(transaction, run(transaction, &connection)) }
        }
        connection = nil
        ended.signal()
    }

    /// One transaction, and those that have waited too long. `nil`: no transaction waits, and none will come.
    private func next() -> (batch: [PendingTransaction], late: [PendingTransaction])? {
        let longest = UInt64(max(0, limits.longestWait.wholeMilliseconds)) * 1_000_000
        return inbox.withLock { inbox in
            inbox.next(atMost: 1, now: uptime(), longestWait: longest) ?? (inbox.refusal == nil ? ([], []) : nil)
        }
    }

    /// - Returns: why it was refused; `nil`: the transaction has its own result.
    private func run(_ transaction: PendingTransaction, _ lane: inout PostgresConnection?) -> StorageFault? {
        var runs = 0
        while true {
            runs += 1
            do throws(PostgresFailure) {
                let connection = if let lane { lane } else { try PostgresConnection(address, limits: limits) }
                lane = connection
                try connection.begin()
                if transaction.run(on: connection) {
                    try connection.commit()
                    return nil
                }
                guard let failure = connection.failure else {
                    try connection.rollBack()
                    return nil
                }
                throw failure
            } catch {
                if error.endsConnection || (try? lane?.rollBack()) == nil { lane = nil }
                guard error.mayPassAgain, runs < PostgresLanes.maxRuns else { return error.fault }
            }
        }
    }

    private static func end(_ transaction: PendingTransaction, _ fault: StorageFault?) {
        if let fault { transaction.fail(fault) }
        guard let home = transaction.home else { return transaction.resume() }
        home.resume(batch: [{ transaction.resume() }])
    }
}
