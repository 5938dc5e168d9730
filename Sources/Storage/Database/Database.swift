package import Engine
import Possession

/// The database of one server process, as the stores use it: transactions and reads. The engine decides how they run.
package final class Database: Sendable {
    /// The executor of the calling thread; `nil`: the thread belongs to none.
    package typealias HomeFinder = @Sendable () -> (any CompletionExecutor)?

    private let engine: any DatabaseEngine
    private let home: HomeFinder
    private let uptime: @Sendable () -> UInt64
    package let limits: StorageLimits
    /// The numbers that an erasure is removing at the moment.
    let erasing = NumbersBeingErased()

    /// - Parameter uptime: monotonic nanoseconds.
    package init(
        _ engine: any DatabaseEngine, limits: StorageLimits, home: @escaping HomeFinder,
        uptime: @escaping @Sendable () -> UInt64
    ) {
        self.engine = engine
        self.limits = limits
        self.home = home
        self.uptime = uptime
    }

    /// Transactions run one after another, in the order in which they are submitted.
    var runsAlone: Bool { engine.runsAlone }

    /// Number of this process in table `servers`; `nil`: the database has one server, and no such table.
    var server: Int64? { engine.server }

    /// Runs `body` as one transaction and returns its result when it is durable. If `body` throws, its writes are
    /// rolled back.
    ///
    /// `body` must change only the database, because it may run again: if another transaction of the same commit throws.
    ///
    /// Nonisolated, so it stays on the calling task's executor. A cancelled task's transaction still commits.
    /// - Parameters:
    ///   - isLong: it writes many items. Two long transactions never share a commit, so that others wait for one at
    ///     most.
    ///   - isBlind: `body` reads nothing and looks at no count of changed rows, so that it can share a commit.
    ///   - name: one transaction at a time has it. It is not computed for an engine that does not use it.
    package func transaction<Value: Sendable>(
        isLong: Bool = false, isBlind: Bool = false, locking name: @autoclosure () -> LockName? = nil,
        _ body: @escaping @Sendable (any Connection) throws(StorageFault) -> Value
    ) async throws(StorageFault) -> Value {
        var plan = TransactionPlan()
        plan.isLong = isLong
        plan.name = engine.runsAlone ? nil : name()
        guard let scope = AuditScope.current, !scope.isStored else {
            plan.isBlind = isBlind && !isLong && plan.name == nil
            return try await run(plan, body)
        }
        let (value, hasEntry) = try await run(plan) { (connection) throws(StorageFault) in
            try scope.run(body, connection)
        }
        if hasEntry { scope.noteStored() }
        return value
    }

    /// The same for a change of what servers cache. Returns when all servers have read it again.
    package func transaction<Value: Sendable>(
        changing part: CachedPart, locking name: @autoclosure () -> LockName? = nil,
        _ body: @escaping @Sendable (any Connection) throws(StorageFault) -> Value
    ) async throws(StorageFault) -> Value {
        let value = try await transaction(locking: name()) { (connection) throws(StorageFault) in
            let before = connection.totalChanges
            let value = try body(connection)
            if connection.totalChanges != before { try CacheVersions.raise(part, connection) }
            return value
        }
        try await waitForServers()
        return value
    }

    /// Returns when all servers of the database have read again what was stored of `CachedPart` before the call.
    /// - Throws: `.overloaded`: a server was neither heard nor removed in time.
    package func waitForServers() async throws(StorageFault) { try await engine.waitForServers() }

    private func run<Value: Sendable>(
        _ plan: TransactionPlan, _ body: @escaping @Sendable (any Connection) throws(StorageFault) -> Value
    ) async throws(StorageFault) -> Value {
        let result = await withUnsafeContinuation { waiter in
            engine.submit(
                WaitingTransaction(home: home(), submittedAt: uptime(), plan: plan, body: body, waiter: waiter))
        }
        return try result.get()
    }

    /// Runs `body` as one transaction soon, in the same commit as an awaited transaction if there is one, and returns
    /// at once. `whenEnded` is called when its changes are durable, or it was refused.
    ///
    /// As for `transaction`, `body` must change only the database.
    package func submit(
        _ body: @escaping @Sendable (any Connection) throws(StorageFault) -> Void,
        whenEnded: @escaping @Sendable (_ isDone: Bool) -> Void = { _ in }
    ) {
        engine.submitUnawaited(UnawaitedTransaction(submittedAt: uptime(), body: body, whenEnded: whenEnded))
    }

    /// Runs `body`, which changes nothing. It sees every commit that has returned.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws(StorageFault) -> Value
    ) async throws(StorageFault) -> Value {
        var value: Value?
        let isRead = try engine.readAtOnce(on: home()) { (connection) throws(StorageFault) in
            value = try body(connection)
        }
        if isRead, let value { return value }
        var plan = TransactionPlan()
        plan.isReading = true
        return try await run(plan, body)
    }

    /// Returns when all transactions that were submitted before have ended, also those whose result is not known.
    package func waitForEarlierTransactions() async throws(StorageFault) {
        if engine.runsAlone { try await transaction { (_) throws(StorageFault) in } }
        try await engine.waitForEarlierTransactions()
    }

    /// Whether no other server can have taken over the work of this one.
    func keepsPlace() async -> Bool { await engine.keepsPlace() }

    /// The same at once: also false if only the database could tell.
    var surelyKeepsPlace: Bool { engine.surelyKeepsPlace }

    /// Part of a restore: time continues from `now`, whatever the backup says.
    func continueTime(from now: Timestamp, _ connection: any Connection) throws(StorageFault) {
        try engine.continueTime(from: now, connection)
    }

    /// Returns when no file of the database has a row that was deleted before (DAT-05).
    package func removeDeletedData() async { await engine.removeDeletedData() }
}
