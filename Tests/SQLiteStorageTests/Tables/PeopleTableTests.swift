import Locks
import Engine
import Possession
import Records
import Testing

@testable import SQLiteStorage

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

    @Test func `keeps every member of a person`() async throws {
        let people = people(try Fixture.database())
        let (first, second) = (try number(1), try number(2))
        let saved = try await people.save([NumberedPerson(first, Self.ada), NumberedPerson(second, Self.bob)])
        #expect(saved == SavedPeople(new: 2, replaced: 0))
        #expect(try await people.person(first) == Self.ada)
        #expect(try await people.person(second) == Self.bob)
        #expect(try await people.person(try number(3)) == nil)
        #expect(try await people.count() == 2)
        #expect(try await StoredPeople(people).person(first) == Self.ada)
    }

    @Test func `gives a known number the new data under its old id`() async throws {
        let clock = Locked(Fixture.now)
        let people = people(try Fixture.database(), clock: clock)
        let number = try number(1)
        _ = try await people.save([NumberedPerson(number, Self.ada)])
        let before = try #require(try await people.people(after: nil, limit: 1).first)
        clock.withLock { $0 = Fixture.now.adding(.seconds(5)) }
        let saved = try await people.save([
            NumberedPerson(number, Self.ada), NumberedPerson(try self.number(2), Self.bob),
            NumberedPerson(number, Self.bob),
        ])
        #expect(saved == SavedPeople(new: 1, replaced: 2))
        #expect(try await people.person(number) == Self.bob)
        let after = try #require(try await people.people(after: nil, limit: 1).first)
        #expect(after.id == before.id && after.createdAt == Fixture.now)
        #expect(after.updatedAt == Fixture.now.adding(.seconds(5)))
    }

    @Test func `lists page by page, in the order of import`() async throws {
        let people = people(try Fixture.database())
        let numbers = try (0..<5).map(number)
        _ = try await people.save(numbers.map { NumberedPerson($0, Self.bob) })
        let first = try await people.people(after: nil, limit: 3)
        let rest = try await people.people(after: first.last?.id, limit: 3)
        #expect((first + rest).map(\.number) == numbers)
        #expect(try await people.people(after: rest.last?.id, limit: 3).isEmpty)
        #expect(try await people.people(after: nil, limit: 0).isEmpty)
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

    @Test func `finds the number of an id`() async throws {
        let people = people(try Fixture.database())
        _ = try await people.save([NumberedPerson(try number(1), Self.ada)])
        let id = try #require(try await people.people(after: nil, limit: 1).first?.id)
        #expect(try await people.number(of: id) == number(1))
        #expect(try await people.number(of: Fixture.id()) == nil)
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
        let database = try Fixture.database(.directory(try DataDirectory(folder.path)))
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
        await database.close()
        #expect(try filesWithTraces() == 0)
    }

    @Test func `keeps numbers and names out of every file`() async throws {
        let folder = try TemporaryFolder()
        let database = try Fixture.database(.directory(try DataDirectory(folder.path)))
        _ = try await people(database).save([NumberedPerson(try number(1), Self.ada)])
        await database.close()
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
}
