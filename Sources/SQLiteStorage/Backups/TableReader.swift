internal import CSQLite
internal import Engine
internal import Possession
package import Storage

/// Reads the tables of a database, row by row, for another engine. No server may use the database meanwhile.
package final class TableReader {
    /// A table and the columns that are read of it, in order.
    package struct Table: Sendable {
        package let name: String
        package let columns: [Column]
    }

    package struct Column: Sendable {
        package let name: String
        package let type: CellType
    }

    private enum SQL {
        static let columns: Statement = """
            SELECT t.name, c.name, c.type FROM pragma_table_list() t JOIN pragma_table_xinfo(t.name) c
              WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
              ORDER BY t.name, c.cid
            """
    }

    private let connection: SQLiteConnection
    private let opening: Opening

    /// - Parameter migrations: folder of the migrations; the database must have all of them.
    /// - Throws: `.lost`, `.foreign`, `.newer`, `.damaged`, `.migrations`, `.failed`.
    package init(path: String, migrations: String) throws(OpeningFault) {
        opening = Opening(path: path, inMemory: false)
        let plan = try MigrationPlan(database: path, migrations: migrations)
        guard plan.pending.isEmpty, plan.version > 0 else {
            throw .migrations(
                path: migrations,
                reason: "\(path) lacks \(plan.pending.count) of them: start its server once, or run holdfast migrate")
        }
        // Not read-only: the log of a server that did not shut down properly belongs to the database.
        do { connection = try SQLiteConnection(path: path, .writer) } catch { throw opening.refusal(error.fault) }
    }

    /// All tables, by name.
    package func tables() throws(OpeningFault) -> [Table] {
        let columns = try opening.step { () throws(StorageFault) in
            try connection.all(SQL.columns, { _ in }) { (row) throws(StorageFault) in
                (
                    table: try row.text("pragma_table_list.name"),
                    column: Column(
                        name: try row.text("pragma_table_xinfo.name"),
                        type: TableReader.type(try row.text("pragma_table_xinfo.type")))
                )
            }
        }
        var tables: [Table] = []
        for (table, column) in columns {
            let others = tables.last.map { $0.name.utf8.elementsEqual(table.utf8) ? $0.columns : [] } ?? []
            if !others.isEmpty { tables.removeLast() }
            tables.append(Table(name: table, columns: others + [column]))
        }
        return tables
    }

    private static func type(_ name: String) -> CellType {
        switch name {
        case "INTEGER": .integer
        case "BLOB": .blob
        default: .text
        }
    }

    /// Calls `body` with each row of a table, in the order in which they were added if the table keeps it.
    package func read<Failure: Error>(
        _ table: Table, _ body: (any RowSource) throws(Failure) -> Void
    ) throws -> Int {
        let columns = table.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let rows = try Rows("SELECT \(columns) FROM \"\(table.name)\"", connection.handle)
        defer { rows.finish() }
        var count = 0
        while try rows.next() {
            try body(rows)
            count += 1
        }
        return count
    }

    private final class Rows: RowSource {
        private let statement: OpaquePointer
        private let connection: OpaquePointer

        init(_ text: String, _ connection: OpaquePointer) throws(StorageFault) {
            var statement: OpaquePointer?
            let code = sqlite3_prepare_v2(connection, text, -1, &statement, nil)
            guard code == SQLITE_OK, let statement else { throw .failed(code: Int(code), operation: text) }
            self.statement = statement
            self.connection = connection
        }

        func next() throws(StorageFault) -> Bool {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: return true
            case SQLITE_DONE: return false
            default:
                throw .failed(code: Int(sqlite3_extended_errcode(connection)), operation: "a table")
            }
        }

        func finish() { sqlite3_finalize(statement) }

        func cell(_ column: Int32) -> Cell {
            let bytes = { (start: UnsafeRawPointer?) in
                UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(self.statement, column)))
            }
            return switch sqlite3_column_type(statement, column) {
            case SQLITE_NULL: .null
            case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, column))
            case SQLITE_BLOB: .blob(bytes(sqlite3_column_blob(statement, column)))
            default: .text(bytes(sqlite3_column_text(statement, column)))
            }
        }
    }
}
