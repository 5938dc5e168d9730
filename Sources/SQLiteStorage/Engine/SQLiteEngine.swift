internal import Engine
internal import Locks
internal import Possession
internal import Storage

/// Group-committed transactions and point reads on one SQLite file.
///
/// Transactions run one after another on the writer's queue; each returns when its commit is on the disk. The body of a
/// transaction must be short: every other transaction waits for it. A read takes about a microsecond, so it runs on the
/// calling thread.
final class SQLiteEngine: DatabaseEngine {
    let writer: Writer
    /// `nil` in memory: a second connection would open another database.
    let readers: Readers?
    private let branches = Locked<[ObjectIdentifier: LoopDatabase]>([:])
    private let closed = Locked(false)

    init(_ writer: Writer, _ readers: Readers?) {
        self.writer = writer
        self.readers = readers
    }

    var isClosed: Bool { closed.withLock { $0 } }

    func submit(_ transaction: PendingTransaction) {
        if let home = transaction.home { branch(of: home).submit(transaction) } else { writer.submit([transaction]) }
    }

    let runsAlone = true

    func waitForEarlierTransactions() async {}

    func submitUnawaited(_ transaction: PendingTransaction) { writer.submitUnawaited(transaction) }

    func readAtOnce(
        on home: (any CompletionExecutor)?, _ body: (any Connection) throws(StorageFault) -> Void
    ) throws(StorageFault) -> Bool {
        guard let readers else { return false }
        if isClosed { throw .failed(code: 0, operation: "closed") }
        if let home { try branch(of: home).read(from: readers, body) } else { try readers.read(body) }
        return true
    }

    private func branch(of home: any CompletionExecutor) -> LoopDatabase {
        branches.withLock { branches in
            if let branch = branches[ObjectIdentifier(home)] { return branch }
            let branch = LoopDatabase(home: home, writer: writer)
            branches[ObjectIdentifier(home)] = branch
            return branch
        }
    }

    func continueTime(from now: Timestamp, _ connection: any Connection) throws(StorageFault) {
        try ClockMarkTable.save(ClockMark(latest: now), connection)
    }

    func removeDeletedData() async { await writer.truncateLog() }

    /// Refuses later calls.
    func beginClosing() { closed.withLock { $0 = true } }

    /// Lets waiting transactions finish, empties the WAL and closes all connections.
    func close() async {
        for branch in branches.withLock({ Array($0.values) }) { branch.close() }
        readers?.close()
        await writer.close()
        branches.withLock { $0 = [:] }
    }
}
