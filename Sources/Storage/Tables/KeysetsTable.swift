package import Engine
internal import Possession

/// Table `keysets` (migration 0011). The master key opens its sealed content; this type does not know that key.
package struct KeysetsTable: KeysetStore {
    private enum SQL {
        static let all: Statement = """
            SELECT master_id, number, created_at_ms, keyset_sealed FROM keysets ORDER BY number
            """
        /// A database from before this table has no keysets.
        static let isThere = Statement(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'keysets'", postgres: "SELECT 1")
        static let masterIDs: Statement = "SELECT master_id FROM keysets ORDER BY number"
        static let clear: Statement = "DELETE FROM keysets"
        static let insert: Statement = """
            INSERT INTO keysets (master_id, number, created_at_ms, keyset_sealed) VALUES (?1, ?2, ?3, ?4)
            """
    }

    private let database: Database

    package init(_ database: Database) {
        self.database = database
    }

    package func keysets() async throws(StorageFault) -> [StoredKeyset] {
        try await database.read { (connection) throws(StorageFault) in try KeysetsTable.all(connection) }
    }

    package func replaceKeysets(_ old: [StoredKeyset], with new: [StoredKeyset]) async throws(StorageFault) {
        try await database.transaction(changing: .keysets, locking: LockName("keysets")) {
            (connection) throws(StorageFault) in
            guard try KeysetsTable.all(connection) == old else {
                throw .failed(code: 0, operation: "the keyset is another one than was read")
            }
            try connection.run(SQL.clear)
            for keyset in new {
                try connection.run(SQL.insert) {
                    $0.blob(keyset.masterID)
                    $0.integer(keyset.number)
                    $0.time(keyset.createdAt)
                    $0.blob(keyset.sealed)
                }
            }
        }
        if !old.allSatisfy(new.contains) { await database.removeDeletedData() }
    }

    /// Names of the master keys that open the keyset.
    package static func masterIDs(_ connection: any Connection) throws(StorageFault) -> [[UInt8]] {
        let isThere = try connection.first(SQL.isThere) { (_) throws(StorageFault) in true } ?? false
        guard isThere else { return [] }
        return try connection.all(SQL.masterIDs) { (row) throws(StorageFault) in try row.blob("keysets.master_id") }
    }

    private static func all(_ connection: any Connection) throws(StorageFault) -> [StoredKeyset] {
        try connection.all(SQL.all) { (row) throws(StorageFault) in
            StoredKeyset(
                masterID: try row.blob("keysets.master_id"),
                number: try row.count(1...Int.max - 1, "keysets.number"),
                createdAt: try row.time("keysets.created_at_ms"), sealed: try row.blob("keysets.keyset_sealed"))
        }
    }
}
