internal import Engine
package import Possession
internal import Records
internal import Storage

/// Reads a database without locking it: read-only, also beside a running server, and without migrating it.
package enum DatabaseLook {
    private enum SQL {
        static let messageNames: Statement = """
            SELECT client_id, display_name, message_host FROM tenants WHERE revoked_at_ms IS NULL
            """
        static let openCountries: Statement = """
            SELECT client_id, calling_codes FROM tenants WHERE revoked_at_ms IS NULL
            """
        static let client: Statement = "SELECT revoked_at_ms IS NOT NULL FROM tenants WHERE client_id = ?1"
    }

    /// The names with which an API client's messages are signed.
    package struct MessageNames: Sendable {
        package let client: String
        package let displayName: String?
        package let messageHost: String?
    }

    /// The countries to which an API client may send messages.
    package struct OpenCountries: Sendable {
        package let client: ClientID
        /// See `TenantRules.callingCodes`.
        package let callingCodes: [String]
    }

    /// Names of the API clients that are not revoked. Empty if there is no database, or none that can be read now.
    package static func messageNames(in path: String) -> [MessageNames] {
        clients(in: path, SQL.messageNames) { (row) throws(StorageFault) in
            MessageNames(
                client: try row.text("tenants.client_id"),
                displayName: try row.optionalText("tenants.display_name"),
                messageHost: try row.optionalText("tenants.message_host"))
        }
    }

    /// The countries to which each API client that is not revoked may send.
    package static func openCountries(in path: String) -> [OpenCountries] {
        clients(in: path, SQL.openCountries) { (row) throws(StorageFault) in
            guard let client = ClientID(try row.text("tenants.client_id")) else { throw .corrupt("tenants.client_id") }
            return OpenCountries(
                client: client, callingCodes: try TenantsTable.entries(try row.text("tenants.calling_codes")))
        }
    }

    private static func clients<Seen>(
        in path: String, _ statement: Statement, _ make: (inout Row) throws(StorageFault) -> Seen
    ) -> [Seen] {
        guard SystemFiles.exists(path) else { return [] }
        do {
            let connection = try SQLiteConnection(path: path, .reader)
            guard try connection.header().tables > 0 else { return [] }
            return try connection.all(statement, { _ in }, make)
        } catch { return [] }
    }

    /// State of an API client in a database.
    package enum ClientState: Sendable, Equatable { case unknown, active, revoked }

    /// The state of one API client. `.unknown` for a missing file, or one from before the first API client.
    ///
    /// `nil`: the file cannot be read now, so the state is unknown.
    package static func client(_ id: ClientID, in path: String) -> ClientState? {
        guard SystemFiles.exists(path) else { return .unknown }
        do {
            let connection = try SQLiteConnection(path: path, .reader)
            guard try connection.header().tables > 0 else { return .unknown }
            let isRevoked = try connection.first(SQL.client) {
                $0.text(id.text)
            } _: { (row) throws(StorageFault) in
                try row.integer("tenants.revoked_at_ms") != 0
            }
            return isRevoked.map { $0 ? .revoked : .active } ?? .unknown
        } catch { return nil }
    }
}
