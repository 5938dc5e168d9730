package import Engine

/// How a transaction is to run.
package struct TransactionPlan: Sendable {
    /// It writes many items, and takes as long as many other transactions.
    package var isLong = false
    /// It changes nothing, and sees one state of the database.
    package var isReading = false
    /// It needs the result of no statement, so that several may share a commit in an engine that runs transactions side
    /// by side.
    package var isBlind = false
    /// One transaction at a time has this name; `nil`: it needs none.
    package var name: LockName?

    package init() {}
}

/// A submitted transaction: passed from its task to the writer, and back to the task's executor.
package class PendingTransaction: @unchecked Sendable {
    // Sendable: passed from the submitting task to the writer's queue and from there to the executor; only one owns it
    // at a time.

    /// `nil`: resumed from the writer's queue, on the task's own executor.
    package let home: (any CompletionExecutor)?
    /// Monotonic, in nanoseconds.
    package let submittedAt: UInt64
    package let plan: TransactionPlan

    package init(
        home: (any CompletionExecutor)?, submittedAt: UInt64, plan: TransactionPlan = TransactionPlan()
    ) {
        self.home = home
        self.submittedAt = submittedAt
        self.plan = plan
    }

    package var isLong: Bool { plan.isLong }
    /// How many transactions of callers it is.
    package var count: Int { 1 }

    /// Runs the transaction and keeps its result. `false`: it threw, and its writes must be rolled back. May be called
    /// again after that, to run from the start.
    package func run(on connection: any Connection) -> Bool { preconditionFailure("abstract") }
    /// Replaces the result with a fault: the batch was lost, or the transaction never started.
    package func fail(_ fault: StorageFault) { preconditionFailure("abstract") }
    /// Resumes the task with the result.
    package func resume() { preconditionFailure("abstract") }
}

/// A transaction with a typed result.
package final class WaitingTransaction<Value: Sendable>: PendingTransaction, @unchecked Sendable {
    package typealias Body = @Sendable (any Connection) throws(StorageFault) -> Value

    private let body: Body
    private let waiter: UnsafeContinuation<Result<Value, StorageFault>, Never>
    private var result: Result<Value, StorageFault>?

    init(
        home: (any CompletionExecutor)?, submittedAt: UInt64, plan: TransactionPlan, body: @escaping Body,
        waiter: UnsafeContinuation<Result<Value, StorageFault>, Never>
    ) {
        self.body = body
        self.waiter = waiter
        super.init(home: home, submittedAt: submittedAt, plan: plan)
    }

    override package func run(on connection: any Connection) -> Bool {
        do throws(StorageFault) {
            result = .success(try body(connection))
            return true
        } catch {
            result = .failure(error)
            return false
        }
    }

    override package func fail(_ fault: StorageFault) {
        result = .failure(fault)
    }

    override package func resume() {
        guard let result = result.take() else { preconditionFailure("a transaction is resumed with its result") }
        waiter.resume(returning: result)
    }
}

/// A transaction without a waiting caller.
package final class UnawaitedTransaction: PendingTransaction, @unchecked Sendable {
    // Sendable: as `PendingTransaction`.

    package typealias Body = @Sendable (any Connection) throws(StorageFault) -> Void

    private let body: Body
    private let whenEnded: @Sendable (_ isDone: Bool) -> Void
    private var isDone = false

    /// - Parameter whenEnded: called once, when the changes are durable or the transaction was refused.
    init(submittedAt: UInt64, body: @escaping Body, whenEnded: @escaping @Sendable (_ isDone: Bool) -> Void) {
        self.body = body
        self.whenEnded = whenEnded
        super.init(home: nil, submittedAt: submittedAt)
    }

    override package func run(on connection: any Connection) -> Bool {
        do throws(StorageFault) { try body(connection) } catch {
            isDone = false
            return false
        }
        isDone = true
        return true
    }

    override package func fail(_ fault: StorageFault) { isDone = false }

    override package func resume() { whenEnded(isDone) }
}
