import Locks
import Engine
import Possession
import Records
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite struct PeopleTableTests {
    private static let ada = Person(
        firstName: "Ada", lastName: "Lovelace", dob: "1815-12-10", ssn: "123456789",
        emailAddresses: ["ada@example.com", "a@b"],
        addresses: [
            .init(address: "1 St", extendedAddress: "2", city: "C", region: "R", postalCode: "1"),
            .init(address: nil, city: "D", region: nil, postalCode: nil),
        ])
    private static let bob = Person(
        firstName: "Bob", lastName: "B", dob: nil, ssn: nil, emailAddresses: [], addresses: [])

    private func number(_ index: Int) throws -> PhoneNumber {
        try #require(PhoneNumber(e164: "+1200100\(4000 + index)"))
    }

    private func people(_ database: Database, clock: Locked<Timestamp> = Locked(Fixture.now)) -> PeopleTable {
        PeopleTable(
            database, sealing: Fixture.sealing, now: { clock.withLock { $0 } },
            randomBytes: { (count) throws(EntropyFault) in (0..<count).map { _ in UInt8.random(in: 0...255) } })
    }

    @Test func `opens a record in its own row only`() async throws {
        let database = try Fixture.database()
        let people = people(database)
        let (first, second) = (try number(1), try number(2))
        _ = try await people.save([NumberedPerson(first, Self.ada), NumberedPerson(second, Self.bob)])
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run("UPDATE people SET person_sealed = (SELECT max(person_sealed) FROM people)")
        }
        let outcomes = [try? await people.person(first), try? await people.person(second)]
        #expect(outcomes.count { $0 == nil } == 1)
    }

    /// Benin: what an older program stored has eight digits after the calling code.
    @Test func `finds a person of before a renumbering by either form, and tells the new one`() async throws {
        let database = try Fixture.database()
        let people = people(database)
        let number = try #require(PhoneNumber(e164: "+2290197000000"))
        _ = try await people.save([NumberedPerson(number, Self.ada)])
        let id = try #require(try await people.people(after: nil, limit: 1).first?.id)
        let sealed = try Fixture.sealing.seal(
            Array("+22997000000".utf8), SealingContext("people.number_sealed", row: id).bytes)
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run("UPDATE people SET number_sealed = ?1") { $0.blob(sealed) }
        }
        for text in ["+22997000000", "+2290197000000"] {
            #expect(try await people.person(try #require(PhoneNumber(e164: text))) == Self.ada)
        }
        #expect(try await people.number(of: id) == number)
        #expect(try await people.people(after: nil, limit: 1).first?.number.e164 == "+2290197000000")
        let saved = try await people.save([NumberedPerson(number, Self.bob)])
        #expect(saved == SavedPeople(new: 0, replaced: 1), "and none is there twice")
    }

    @Test func `leaves no byte of an erased person in any file`() async throws {
        let folder = try TemporaryFolder()
        let sqlite = try Fixture.sqlite(.directory(try DataDirectory(folder.path)))
        let database = sqlite.database
        let people = people(database)
        let number = try number(1)
        // Enough neighbours that the row shares its page, and a first version that was replaced.
        for index in 2..<40 { _ = try await people.save([NumberedPerson(try self.number(index), Self.bob)]) }
        _ = try await people.save([NumberedPerson(number, Self.bob)])
        _ = try await people.save([NumberedPerson(number, Self.ada)])
        let row = try await database.read { (connection) throws(StorageFault) in
            try connection.first(
                "SELECT number_sealed, person_sealed, number_index FROM people WHERE number_index = ?1"
            ) {
                $0.blob(Fixture.sealing.blindIndex(number))
            } _: { (row) throws(StorageFault) in
                [try row.blob("number"), try row.blob("person"), try row.blob("index")]
            }
        }
        let traces = try #require(row)
        func filesWithTraces() throws -> Int {
            try folder.contents().values.count { bytes in traces.contains { bytes.firstRange(of: $0) != nil } }
        }
        #expect(try filesWithTraces() > 0)
        let erasures = Erasures(database, sealing: Fixture.sealing)
        #expect(
            try await erasures.erase(.number(number), at: Fixture.client).data.isNothing, "people are the operator's")
        #expect(try await erasures.erase(.number(number), at: nil).data.people == 1)
        #expect(try await erasures.erase(.number(number), at: nil).data.isNothing)
        #expect(try filesWithTraces() == 0)
        #expect(try await people.count() == 38)
        await sqlite.close()
        #expect(try filesWithTraces() == 0)
    }

    @Test func `keeps numbers and names out of every file`() async throws {
        let folder = try TemporaryFolder()
        let sqlite = try Fixture.sqlite(.directory(try DataDirectory(folder.path)))
        let database = sqlite.database
        _ = try await people(database).save([NumberedPerson(try number(1), Self.ada)])
        await sqlite.close()
        for bytes in try folder.contents().values {
            for plain in ["2001004001", "Lovelace", "123456789", "ada@example.com", "1815-12-10"] {
                #expect(bytes.firstRange(of: Array(plain.utf8)) == nil)
            }
        }
    }

    @Test func `shows nothing of a person in a description`() throws {
        let entry = NumberedPerson(try number(1), Self.ada)
        #expect("\(entry)" == "<person of +1********01>")
        #expect("\(entry.person)" == "<person>")
    }

    // MARK: Credentials

    private static func said(_ entries: KeyValuePairs<String, String>) throws -> Identification {
        try #require(Identification(entries.map { Identification.Entry($0.key, $0.value) }))
    }

    private func entry(_ index: Int, _ credentials: KeyValuePairs<String, String>) throws -> NumberedPerson {
        NumberedPerson(try number(index), Self.bob, credentials: try Self.said(credentials))
    }

    private static func rows(_ database: Database) async throws -> Int64? {
        try await database.read { (connection) throws(StorageFault) in
            try connection.first("SELECT count(*) FROM people_credentials") { (row) throws(StorageFault) in
                try row.integer("count")
            }
        }
    }

    @Test func `keeps no row of credentials that were replaced or erased`() async throws {
        let database = try Fixture.database()
        let people = people(database)
        _ = try await people.save([try entry(1, ["clientNumber": "1", "email": "a@b"]), try entry(2, ["k": "v"])])
        #expect(try await Self.rows(database) == 3)
        _ = try await people.save([NumberedPerson(try number(1), Self.bob)])
        #expect(try await Self.rows(database) == 1)
        _ = try await Erasures(database, sealing: Fixture.sealing).erase(.number(try number(2)), at: nil)
        #expect(try await Self.rows(database) == 0)
    }

    @Test func `leaves no byte of an erased credential in any file, and has none in the clear`() async throws {
        let folder = try TemporaryFolder()
        let sqlite = try Fixture.sqlite(.directory(try DataDirectory(folder.path)))
        let database = sqlite.database
        _ = try await people(database).save([
            try entry(1, ["clientNumber": "SECRET-4711"]), try entry(2, ["clientNumber": "SECRET-4712"]),
        ])
        let index = Fixture.sealing.credentialIndex(.init("clientNumber", "SECRET-4711"))
        func files(with bytes: [UInt8]) throws -> Int {
            try folder.contents().values.count { $0.firstRange(of: bytes) != nil }
        }
        #expect(try files(with: index) > 0)
        _ = try await Erasures(database, sealing: Fixture.sealing).erase(.number(try number(1)), at: nil)
        #expect(try files(with: index) == 0)
        await sqlite.close()
        #expect(try files(with: index) == 0 && files(with: Array("SECRET".utf8)) == 0)
    }

    @Test func `finds nobody by a row of the index that the record knows nothing of`() async throws {
        let database = try Fixture.database()
        let people = people(database)
        _ = try await people.save([try entry(1, ["clientNumber": "1"])])
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run("UPDATE people_credentials SET credential_index = ?1") {
                $0.blob(Fixture.sealing.credentialIndex(.init("clientNumber", "2")))
            }
        }
        #expect(try await people.match(try Self.said(["clientNumber": "2"])) == .nobody)
    }

    /// Three people are looked at here.
    @Test
    func `a value that too many people have finds nobody by itself, and is looked at in each who is found by another`()
        async throws
    {
        var limits = SQLiteLimits()
        limits.storage.peoplePerCredential = 3
        let people = people(try Fixture.database(limits: limits))
        _ = try await people.save(
            try (1...3).map {
                try entry($0, ["city": "Bonn", "clientNumber": "\($0)", "birthDate": "1990-02-28"])
            })
        #expect(try await people.match(try Self.said(["city": "Bonn"])) == .several)
        _ = try await people.save([
            try entry(4, ["city": "Bonn", "clientNumber": "4", "birthDate": "1991-02-28"]),
            try entry(5, ["city": "Rome", "clientNumber": "5", "birthDate": "1991-02-28"]),
        ])
        #expect(try await people.match(try Self.said(["city": "Bonn"])) == .tooMany)
        for (said, match): (KeyValuePairs<String, String>, CredentialMatch) in [
            (["city": "Bonn", "clientNumber": "2"], .one(try number(2))),
            (["city": "Bonn", "clientNumber": "5"], .nobody), (["city": "Bonn", "birthDate": "1990-02-28"], .several),
            (["city": "Bonn", "birthDate": "1991-02-28"], .one(try number(4))),
        ] {
            #expect(try await people.match(try Self.said(said)) == match, "\(said)")
        }
    }
}
