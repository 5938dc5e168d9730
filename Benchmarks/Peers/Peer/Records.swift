import Foundation
import GRDB

/// A row of `sessions`: what is searched, and one sealed record.
struct SessionRecord: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "sessions"

    var correlation_id: Data
    var auth_id: Data
    var client_id: String
    var phase = "created"
    var record_sealed: Data
}

/// A row of `session_events`.
struct EventRecord: Codable, PersistableRecord, Sendable {
    static let databaseTableName = "session_events"

    var correlation_id: Data
    var number: Int
    var kind: String
    var at_ms: Int64
    var detail: String
}

/// A row of `tenants`.
struct TenantRecord: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "tenants"

    var client_id: String
    var allow_phone_change = true
    var mobile_auth = true
    var any_final_target_host = true
    var final_target_hosts = ""
    var allowed_origins = ""
    var app_hashes = ""
    var created_at_ms: Int64
    var revoked_at_ms: Int64?
    var link_match_code = false
    var link_same_address = false
    var calling_codes = ""
    var mobile_auth_return_urls = ""
}

/// A session with its first event.
struct NewSession: Sendable {
    let session: SessionRecord
    let event: EventRecord

    func insert(_ db: GRDB.Database) throws {
        try session.insert(db)
        try event.insert(db)
    }
}
