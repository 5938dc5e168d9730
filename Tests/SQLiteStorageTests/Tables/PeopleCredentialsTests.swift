import Engine
import Possession
import Records
import Testing

@testable import SQLiteStorage

@Suite struct PeopleCredentialsTests {
    private static let ada = Person(
        firstName: "Ada", lastName: "B", dob: nil, ssn: nil, emailAddresses: [], addresses: [])

    private static func said(_ entries: KeyValuePairs<String, String>) throws -> Identification {
        try #require(Identification(entries.map { Identification.Entry($0.key, $0.value) }))
    }

    private static func number(_ index: Int) throws -> PhoneNumber {
        try #require(PhoneNumber(e164: "+1200100\(4000 + index)"))
    }

    private static func entry(_ index: Int, _ credentials: KeyValuePairs<String, String>?) throws -> NumberedPerson {
        NumberedPerson(try number(index), ada, credentials: try credentials.map { try said($0) })
    }

    private static func people(_ database: Database) -> PeopleTable {
        PeopleTable(
            database, sealing: Fixture.sealing, now: { Fixture.now },
            randomBytes: { (count) throws(EntropyFault) in (0..<count).map { _ in UInt8.random(in: 0...255) } })
    }

    private static func rows(_ database: Database) async throws -> Int64? {
        try await database.read { (connection) throws(StorageFault) in
            try connection.first("SELECT count(*) FROM people_credentials") { (row) throws(StorageFault) in
                try row.integer("count")
            }
        }
    }

    @Test func `finds the one person who has all that is said`() async throws {
        let people = Self.people(try Fixture.database())
        _ = try await people.save([
            try Self.entry(1, ["email": "a@b", "birthDate": "1990-02-28", "clientNumber": "1"]),
            try Self.entry(2, ["email": "a@b", "birthDate": "1991-02-28", "clientNumber": "2"]),
            try Self.entry(3, nil),
        ])
        for (said, match): (KeyValuePairs<String, String>, CredentialMatch) in [
            (["clientNumber": "1"], .one(try Self.number(1))), (["clientNumber": "2"], .one(try Self.number(2))),
            (["email": "a@b", "birthDate": "1991-02-28"], .one(try Self.number(2))),
            (["birthDate": "1990-02-28", "email": "a@b", "clientNumber": "1"], .one(try Self.number(1))),
            (["email": "a@b"], .several), (["email": "A@b"], .nobody), (["clientNumber": "3"], .nobody),
            (["clientNumber": "1", "birthDate": "1991-02-28"], .nobody), (["clientnumber": "1"], .nobody),
            (["clientNumber": "1", "other": "1"], .nobody),
        ] {
            #expect(try await people.match(try Self.said(said)) == match, "\(said)")
        }
    }

    @Test func `takes spellings of a letter for different texts`() async throws {
        let people = Self.people(try Fixture.database())
        _ = try await people.save([try Self.entry(1, ["name": "Zo\u{EB}"]), try Self.entry(2, ["name": "Zoe\u{308}"])])
        #expect(try await people.match(try Self.said(["name": "Zo\u{EB}"])) == .one(try Self.number(1)))
        #expect(try await people.match(try Self.said(["name": "Zoe\u{308}"])) == .one(try Self.number(2)))
    }

    @Test func `replaces credentials with the person`() async throws {
        let database = try Fixture.database()
        let people = Self.people(database)
        _ = try await people.save([
            try Self.entry(1, ["clientNumber": "1", "email": "a@b"]), try Self.entry(2, ["k": "v"]),
        ])
        #expect(try await Self.rows(database) == 3)
        _ = try await people.save([try Self.entry(1, ["clientNumber": "2"])])
        #expect(try await people.match(try Self.said(["clientNumber": "1"])) == .nobody)
        #expect(try await people.match(try Self.said(["email": "a@b"])) == .nobody)
        #expect(try await people.match(try Self.said(["clientNumber": "2"])) == .one(try Self.number(1)))
        _ = try await people.save([try Self.entry(1, nil)])
        #expect(try await people.match(try Self.said(["clientNumber": "2"])) == .nobody)
        #expect(try await Self.rows(database) == 1)
    }

