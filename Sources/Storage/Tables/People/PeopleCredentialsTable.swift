internal import Engine
internal import Possession
internal import Records

/// Table `people_credentials` (migration 0030): a row for each credential of an imported person. It is removed with the
/// person.
enum PeopleCredentialsTable {
    private enum SQL {
        static let holders: Statement = """
            SELECT person_id FROM people_credentials WHERE credential_index = ?1 LIMIT ?2
            """
        static let remove: Statement = "DELETE FROM people_credentials WHERE person_id = ?1"
        static let add: Statement = "INSERT INTO people_credentials (credential_index, person_id) VALUES (?1, ?2)"
    }

    /// At most `limit` people who have a credential.
    static func holders(
        of credential: Identification.Entry, atMost limit: Int, _ sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) -> [PersonID] {
        try connection.all(SQL.holders) {
            $0.blob(sealing.credentialIndex(credential))
            $0.integer(limit)
        } _: { (row) throws(StorageFault) in
            try row.identifier("people_credentials.person_id")
        }
    }

    /// - Parameter credentials: `nil`: all are removed.
    static func replace(
        _ credentials: Identification?, of id: PersonID, _ sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) {
        try connection.run(SQL.remove) { $0.identifier(id) }
        for entry in credentials?.entries ?? [] {
            try connection.run(SQL.add) {
                $0.blob(sealing.credentialIndex(entry))
                $0.identifier(id)
            }
        }
    }
}
