internal import Locks
internal import Engine
internal import Possession

/// Read-only connections: one for each executor, and a few for other callers.
///
/// A point read takes about a microsecond, so it runs on the calling thread, never through the writer.
final class Readers: Sendable {
    private let path: String
    private let idleLimit: Int
    private let damaged: DamagedPages
    private let idle = Locked<[Loan]>([])

    /// - Parameter damaged: records the pages that a reader finds damaged.
    init(path: String, idleLimit: Int, noting damaged: DamagedPages) {
        self.path = path
        self.idleLimit = idleLimit
        self.damaged = damaged
    }

    func open() throws(StorageFault) -> sending SQLiteConnection {
        let connection: SQLiteConnection
        do { connection = try SQLiteConnection(path: path, .reader, noting: damaged) } catch { throw error.fault }
        try connection.configureReader()
        return connection
    }

    /// Lends a connection for one read to a caller outside an executor.
    func read<Value: Sendable>(
        _ body: (SQLiteConnection) throws(StorageFault) -> Value
    ) throws(StorageFault) -> Value {
        let loan: Loan = if let kept = idle.withLock({ $0.popLast() }) { kept } else { Loan(connection: try open()) }
        defer { giveBack(loan) }
        return try body(loan.connection)
    }

    private func giveBack(_ loan: Loan) {
        idle.withLock { if $0.count < idleLimit { $0.append(loan) } }
    }

    func close() {
        idle.withLock { $0 = [] }
    }

    /// A connection outside the lock: only the borrower uses it.
    private struct Loan: @unchecked Sendable {
        let connection: SQLiteConnection
    }
}
