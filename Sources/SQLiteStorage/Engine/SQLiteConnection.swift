internal import CSQLite
internal import Engine
internal import Possession
internal import Storage

/// One SQLite handle with its prepared statements. Confined to the writer's queue or to a reader's lock.
final class SQLiteConnection: Connection {
    enum Kind {
        case writer, reader
        /// A reader whose path is a URI.
        case fileOnly
    }

    /// Version of the loaded library.
    static var engineVersion: String { String(cString: sqlite3_libversion()) }

    /// For extensions of the connection, and for the objects it creates.
    let handle: OpaquePointer
    /// Records the pages that this connection finds damaged.
    let damaged: DamagedPages
    /// Limits of the stores that it serves.
    var limits = StorageLimits()
    let runsAlone = true
    private var statements: [UnsafePointer<UInt8>: PreparedStatement] = [:]
    /// Set by the first error after which no commit may be acknowledged.
    private var firstFatal: SQLiteFailure?
    /// The last error that may not occur on a later try; `takeRefusal` clears it.
    private var refusal: WriteRefusal?

    /// The last refusal because of a damaged page; `takeDamage` clears it.
    private var damage: StorageFault?

    /// How long a statement waits for another process that writes, in milliseconds (DUR-05).
    static let busyTimeout: Int32 = 5000

    /// Once per process. Refused if other code has used SQLite before, which only costs speed.
    private static let engineIsSet: Bool = {
        let isSet = csqlite_stop_counting_memory() == SQLITE_OK
        PageChecksums.register()
        return isSet
    }()

