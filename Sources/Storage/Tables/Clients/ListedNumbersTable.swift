internal import Locks
package import Engine
package import Possession
package import Records

/// Table `listed_numbers` (migration 0016).
package struct ListedNumbersTable: NumberListStore {
    private enum SQL {
        static let all: Statement = """
            SELECT number_index, number_sealed, created_at_ms FROM listed_numbers WHERE client_id = ?1 AND list = ?2
              ORDER BY created_at_ms DESC, number_index LIMIT ?3
            """
        static let find: Statement = """
            SELECT 1 FROM listed_numbers WHERE number_index = ?1 AND client_id = ?2 AND list = ?3
            """
        static let isAny: Statement = """
            SELECT 1 FROM listed_numbers WHERE client_id = ?1 AND list = ?2 LIMIT 1
            """
        static let count: Statement = "SELECT count(*) FROM listed_numbers WHERE client_id = ?1 AND list = ?2"
        static let insert: Statement = """
            INSERT INTO listed_numbers (number_index, client_id, list, number_sealed, created_at_ms)
              VALUES (?1, ?2, ?3, ?4, ?5)
            """
        static let remove: Statement = """
            DELETE FROM listed_numbers WHERE number_index = ?1 AND client_id = ?2 AND list = ?3
            """
        static let erase: Statement = "DELETE FROM listed_numbers WHERE number_index = ?1"
        static let eraseOfClient: Statement = """
            DELETE FROM listed_numbers WHERE number_index = ?1 AND client_id = ?2
            """
    }

    private let database: Database
    private let sealing: Sealing
    /// Cache of empty lists: most lists are empty, and every message checks them.
    private let known = Locked(Known())
    private struct Known {
        struct List: Hashable {
            let client: ClientID
            let list: NumberList
        }

        var isEmpty: [List: Bool] = [:]
        var additions = 0
    }

    package init(_ database: Database, sealing: Sealing) {
        self.database = database
        self.sealing = sealing
    }

    package func numbers(_ list: NumberList, of tenant: ClientID) async throws(StorageFault) -> [ListedNumber] {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.all) {
                $0.text(tenant.text)
                $0.text(list.rawValue)
                $0.integer(NumberList.mostRead)
            } _: { (row) throws(StorageFault) in
                let index = try row.blob("listed_numbers.number_index")
                let sealed = try row.blob("listed_numbers.number_sealed")
                let place = ListedNumberPlace(index: index, client: tenant, list: list)
                return ListedNumber(
                    try place.number(sealed, with: sealing), since: try row.time("listed_numbers.created_at_ms"))
            }
        }
    }

    package func contains(
        _ number: PhoneNumber, _ list: NumberList, of tenant: ClientID
    ) async throws(StorageFault) -> Bool {
        let place = Known.List(client: tenant, list: list)
        let (isEmpty, additions) = known.withLock { ($0.isEmpty[place], $0.additions) }
        if isEmpty == true { return false }
        let index = sealing.blindIndex(number)
        let isKnown = isEmpty != nil
        let (isThere, isAny) = try await database.read { (connection) throws(StorageFault) -> (Bool, Bool) in
            if try Self.contains(index, list, of: tenant, connection) { return (true, true) }
            return (false, isKnown ? true : try Self.isAny(list, of: tenant, connection))
        }
        // A result that was read while a number was added may be outdated.
        if !isKnown { known.withLock { if $0.additions == additions { $0.isEmpty[place] = !isAny } } }
        return isThere
    }

    private static func isAny(
        _ list: NumberList, of tenant: ClientID, _ connection: any Connection
    ) throws(StorageFault) -> Bool {
        try connection.first(SQL.isAny) {
            $0.text(tenant.text)
            $0.text(list.rawValue)
        } _: { (row) throws(StorageFault) in
            try row.integer("1")
        } != nil
    }

    private static func contains(
        _ index: [UInt8], _ list: NumberList, of tenant: ClientID, _ connection: any Connection
    ) throws(StorageFault) -> Bool {
        try connection.first(SQL.find) {
            $0.blob(index)
            $0.text(tenant.text)
            $0.text(list.rawValue)
        } _: { (row) throws(StorageFault) in
            try row.integer("1")
        } != nil
    }

    package func add(
        _ number: PhoneNumber, to list: NumberList, of tenant: ClientID, at now: Timestamp
    ) async throws(StorageFault) -> Bool {
        let place = ListedNumberPlace(index: sealing.blindIndex(number), client: tenant, list: list)
        let sealed = try place.sealed(number, with: sealing)
        // Also if the write fails: the entry may still be stored.
        defer { readAgain() }
        return try await database.transaction(
            changing: .listedNumbers, locking: LockName("listed_numbers", of: tenant)
        ) { (connection) throws(StorageFault) -> Bool in
            if try Self.contains(place.index, list, of: tenant, connection) { return true }
            let count = try connection.first(SQL.count) {
                $0.text(tenant.text)
                $0.text(list.rawValue)
            } _: { (row) throws(StorageFault) in
                try row.integer("count")
            }
            guard count ?? 0 < NumberList.most else { return false }
            try connection.run(SQL.insert) {
                $0.blob(place.index)
                $0.text(tenant.text)
                $0.text(list.rawValue)
                $0.blob(sealed)
                $0.time(now)
            }
            return true
        }
    }

    /// Call when another server has added a number.
    package func readAgain() { known.withLock { $0 = Known(additions: $0.additions + 1) } }

    package func remove(
        _ number: PhoneNumber, from list: NumberList, of tenant: ClientID
    ) async throws(StorageFault) {
        let index = sealing.blindIndex(number)
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run(SQL.remove) {
                $0.blob(index)
                $0.text(tenant.text)
                $0.text(list.rawValue)
            }
        }
    }

    /// Erases the entries of a number at one tenant, or at all of them; returns how many.
    static func erase(_ index: [UInt8], at client: ClientID?, _ connection: any Connection) throws(StorageFault) -> Int
    {
        if let client {
            try connection.run(SQL.eraseOfClient) {
                $0.blob(index)
                $0.text(client.text)
            }
        } else {
            try connection.run(SQL.erase) { $0.blob(index) }
        }
        return connection.changes
    }
}
