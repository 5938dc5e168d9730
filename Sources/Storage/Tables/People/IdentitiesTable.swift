package import Engine
package import Possession
package import Records

/// Table `identities` (migrations 0003 and 0032): one `proveId` for each number of each tenant, and the tenant's data
/// about those it has enrolled.
package struct IdentitiesTable: IdentityStore {
    private static let column: StaticString = "identities.number_sealed"

    private enum SQL {
        static let number: Statement = "SELECT number_sealed FROM identities WHERE prove_id = ?1 AND client_id = ?2"
        static let find: Statement = """
            SELECT prove_id, is_proven FROM identities WHERE client_id = ?1 AND number_index = ?2
            """
        static let isProven: Statement = """
            SELECT is_proven FROM identities WHERE client_id = ?1 AND number_index = ?2
            """
        static let insert: Statement = """
            INSERT INTO identities (prove_id, client_id, number_index, number_sealed, is_proven)
              VALUES (?1, ?2, ?3, ?4, ?5)
            """
        static let setProven: Statement = "UPDATE identities SET is_proven = 1 WHERE prove_id = ?1"
        static let byID: Statement = """
            SELECT prove_id, number_sealed, is_active, enrolled_at_ms, attributes_sealed
              FROM identities WHERE prove_id = ?1 AND client_id = ?2 AND enrolled_at_ms IS NOT NULL
            """
        static let byNumber: Statement = """
            SELECT prove_id, number_sealed, is_active, enrolled_at_ms, attributes_sealed
              FROM identities WHERE number_index = ?1 AND client_id = ?2 AND enrolled_at_ms IS NOT NULL
            """
        static let list: Statement = """
            SELECT prove_id FROM identities
              WHERE client_id = ?1 AND enrolled_at_ms IS NOT NULL AND prove_id > ?2
                AND (is_active = 1 OR ?3 = 1)
              ORDER BY prove_id LIMIT ?4
            """
        static let isActive: Statement = """
            SELECT is_active FROM identities WHERE prove_id = ?1 AND client_id = ?2 AND enrolled_at_ms IS NOT NULL
            """
        static let setActive: Statement = """
            UPDATE identities SET is_active = ?3
              WHERE prove_id = ?1 AND client_id = ?2 AND enrolled_at_ms IS NOT NULL
            """
        static let erase: Statement = """
            DELETE FROM identities WHERE client_id = ?1 AND number_index = ?2
            """
        /// Steps from tenant to tenant in the index on both columns, regardless of table `tenants`: tenants are few.
        static let eraseEverywhere: Statement = """
            WITH RECURSIVE known (client_id) AS (
                SELECT min(client_id) FROM identities
                UNION ALL
                SELECT (SELECT min(client_id) FROM identities WHERE client_id > known.client_id)
                  FROM known WHERE known.client_id IS NOT NULL)
            DELETE FROM identities WHERE number_index = ?1 AND client_id IN (SELECT client_id FROM known)
            """
    }

    let database: Database
    let sealing: Sealing

    package init(_ database: Database, sealing: Sealing) {
        self.database = database
        self.sealing = sealing
    }

    // MARK: Reading

    package func number(of id: HolderID, of client: ClientID) async throws(StorageFault) -> PhoneNumber? {
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

    package func identity(_ id: HolderID, of client: ClientID) async throws(StorageFault) -> Identity? {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.byID) {
                $0.identifier(id)
                $0.text(client.text)
            } _: { (row) throws(StorageFault) in
                try IdentitiesTable.identity(&row, sealing)
            }
        }
    }

    package func identity(_ number: PhoneNumber, of client: ClientID) async throws(StorageFault) -> Identity? {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.byNumber) {
                $0.blob(sealing.blindIndex(number))
                $0.text(client.text)
            } _: { (row) throws(StorageFault) in
                try IdentitiesTable.identity(&row, sealing)
            }
        }
    }

    package func identities(
        of client: ClientID, after: HolderID?, limit: Int, includingInactive: Bool
    ) async throws(StorageFault) -> [HolderID] {
        try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.list) {
                $0.text(client.text)
                $0.position(after)
                $0.flag(includingInactive)
                $0.integer(max(0, limit))
            } _: { (row) throws(StorageFault) in
                try row.identifier("identities.prove_id")
            }
        }
    }

    private static func identity(_ row: inout Row, _ sealing: Sealing) throws(StorageFault) -> Identity {
        let id: HolderID = try row.identifier("identities.prove_id")
        let sealed = try row.blob(column)
        let number = try sealing.openNumber(sealed, in: SealingContext(column, row: id), column)
        let isActive = try row.flag("identities.is_active")
        let createdAt = try row.time("identities.enrolled_at_ms")
        let details = try SealedDetails(
            try row.optionalBlob("identities.attributes_sealed"), with: sealing, for: id)
        return Identity(
            id: id, number: number, isActive: isActive, createdAt: createdAt, references: details.references)
    }

    /// The number of a row that begins with `prove_id` and `number_sealed`.
    static func number(_ row: inout Row, _ sealing: Sealing) throws(StorageFault) -> PhoneNumber {
        let id: HolderID = try row.identifier("identities.prove_id")
        return try sealing.openNumber(try row.blob(column), in: SealingContext(column, row: id), column)
    }

    // MARK: Writing

    package func setActive(
        _ isActive: Bool, _ id: HolderID, of client: ClientID, telling teller: WebhookEventFactory?
    ) async throws(StorageFault) -> Bool {
        let sealing = sealing
        return try await database.transaction { (connection) throws(StorageFault) in
            let wasActive: Bool? = try connection.first(SQL.isActive.locking) {
                $0.identifier(id)
                $0.text(client.text)
            } _: { (row) throws(StorageFault) in
                try row.flag("identities.is_active")
            }
            guard let wasActive else { return false }
            if wasActive == isActive { return true }
            try connection.run(SQL.setActive) {
                $0.identifier(id)
                $0.text(client.text)
                $0.flag(isActive)
            }
            if let teller {
                let news = WebhookNews.identity(.identityChanged, id, changes: ["active"], at: teller.now)
                try WebhookEventsTable.add(teller.events([news]), sealing: sealing, connection)
            }
            return true
        }
    }

    /// Removes the identity of a number, enrolled or only proven, at one tenant or at all of them; returns how many
    /// rows.
    static func erase(
        _ number: [UInt8], at client: ClientID?, _ connection: any Connection
    ) throws(StorageFault) -> Int {
        if let client {
            try connection.run(SQL.erase) {
                $0.text(client.text)
                $0.blob(number)
            }
        } else {
            try connection.run(SQL.eraseEverywhere) { $0.blob(number) }
        }
        return connection.changes
    }

    /// Whether a person has proven this number to the tenant. Always false for an address: identities have none.
    static func knows(
        _ target: Target, of client: ClientID, sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) -> Bool {
        try connection.first(SQL.isProven) {
            $0.text(client.text)
            $0.blob(sealing.blindIndex(target))
        } _: { (row) throws(StorageFault) in
            try row.flag("identities.is_proven")
        } ?? false
    }

    /// The ID of the tenant's identity with this number; if there is none, it is added with the ID `fresh`.
    /// - Parameter isProven: a person has just proven the number. An identity that is proven stays proven.
    static func findOrAdd(
        _ number: PhoneNumber, of client: ClientID, fresh: HolderID, isProven: Bool, sealing: Sealing,
        _ connection: any Connection
    ) throws(StorageFault) -> HolderID {
        let index = sealing.blindIndex(number)
        let found = try connection.first(SQL.find.locking) {
            $0.text(client.text)
            $0.blob(index)
        } _: { (row) throws(StorageFault) -> (id: HolderID, isProven: Bool) in
            (try row.identifier("identities.prove_id"), try row.flag("identities.is_proven"))
        }
        if let found {
            if isProven, !found.isProven { try connection.run(SQL.setProven) { $0.identifier(found.id) } }
            return found.id
        }
        try add(fresh, number, index, of: client, isProven: isProven, sealing: sealing, connection)
        return fresh
    }

    /// Adds an identity. The transaction has not found one with this number.
    /// - Parameter index: blind index of the number.
    static func add(
        _ id: HolderID, _ number: PhoneNumber, _ index: [UInt8], of client: ClientID, isProven: Bool,
        sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) {
        let sealed = try sealing.seal(number, in: SealingContext(column, row: id))
        try connection.run(SQL.insert.claiming) {
            $0.identifier(id)
            $0.text(client.text)
            $0.blob(index)
            $0.blob(sealed)
            $0.flag(isProven)
        }
    }
}
