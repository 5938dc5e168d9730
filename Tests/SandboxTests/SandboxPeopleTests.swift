import Engine
import Possession
import Testing

@testable import Sandbox

@Suite struct SandboxPeopleTests {
    private struct Others: IdentitySource {
        let person: Person

        func person(_ number: PhoneNumber) async throws(IdentityFault) -> Person? { person }
    }

    private static let other = Person(
        firstName: "O", lastName: "T", dob: nil, ssn: nil, emailAddresses: [], addresses: [])

    private func entries() throws -> [SandboxUsersFile.Entry] {
        let json = #"""
            {"users":[{"number":"2001001695","name":"A","region":"NA","product":"prefill",
            "person":{"firstName":"A","lastName":"B"}},
            {"number":"2001004014","name":"C","region":"NA","product":"unify"}]}
            """#
        return try SandboxUsersFile(Array(json.utf8)).entries
    }

    @Test func `knows the people of the users file`() async throws {
        let source = SandboxPeople(SandboxUserList(try entries()))
        #expect(try await source.person(try #require(PhoneNumber(e164: "+12001001695")))?.lastName == "B")
        #expect(try await source.person(try #require(PhoneNumber(e164: "+12001004014"))) == nil)
    }

    @Test func `asks another source for everybody else`() async throws {
        let source = SandboxPeople(SandboxUserList(try entries()), others: Others(person: Self.other))
        #expect(try await source.person(try #require(PhoneNumber(e164: "+12001001695")))?.lastName == "B")
        for text in ["+12001004014", "+4915112345678"] {
            #expect(try await source.person(try #require(PhoneNumber(e164: text))) == Self.other)
        }
    }
}
