import Engine
import Locks
import Possession
import Testing

/// The contract of every store of imported people.
@Suite struct PeopleStoreContractTests {
    private static let full = Person(
        firstName: "Ada", lastName: "Lovelace", dob: "1815-12-10", ssn: "123456789",
        emailAddresses: ["ada@example.com", "a@b"],
        addresses: [
            .init(address: "1 St", extendedAddress: "2", city: "C", region: "R", postalCode: "1"),
            .init(address: nil, city: "D", region: nil, postalCode: nil),
        ])
    private static let short = Person(
        firstName: "Bob", lastName: "B", dob: nil, ssn: nil, emailAddresses: [], addresses: [])

    private static func said(_ entries: KeyValuePairs<String, String>) throws -> Identification {
        try #require(Identification(entries.map { Identification.Entry($0.key, $0.value) }))
    }

    private static func number(_ index: Int) throws -> PhoneNumber {
        try #require(PhoneNumber(e164: "+1200100\(4000 + index)"))
    }

    private static func entry(_ index: Int, _ credentials: KeyValuePairs<String, String>?) throws -> NumberedPerson {
        NumberedPerson(try number(index), short, credentials: try credentials.map { try said($0) })
    }

    @Test(arguments: DurableStore.allCases)
    func `keeps every member of a person`(store: DurableStore) async throws {
        let people = try await store.make().people
        let (first, second) = (try Self.number(1), try Self.number(2))
        let saved = try await people.save([NumberedPerson(first, Self.full), NumberedPerson(second, Self.short)])
        #expect(saved == SavedPeople(new: 2, replaced: 0))
        #expect(try await people.person(first) == Self.full)
        #expect(try await people.person(second) == Self.short)
        #expect(try await people.person(try Self.number(3)) == nil)
        #expect(try await people.count() == 2)
        #expect(try await StoredPeople(people).person(first) == Self.full)
    }

    @Test(arguments: DurableStore.allCases)
    func `gives a known number the new data under its old id`(store: DurableStore) async throws {
        let clock = Locked(Sample.now)
        let people = try await store.make(now: { clock.withLock { $0 } }).people
        let number = try Self.number(1)
        _ = try await people.save([NumberedPerson(number, Self.full)])
        let before = try #require(try await people.people(after: nil, limit: 1).first)
        clock.withLock { $0 = Sample.now.adding(.seconds(5)) }
        let saved = try await people.save([
            NumberedPerson(number, Self.full), NumberedPerson(try Self.number(2), Self.short),
            NumberedPerson(number, Self.short),
        ])
        #expect(saved == SavedPeople(new: 1, replaced: 2))
        #expect(try await people.person(number) == Self.short)
        let after = try #require(try await people.people(after: nil, limit: 1).first)
        #expect(after.id == before.id && after.createdAt == Sample.now)
        #expect(after.updatedAt == Sample.now.adding(.seconds(5)))
    }

    @Test(arguments: DurableStore.allCases)
    func `lists page by page, in the order of import`(store: DurableStore) async throws {
        let people = try await store.make().people
        let numbers = try (0..<5).map(Self.number)
        _ = try await people.save(numbers.map { NumberedPerson($0, Self.short) })
        let first = try await people.people(after: nil, limit: 3)
        let rest = try await people.people(after: first.last?.id, limit: 3)
        #expect((first + rest).map(\.number) == numbers)
        #expect(try await people.people(after: rest.last?.id, limit: 3).isEmpty)
        #expect(try await people.people(after: nil, limit: 0).isEmpty)
    }

    @Test(arguments: DurableStore.allCases)
    func `finds the number of an id`(store: DurableStore) async throws {
        let people = try await store.make().people
        _ = try await people.save([NumberedPerson(try Self.number(1), Self.full)])
        let id = try #require(try await people.people(after: nil, limit: 1).first?.id)
        #expect(try await people.number(of: id) == Self.number(1))
        #expect(try await people.number(of: Sample.id()) == nil)
    }

    @Test(arguments: DurableStore.allCases)
    func `finds the one person who has all that is said`(store: DurableStore) async throws {
        let people = try await store.make().people
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

    @Test(arguments: DurableStore.allCases)
    func `takes spellings of a letter for different texts`(store: DurableStore) async throws {
        let people = try await store.make().people
        _ = try await people.save([try Self.entry(1, ["name": "Zo\u{EB}"]), try Self.entry(2, ["name": "Zoe\u{308}"])])
        #expect(try await people.match(try Self.said(["name": "Zo\u{EB}"])) == .one(try Self.number(1)))
        #expect(try await people.match(try Self.said(["name": "Zoe\u{308}"])) == .one(try Self.number(2)))
    }

    @Test(arguments: DurableStore.allCases)
    func `replaces credentials with the person`(store: DurableStore) async throws {
        let people = try await store.make().people
        _ = try await people.save([
            try Self.entry(1, ["clientNumber": "1", "email": "a@b"]), try Self.entry(2, ["k": "v"]),
        ])
        _ = try await people.save([try Self.entry(1, ["clientNumber": "2"])])
        #expect(try await people.match(try Self.said(["clientNumber": "1"])) == .nobody)
        #expect(try await people.match(try Self.said(["email": "a@b"])) == .nobody)
        #expect(try await people.match(try Self.said(["clientNumber": "2"])) == .one(try Self.number(1)))
        _ = try await people.save([try Self.entry(1, nil)])
        #expect(try await people.match(try Self.said(["clientNumber": "2"])) == .nobody)
    }

    @Test(arguments: DurableStore.allCases)
    func `removes credentials with an erased person, and no others`(store: DurableStore) async throws {
        let stores = try await store.make()
        let (people, erasures) = (stores.people, stores.erasures)
        _ = try await people.save([try Self.entry(1, ["clientNumber": "1"]), try Self.entry(2, ["clientNumber": "2"])])
        #expect(try await erasures.erase(.number(try Self.number(1)), at: nil).data.people == 1)
        #expect(try await people.match(try Self.said(["clientNumber": "1"])) == .nobody)
        #expect(try await people.match(try Self.said(["clientNumber": "2"])) == .one(try Self.number(2)))
    }

    @Test(arguments: DurableStore.allCases)
    func `the next process has the same people under the same ids`(store: DurableStore) async throws {
        let stores = try await store.make()
        _ = try await stores.people.save([
            NumberedPerson(try Self.number(1), Self.full, credentials: try Self.said(["clientNumber": "1"]))
        ])
        let next = try await stores.next().people
        #expect(try await next.person(try Self.number(1)) == Self.full)
        #expect(try await next.match(try Self.said(["clientNumber": "1"])) == .one(try Self.number(1)))
        #expect(try await next.people(after: nil, limit: 9) == stores.people.people(after: nil, limit: 9))
    }

    @Test(arguments: DurableStore.allCases)
    func `sixteen racing batches leave one person of a number`(store: DurableStore) async throws {
        let people = try await store.pair().map(\.people)
        let number = try Self.number(1)
        let firsts = try await people.race(16) { people, _ in
            try await people.save([NumberedPerson(number, Self.short)]).new == 1
        }
        #expect(firsts == 1)
        #expect(try await people.first.count() == 1)
    }
}
