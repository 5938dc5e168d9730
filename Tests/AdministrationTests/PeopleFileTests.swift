import StrictJSON
import Testing

@testable import Engine
@testable import Possession
@testable import Administration

@Suite struct PeopleFileTests {
    /// Gives a text in blocks of so many bytes.
    private static func bytes(_ text: [UInt8], by count: Int = 7) -> FileBytes {
        var rest = text[...]
        return FileBytes {
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
    }

    private static func records(_ text: String, by count: Int = 7, max: Int = 100) throws -> [CSVReader.Record] {
        var reader = CSVReader(bytes(Array(text.utf8), by: count), maxRecordBytes: max)
        var records: [CSVReader.Record] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    /// Each record as its line and either its fields or its mistake.
    private static func shown(_ text: String, by count: Int = 7) throws -> [String] {
        try records(text, by: count).map { record in
            switch record.fields {
            case .success(let fields): "\(record.line) " + fields.joined(separator: "|")
            case .failure(let mistakes): "\(record.line) ! " + mistakes.all.map(\.reason).joined()
            }
        }
    }

    private static func rows(_ text: String, _ format: PeopleFile.Format) throws -> [String] {
        var file = try PeopleFile(bytes(Array(text.utf8)), format)
        var rows: [String] = []
        while let row = try file.next() {
            switch row.fields.flatMap({ $0.person(number: { PhoneNumber(e164: $0) }) }) {
            case .success(let entry): rows.append("\(row.line) \(entry.person.firstName)")
            case .failure(let mistakes): rows += mistakes.all.map { "\(row.line) \($0.field): \($0.reason)" }
            }
        }
        return rows
    }

    @Test(arguments: [1, 2, 3, 4, 100])
    func `passes over a byte order mark, whatever pieces it comes in`(size: Int) throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = Array("phoneNumber,firstName,lastName\n+12001004014,A,B\n".utf8)
        var file = try PeopleFile(Self.bytes(mark + text, by: size), .csv)
        #expect(try file.next()?.line == 2)
        // Only a whole one is passed over.
        for start in [[0xEF] + text, [0xEF, 0xBB] + text, [0xEF, 0xBB]] {
            #expect(throws: PeopleFile.Fault.self) { _ = try PeopleFile(Self.bytes(start, by: size), .csv) }
        }
    }

    // MARK: CSV

    @Test(arguments: [
        ("", []), ("a", ["1 a"]), ("a\n", ["1 a"]), ("a\r\n", ["1 a"]), ("a,b\nc,d", ["1 a|b", "2 c|d"]),
        ("a,\n,b\n", ["1 a|", "2 |b"]), ("\n\r\na\n\nb", ["3 a", "5 b"]), ("\"a,b\",c", ["1 a,b|c"]),
        ("\"a\"\"b\"", ["1 a\"b"]), ("\"\",x", ["1 |x"]), ("\"a\r\nb\",c\nd,e", ["1 a\r\nb|c", "3 d|e"]),
        ("\"\"\"\"\r\nx", ["1 \"", "2 x"]), ("ä,€\n", ["1 ä|€"]), (" a , b ", ["1  a | b "]),
        ("a\"b\nc", ["1 ! has a quote in a field that is not quoted", "2 c"]),
        ("\"a\"b,c\nd", ["1 ! has text behind a closing quote", "2 d"]),
        ("\"a\"\"\nb", ["1 ! has a quote that is not closed"]), ("\"", ["1 ! has a quote that is not closed"]),
        ("a\rb,c\nd", ["1 ! has a carriage return outside of quotes", "2 d"]), ("a\r", ["1 a"]),
    ])
    func `reads a table by RFC 4180`(text: String, expected: [String]) throws {
        for count in [1, 2, 3, 1000] { #expect(try Self.shown(text, by: count) == expected) }
    }

    @Test(arguments: [(99, true), (100, true), (101, false)])
    func `takes a record of at most so many bytes, and goes on behind a longer one`(count: Int, isRight: Bool) throws {
        let text = String(repeating: "a", count: count)
        for field in [text, "\"\(text)\""] {
            let records = try Self.records("x,y\n\(field)\nz")
            #expect(records.count == 3)
            #expect((try? records[1].fields.get()) == (isRight ? [text] : nil))
            #expect(records[2] == .init(line: 3, fields: .success(["z"])))
        }
    }

    @Test func `refuses bytes that are no UTF-8, in that record only`() throws {
        var reader = CSVReader(Self.bytes([0xFF, 0x2C, 0x61, 0x0A, 0x61, 0x2C, 0xC3, 0x0A, 0x62]), maxRecordBytes: 9)
        for line in 1...2 {
            let record = try #require(try reader.next())
            #expect(record == .init(line: line, fields: .failure(RowMistakes(row: "is not UTF-8"))))
        }
        #expect(try reader.next() == .init(line: 3, fields: .success(["b"])))
        #expect(try reader.next() == nil)
    }

    @Test func `reads every column, and leaves out what is empty`() throws {
        let text = """
            \u{FEFF}phoneNumber,lastName,firstName,dob,ssn,emailAddress,emailAddress10,city2,address,postalCode
            +12015550123,L,F,2000-02-29,123456789,a@b,c@d,Rome,"1, St",
            +12015550124,L,G,,,,,,,

            """
        var file = try PeopleFile(Self.bytes(Array(text.utf8)), .csv)
        let rows = [try #require(try file.next()), try #require(try file.next())]
        let people = try rows.map { try $0.fields.get().person(number: { PhoneNumber(e164: $0) }).get() }
        #expect(try file.next() == nil)
        #expect(
            people[0].person
                == Person(
                    firstName: "F", lastName: "L", dob: "2000-02-29", ssn: "123456789",
                    emailAddresses: ["a@b", "c@d"],
                    addresses: [
                        .init(address: "1, St", city: nil, region: nil, postalCode: nil),
                        .init(address: nil, city: "Rome", region: nil, postalCode: nil),
                    ]))
        #expect(people[1].person.dob == nil && people[1].person.addresses.isEmpty)
    }

    @Test(arguments: [
        ("", "there is none"), ("phoneNumber,firstName", "there is no column lastName"),
        ("a\"", "has a quote in a field that is not quoted"),
        ("phoneNumber,firstName,lastName,city,city", "column 5 has the name of an earlier one: city"),
        (
            "phoneNumber;firstName;lastName",
            "the columns must be separated by commas, and this record has semicolons instead"
        ),
        ("phoneNumber\tfirstName", "the columns must be separated by commas, and this record has tabs instead"),
    ])
    func `refuses a table by its header`(header: String, reason: String) {
        #expect(throws: PeopleFile.Fault.header(reason)) { try PeopleFile(Self.bytes(Array(header.utf8)), .csv) }
    }

    @Test(arguments: [
        "firstname", "", " firstName", "emailAddress1", "emailAddress11", "emailAddress02", "city0", "ssn2", "2",
        "phone", "credentials", "credentials.", "Credentials.a", "credentials.a\u{7F}",
    ])
    func `knows no other column, and lists those it knows`(name: String) throws {
        let text = Array("phoneNumber,firstName,lastName,\(name)\n".utf8)
        let fault = #expect(throws: PeopleFile.Fault.self) { try PeopleFile(Self.bytes(text), .csv) }
        let reason = "\(try #require(fault))"
        #expect(
            reason.hasPrefix("header: column 4 has no known name; known are phoneNumber, firstName, lastName, dob,"))
    }

    @Test func `names rows with too few or too many fields`() throws {
        let rows = try Self.rows("phoneNumber,firstName,lastName\n+12015550123,A\n+12015550123,A,B,C\n", .csv)
        #expect(
            rows == ["2 : has 2 fields where the header has 3", "3 : has 4 fields where the header has 3"])
    }

