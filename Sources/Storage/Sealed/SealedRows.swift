package import Engine
internal import Possession

/// The sealed values of every table, one column after another, to re-encrypt them with a new key (DAT-03). This type
/// knows neither the content nor the keys.
package struct SealedRows: Sendable {
    private enum SQL {
        /// Every table with a column that is sealed or is a keyed digest. A test compares them with the schema.
        static let isUsed: Statement = """
            SELECT 1 WHERE EXISTS (SELECT 1 FROM signing_keys) OR EXISTS (SELECT 1 FROM tenants)
              OR EXISTS (SELECT 1 FROM sessions) OR EXISTS (SELECT 1 FROM used_proofs)
              OR EXISTS (SELECT 1 FROM replayed_replies) OR EXISTS (SELECT 1 FROM messages)
              OR EXISTS (SELECT 1 FROM session_keys) OR EXISTS (SELECT 1 FROM limit_counts)
              OR EXISTS (SELECT 1 FROM identities) OR EXISTS (SELECT 1 FROM device_keys)
              OR EXISTS (SELECT 1 FROM people) OR EXISTS (SELECT 1 FROM test_numbers)
              OR EXISTS (SELECT 1 FROM listed_numbers) OR EXISTS (SELECT 1 FROM api_keys)
              OR EXISTS (SELECT 1 FROM webhook_endpoints) OR EXISTS (SELECT 1 FROM webhook_events)
              OR EXISTS (SELECT 1 FROM audit_entries) OR EXISTS (SELECT 1 FROM application_keys)
              OR EXISTS (SELECT 1 FROM activations) OR EXISTS (SELECT 1 FROM device_tokens)
              OR EXISTS (SELECT 1 FROM people_credentials) OR EXISTS (SELECT 1 FROM temporary_secrets)
              OR EXISTS (SELECT 1 FROM refused_starts)
            """
    }

    /// A value and its place.
    package struct Value: Sendable {
        package let key: [SealedColumn.KeyPart]
        package let sealed: [UInt8]
    }

    /// Some rows of a column.
    package struct Page: Sendable {
        /// Values of the rows that have one.
        package let values: [Value]
        /// `nil`: there are no more rows.
        package let next: [SealedColumn.KeyPart]?
    }

    /// The statement that names all such tables.
    static var usedTables: String { "\(SQL.isUsed)" }

    private let database: Database

    package init(_ database: Database) {
        self.database = database
    }

    /// Whether no key was used for any stored data.
    package func areUnused() async throws(StorageFault) -> Bool {
        try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.isUsed) { (_) throws(StorageFault) in true } == nil
        }
    }

    /// The values after a key, in key order, read in a separate transaction.
    /// - Parameter key: `nil`: from the beginning.
    package func values(
        of column: SealedColumn, after key: [SealedColumn.KeyPart]?
    ) async throws(StorageFault) -> Page {
        let limit = database.limits.rowsPerReseal
        return try await database.read { (connection) throws(StorageFault) in
            let rows = try column.rows(after: key, limit: limit, connection)
            let values = rows.compactMap { row in row.sealed.map { Value(key: row.key, sealed: $0) } }
            return Page(values: values, next: rows.count < limit ? nil : rows.last?.key)
        }
    }

    /// Replaces each value if the row still has the old one. Returns how many were replaced.
    package func replace(
        _ values: [(old: Value, new: [UInt8])], of column: SealedColumn
    ) async throws(StorageFault) -> Int {
        try await database.transaction(isLong: true) { (connection) throws(StorageFault) in
            var count = 0
            for value in values {
                try connection.run(column.replace) {
                    $0.blob(value.new)
                    for part in value.old.key { $0.bind(part) }
                    $0.blob(value.old.sealed)
                }
                count += connection.changes
            }
            return count
        }
    }
}

extension SealedColumn {
    /// The rows after a key, in key order, including those without a value.
    /// - Parameter key: `nil`: from the beginning.
    func rows(
        after key: [KeyPart]?, limit: Int, _ connection: any Connection
    ) throws(StorageFault) -> [(key: [KeyPart], sealed: [UInt8]?)] {
        try connection.all(scan) { values in
            for part in key ?? first { values.bind(part) }
            values.integer(limit)
        } _: { (row) throws(StorageFault) in
            try read(&row)
        }
    }

    /// Some rows as a sample: the newest if the key orders them by time, otherwise the first.
    func someRows(
        limit: Int, _ connection: any Connection
    ) throws(StorageFault) -> [(key: [KeyPart], sealed: [UInt8]?)] {
        guard let newest else { return try rows(after: nil, limit: limit, connection) }
        return try connection.all(newest, { $0.integer(limit) }) { (row) throws(StorageFault) in try read(&row) }
    }

    private func read(_ row: inout Row) throws(StorageFault) -> (key: [KeyPart], sealed: [UInt8]?) {
        var key: [KeyPart] = []
        for part in first {
            switch part {
            case .blob: key.append(.blob(try row.blob(name)))
            case .text: key.append(.text(try row.text(name)))
            case .integer: key.append(.integer(try row.integer(name)))
            }
        }
        return (key: key, sealed: try row.optionalBlob(name))
    }
}

extension Parameters {
    fileprivate mutating func bind(_ part: SealedColumn.KeyPart) {
        switch part {
        case .blob(let bytes): blob(bytes)
        case .text(let text): self.text(text)
        case .integer(let integer): self.integer(integer)
        }
    }
}
