import Locks
import Engine
import Possession
import Testing

@Suite struct StoredPersonFinderTests {
    private static let number = PhoneNumber(e164: "+12015550123")!

    /// Answers each look-up in the same way, and notes it.
    private final class Store: PeopleStore {
        let match: Result<CredentialMatch, StorageFault>
        let asked = Locked<[Identification]>([])

        init(_ match: Result<CredentialMatch, StorageFault>) { self.match = match }

        func match(_ said: Identification) async throws(StorageFault) -> CredentialMatch {
            asked.withLock { $0.append(said) }
            return try match.get()
        }

        func person(_ number: PhoneNumber) async throws(StorageFault) -> Person? { nil }
        func save(_ batch: [NumberedPerson]) async throws(StorageFault) -> SavedPeople { .init(new: 0, replaced: 0) }
        func people(after: PersonID?, limit: Int) async throws(StorageFault) -> [ListedPerson] { [] }
        func count() async throws(StorageFault) -> Int { 0 }
        func number(of id: PersonID) async throws(StorageFault) -> PhoneNumber? { nil }
    }

    private static func said(_ entries: KeyValuePairs<String, String>) throws -> Identification {
        try #require(Identification(entries.map { .init($0.key, $0.value) }))
    }

    private struct Outcome {
        let found: FoundPerson?
        let asked: Int
        let log: [String]
    }

    /// With the keys `clientNumber`, and `birthDate` with `email`.
    private static func find(
        _ entries: KeyValuePairs<String, String>, _ match: Result<CredentialMatch, StorageFault>
    ) async throws -> Outcome {
        let (store, log) = (Store(match), Locked<[String]>([]))
        let keys = try [["clientNumber"], ["email", "birthDate"]].map { try #require(IdentificationKey($0)) }
        let finder = StoredPersonFinder(store, keys: keys) { line in log.withLock { $0.append(line) } }
        let found = try await finder.person(try said(entries), for: try #require(ClientID("acme")))
        return Outcome(found: found, asked: store.asked.withLock { $0.count }, log: log.withLock { $0 })
    }

    @Test func `finds the number of the one who has what a key names`() async throws {
        for entries: KeyValuePairs<String, String> in [
            ["clientNumber": "1"], ["birthDate": "1990-02-28", "email": "a"],
        ] {
            let outcome = try await Self.find(entries, .success(.one(Self.number)))
            #expect(outcome.found == FoundPerson(target: .number(Self.number)) && outcome.log.isEmpty)
        }
    }

    @Test func `asks nobody by other names`() async throws {
        for entries: KeyValuePairs<String, String> in [
            ["email": "a"], ["clientNumber": "1", "email": "a"], ["clientnumber": "1"],
            ["birthDate": "1990-02-28", "clientNumber": "1", "email": "a"],
        ] {
            let outcome = try await Self.find(entries, .success(.one(Self.number)))
            #expect(outcome.found == nil && outcome.asked == 0, "\(entries)")
        }
    }

    @Test(arguments: [
        (CredentialMatch.nobody, []),
        (.several, ["no person is found by birthDate and email: more than one imported person has the same"]),
        (.tooMany, ["no person is found by birthDate and email: too many imported people have the same"]),
    ])
    func `finds nobody else, and says why without a value`(match: CredentialMatch, log: [String]) async throws {
        let outcome = try await Self.find(["email": "a@b", "birthDate": "1990-02-28"], .success(match))
        #expect(outcome.found == nil && outcome.asked == 1 && outcome.log == log)
    }

    /// With the keys `email` and `phone`, declared an address and a number.
    @Test(
        arguments: [
            ("email", "Ada@Example.COM", "ada@example.com"), ("email", "\u{3000}ada@example.com \t", "ada@example.com"),
            ("phone", "+12015550123", "+12015550123"), ("phone", " 201 555 0123 ", "+12015550123"),
            ("email", "ada", nil), ("email", "", nil), ("phone", "none", nil),
            ("name", " Ada ", "Ada"), ("name", "Ada@Example.COM", "Ada@Example.COM"),
        ] as [(String, String, String?)])
    func `asks for a value in the form of its kind`(name: String, value: String, asked: String?) async throws {
        var kinds = CredentialKinds()
        (kinds["email"], kinds["phone"]) = (.address, .number)
        let store = Store(.success(.one(Self.number)))
        let keys = try ["email", "phone", "name"].map { try #require(IdentificationKey([$0])) }
        let finder = StoredPersonFinder(
            store, keys: keys, kinds: kinds,
            number: { $0.utf8.elementsEqual("none".utf8) ? nil : PhoneNumber(e164: "+12015550123") }, report: { _ in })
        let found = try await finder.person(try Self.said([name: value]), for: try #require(ClientID("acme")))
        #expect((found == nil) == (asked == nil))
        #expect(store.asked.withLock { $0.map(\.entries) } == (asked.map { [[Identification.Entry(name, $0)]] } ?? []))
    }

    @Test func `tells a fault of the store`() async throws {
        await #expect(throws: IdentityFault.unavailable(reason: "storage: \(StorageFault.overloaded)")) {
            _ = try await Self.find(["clientNumber": "1"], .failure(.overloaded))
        }
    }
}
