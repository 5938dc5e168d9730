import Foundation
import Engine
import Possession
import StrictJSON
import Testing

@testable import Administration
@testable import Wiring

@Suite struct PeopleControlTests {
    let directory = ServerFixture.freshDirectory()

    private static let ada = Person(
        firstName: "Ada", lastName: "SECRET", dob: "2000-02-29", ssn: "123456789", emailAddresses: ["a@b"],
        addresses: [.init(address: "1 \"St\"", city: "C", region: nil, postalCode: nil)])

    private func cleanUp() { try? FileManager.default.removeItem(atPath: directory) }

    private func entry(_ index: Int) throws -> NumberedPerson {
        NumberedPerson(try #require(PhoneNumber(e164: "+1201555\(1000 + index)")), Self.ada)
    }

    @Test func `stores, lists and erases people of a running server`() async throws {
        defer { cleanUp() }
        let configuration = try ServerFixture.configuration(directory)
        try await ServerFixture.withServer(configuration) { _, _ in
            let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
            let batch = try (0..<SavePeople.maxPeople).map(entry)
            #expect(try control.send(SavePeople(people: batch)).object == ["new": 500, "replaced": 0])
            #expect(try control.send(SavePeople(people: [batch[0]])).object == ["new": 0, "replaced": 1])

            let first = try control.send(ListPeople(limit: 2))
            #expect(first.object["count"] == 500)
            let listed = try #require(first.object["people"]?.array)
            #expect(listed.map { $0.object?["phoneNumber"]?.string } == ["+1******1000", "+1******1001"])
            #expect(!"\(listed)".contains("SECRET") && !"\(listed)".contains("+12015551000"))
            let last = try #require(listed.last?.object?["id"]?.string.flatMap { PersonID($0) })
            let page = ListPeople(after: last, limit: 1, showsNumbers: true)
            let next = try control.send(page).object["people"]?.array
            #expect(next?.first?.object?["phoneNumber"] == "+12015551002")

            #expect(try control.send(EraseNumber(name: .id(last))).status == 200)
            #expect(try control.send(EraseNumber(name: .id(last))).status == 404)
            let named = EraseNumber(name: .target(.number(batch[0].number)))
            #expect(try control.send(named).status == 200)
            #expect(try control.send(named).status == 404)
            #expect(try control.send(ListPeople(limit: 1)).object["count"] == 498)
        }
    }

    @Test func `works on the store itself when no server runs, and keeps what was imported`() async throws {
        defer { cleanUp() }
        let configuration = try ServerFixture.configuration(directory)
        let entry = try entry(0)
        let channel = try await PeopleChannel(Installation(configuration))
        #expect(try await channel.save([entry]) == SavedPeople(new: 1, replaced: 0))
        await channel.close()
        let store = try await Store.open(configuration)
        #expect(try await StoredPeople(store.people).person(entry.number) == Self.ada)
        await store.close()
    }

    @Test func `reads numbers as the sandbox does`() throws {
        let numbers = try PeopleNumbers(try ServerFixture.configuration(directory))
        for text in ["2001004014", "12001004014", "+12001004014", "200-100-4014", "+1 (200) 100.4014"] {
            #expect(numbers.number(text)?.e164 == "+12001004014")
        }
        #expect(numbers.number("+12345")?.e164 == "+12345")
        #expect(numbers.number("2015550123")?.e164 == "+12015550123")
        for text in ["", "x", "+", "123", "201 555 0123 ext 4"] { #expect(numbers.number(text) == nil) }
    }

    @Test func `reads numbers by the plan alone in live mode`() throws {
        let live = try ConfigurationTests.read(
            """
            {"mode":"live","server":{"publicUrl":"https://a.example"},"data":{"directory":"\(directory)",
             "migrations":"\(ServerFixture.repository)/migrations"}}
            """)
        let numbers = try PeopleNumbers(live)
        #expect(numbers.number("+442079460123")?.e164 == "+442079460123")
        for text in ["2015550123", "201 555 0123", "(201) 555-0123", "+1 201.555.0123"] {
            #expect(numbers.number(text)?.e164 == "+12015550123")
        }
        for text in ["1-800-FLOWERS", "٢٠١٥٥٥٠١٢٣", "201555\u{200B}0123"] { #expect(numbers.number(text) == nil) }
        // A number with an area code that the plan does not know yet (`numbers.unknownRanges`).
        for text in ["2001004014", "+12001004014"] { #expect(numbers.number(text)?.e164 == "+12001004014") }
        #expect(numbers.number("+12345") == nil)
    }
}