    /// - Parameter vfs: the VFS that opens the files.
    /// - Throws: SQLite's refusal.
    init(
        path: String, _ kind: Kind, noting damaged: DamagedPages = DamagedPages(), vfs: String = PageChecksums.vfs
    ) throws(SQLiteFailure) {
        _ = SQLiteConnection.engineIsSet
        // One thread at a time uses a connection, so SQLite runs in multi-thread mode: its own mutexes stay off.
        let access =
            switch kind {
            case .writer: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .reader: SQLITE_OPEN_READONLY
            case .fileOnly: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw SQLiteFailure(code: code, operation: "open")
        }
        handle = opened
        self.damaged = damaged
        if kind == .writer && vfs == PageChecksums.vfs { leaveRoomForChecksums() }
        // Without a checkpoint on close, a refused start leaves the files unchanged, and a reader never checkpoints.
        csqlite_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        csqlite_configure(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        csqlite_configure(handle, SQLITE_DBCONFIG_DQS_DML, 0)
        csqlite_configure(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
        stopOwnCheckpoints()
    }

    func stopOwnCheckpoints() {
        sqlite3_wal_autocheckpoint(handle, 0)
    }

    deinit {
        for statement in statements.values { statement.finalize() }
        sqlite3_close_v2(handle)
    }

    // MARK: Statements

    func run(_ statement: Statement, _ values: (inout Parameters) -> Void) throws(StorageFault) {
        try run(statement, values) { (_) throws(StorageFault) in true }
    }

    func run(
        _ statement: Statement, _ values: (inout Parameters) -> Void,
        each read: (inout Row) throws(StorageFault) -> Bool
    ) throws(StorageFault) {
        let prepared = try prepared(statement)
        defer { prepared.reset() }
        do { try prepared.bind(values) } catch { throw note(error) }
        while true {
            do {
                guard try prepared.step() else { return }
            } catch {
                throw note(error)
            }
            var row = Row(prepared)
            guard try read(&row) else { return }
        }
    }

    /// A literal keeps one address for the life of the program, so the address is the key.
    private func prepared(_ statement: Statement) throws(StorageFault) -> PreparedStatement {
        let place = statement.text.utf8Start
        if let prepared = statements[place] { return prepared }
        do {
            let prepared = try PreparedStatement(statement.text, on: handle)
            statements[place] = prepared
            return prepared
        } catch {
            throw note(error)
        }
    }

    /// Runs all statements of a program text: a migration, or a pragma with a number in it.
    func runScript(_ text: String) throws(SQLiteFailure) {
        guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else {
            throw named(SQLiteFailure(code: sqlite3_extended_errcode(handle), operation: "script"))
        }
    }

    /// SQLite's message about the last failure of a script: for an operator with a broken migration.
    var lastMessage: String { String(cString: sqlite3_errmsg(handle)) }

    private func note(_ failure: SQLiteFailure) -> StorageFault {
        let failure = named(failure)
        if failure.isFatal && firstFatal == nil { firstFatal = failure }
        refusal = failure.refusal ?? refusal
        if failure.isDamagedPage { damage = failure.fault }
        return failure.fault
    }

    func takeDamage() -> StorageFault? {
        defer { damage = nil }
        return damage
    }

    /// Why nothing may be acknowledged. A damaged log, no matter which connection found it, would be cut off at the
    /// next start before the new commits.
    var fatal: SQLiteFailure? { firstFatal ?? damaged.inLog.map(SQLiteFailure.damagedLog) }

    /// Why SQLite refused a statement since the last call, if a later try may succeed.
    func takeRefusal() -> WriteRefusal? {
        defer { refusal = nil }
        return refusal
    }

    // MARK: Transactions

    private enum SQL {
        static let begin: Statement = "BEGIN IMMEDIATE"
        static let commit: Statement = "COMMIT"
        static let rollBack: Statement = "ROLLBACK"
        static let savepoint: Statement = "SAVEPOINT one"
        static let release: Statement = "RELEASE one"
        static let rollBackTo: Statement = "ROLLBACK TO one"
    }

    func begin() throws(StorageFault) { try run(SQL.begin) }
    /// Returns when the changes are durable.
    func commit() throws(StorageFault) { try run(SQL.commit) }
    /// Ends a transaction that is still open. A failure here is already recorded, and nothing else can be done about
    /// it.
    func rollBack() {
        if isInTransaction { try? run(SQL.rollBack) }
    }
    func beginSavepoint() throws(StorageFault) { try run(SQL.savepoint) }
    func releaseSavepoint() throws(StorageFault) { try run(SQL.release) }
    func rollBackToSavepoint() throws(StorageFault) {
        try run(SQL.rollBackTo)
        try run(SQL.release)
    }

    // MARK: State

    /// Rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes64(handle)) }
    /// Rows changed since the connection was opened, including those changed by cascades.
    var totalChanges: Int { Int(sqlite3_total_changes64(handle)) }
    /// Also `false` when an error made SQLite roll back by itself.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Records the size of the WAL, in pages, after every commit.
    func watchLog(_ pages: UnsafeMutablePointer<Int32>) {
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, pages)
    }

    enum Checkpoint {
        /// Moves all pages that need no waiting.
        case passive
        /// Moves all pages, and then starts the WAL again from its beginning.
        case restart
        /// Moves all pages, and then truncates the file to zero bytes.
        case truncate
    }

    /// Moves pages from the WAL to the database. Returns the number of pages left in the WAL: 0 when all are moved and,
    /// for `restart` and `truncate`, the WAL starts again. It waits for no reader and no other writer.
    func checkpoint(_ mode: Checkpoint) throws(SQLiteFailure) -> Int {
        var logged: Int32 = 0
        var moved: Int32 = 0
        let word =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        // With the busy timeout, the only writer would wait for a reader in any process, up to the whole timeout.
        sqlite3_busy_timeout(handle, 0)
        let code = sqlite3_wal_checkpoint_v2(handle, nil, word, &logged, &moved)
        sqlite3_busy_timeout(handle, SQLiteConnection.busyTimeout)
        // Busy: a reader is active; a later checkpoint moves the rest.
        if code & 0xFF == SQLITE_BUSY { return Int(max(1, logged)) }
        guard code == SQLITE_OK else {
            let failure = named(SQLiteFailure(code: code, operation: "checkpoint"))
            if failure.isFatal && firstFatal == nil { firstFatal = failure }
            throw failure
        }
        return Int(max(0, logged - moved))
    }
}
