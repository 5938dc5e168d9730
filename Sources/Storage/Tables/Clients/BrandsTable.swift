package import Engine
package import Possession
internal import Records

/// Table `brands` (migration 0035).
package struct BrandsTable: BrandStore {
    private enum SQL {
        static let all: Statement = "SELECT brand_id, record FROM brands WHERE client_id = ?1 ORDER BY brand_id"
        static let find: Statement = "SELECT record FROM brands WHERE client_id = ?1 AND brand_id = ?2"
        static let count: Statement = "SELECT count(*) FROM brands WHERE client_id = ?1"
        static let save: Statement = """
            INSERT INTO brands (client_id, brand_id, record) VALUES (?1, ?2, ?3)
              ON CONFLICT (client_id, brand_id) DO UPDATE SET record = excluded.record
            """
        static let remove: Statement = "DELETE FROM brands WHERE client_id = ?1 AND brand_id = ?2"
    }

    private let database: Database

    package init(_ database: Database) {
        self.database = database
    }

    package func brands(of tenant: ClientID) async throws(StorageFault) -> [Brand] {
        try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.all) {
                $0.text(tenant.text)
            } _: { (row) throws(StorageFault) in
                let id: BrandID = try row.identifier("brands.brand_id")
                return try Brand(id, record: try row.blob("brands.record"))
            }
        }
    }

    package func brand(_ id: BrandID, of tenant: ClientID) async throws(StorageFault) -> Brand? {
        try await database.read { (connection) throws(StorageFault) in try Self.find(id, of: tenant, connection) }
    }

    private static func find(
        _ id: BrandID, of tenant: ClientID, _ connection: any Connection
    ) throws(StorageFault) -> Brand? {
        try connection.first(SQL.find) {
            $0.text(tenant.text)
            $0.identifier(id)
        } _: { (row) throws(StorageFault) in
            try Brand(id, record: try row.blob("brands.record"))
        }
    }

    package func change<R: Sendable>(
        _ id: BrandID, of tenant: ClientID, _ rule: @escaping @Sendable (inout Brand?, _ count: Int) -> R
    ) async throws(StorageFault) -> R {
        try await database.transaction(locking: LockName("brands", of: tenant)) { (connection) throws(StorageFault) in
            let stored = try Self.find(id, of: tenant, connection)
            let count = try connection.first(SQL.count) {
                $0.text(tenant.text)
            } _: { (row) throws(StorageFault) in
                try row.integer("count")
            }
            var brand = stored
            let result = rule(&brand, Int(count ?? 0))
            guard brand != stored else { return result }
            if let brand {
                let record = try brand.record()
                try connection.run(SQL.save) {
                    $0.text(tenant.text)
                    $0.identifier(id)
                    $0.blob(record)
                }
            } else {
                try connection.run(SQL.remove) {
                    $0.text(tenant.text)
                    $0.identifier(id)
                }
            }
            return result
        }
    }
}