    @Test func `removes credentials with an erased person, and no others`() async throws {
        let database = try Fixture.database()
        let people = Self.people(database)
        _ = try await people.save([try Self.entry(1, ["clientNumber": "1"]), try Self.entry(2, ["clientNumber": "2"])])
        let erasures = Erasures(database, sealing: Fixture.sealing)
        #expect(try await erasures.erase(.number(try Self.number(1)), at: nil).data.people == 1)
        #expect(try await people.match(try Self.said(["clientNumber": "1"])) == .nobody)
        #expect(try await people.match(try Self.said(["clientNumber": "2"])) == .one(try Self.number(2)))
        #expect(try await Self.rows(database) == 1)
    }

    @Test func `leaves no byte of an erased credential in any file, and has none in the clear`() async throws {
        let folder = try TemporaryFolder()
        let database = try Fixture.database(.directory(try DataDirectory(folder.path)))
        _ = try await Self.people(database).save([
            try Self.entry(1, ["clientNumber": "SECRET-4711"]), try Self.entry(2, ["clientNumber": "SECRET-4712"]),
        ])
        let index = Fixture.sealing.credentialIndex(.init("clientNumber", "SECRET-4711"))
        func files(with bytes: [UInt8]) throws -> Int {
            try folder.contents().values.count { $0.firstRange(of: bytes) != nil }
        }
        #expect(try files(with: index) > 0)
        _ = try await Erasures(database, sealing: Fixture.sealing).erase(.number(try Self.number(1)), at: nil)
        #expect(try files(with: index) == 0)
        await database.close()
        #expect(try files(with: index) == 0 && files(with: Array("SECRET".utf8)) == 0)
    }

    /// Three people are looked at here.
    @Test
    func `a value that too many people have finds nobody by itself, and is looked at in each who is found by another`()
        async throws
    {
        var limits = StorageLimits()
        limits.peoplePerCredential = 3
        let people = Self.people(try Fixture.database(limits: limits))
        _ = try await people.save(
            try (1...3).map {
                try Self.entry($0, ["city": "Bonn", "clientNumber": "\($0)", "birthDate": "1990-02-28"])
            })
        #expect(try await people.match(try Self.said(["city": "Bonn"])) == .several)
        _ = try await people.save([
            try Self.entry(4, ["city": "Bonn", "clientNumber": "4", "birthDate": "1991-02-28"]),
            try Self.entry(5, ["city": "Rome", "clientNumber": "5", "birthDate": "1991-02-28"]),
        ])
        #expect(try await people.match(try Self.said(["city": "Bonn"])) == .tooMany)
        for (said, match): (KeyValuePairs<String, String>, CredentialMatch) in [
            (["city": "Bonn", "clientNumber": "2"], .one(try Self.number(2))),
            (["city": "Bonn", "clientNumber": "5"], .nobody), (["city": "Bonn", "birthDate": "1990-02-28"], .several),
            (["city": "Bonn", "birthDate": "1991-02-28"], .one(try Self.number(4))),
        ] {
            #expect(try await people.match(try Self.said(said)) == match, "\(said)")
        }
    }

    @Test func `finds nobody by a row of the index that the record knows nothing of`() async throws {
        let database = try Fixture.database()
        let people = Self.people(database)
        _ = try await people.save([try Self.entry(1, ["clientNumber": "1"])])
        try await database.transaction { (connection) throws(StorageFault) in
            try connection.run("UPDATE people_credentials SET credential_index = ?1") {
                $0.blob(Fixture.sealing.credentialIndex(.init("clientNumber", "2")))
            }
        }
        #expect(try await people.match(try Self.said(["clientNumber": "2"])) == .nobody)
    }
}
