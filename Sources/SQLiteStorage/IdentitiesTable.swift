package import Possession

/// Table `identities` (migration 0002): one `proveId` for each number of each tenant.
package struct IdentitiesTable: IdentityStore {
    private static let column: StaticString = "identities.number_sealed"

    private enum SQL {
        static let number: StaticString = "SELECT number_sealed FROM identities WHERE prove_id = ?1 AND client_id = ?2"
        static let find: StaticString = "SELECT prove_id FROM identities WHERE client_id = ?1 AND number_index = ?2"
        static let insert: StaticString = """
            INSERT INTO identities (prove_id, client_id, number_index, number_sealed) VALUES (?1, ?2, ?3, ?4)
            """
    }

    private let database: Database
    private let sealing: Sealing

    package init(_ database: Database, sealing: Sealing) {
        self.database = database
        self.sealing = sealing
    }

    package func number(of id: ProveID, of client: ClientID) async throws(StorageFault) -> PhoneNumber? {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.number) {
                $0.identifier(id)
                $0.text(client.text)
            } _: { (row) throws(StorageFault) in
                let sealed = try row.blob(IdentitiesTable.column)
                let context = SealingContext(IdentitiesTable.column, row: id)
                return try sealing.openNumber(sealed, in: context, IdentitiesTable.column)
            }
        }
    }

    /// The id of the tenant's identity with this number; `fresh` becomes it when there is none.
    static func findOrAdd(
        _ number: PhoneNumber, of client: ClientID, fresh: ProveID, sealing: Sealing, _ connection: Connection
    ) throws(StorageFault) -> ProveID {
        let index = sealing.blindIndex(number)
        let found: ProveID? = try connection.first(SQL.find) {
            $0.text(client.text)
            $0.blob(index)
        } _: { (row) throws(StorageFault) in
            try row.identifier("identities.prove_id")
        }
        if let found { return found }
        let sealed = try sealing.seal(number, in: SealingContext(column, row: fresh))
        try connection.run(SQL.insert) {
            $0.identifier(fresh)
            $0.text(client.text)
            $0.blob(index)
            $0.blob(sealed)
        }
        return fresh
    }
}
