internal import CPostgres
package import Storage

/// Fills the empty tables of a PostgreSQL with rows of another engine, in one transaction. No server may use it meanwhile.
package final class TableWriter {
    private enum SQL {
        static let tables: StaticString = """
            SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
              AND relname NOT IN
                ('installation', 'servers', 'lanes', 'cache_versions', 'duties', 'erasure_orders', 'used_names')
              ORDER BY relname
            """
        /// Tables and the tables that their rows refer to.
        static let references: StaticString = """
            SELECT child.relname, parent.relname FROM pg_constraint
              JOIN pg_class child ON child.oid = conrelid JOIN pg_class parent ON parent.oid = confrelid
              WHERE contype = 'f' AND child.relnamespace = current_schema()::regnamespace AND child.oid <> parent.oid
            """
    }

    /// Its triggers count rows of other tables, so it comes last and replaces what they have counted.
    private static let counted = "webhook_stores"

    private let session: PostgresSession
    /// In an order in which each comes after those that it refers to.
    package let tables: [String]

    /// - Throws: `.unavailable`: a server runs; `.refused`: a table has rows.
    package init(_ address: PostgresAddress) throws(PostgresOpeningFault) {
        session = try ServerPlace.locked(address)
        try session.run("SET statement_timeout = 0; SET synchronous_commit = on", "settings")
        let names = try session.rows(SQL.tables).compactMap { $0.first ?? nil }
        let references = try session.rows(SQL.references).map { ($0[0] ?? "", $0[1] ?? "") }
        tables = TableWriter.sorted(names, references)
        for table in tables where try session.hasRows(table) {
            throw .refused("table \(table) of the database has rows: copy into a database that was just migrated")
        }
        try session.run("BEGIN", "a copy")
    }

    private static func sorted(_ names: [String], _ references: [(child: String, parent: String)]) -> [String] {
        var sorted: [String] = []
        var left = names.filter { $0 != counted }
        while !left.isEmpty {
            let ready = left.filter { name in
                references.allSatisfy { $0.child != name || !left.contains($0.parent) || $0.parent == name }
            }
            // A cycle cannot be there: the rows could never have been inserted.
            guard !ready.isEmpty else { break }
            sorted += ready
            left.removeAll { ready.contains($0) }
        }
        return sorted + names.filter { $0 == counted }
    }

    /// Copies one table, reads it again and compares.
    /// - Parameters:
    ///   - columns: names and types, in the order of the cells.
    ///   - each: calls its argument with each row.
    package func fill(
        _ table: String, _ columns: [(name: String, type: CellType)],
        each: ((any RowSource) throws(PostgresOpeningFault) -> Void) throws -> Void
    ) throws {
        if table == TableWriter.counted { try session.run("DELETE FROM \(table)", table) }
        let list = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        var written = RowDigest()
        try session.beginCopy("COPY \(table) (\(list)) FROM STDIN (FORMAT binary)", table)
        try session.put(CopyRow.head, table)
        try each { (source) throws(PostgresOpeningFault) in
            let row = CopyRow.bytes(source, columns.count)
            written.add(row[...])
            try session.put(row, table)
        }
        try session.put(CopyRow.end, table)
        try session.endCopy(table)
        let read = try session.copyOut("COPY (SELECT \(list) FROM \(table)) TO STDOUT (FORMAT binary)", table)
        guard read == written else { throw PostgresOpeningFault.refused("table \(table) is not what was copied") }
    }

    /// - Throws: the copy is not stored.
    package func commit() throws(PostgresOpeningFault) {
        try session.run("COMMIT", "a copy")
        try session.run("ANALYZE", "ANALYZE")
    }
}

/// Rows in PostgreSQL's binary form of COPY.
enum CopyRow {
    static let head: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 13, 10, 0] + [UInt8](repeating: 0, count: 8)
    static let end: [UInt8] = [0xFF, 0xFF]

    static func bytes(_ source: any RowSource, _ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        append(Int16(count), &bytes)
        for column in 0..<Int32(count) {
            switch source.cell(column) {
            case .null: append(Int32(-1), &bytes)
            case .integer(let value):
                append(Int32(8), &bytes)
                append(value, &bytes)
            case .text(let value), .blob(let value):
                append(Int32(value.count), &bytes)
                bytes.append(contentsOf: value)
            }
        }
        return bytes
    }

    private static func append<Value: FixedWidthInteger>(_ value: Value, _ bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

/// The number of rows, and a sum over them that does not depend on their order. Comparable within one process.
struct RowDigest: Equatable {
    private var rows = 0
    private var sum: Int = 0

    mutating func add(_ row: ArraySlice<UInt8>) {
        var hasher = Hasher()
        row.withUnsafeBytes { hasher.combine(bytes: $0) }
        rows += 1
        sum &+= hasher.finalize()
    }
}
