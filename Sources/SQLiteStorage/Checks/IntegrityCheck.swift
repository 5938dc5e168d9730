internal import CSQLite
internal import Dispatch
internal import Locks
internal import Engine
internal import Possession
internal import Storage

/// Result of a check of the whole file.
package enum IntegrityFinding: Sendable, Equatable {
    case sound
    /// SQLite's message about the first error: names of tables and numbers of pages, no content.
    case damaged(String)
    /// It was cancelled before the end.
    case cancelled
}

/// Checks a whole database for damage while it is in use (DUR-09, DUR-19): the checksum of each page of the file, then
/// the tables and indexes built from the pages.
///
/// A reader keeps pages in the WAL, so the check reads in steps, each in its own read transaction: one table with its
/// indexes by `quick_check`, 100 to 600 MB a second from memory. A table that takes longer than `longestStep` is read
/// row by row in ranges of its key instead; its indexes and the order of its pages are then not checked. The check
/// pauses between steps, so that the WAL can be reset. It runs on a thread of the lowest priority.
final class IntegrityCheck: Sendable {
    private struct State {
        var isCancelled = false
        /// The connection that `cancel` and the end of a step interrupt, and the number of that step.
        var running: Handle?
        var step = 0
    }

    /// Sendable because `sqlite3_interrupt` may be called from any thread while the connection is open, and the lock of
    /// `State` is held around both.
    private struct Handle: @unchecked Sendable { let connection: OpaquePointer }

    private let readers: Readers
    private let limits: SQLiteLimits
    private let confirm: Confirmation
    private let state = Locked(State())

    /// Returns which of the given pages are damaged in the file, while no process writes to it; `nil`: that is unknown
    /// at the moment.
    typealias Confirmation = @Sendable ([Int]) throws(SQLiteFailure) -> [Int]?

    init(_ readers: Readers, limits: SQLiteLimits, confirm: @escaping Confirmation) {
        self.readers = readers
        self.limits = limits
        self.confirm = confirm
    }

    /// Callable from any thread: the check ends within milliseconds.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if let running = state.running { sqlite3_interrupt(running.connection) }
        }
    }

    private var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Blocks the calling thread until it is done.
    func run() throws(StorageFault) -> IntegrityFinding {
        let connection = try readers.open()
        connection.checkCells()
        defer { state.withLock { $0.running = nil } }
        var name = "sqlite_schema"
        do throws(SQLiteFailure) {
            let finding = try checkPages(connection)
            if finding != .sound { return finding }
            for table in try connection.checkedTables() {
                name = table.name
                let finding = try check(table, connection)
                if finding != .sound { return finding }
                pause()
            }
        } catch {
            if isCancelled { return .cancelled }
            let error = connection.named(error)
            if error.isDamagedPage { return .damaged("\(name): \(error.operation)") }
            switch error.code & 0xFF {
            // Not `.overloaded`: that says nothing about pages.
            case SQLITE_BUSY: throw .failed(code: Int(error.code), operation: error.operation)
            case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged("\(name): malformed")
            default: throw error.fault
            }
        }
        return isCancelled ? .cancelled : .sound
    }

    /// Tries while a reader keeps the log.
    private static let mostTries = 50
    /// Pages that are checked again: all changes wait meanwhile.
    private static let mostConfirmed = 20

    private func checkPages(_ connection: SQLiteConnection) throws(SQLiteFailure) -> IntegrityFinding {
        var scan = PageScan(connection)
        while try scan.step() {
            if isCancelled { return .cancelled }
            pause()
        }
        guard !scan.suspected.isEmpty else { return .sound }
        let suspected = Array(scan.suspected.prefix(IntegrityCheck.mostConfirmed))
        for _ in 0..<IntegrityCheck.mostTries where !isCancelled {
            if let damaged = try confirm(suspected) {
                return damaged.isEmpty ? .sound : .damaged(connection.note(damaged))
            }
            pause()
        }
        if isCancelled { return .cancelled }
        let names = suspected.map { "page \($0)" }.joined(separator: ", ")
        throw SQLiteFailure(
            code: SQLITE_BUSY, operation: "\(names) may be damaged, which cannot be told while a reader keeps the log")
    }

    private func check(_ table: CheckedTable, _ connection: SQLiteConnection) throws(SQLiteFailure) -> IntegrityFinding
    {
        let found: String?
        let damagedReads = connection.damagedReads
        do throws(SQLiteFailure) {
            found = try within(limits.longestCheckStep, connection) { (connection) throws(SQLiteFailure) in
                try connection.quickCheck(of: table)
            }
        } catch {
            guard error.code & 0xFF == SQLITE_INTERRUPT else { throw error }
            if isCancelled { return .cancelled }
            return try walk(through: table, connection)
        }
        // SQLite returns this as a finding instead of an error if the page belongs to an index.
        if connection.damagedReads > damagedReads, let page = connection.noteLastDamaged() {
            return .damaged("\(table.name): \(page) is damaged")
        }
        return found.map { .damaged("\(table.name): \($0)") } ?? .sound
    }

    private func walk(through table: CheckedTable, _ connection: SQLiteConnection) throws(SQLiteFailure)
        -> IntegrityFinding
    {
        var walk = try TableWalk(table, connection)
        while try walk.step(rows: limits.rowsPerCheckStep) {
            if isCancelled { return .cancelled }
            pause()
        }
        return .sound
    }

    /// Runs `body` and interrupts it when it takes longer than `longest`.
    private func within<Value>(
        _ longest: Duration, _ connection: SQLiteConnection, _ body: (SQLiteConnection) throws(SQLiteFailure) -> Value
    ) throws(SQLiteFailure) -> Value {
        let handle = Handle(connection: connection.handle)
        let step = state.withLock { state in
            state.running = handle
            state.step += 1
            return state.step
        }
        defer { state.withLock { $0.running = nil } }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(longest.wholeMilliseconds))) {
            self.state.withLock { state in
                if state.step == step, let running = state.running { sqlite3_interrupt(running.connection) }
            }
        }
        if isCancelled { throw SQLiteFailure(code: SQLITE_INTERRUPT, operation: "check") }
        return try body(connection)
    }

    private func pause() {
        BackgroundThread.pause(milliseconds: limits.pauseBetweenCheckSteps.wholeMilliseconds)
    }
}
