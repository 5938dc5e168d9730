import Foundation
@testable import Outbound
import Engine
import Possession
import TestSupport
import Testing
import Tokens

@testable import Administration
@testable import Observation
@testable import Wiring

/// People of the import that onboarding finds by `identity.keys`, through the whole server.
@Suite struct ImportedPeopleTests {
    private let directory = ServerFixture.freshDirectory()

    /// Sandbox users, who get messages. The first is also found by the users file: `clientNumber` 12345.
    private static let lorant = PhoneNumber(e164: "+12001004014")!
    private static let laney = PhoneNumber(e164: "+12001004015")!

    private static func entry(_ number: PhoneNumber, _ credentials: KeyValuePairs<String, String>) -> NumberedPerson {
        NumberedPerson(
            number, Person(firstName: "Ada", lastName: "B", dob: nil, ssn: nil, emailAddresses: [], addresses: []),
            credentials: Identification(credentials.map { .init($0.key, $0.value) }))
    }

    /// Where the message of a process went that begins with `identification`; `nil`: none was sent.
    private func messaged(_ identification: String, _ port: UInt16) throws -> String? {
        let start = try ServerFixture.call(
            port, "POST", "/api/onboarding/start", ["Content-Type: application/json"],
            body: #"{"requestObject":{"identification":\#(identification)}}"#)
        #expect(start.status == 200, "\(start.text)")
        let started = try JSONSerialization.jsonObject(with: Data(start.body)) as? [String: Any]
        let process = try #require((started?["responseObject"] as? [String: Any])?["processId"] as? String)
        let inbox = try ServerFixture.call(port, "GET", "/sandbox/messages")
        let listed = try JSONSerialization.jsonObject(with: Data(inbox.body)) as? [String: Any]
        let messages = try #require(listed?["messages"] as? [[String: Any]])
        return messages.first { $0["correlationId"] as? String == process }?["to"] as? String
    }

    @Test func `finds them by declared keys until they are erased, and tells of those who have the same`() async throws
    {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let configuration = try ServerFixture.configuration(
            directory, ["HOLDFAST_IDENTITY_KEYS": "clientNumber,email+birthDate"])
        let (_, log) = try await ServerFixture.withServerAndLog(configuration) { _, port in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let people = [
                Self.entry(Self.lorant, ["clientNumber": "SECRET-7", "email": "a@b", "birthDate": "1990-02-28"]),
                Self.entry(Self.laney, ["clientNumber": "12345", "email": "a@b", "birthDate": "1991-02-28"]),
            ]
            let saved = try control.send(SavePeople(people: people))
            #expect(saved.status == 200)
            #expect(try messaged(#"{"clientNumber":"SECRET-7"}"#, port) == "2001004014")
            #expect(try messaged(#"{"email":"a@b","birthDate":"1991-02-28"}"#, port) == "2001004015")
            #expect(try messaged(#"{"email":"a@b","birthDate":"1992-02-28"}"#, port) == nil)
            #expect(try messaged(#"{"email":"a@b"}"#, port) == nil, "no key")
            #expect(try messaged(#"{"clientNumber":"12345"}"#, port) == "2001004014", "a sandbox user is first")

            let erasure = EraseNumber(name: .target(.number(Self.lorant)))
            #expect(try control.send(erasure).status == 200)
            #expect(try messaged(#"{"clientNumber":"SECRET-7"}"#, port) == nil)

            let same = [Self.lorant, Self.laney].map { Self.entry($0, ["clientNumber": "SECRET-8"]) }
            #expect(try control.send(SavePeople(people: same)).status == 200)
            #expect(try messaged(#"{"clientNumber":"SECRET-8"}"#, port) == nil)
        }
        let lines = log.map { "\($0)" }
        #expect(
            lines.count {
                $0.contains("no person is found by clientNumber: more than one imported person has the same")
            }
                == 1)
        #expect(lines.allSatisfy { !$0.contains("SECRET") && !$0.contains("1990-02-28") })
    }

    @Test func `finds none of them without a key`() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let configuration = try ServerFixture.configuration(directory)
        try await ServerFixture.withServer(configuration) { _, port in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let saved = try control.send(SavePeople(people: [Self.entry(Self.lorant, ["clientNumber": "7"])]))
            #expect(saved.status == 200)
            #expect(try messaged(#"{"clientNumber":"7"}"#, port) == nil)
        }
    }

    private struct Imported: PersonFinder {
        func person(
            _ identification: Identification, for client: ClientID
        ) async throws(IdentityFault) -> FoundPerson? { FoundPerson(target: .number(ImportedPeopleTests.laney)) }
    }

    @Test func `the operator's service finds people in place of the import`() async throws {
        let said = try #require(Identification([.init("clientNumber", "7")]))
        let client = try #require(ClientID("sandbox"))
        for (url, found) in [("https://people.example/", Self.lorant), (nil, Self.laney)] {
            var configuration = try ServerFixture.configuration(directory)
            configuration.identity.lookupURL = url
            let finder = Assembly.personFinder(
                configuration, key: KeyedHash(key: SecretBytes([1])), imported: Imported(),
                send: { (_) throws(OutboundFault) in
                    OutboundResponse(status: 200, body: Array(#"{"phoneNumber":"+12001004014"}"#.utf8))
                }, systemNow: { Timestamp(seconds: 7) }, registry: MetricsRegistry([]))
            #expect(try await finder.person(said, for: client)?.target == .number(found))
        }
    }
}
