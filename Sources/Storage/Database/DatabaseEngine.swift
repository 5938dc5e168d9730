package import Engine
package import Possession

/// A storage engine under `Database`: it runs transactions and reads.
package protocol DatabaseEngine: AnyObject, Sendable {
    /// Runs the transaction, and resumes its caller once its changes are durable or it was refused.
    func submit(_ transaction: PendingTransaction)

    /// The same soon: in the commit of a transaction whose caller waits, if there is one.
    func submitUnawaited(_ transaction: PendingTransaction)

    /// Runs `body` at once on the calling thread; it sees every commit that has returned.
    /// - Returns: false: this engine reads only in a transaction, and `body` did not run.
    func readAtOnce(
        on home: (any CompletionExecutor)?, _ body: (any Connection) throws(StorageFault) -> Void
    ) throws(StorageFault) -> Bool

    /// It runs transactions one after another, so they need no names.
    var runsAlone: Bool { get }

    /// Number of this process in table `servers`; `nil`: the engine has one server, and no such table.
    var server: Int64? { get }

    /// Returns when all transactions that were submitted before have ended. An engine that runs transactions in their
    /// order has nothing to do: its caller has waited for the end of an empty one.
    ///
    /// A transaction whose COMMIT had no answer may still be stored after its caller has the fault. This waits for its end
    /// too.
    /// - Throws: `.failed`: the engine was closed before such an end was known.
    func waitForEarlierTransactions() async throws(StorageFault)

    /// Returns when all servers of the database have read again what a stored change of `CachedPart` has changed.
    func waitForServers() async throws(StorageFault)

    /// Whether no other server can have taken over the work of this one. Returns soon, or when the database answers.
    func keepsPlace() async -> Bool

    /// The same at once: also false if only the database could tell.
    var surelyKeepsPlace: Bool { get }

    /// Part of a restore: time continues from `now`, whatever the backup says.
    func continueTime(from now: Timestamp, _ connection: any Connection) throws(StorageFault)

    /// Returns when no file of the database has a row that was deleted before (DAT-05).
    func removeDeletedData() async
}

extension DatabaseEngine {
    package var server: Int64? { nil }

    /// For an engine with one server, which changes its caches itself.
    package func waitForServers() async throws(StorageFault) {}

    package func keepsPlace() async -> Bool { true }

    package var surelyKeepsPlace: Bool { true }
}
