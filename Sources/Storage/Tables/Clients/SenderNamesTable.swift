package import Engine
package import Possession
internal import Records

/// Table `sender_names` (migration 0016).
package struct SenderNamesTable: SenderNameStore {
    private enum SQL {
        static let all: Statement = """
            SELECT name FROM sender_names WHERE client_id = ?1 ORDER BY created_at_ms, name
            """
        static let find: Statement = "SELECT 1 FROM sender_names WHERE client_id = ?1 AND name = ?2"
        static let count: Statement = "SELECT count(*) FROM sender_names WHERE client_id = ?1"
        static let insert: Statement = """
            INSERT INTO sender_names (client_id, name, created_at_ms) VALUES (?1, ?2, ?3)
            """
    }

    private let database: Database

    package init(_ database: Database) {
        self.database = database
    }

    package func names(of tenant: ClientID) async throws(StorageFault) -> [SenderName] {
        try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.all) {
                $0.text(tenant.text)
            } _: { (row) throws(StorageFault) in
                guard let name = SenderName(try row.text("sender_names.name")) else {
                    throw .corrupt("sender_names.name")
                }
                return name
            }
        }
    }

    package func add(_ name: SenderName, of tenant: ClientID, at now: Timestamp) async throws(StorageFault) -> Bool {
        try await database.transaction(locking: LockName("sender_names", of: tenant)) {
            (connection) throws(StorageFault) -> Bool in
            let isThere = try connection.first(SQL.find) {
                $0.text(tenant.text)
                $0.text(name.text)
            } _: { (row) throws(StorageFault) in
                try row.integer("1")
            }
            if isThere != nil { return true }
            let count = try connection.first(SQL.count) {
                $0.text(tenant.text)
            } _: { (row) throws(StorageFault) in
                try row.integer("count")
            }
            guard count ?? 0 < SenderName.most else { return false }
            try connection.run(SQL.insert) {
                $0.text(tenant.text)
                $0.text(name.text)
                $0.time(now)
            }
            return true
        }
    }
}