    // MARK: JSON lines

    @Test func `reads one object a line`() throws {
        let text = """
            \u{FEFF}{"phoneNumber":"+12015550123","firstName":"A","lastName":"B","dob":null}\r

            []
            {"phoneNumber":
            {"phoneNumber":"+12015550123","firstName":"C","lastName":"B","emailAddresses":["a@b"],"addresses":[{}]}
            """
        #expect(
            try Self.rows(text, .jsonl) == [
                "1 A", "3 : is no JSON object: byte 1: the top is not an object",
                "4 : is no JSON object: byte 16: the text ends where a value is due", "5 C",
            ])
    }

    @Test(arguments: [(65_536, true), (65_537, false)])
    func `takes a line of at most 64 KiB`(count: Int, isRight: Bool) throws {
        let object = #"{"phoneNumber":"+12015550123","firstName":"A","lastName":"B"}"#
        let line = object + String(repeating: " ", count: count - object.utf8.count)
        let rows = try Self.rows(line + "\n" + object, .jsonl)
        #expect(rows == [isRight ? "1 A" : "1 : is longer than 65536 bytes", "2 A"])
    }

    // MARK: Rules

    @Test(arguments: [
        (#""phoneNumber":"+1"#, ["phoneNumber: must be a phone number that can exist"]),
        (#""phoneNumber":12015550123,"x":"1"#, ["phoneNumber: must be text", "x: is unknown"]),
        (#""ssn":"12345678"#, ["ssn: must be nine digits"]), (#""ssn":"1234567890"#, ["ssn: must be nine digits"]),
        (#""ssn":"123-45-6789"#, ["ssn: must be nine digits"]), (#""ssn":"123456789"#, []),
        (#""dob":"2001-02-29"#, ["dob: must be a date of the form YYYY-MM-DD"]), (#""dob":"2000-02-29"#, []),
        (#""dob":"2000-02-29T00:00:00Z"#, ["dob: must be a date of the form YYYY-MM-DD"]),
        (#""firstName":""#, ["firstName: must not be empty"]),
        (#""firstName":"a\n"#, ["firstName: must not contain control characters"]),
        (#""lastName":"a\u0085"#, ["lastName: must not contain control characters"]),
        (#""lastName":"a\u2028"#, ["lastName: must not contain control characters"]),
        (#""emailAddresses":"a@b"#, ["emailAddresses: must be a list"]),
        (#""emailAddresses":["a@b","ab"],"ssn":"123456789"#, ["emailAddresses[1]: must be an e-mail address"]),
        (
            #""emailAddresses":["a b@c",7],"ssn":"123456789"#,
            ["emailAddresses[1]: must be text", "emailAddresses[0]: must be an e-mail address"]
        ),
        (
            #""addresses":[{"city":"C"},{"town":"T"},5],"ssn":"123456789"#,
            ["addresses[1].town: is unknown", "addresses[2]: must be an object"]
        ),
        (#""addresses":[{"city":""}],"ssn":"123456789"#, ["addresses[0].city: must not be empty"]),
        (#""SECRET 1":"SECRET 2"#, ["(another name): is unknown"]),
        (
            #""credentials":{"a":1.5,"SECRET 1":[],"b":{},"c":null},"ssn":"123456789"#,
            [
                "credentials.a: must be text, a whole number, true or false",
                "credentials.(another name): must be text, a whole number, true or false",
                "credentials.b: must be text, a whole number, true or false",
            ]
        ),
        (#""credentials":["SECRET"],"ssn":"123456789"#, ["credentials: must be an object"]),
        (
            #""credentials":{"client_number-2.a":"","4711":"","":"1","a\u0000":"1"},"ssn":"123456789"#,
            [
                "credentials.client_number-2.a: must not be empty", "credentials.(another name): must not be empty",
                "credentials.(another name): must have a name of 1 to 64 bytes, without control characters",
                "credentials.(another name): must have a name of 1 to 64 bytes, without control characters",
            ]
        ),
        (
            #""credentials":{"a":"b\n"},"ssn":"123456789"#,
            ["credentials.a: must not contain control characters"]
        ),
        (#""credentials":{},"ssn":"123456789"#, []),
    ])
    func `names what is wrong with a row`(members: String, mistakes: [String]) throws {
        var names = ""
        for name in ["phoneNumber", "firstName", "lastName"] where !members.contains("\"\(name)\"") {
            names += #""\#(name)":"+12015550123","#
        }
        let rows = try Self.rows("{\(names)\(members)\"}", .jsonl)
        #expect(rows == (mistakes.isEmpty ? ["1 +12015550123"] : mistakes.map { "1 " + $0 }))
    }

    @Test(arguments: [
        ("firstName", 128, true), ("firstName", 129, false), ("lastName", 128, true), ("lastName", 129, false),
    ])
    func `takes names of at most 128 characters, whatever they are`(name: String, count: Int, isRight: Bool) throws {
        for character in ["a", "語", "😀"] {
            var object: JSONObject = ["phoneNumber": "+12015550123", "firstName": "A", "lastName": "B"]
            object.set(name, String(repeating: character, count: count))
            let outcome = PersonFields(object).person(number: { PhoneNumber(e164: $0) })
            #expect(((try? outcome.get()) != nil) == isRight)
        }
    }

    @Test(arguments: [("emailAddresses", 10, true), ("emailAddresses", 11, false), ("addresses", 11, false)])
    func `takes at most ten of each`(name: String, count: Int, isRight: Bool) {
        var object: JSONObject = ["phoneNumber": "+12015550123", "firstName": "A", "lastName": "B"]
        object[name] = .array(Array(repeating: name == "addresses" ? [:] : "a@b", count: count))
        let outcome = PersonFields(object).person(number: { PhoneNumber(e164: $0) })
        #expect(((try? outcome.get()) != nil) == isRight)
    }

    @Test(arguments: [PeopleFile.Format.csv, .jsonl])
    func `reads what a person may say to be found`(format: PeopleFile.Format) throws {
        let text =
            switch format {
            case .csv:
                """
                credentials.clientNumber,phoneNumber,firstName,lastName,credentials.VIP,credentials.e-mail
                12345,+12015550123,A,B,true,"a, b"
                ,+12015550124,A,B,,
                """
            case .jsonl:
                """
                {"credentials":{"e-mail":"a, b","clientNumber":12345,"VIP":true,"x":null},"phoneNumber":"+12015550123",\
                "firstName":"A","lastName":"B"}
                {"phoneNumber":"+12015550124","firstName":"A","lastName":"B","credentials":null}
                """
            }
        var file = try PeopleFile(Self.bytes(Array(text.utf8)), format)
        let rows = [try #require(try file.next()), try #require(try file.next())]
        let people = try rows.map { try $0.fields.get().person(number: { PhoneNumber(e164: $0) }).get() }
        let said: [Identification.Entry] = [
            .init("VIP", "true"), .init("clientNumber", "12345"), .init("e-mail", "a, b"),
        ]
        #expect(people.map { $0.credentials?.entries } == [said, nil])
    }

    @Test(arguments: [(64, 256, 32, true), (65, 256, 1, false), (64, 257, 1, false), (1, 1, 33, false)])
    func `takes credentials as an identification has them`(name: Int, value: Int, count: Int, isRight: Bool) throws {
        var credentials = JSONObject()
        for index in 0..<count {
            let digits = String(index + 10)
            let name = String(repeating: "n", count: max(0, name - digits.utf8.count)) + digits
            credentials.set(name, String(repeating: "v", count: value))
        }
        let object: JSONObject = [
            "phoneNumber": "+12015550123", "firstName": "A", "lastName": "B", "credentials": .object(credentials),
        ]
        let outcome = PersonFields(object).person(number: { PhoneNumber(e164: $0) })
        #expect((try? outcome.get())?.credentials?.entries.count == (isRight ? count : nil))
        let columns = credentials.names.map { ",credentials." + $0 }.joined()
        let values = credentials.members.map { "," + ($0.value.string ?? "") }.joined()
        let rows = try? Self.rows("phoneNumber,firstName,lastName\(columns)\n+12015550123,A,B\(values)\n", .csv)
        #expect((rows == ["2 A"]) == isRight)
    }

    @Test func `takes credentials in the form of their kinds, and names those that are none`() throws {
        var kinds = CredentialKinds()
        (kinds["email"], kinds["phone"]) = (.address, .number)
        func outcome(_ credentials: JSONObject) -> Result<NumberedPerson, RowMistakes> {
            let object: JSONObject = [
                "phoneNumber": "+12015550123", "firstName": "A", "lastName": "B", "credentials": .object(credentials),
            ]
            return PersonFields(object).person(kinds: kinds) { text in
                PhoneNumber(e164: text.utf8.first == UInt8(ascii: "+") ? text : "+1" + text)
            }
        }
        let person = try outcome(["email": "Ada@Example.COM ", "phone": " 2015550124", "name": " Ada "]).get()
        #expect(
            person.credentials?.entries == [
                .init("email", "ada@example.com"), .init("name", "Ada"), .init("phone", "+12015550124"),
            ])
        guard case .failure(let mistakes) = outcome(["email": "SECRET", "name": " ", "phone": "SECRET"]) else {
            Issue.record("values of another kind")
            return
        }
        #expect(
            mistakes.all == [
                .init(field: "credentials.email", reason: "must be an e-mail address"),
                .init(field: "credentials.name", reason: "must not be empty"),
                .init(field: "credentials.phone", reason: "must be a phone number that can exist"),
            ])
    }

    @Test func `refuses a table with more than 32 columns of credentials`() {
        let header = Array(("phoneNumber" + (0..<33).map { ",credentials.n\($0)" }.joined()).utf8)
        #expect(throws: PeopleFile.Fault.header("more than 32 columns are of credentials")) {
            try PeopleFile(Self.bytes(header), .csv)
        }
    }

    @Test func `misses what is not there`() {
        guard case .failure(let mistakes) = PersonFields(JSONObject()).person(number: { _ in nil }) else {
            Issue.record("a person without anything")
            return
        }
        #expect(mistakes.all.map(\.field) == ["phoneNumber", "firstName", "lastName"])
        #expect(mistakes.all.allSatisfy { $0.reason == "is missing" })
    }
}
