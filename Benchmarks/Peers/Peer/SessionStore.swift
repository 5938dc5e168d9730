import Foundation
import GRDB

/// Stores a new session, and returns when it is durable.
protocol SessionWriter: Sendable {
    func insert(_ session: NewSession) async throws
}

/// The product's schema in a GRDB pool: WAL, each commit synced, one transaction a write.
struct SessionStore: SessionWriter {
    static let tenant = "sandbox"

    struct WrongSetting: Error {}

    let pool: DatabasePool

    /// - Parameter migrations: folder of the product's numbered SQL files.
    init(path: String, migrations: String) throws {
        var configuration = GRDB.Configuration()
        // A reader may hold the write lock for a moment, to read the log's index anew.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA secure_delete = ON; PRAGMA cache_size = -2048")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        let files = try FileManager.default.contentsOfDirectory(atPath: migrations).filter { $0.hasSuffix(".sql") }
        try pool.write { db in
            for file in files.sorted() {
                try db.execute(sql: String(contentsOfFile: migrations + "/" + file, encoding: .utf8))
            }
            try TenantRecord(client_id: Self.tenant, created_at_ms: 0).insert(db)
        }
        // GRDB's pool sets NORMAL, with which a commit may be lost when the power goes.
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else { throw WrongSetting() }
        }
    }

    // The statements are kept: a request of the query interface would be compiled at every call.

    func tenant(_ id: String) async throws -> TenantRecord? {
        try await pool.read { db in
            try TenantRecord.fetchOne(
                db.cachedStatement(sql: "SELECT * FROM tenants WHERE client_id = ?"), arguments: [id])
        }
    }

    func session(_ correlationID: Data) async throws -> SessionRecord? {
        try await pool.read { db in
            try SessionRecord.fetchOne(
                db.cachedStatement(sql: "SELECT * FROM sessions WHERE correlation_id = ?"), arguments: [correlationID])
        }
    }

    func insert(_ session: NewSession) async throws {
        try await pool.write { db in try session.insert(db) }
    }
}
