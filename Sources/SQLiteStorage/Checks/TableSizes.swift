internal import CSQLite
internal import Locks
internal import Possession

/// How much a table holds.
package struct TableSize: Sendable, Equatable {
    package let name: String
    package var rows: Int
    /// Size of its pages and those of its indexes, full or not.
    package var bytes: Int
}

/// Counts the pages and rows of each table, beside those who work on it (OPS-06).
///
/// It reads every page of the file. Each table and each index is a read transaction of its own, with a pause behind it, so
/// that the WAL can start again. It runs on a thread of the lowest priority.
final class TableSizes: Sendable {
    private enum SQL {
        /// Tables and indexes with pages; rows of a table without a rowid stand in all of its pages, of another one in the leaves.
        static let trees: StaticString = """
            SELECT s.name, s.tbl_name, s.type = 'table',
                   coalesce((SELECT l.wr FROM pragma_table_list l WHERE l.schema = 'main' AND l.name = s.tbl_name), 0)
              FROM sqlite_schema s WHERE s.rootpage > 0 ORDER BY s.tbl_name, s.type DESC
            """
        static let pages: StaticString = """
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
        /// Connection that `cancel` interrupts.
        var running: Handle?
    }

    /// Sendable because `sqlite3_interrupt` may be called from any thread while the connection is open, and the lock of
    /// `State` is held around both.
    private struct Handle: @unchecked Sendable { let connection: OpaquePointer }

    /// Whether the loaded library has the table that knows of pages.
    static let canBeTold = sqlite3_compileoption_used("ENABLE_DBSTAT_VTAB") == 1

    private let readers: Readers
    private let pause: Duration
    private let state = Locked(State())

    init(_ readers: Readers, pause: Duration) {
        self.readers = readers
        self.pause = pause
    }

    /// From any thread: the look ends within milliseconds.
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

    /// Each table, and its indexes behind it.
    private func trees(_ connection: Connection) throws(StorageFault) -> [Tree] {
        try connection.all(SQL.trees) { (row) throws(StorageFault) in
            Tree(
                name: try row.text("sqlite_schema.name"), table: try row.text("sqlite_schema.tbl_name"),
                isTable: try row.flag("sqlite_schema.type"), hasNoRowID: try row.flag("sqlite_schema.sql"))
        }
    }

    private func pages(
        of tree: Tree, _ connection: Connection
    ) throws(StorageFault) -> (bytes: Int, cells: Int) {
        try connection.first(SQL.pages) {
            $0.text(tree.name)
            $0.flag(tree.hasNoRowID)
        } _: { (row) throws(StorageFault) in
            (Int(try row.integer("dbstat.pgsize")), Int(try row.integer("dbstat.ncell")))
        } ?? (0, 0)
    }
}
