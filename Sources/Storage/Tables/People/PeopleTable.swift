package import Engine
package import Possession
package import Records

/// Table `people` (migration 0003).
package struct PeopleTable: PeopleStore {
    private static let numberColumn: StaticString = "people.number_sealed"

    private enum SQL {
        static let byNumber: Statement = "SELECT person_id, person_sealed FROM people WHERE number_index = ?1"
        static let find: Statement = "SELECT person_id FROM people WHERE number_index = ?1"
        static let insert: Statement = """
            INSERT INTO people (person_id, number_index, number_sealed, person_sealed, created_at_ms, updated_at_ms)
              VALUES (?1, ?2, ?3, ?4, ?5, ?5)
            """
        static let replace: Statement = """
            UPDATE people SET person_sealed = ?2, updated_at_ms = ?3 WHERE person_id = ?1
            """
        static let list: Statement = """
            SELECT person_id, number_sealed, created_at_ms, updated_at_ms FROM people
              WHERE ?1 IS NULL OR person_id > ?1 ORDER BY person_id LIMIT ?2
            """
        static let count: Statement = "SELECT count(*) FROM people"
        static let byID: Statement = "SELECT number_sealed, person_sealed FROM people WHERE person_id = ?1"
        static let number: Statement = "SELECT number_sealed FROM people WHERE person_id = ?1"
        static let erase: Statement = "DELETE FROM people WHERE number_index = ?1"
    }

    private let database: Database
    private let sealing: Sealing
    private let now: Now
    private let randomBytes: RandomBytes

    package init(_ database: Database, sealing: Sealing, now: @escaping Now, randomBytes: @escaping RandomBytes) {
        self.database = database
        self.sealing = sealing
        self.now = now
        self.randomBytes = randomBytes
    }

    // MARK: Reading

    package func person(_ number: PhoneNumber) async throws(StorageFault) -> Person? {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.byNumber) {
                $0.blob(sealing.blindIndex(number))
            } _: { (row) throws(StorageFault) in
                let id: PersonID = try row.identifier("people.person_id")
                return try SealedPerson.open(try row.blob("people.person_sealed"), for: id, sealing).person
            }
        }
    }

    package func match(_ said: Identification) async throws(StorageFault) -> CredentialMatch {
        let (sealing, most) = (sealing, database.limits.peoplePerCredential)
        return try await database.read { (connection) throws(StorageFault) in
            var rare: [Set<PersonID>] = []
            for entry in said.entries {
                let holders = try PeopleCredentialsTable.holders(of: entry, atMost: most + 1, sealing, connection)
                if holders.count <= most { rare.append(Set(holders)) }
            }
            var candidates = rare.first ?? []
            for holders in rare.dropFirst() { candidates.formIntersection(holders) }
            // An ID that no person has: the time taken must not reveal whether there is a candidate.
            if candidates.isEmpty { candidates = [PersonID(high: 0, low: 0)] }
            var numbers: [PhoneNumber] = []
            for id in candidates where numbers.count < 2 {
                if let number = try PeopleTable.number(of: id, ifSaid: said, sealing, connection) {
                    numbers.append(number)
                }
            }
            if rare.isEmpty { return .tooMany }
            switch numbers.count {
            case 0: return .nobody
            case 1: return .one(numbers[0])
            default: return .several
            }
        }
    }

    /// The number of a person with all the given credentials. The sealed record decides; the index only finds
    /// candidates.
    private static func number(
        of id: PersonID, ifSaid said: Identification, _ sealing: Sealing, _ connection: any Connection
    ) throws(StorageFault) -> PhoneNumber? {
        let number = try connection.first(SQL.byID) {
            $0.identifier(id)
        } _: { (row) throws(StorageFault) -> PhoneNumber? in
            let sealed = try row.blob(numberColumn)
            let record = try SealedPerson.open(try row.blob("people.person_sealed"), for: id, sealing)
            guard record.credentials?.says(allOf: said) == true else { return nil }
            return try sealing.openNumber(sealed, in: SealingContext(numberColumn, row: id), numberColumn)
        }
        return number ?? nil
    }

    package func people(after: PersonID?, limit: Int) async throws(StorageFault) -> [ListedPerson] {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try connection.all(SQL.list) {
                $0.identifier(after)
                $0.integer(max(0, limit))
            } _: { (row) throws(StorageFault) in
                let id: PersonID = try row.identifier("people.person_id")
                let context = SealingContext(PeopleTable.numberColumn, row: id)
                let number = try sealing.openNumber(
                    try row.blob(PeopleTable.numberColumn), in: context, PeopleTable.numberColumn)
                return ListedPerson(
                    id: id, number: number, createdAt: try row.time("people.created_at_ms"),
                    updatedAt: try row.time("people.updated_at_ms"))
            }
        }
    }

    package func number(of id: PersonID) async throws(StorageFault) -> PhoneNumber? {
        let sealing = sealing
        return try await database.read { (connection) throws(StorageFault) in
            try connection.first(SQL.number) {
                $0.identifier(id)
            } _: { (row) throws(StorageFault) in
                let context = SealingContext(PeopleTable.numberColumn, row: id)
                return try sealing.openNumber(
                    try row.blob(PeopleTable.numberColumn), in: context, PeopleTable.numberColumn)
            }
        }
    }

    package func count() async throws(StorageFault) -> Int {
        try await database.read { (connection) throws(StorageFault) in
            let count = try connection.first(SQL.count) { (row) throws(StorageFault) in
                try row.integer("count")
            }
            return Int(count ?? 0)
        }
    }

    // MARK: Writing

    package func save(_ batch: [NumberedPerson]) async throws(StorageFault) -> SavedPeople {
        let now = now()
        let fresh = try freshIDs(batch.count, at: now)
        return try await database.transaction(locking: LockName("people")) { (connection) throws(StorageFault) in
            var new = 0
            for (entry, id) in zip(batch, fresh) {
                if try save(entry, fresh: id, at: now, connection) { new += 1 }
            }
            return SavedPeople(new: new, replaced: batch.count - new)
        }
    }

    /// In ascending order, so that a list shows a batch in its order and every row is added at the end of the index.
    private func freshIDs(_ count: Int, at now: Timestamp) throws(StorageFault) -> [PersonID] {
        let bytes: [UInt8]
        do { bytes = try randomBytes(16 * count) } catch { throw .failed(code: 0, operation: "random bytes") }
        return (0..<count).map { index in
            PersonID(at: now, random: bytes.dropFirst(16 * index).prefix(16))
        }.sorted()
    }

    /// Returns `true` when the number had no person yet.
    private func save(
        _ entry: NumberedPerson, fresh: PersonID, at now: Timestamp, _ connection: any Connection
    ) throws(StorageFault) -> Bool {
        let index = sealing.blindIndex(entry.number)
        let found: PersonID? = try connection.first(SQL.find) {
            $0.blob(index)
        } _: { (row) throws(StorageFault) in
            try row.identifier("people.person_id")
        }
        let id = found ?? fresh
        let sealed = try SealedPerson.seal(entry.person, credentials: entry.credentials, for: id, sealing)
        if let found {
            try connection.run(SQL.replace) {
                $0.identifier(found)
                $0.blob(sealed)
                $0.time(now)
            }
            try PeopleCredentialsTable.replace(entry.credentials, of: id, sealing, connection)
            return false
        }
        let number = try sealing.seal(entry.number, in: SealingContext(PeopleTable.numberColumn, row: fresh))
        try connection.run(SQL.insert) {
            $0.identifier(fresh)
            $0.blob(index)
            $0.blob(number)
            $0.blob(sealed)
            $0.time(now)
        }
        try PeopleCredentialsTable.replace(entry.credentials, of: id, sealing, connection)
        return true
    }

    /// Removes the person with this number, including the rows of their credentials; returns how many people.
    static func erase(_ number: [UInt8], _ connection: any Connection) throws(StorageFault) -> Int {
        try connection.run(SQL.erase) { $0.blob(number) }
        return connection.changes
    }
}
