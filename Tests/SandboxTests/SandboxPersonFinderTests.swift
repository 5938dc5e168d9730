import Engine
import Possession
import Sandbox
import Testing

@Suite struct SandboxPersonFinderTests {
    private static let client = ClientID("sandbox")!

    private static func said(_ entries: [(String, String)]) -> Identification {
        Identification(entries.map { .init($0.0, $0.1) })!
    }

    private static func finder(_ others: any PersonFinder = NobodyFound()) throws -> SandboxPersonFinder {
        let json = #"""
            {"users":[
            {"number":"2001004014","name":"Lorant","region":"NA","product":"unify","credentials":{"clientNumber":"12345"}},
            {"number":"2001004015","name":"Laney","region":"NA","product":"unify",
             "credentials":{"clientNumber":"12345","birthDate":"1990-02-28"}},
            {"number":"2001004094","name":"Orla","region":"NA","product":"unify","emailAddress":"orla@example.com",
             "credentials":{"email":"orla@example.com"},"codesTo":"email"}]}
            """#
        return SandboxPersonFinder(SandboxUsers(try SandboxUsersFile(Array(json.utf8)).users), others: others)
    }

    @Test(arguments: [
        ([("clientNumber", "12345")], "+12001004014"), ([("clientNumber", "12345"), ("x", "1")], "+12001004014"),
        // Two users match: the first entry, in order of names, decides.
        ([("clientNumber", "12345"), ("birthDate", "1990-02-28")], "+12001004015"),
        ([("email", "orla@example.com")], "orla@example.com"),
    ])
    func `finds whoever says all of a user's credentials`(said: [(String, String)], target: String) async throws {
        let found = try await Self.finder().person(Self.said(said), for: Self.client)
        #expect(found?.target.text == target && found?.id == nil && found?.language == nil)
    }

    @Test(arguments: [
        [("clientNumber", "12346")], [("clientnumber", "12345")], [("birthDate", "1990-02-28")],
        [("clientNumber", "12345"), ("shouldFail", "true")],
    ])
    func `finds nobody else`(said: [(String, String)]) async throws {
        #expect(try await Self.finder().person(Self.said(said), for: Self.client) == nil)
    }

    @Test func `asks another finder for who is no user`() async throws {
        struct Other: PersonFinder {
            func person(
                _ identification: Identification, for client: ClientID
            ) async throws(IdentityFault) -> FoundPerson? {
                FoundPerson(target: .number(PhoneNumber(e164: "+12015550123")!))
            }
        }
        let finder = try Self.finder(Other())
        let other = try await finder.person(Self.said([("clientNumber", "1")]), for: Self.client)
        #expect(other?.target.text == "+12015550123")
        let user = try await finder.person(Self.said([("clientNumber", "12345")]), for: Self.client)
        #expect(user?.target.text == "+12001004014")
    }
}
