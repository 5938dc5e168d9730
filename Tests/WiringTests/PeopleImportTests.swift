import Foundation
import Locks
import StrictJSON
import Testing

@testable import Possession
@testable import Wiring

@Suite struct PeopleImportTests {
    private final class Notes {
        var lines: [String] = []
        var batches: [[NumberedPerson]] = []
    }

    private static func file(_ text: String) throws -> PeopleFile {
        var rest = Array(text.utf8)[...]
        let bytes = FileBytes {
            defer { rest = rest.dropFirst(1000) }
            return Array(rest.prefix(1000))
        }
        return try PeopleFile(bytes, .csv)
    }

    private static func table(_ rows: [String]) -> String {
        "phoneNumber,firstName,lastName\n" + rows.map { $0 + "\n" }.joined()
    }

    private func importer(_ notes: Notes) -> PeopleImport {
        PeopleImport(number: { PhoneNumber(e164: $0) }, note: { notes.lines.append($0) })
    }

    private func taken(
        _ people: [NumberedPerson], _ notes: Notes
    ) throws(PeopleImport.Refusal) -> SavedPeople {
        notes.batches.append(people)
        return SavedPeople(new: people.count, replaced: 0)
    }

    @Test func `stores sound rows in batches and names the others`() async throws {
        let notes = Notes()
        var rows = (0..<1001).map { "+1201555\(1000 + $0),SECRET,B" }
        rows[3] = "SECRET,A,B"
        rows[700] = "+12015551000,,SECRET"
        var pass = importer(notes)
        try await pass.run(try Self.file(Self.table(rows))) { (batch) throws(PeopleImport.Refusal) in
            try taken(batch, notes)
        }
        #expect(notes.batches.map(\.count) == [500, 499])
        #expect(pass.summary == .init(rows: 1001, new: 999, replaced: 0, repeated: 0, bad: 2))
        #expect(
            notes.lines == [
                "line 5: phoneNumber: must be a phone number that can exist", "line 702: firstName: is missing",
            ])
    }

    @Test func `tells of numbers that come twice`() async throws {
        let notes = Notes()
        let rows = ["+12015550123,A,B", "+12015550124,A,B", "+12015550123,C,D"]
        var pass = importer(notes)
        try await pass.run(try Self.file(Self.table(rows))) { (batch) throws(PeopleImport.Refusal) in
            try taken(batch, notes)
        }
        #expect(pass.summary.repeated == 1 && pass.summary.bad == 0)
        #expect(notes.lines == ["line 4: phoneNumber: is that of an earlier row, which this one replaces"])
        #expect(notes.batches.first?.map(\.person.firstName) == ["A", "A", "C"])
    }

    @Test func `checks without storing, and says the same`() throws {
        let notes = Notes()
        var pass = importer(notes)
        try pass.check(try Self.file(Self.table(["+12015550123,A,B", "x,A,B", "+12015550123,A,B"])))
        #expect(pass.summary == .init(rows: 3, new: 0, replaced: 0, repeated: 1, bad: 1))
        #expect(notes.lines.map { $0.prefix(7) } == ["line 3:", "line 4:"])
    }

    @Test func `stops at a bad row that an earlier pass had not seen`() async throws {
        let notes = Notes()
        var pass = importer(notes)
        let file = try Self.file(Self.table(["+12015550123,A,B", "x,A,B"]))
        await #expect(throws: PeopleImport.Failure.changed(line: 3)) {
            try await pass.run(file, isChecked: true) { (batch) throws(PeopleImport.Refusal) in
                try taken(batch, notes)
            }
        }
        #expect(notes.batches.isEmpty)
    }

    @Test func `says from which line on nothing is stored`() async throws {
        let notes = Notes()
        var pass = importer(notes)
        let file = try Self.file(Self.table((0..<1200).map { "+1201555\(1000 + $0),A,B" }))
        await #expect(throws: PeopleImport.Failure.notStored(line: 502, reason: "full")) {
            try await pass.run(file) { (batch) throws(PeopleImport.Refusal) in
                guard notes.batches.isEmpty else { throw PeopleImport.Refusal(reason: "full") }
                return try taken(batch, notes)
            }
        }
        #expect(pass.summary.new == 500)
    }

    @Test func `ends a batch early when its rows are large`() async throws {
        let notes = Notes()
        var pass = importer(notes)
        let street = String(repeating: "\"\"", count: 200)
        let names = ["phoneNumber", "firstName", "lastName"] + (1...10).map { "address\($0 == 1 ? "" : String($0))" }
        let rows = (0..<300).map {
            "+1201555\(1000 + $0),A,B" + String(repeating: ",\"\(street)\"", count: 10)
        }
        let text = names.joined(separator: ",") + "\n" + rows.map { $0 + "\n" }.joined()
        try await pass.run(try Self.file(text)) { (batch) throws(PeopleImport.Refusal) in try taken(batch, notes) }
        #expect(notes.batches.count > 1 && pass.summary.new == 300)
        // What a server takes at most, although every byte of the streets is escaped.
        #expect(notes.batches.allSatisfy { PeopleOrders.body($0).count < 1024 * 1024 })
    }
}

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
            let batch = try (0..<PeopleOrders.maxPeople).map(entry)
            #expect(try control.send(.savePeople(batch)).object == ["new": 500, "replaced": 0])
            #expect(try control.send(.savePeople([batch[0]])).object == ["new": 0, "replaced": 1])

            let first = try control.send(.listPeople(PeoplePage(limit: 2)))
            #expect(first.object["count"] == 500)
            let listed = try #require(first.object["people"]?.array)
            #expect(listed.map { $0.object?["phoneNumber"]?.string } == ["+1******1000", "+1******1001"])
            #expect(!"\(listed)".contains("SECRET") && !"\(listed)".contains("+12015551000"))
            let last = try #require(listed.last?.object?["id"]?.string.flatMap { PersonID($0) })
            let page = PeoplePage(after: last, limit: 1, showsNumbers: true)
            let next = try control.send(.listPeople(page)).object["people"]?.array
            #expect(next?.first?.object?["phoneNumber"] == "+12015551002")

            #expect(try control.send(.eraseNumber(NumberErasure(name: .id(last)))).status == 200)
            #expect(try control.send(.eraseNumber(NumberErasure(name: .id(last)))).status == 404)
            #expect(try control.send(.eraseNumber(NumberErasure(name: .number(batch[0].number)))).status == 200)
            #expect(try control.send(.eraseNumber(NumberErasure(name: .number(batch[0].number)))).status == 404)
            #expect(try control.send(.listPeople(PeoplePage(limit: 1))).object["count"] == 498)
        }
    }

    @Test func `works on the store itself when no server runs, and keeps what was imported`() async throws {
        defer { cleanUp() }
        let configuration = try ServerFixture.configuration(directory)
        let entry = try entry(0)
        let channel = try await PeopleChannel(configuration)
        #expect(try await channel.save([entry]) == SavedPeople(new: 1, replaced: 0))
        await channel.close()
        let store = try await Store.open(configuration)
        #expect(try await StoredPeople(store.people).person(entry.number) == Self.ada)
        await store.close()
    }

    @Test func `reads back the orders it writes`() throws {
        let batch = [try entry(0), try entry(1)]
        guard case .savePeople(let people) = PeopleOrders.people(PeopleOrders.body(batch)) else {
            Issue.record("no batch")
            return
        }
        #expect(people == batch)
        let page = PeoplePage(after: PersonID(high: 1, low: 2), limit: 1000, showsNumbers: true)
        guard case .listPeople(page) = PeopleOrders.page(PeopleOrders.body(page)) else {
            Issue.record("no page")
            return
        }
        for name in [PersonName.id(PersonID(high: 1, low: 2)), .number(batch[0].number)] {
            for client in [nil, ClientID("shop")] {
                let erasure = NumberErasure(name: name, client: client)
                guard case .eraseNumber(erasure) = PeopleOrders.erasure(PeopleOrders.body(erasure)) else {
                    Issue.record("no name")
                    return
                }
            }
        }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"people":[]}"#, #"{"people":{}}"#, #"{"people":[1]}"#, #"{"people":[{}]}"#,
        #"{"people":[{"phoneNumber":"2015550123","firstName":"A","lastName":"B"}]}"#, #"{"after":"x"}"#,
        #"{"limit":0}"#, #"{"limit":1001}"#, #"{"limit":"1"}"#, #"{"id":"x"}"#, #"{"phoneNumber":"2015550123"}"#,
        #"{"id":"00000000-0000-7000-8000-000000000000","phoneNumber":"+12015550123"}"#, #"{"clientId":"shop"}"#,
        #"{"phoneNumber":"+12015550123","clientId":"no client"}"#,
    ])
    func `takes no malformed order`(body: String) {
        #expect(PeopleOrders.people(Array(body.utf8)) == nil)
        #expect(PeopleOrders.erasure(Array(body.utf8)) == nil)
        if body != "{}" { #expect(PeopleOrders.page(Array(body.utf8)) == nil) }
    }

    @Test func `takes a batch of five hundred and no more`() throws {
        let batch = try (0...PeopleOrders.maxPeople).map(entry)
        #expect(PeopleOrders.people(PeopleOrders.body(batch)) == nil)
        #expect(PeopleOrders.people(PeopleOrders.body(batch.dropLast())) != nil)
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
        // Sandbox numbers, of an area code that nobody has.
        for text in ["2001004014", "+12001004014", "+12345"] { #expect(numbers.number(text) == nil) }
    }
}
