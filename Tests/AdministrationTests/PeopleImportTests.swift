import Testing

@testable import Administration
@testable import Engine
@testable import Possession

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
        // Each batch is below a server's limit, although every byte of the streets is escaped.
        #expect(notes.batches.allSatisfy { SavePeople.call.written(SavePeople(people: $0)).body.count < 1024 * 1024 })
    }
}
