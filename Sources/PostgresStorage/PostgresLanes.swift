internal import Dispatch
internal import Engine
internal import Glibc
internal import Locks
internal import Possession
internal import Storage

/// Transactions on PostgreSQL. Each lane is a thread with a connection of its own, and runs one transaction at a time.
final class PostgresLanes: @unchecked Sendable {
    // Sendable: `inbox` is locked, the semaphores are thread-safe, `started` changes only in `start`.

    private let address: String
    private let server: Int64
    /// How long a lane waits before each further try to connect.
    private let waits: [Duration]
    private let limits: StorageLimits
    private let uptime: @Sendable () -> UInt64
    private let inbox = Locked(TransactionInbox())
    /// Signalled once for each transaction, and once for each lane when the lanes must stop.
    private let work = DispatchSemaphore(value: 0)
    /// Signalled by each lane at its end.
    private let ended = DispatchSemaphore(value: 0)
    private var started = 0
    private let unfinished = Locked(Unfinished())

    /// Transactions that have not ended, by the number that each got when it was submitted.
    private struct Unfinished {
        var numbers: [ObjectIdentifier: Int] = [:]
        var next = 0
        var waiters: [(before: Int, waiter: UnsafeContinuation<Void, Never>)] = []

        mutating func add(_ transaction: PendingTransaction) {
            numbers[ObjectIdentifier(transaction)] = next
            next += 1
        }

        /// - Returns: the waiters for which it was the last one.
        mutating func remove(_ transaction: PendingTransaction) -> [UnsafeContinuation<Void, Never>] {
            numbers[ObjectIdentifier(transaction)] = nil
            guard !waiters.isEmpty else { return [] }
            let oldest = numbers.values.min() ?? .max
            let done = waiters.filter { $0.before <= oldest }
            waiters.removeAll { $0.before <= oldest }
            return done.map(\.waiter)
        }
    }

    /// How often a transaction runs before a deadlock or a lost claim is its result. Of transactions that claim the same
    /// row, one succeeds in each round.
    private static let maxRuns = 16

    init(
        _ address: String, server: Int64, waits: [Duration], limits: StorageLimits,
        uptime: @escaping @Sendable () -> UInt64
    ) {
        self.address = address
        self.server = server
        self.waits = waits
        self.limits = limits
        self.uptime = uptime
    }

    /// Call once, before anything else. A lane connects at its first transaction.
    func start(_ lanes: Int) {
        for lane in 0..<lanes where BackgroundThread.start(.equal, { self.runLane(Int64(lane)) }) { started += 1 }
        if started == 0 { inbox.withLock { $0.refusal = .failed(code: 0, operation: "a thread for the database") } }
    }

    func put(_ transaction: PendingTransaction) {
        unfinished.withLock { $0.add(transaction) }
        let fault = inbox.withLock { inbox -> StorageFault? in
            if let refusal = inbox.refusal { return refusal }
            return inbox.take([transaction], room: limits.waitingTransactions).isEmpty ? nil : .overloaded
        }
        if let fault { end(transaction, fault) } else { work.signal() }
    }

    func waitForEarlierTransactions() async {
        await withUnsafeContinuation { waiter in
            let isDone = unfinished.withLock { unfinished in
                guard !unfinished.numbers.isEmpty else { return true }
                unfinished.waiters.append((unfinished.next, waiter))
                return false
            }
            if isDone { waiter.resume() }
        }
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

    private func runLane(_ number: Int64) {
        let name = LaneName(server: server, lane: number)
        var connection: PostgresConnection?
        while true {
            work.wait()
            guard let (batch, late) = next() else { break }
            for transaction in late { end(transaction, .overloaded) }
            for transaction in batch { end(transaction, run(transaction, name, &connection)) }
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
    private func run(
        _ transaction: PendingTransaction, _ name: LaneName, _ lane: inout PostgresConnection?
    ) -> StorageFault? {
        var runs = 0
        var waits = waits[...]
        /// Number of the transaction, once its COMMIT was sent and the connection was lost.
        var unanswered: Int64?
        while true {
            do throws(PostgresFailure) {
                let connection = if let lane { lane } else { try PostgresConnection(address, name, limits: limits) }
                lane = connection
                if let unanswered, connection.batch == unanswered { return nil }
                unanswered = nil
                runs += 1
                try connection.begin(transaction.plan)
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
                if let connection = lane, connection.isCommitting { unanswered = connection.batch + 1 }
                if error.endsConnection || (try? lane?.rollBack()) == nil { lane = nil }
                if error.endsConnection, runs < PostgresLanes.maxRuns, let wait = waits.popFirst() {
                    PostgresLanes.sleep(wait)
                    continue
                }
                guard error.mayPassAgain, runs < PostgresLanes.maxRuns else { return error.fault }
            }
        }
    }

    private static func sleep(_ wait: Duration) {
        var time = timespec(
            tv_sec: Int(wait.components.seconds), tv_nsec: Int(wait.components.attoseconds / 1_000_000_000))
        nanosleep(&time, nil)
    }

    private func end(_ transaction: PendingTransaction, _ fault: StorageFault?) {
        if let fault { transaction.fail(fault) }
        for waiter in unfinished.withLock({ $0.remove(transaction) }) { waiter.resume() }
        guard let home = transaction.home else { return transaction.resume() }
        home.resume(batch: [{ transaction.resume() }])
    }
}
