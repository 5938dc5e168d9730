internal import CSQLite
internal import Storage

/// A table to check. Names come from the schema and are quoted.
struct CheckedTable: Equatable {
    let name: String
    /// Columns that order its rows: `rowid`, or those of its primary key.
    let key: [String]

    var quoted: String { CheckedTable.quote(name) }

    static func quote(_ name: String) -> String {
        var text = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" { text += "\"" }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }
}

extension SQLiteConnection {
    /// Checks the cells of each page as it is read, also during a walk.
    func checkCells() {
        try? runScript("PRAGMA cell_size_check = ON")
    }

    /// Every table, the schema's own first.
    func checkedTables() throws(SQLiteFailure) -> [CheckedTable] {
        var tables = [CheckedTable(name: "sqlite_schema", key: ["rowid"])]
        var keys: [(table: String, column: String?)] = []
        try eachRow(
            """
            SELECT t.name, k.name FROM pragma_table_list() AS t
              LEFT JOIN pragma_table_info(t.name) AS k ON t.wr AND k.pk > 0
              WHERE t.schema = 'main' AND t.type = 'table' AND t.name <> 'sqlite_schema' ORDER BY t.name, k.pk
            """
        ) { row in
            guard let name = text(row, 0) else { return }
            keys.append((name, text(row, 1)))
        }
        var names: [String] = []
        for (table, _) in keys where names.last.map({ Array($0.utf8) != Array(table.utf8) }) ?? true {
            names.append(table)
        }
        for name in names {
            let columns = keys.filter { Array($0.table.utf8) == Array(name.utf8) }.compactMap(\.column)
            tables.append(CheckedTable(name: name, key: columns.isEmpty ? ["rowid"] : columns))
        }
        return tables
    }

    /// The first error in one table or its indexes; `nil`: none.
    func quickCheck(of table: CheckedTable) throws(SQLiteFailure) -> String? {
        var found = ""
        try eachRow("PRAGMA quick_check(\(table.quoted))") { row in
            if found.isEmpty, let line = text(row, 0) { found = line }
        }
        return Array(found.utf8) == Array("ok".utf8) ? nil : found
    }

    func count(of table: CheckedTable) throws(SQLiteFailure) -> Int {
        var count = 0
        try eachRow("SELECT count(*) FROM \(table.quoted)") { row in count = Int(sqlite3_column_int64(row, 0)) }
        return count
    }

    private func eachRow(_ sql: String, _ read: (OpaquePointer) -> Void) throws(SQLiteFailure) {
        let statement = try LooseStatement(sql, on: handle)
        while try statement.step() { read(statement.handle) }
    }

    private func text(_ row: OpaquePointer, _ column: Int32) -> String? {
        sqlite3_column_text(row, column).map { String(cString: $0) }
    }
}

/// A statement built from names in the schema, for one use.
final class LooseStatement {
    let handle: OpaquePointer
    private let connection: OpaquePointer

    init(_ sql: String, on connection: OpaquePointer) throws(SQLiteFailure) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, 0, &handle, nil)
        guard code == SQLITE_OK, let handle else {
            throw SQLiteFailure(code: sqlite3_extended_errcode(connection), operation: "prepare a check")
        }
        self.handle = handle
        self.connection = connection
    }

    func step() throws(SQLiteFailure) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw SQLiteFailure(code: sqlite3_extended_errcode(connection), operation: "check")
        }
    }

    deinit { sqlite3_finalize(handle) }
}

/// Reads every row of a table in ranges of its key, each range in its own read transaction.
struct TableWalk {
    private let first: LooseStatement
    private let next: LooseStatement
    private let keyCount: Int32
    /// Copies of the last key that was read.
    private var last: [OpaquePointer] = []

    init(_ table: CheckedTable, _ connection: SQLiteConnection) throws(SQLiteFailure) {
        let key = table.key.map(CheckedTable.quote).joined(separator: ", ")
        let count = table.key.count
        let marks = (1...count).map { "?\($0)" }.joined(separator: ", ")
        let head = "SELECT \(key), * FROM \(table.quoted)"
        let tail = "ORDER BY \(key) LIMIT ?\(count + 1)"
        first = try LooseStatement("\(head) \(tail)", on: connection.handle)
        next = try LooseStatement("\(head) WHERE (\(key)) > (\(marks)) \(tail)", on: connection.handle)
        keyCount = Int32(count)
    }

    /// Reads up to `rows` rows with all of their bytes; `false`: no more rows.
    mutating func step(rows: Int) throws(SQLiteFailure) -> Bool {
        let statement = last.isEmpty ? first : next
        defer { sqlite3_reset(statement.handle) }
        for (index, value) in last.enumerated() { sqlite3_bind_value(statement.handle, Int32(index) + 1, value) }
        sqlite3_bind_int64(statement.handle, keyCount + 1, Int64(rows))
        var read = 0
        while try statement.step() {
            read += 1
            // Accessing a value loads all pages that it is on.
            for column in keyCount..<sqlite3_column_count(statement.handle) {
                _ = sqlite3_column_blob(statement.handle, column)
            }
            if read == rows { keep(statement.handle) }
        }
        if read < rows { free() }
        return read == rows
    }

    private mutating func keep(_ row: OpaquePointer) {
        free()
        last = (0..<keyCount).compactMap { sqlite3_value_dup(sqlite3_column_value(row, $0)) }
    }

    private mutating func free() {
        for value in last { sqlite3_value_free(value) }
        last = []
    }
}
