import Foundation
import GRDB

/// A row of `sessions`. What is NULL in a new session is left to the column's default, which spares this peer 33 bound
/// values that the product binds.
struct SessionRecord: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "sessions"

    var correlation_id: Data
    var auth_id: Data
    var client_id: String
    var created_at_ms: Int64
    var expires_at_ms: Int64
    var flow: String
    var product = "unify"
    var allow_otp_retry = false
    var rebind = false
    var check_reputation = false
    var mobile_auth: Bool
    var allow_phone_change: Bool
    var link_match_code: Bool
    var link_same_address: Bool
    var client_request_id: String?
    var subject_sealed: Data
    var phase = "created"
    var revision = 0
    var binding = "unbound"
    var device_state = "absent"
    var device_challenges_left = 3
    var otp_state = "idle"
    var otp_code_length = 4
    var otp_attempts_left = 1
    var sends_left = 3
    var entries_left = 3
    var bind_tries_left = 3
    var event_count = 1
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
