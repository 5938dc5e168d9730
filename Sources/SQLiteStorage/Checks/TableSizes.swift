internal import CSQLite
internal import Locks
internal import Engine
internal import Possession
internal import Storage

/// Counts the pages and rows of each table while the database is in use (OPS-06).
///
/// It reads every page of the file. Each table and each index gets its own read transaction, followed by a pause, so
/// that the WAL can be reset. It runs on a thread of the lowest priority.
final class TableSizes: Sendable {
    private enum SQL {
        /// Tables and indexes that have pages. Rows of a table without a rowid are in all of its pages, rows of other
        /// tables only in the leaves.
        static let trees: Statement = """
            SELECT s.name, s.tbl_name, s.type = 'table',
                   coalesce((SELECT l.wr FROM pragma_table_list l WHERE l.schema = 'main' AND l.name = s.tbl_name), 0)
              FROM sqlite_schema s WHERE s.rootpage > 0 ORDER BY s.tbl_name, s.type DESC
            """
        static let pages: Statement = """
            SELECT coalesce(sum(pgsize), 0), coalesce(sum(CASE WHEN ?2 OR pagetype = 'leaf' THEN ncell ELSE 0 END), 0)
              FROM dbstat WHERE name = ?1
            """
    }

    private struct Tree {
        let name: String
        let table: String
        let isTable: Bool
        let hasNoRowID: Bool
    }

    private struct State {
        var isCancelled = false
        /// The connection that `cancel` interrupts.
        var running: Handle?
    }

    /// Sendable because `sqlite3_interrupt` may be called from any thread while the connection is open, and the lock of
    /// `State` is held around both.
    private struct Handle: @unchecked Sendable { let connection: OpaquePointer }

    /// Whether the loaded library has the table of page statistics (`dbstat`).
    static let canBeTold = sqlite3_compileoption_used("ENABLE_DBSTAT_VTAB") == 1

    private let readers: Readers
    private let pause: Duration
    private let state = Locked(State())

    init(_ readers: Readers, pause: Duration) {
        self.readers = readers
        self.pause = pause
    }

    /// Callable from any thread: the count ends within milliseconds.
    @Sendable func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if let running = state.running { sqlite3_interrupt(running.connection) }
        }
    }

    private var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Blocks the calling thread until it is done. `nil`: it was cancelled.
    func run() throws(StorageFault) -> [TableSize]? {
        let connection = try readers.open()
        let handle = Handle(connection: connection.handle)
        state.withLock { $0.running = handle }
        defer { state.withLock { $0.running = nil } }
        do throws(StorageFault) {
            var sizes: [TableSize] = []
            for tree in try trees(connection) {
                if isCancelled { return nil }
                let (bytes, cells) = try pages(of: tree, connection)
                if tree.isTable { sizes.append(TableSize(name: tree.table, rows: cells, bytes: 0)) }
                guard let last = sizes.indices.last else { continue }
                sizes[last].bytes += bytes
                BackgroundThread.pause(milliseconds: pause.wholeMilliseconds)
            }
            return isCancelled ? nil : sizes
        } catch {
            if isCancelled { return nil }
            throw error
        }
    }

    /// Each table, followed by its indexes.
    private func trees(_ connection: SQLiteConnection) throws(StorageFault) -> [Tree] {
        try connection.all(SQL.trees) { (row) throws(StorageFault) in
            Tree(
                name: try row.text("sqlite_schema.name"), table: try row.text("sqlite_schema.tbl_name"),
                isTable: try row.flag("sqlite_schema.type"), hasNoRowID: try row.flag("sqlite_schema.sql"))
        }
    }

    private func pages(
        of tree: Tree, _ connection: SQLiteConnection
    ) throws(StorageFault) -> (bytes: Int, cells: Int) {
        try connection.first(SQL.pages) {
            $0.text(tree.name)
            $0.flag(tree.hasNoRowID)
        } _: { (row) throws(StorageFault) in
            (Int(try row.integer("dbstat.pgsize")), Int(try row.integer("dbstat.ncell")))
        } ?? (0, 0)
    }
}
