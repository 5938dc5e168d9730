@testable import Possession
import Testing

@Suite struct PartialDateTests {
    @Test(arguments: ["1980-03-02", "1900-01-01", "2000-02-29", "1980-03", "1900-01", "03-02", "02-29", "12-31"])
    func `takes a day of the calendar or a part of it`(text: String) {
        #expect(PartialDate(text)?.text == text)
    }

    @Test(arguments: [
        "", "1980", "80-03-02", "1899-12-31", "1899-12", "1980-02-30", "1900-02-29", "1980-13-01", "1980-00", "1980-13",
        "02-30", "00-10", "13-01", "04-31", "3-2", "03/02", "0302", "1980-3-02", "03-02 ", "-1980-03", "１2-0",
        "19800302",
        "1980-03-02T00:00:00Z",
    ])
    func `refuses anything else`(text: String) {
        #expect(PartialDate(text) == nil)
    }

    @Test(arguments: [
        ("1980-03-02", "1980-03-02", true), ("1980-03-02", "1980-03-03", false), ("1980-03-02", "1981-03-02", false),
        ("1980-03", "1980-03-02", true), ("1980-03", "1980-04-02", false), ("1980-03", "1981-03-02", false),
        ("03-02", "1980-03-02", true), ("03-02", "1955-03-02", true), ("03-02", "1980-02-03", false),
        ("1980-03-02", "", false), ("03-02", "03-02", false), ("1980-03", "1980-03", false),
    ])
    func `matches by the parts given`(text: String, dob: String, matches: Bool) throws {
        #expect(try #require(PartialDate(text)).matches(dob) == matches)
    }

    @Test func `prints as nothing`() {
        #expect("\(PartialDate("1980-03-02")!)" == "<date>")
    }
}

@Suite struct PartialSSNTests {
    @Test(arguments: ["565228370", "000000000", "8370", "0000"]) func `takes nine or four digits`(text: String) {
        #expect(PartialSSN(text)?.text == text)
    }

    @Test(arguments: ["", "370", "83700", "56522837", "5652283700", "565-22-8370", "83a0", "８３70", "837 ", "+370"])
    func `refuses anything else`(text: String) {
        #expect(PartialSSN(text) == nil)
    }

    @Test(arguments: [
        ("565228370", "565228370", true), ("565228370", "565228371", false), ("565228370", "465228370", false),
        ("8370", "565228370", true), ("8371", "565228370", false), ("5652", "565228370", false),
        ("8370", "", false), ("8370", "8370", false),
    ])
    func `matches the whole or the end`(text: String, ssn: String, matches: Bool) throws {
        #expect(try #require(PartialSSN(text)).matches(ssn) == matches)
    }

    @Test func `prints as nothing`() {
        #expect("\(PartialSSN("565228370")!)" == "<ssn>")
    }
}

@Suite struct PersonMatchingTests {
    private typealias Differences = Set<Person.Difference>

    private static let person = Person(
        firstName: "Anna Maria", lastName: "O'Straße", dob: "1980-03-02", ssn: "565228370",
        emailAddresses: ["anna@example.com", "A.Maria@Example.org"],
        addresses: [
            Person.Address(
                address: "39 South Trail", extendedAddress: "Apt 3", city: "San Antonio", region: "TX",
                postalCode: "78285-1234"),
            Person.Address(address: "4861 Jay Junction", city: "Boston", region: "MS", postalCode: "02208"),
        ])
    private static let nobody = Person(
        firstName: "A", lastName: "B", dob: nil, ssn: nil, emailAddresses: [], addresses: [])

    private static func address(
        _ street: String? = nil, extended: String? = nil, city: String? = nil, region: String? = nil,
        postalCode: String? = nil
    ) -> SubmittedPerson {
        SubmittedPerson(
            address: Person.Address(
                address: street, extendedAddress: extended, city: city, region: region, postalCode: postalCode))
    }

    @Test func `what was not said is no difference`() {
        #expect(Self.person.differences(from: SubmittedPerson()).isEmpty)
        #expect(Self.nobody.differences(from: SubmittedPerson()).isEmpty)
        #expect(Self.nobody.differences(from: Self.address()).isEmpty)
    }

    @Test func `the record itself is no difference`() {
        for address in Self.person.addresses {
            for email in Self.person.emailAddresses {
                let same = SubmittedPerson(
                    firstName: "Anna Maria", lastName: "O'Straße", dob: PartialDate("1980-03-02"),
                    ssn: PartialSSN("565228370"), emailAddress: email, address: address)
                #expect(Self.person.differences(from: same).isEmpty)
            }
        }
    }

    @Test(
        arguments: [
            ("Anna Maria", nil, true), ("anna maria", nil, true), ("  ANNA \t  MARIA ", nil, true),
            ("Anna\u{a0}Maria", nil, true), ("Anna", nil, false), ("AnnaMaria", nil, false), ("", nil, false),
            (nil, "o'straße", true), (nil, "O'STRASSE", true), (nil, "O'Strase", false), (nil, "OStraße", false),
            ("Anna Maria", "O'Straße", true), ("O'Straße", "Anna Maria", false), ("Anna Maria", "X", false),
            ("X", "O'Straße", false),
        ] as [(String?, String?, Bool)])
    func `names differ by more than case and spaces`(first: String?, last: String?, agrees: Bool) {
        let differences = Self.person.differences(from: SubmittedPerson(firstName: first, lastName: last))
        #expect(differences == (agrees ? [] : [.name]))
    }

    @Test(
        arguments: [
            ("O'Brien", "O’Brien"), ("O'Brien", "O\u{02BC}Brien"), ("O'Brien", "o`brien"), ("O’Brien", "O'BRIEN"),
            ("Jean-Luc", "Jean\u{2010}Luc"), ("Jean-Luc", "Jean–Luc"), ("Jean-Luc", "Jean\u{2212}Luc"),
            ("Anna", "An\u{AD}na"), ("Anna", "\u{FEFF}Anna\u{200D}"), ("Straße", "STRASSE"), ("ﬁn", "FIN"),
            ("ΣΑΣ", "σας"), ("İ", "i\u{307}"),
        ])
    func `spellings that people take for the same are the same`(record: String, said: String) {
        let person = Person(
            firstName: record, lastName: "B", dob: nil, ssn: nil, emailAddresses: [],
            addresses: [
                Person.Address(address: record, extendedAddress: nil, city: record, region: nil, postalCode: nil)
            ])
        let same = SubmittedPerson(
            firstName: said,
            address: Person.Address(address: said, extendedAddress: nil, city: said, region: nil, postalCode: nil))
        #expect(person.differences(from: same).isEmpty)
    }

    @Test(arguments: [("O'Brien", "OBrien"), ("José", "Jose"), ("Jean-Luc", "Jean Luc"), ("Anna", "A nna")])
    func `accents, blanks, and marks that are missing make a difference`(record: String, said: String) {
        let person = Person(
            firstName: record, lastName: "B", dob: nil, ssn: nil, emailAddresses: [], addresses: [])
        #expect(person.differences(from: SubmittedPerson(firstName: said)) == [.name])
    }

    @Test func `accents compare in either Unicode form`() {
        let person = Person(
            firstName: "Zoe\u{308}", lastName: "B", dob: nil, ssn: nil, emailAddresses: [], addresses: [])
        #expect(person.differences(from: SubmittedPerson(firstName: "ZO\u{cb}")).isEmpty)
        #expect(person.differences(from: SubmittedPerson(firstName: "Zoe")) == [.name])
    }

    @Test(arguments: [
        ("1980-03-02", true), ("1980-03", true), ("03-02", true), ("1980-03-03", false), ("03-03", false),
    ])
    func `a date of birth differs by its parts`(text: String, agrees: Bool) throws {
        let dob: PartialDate = try #require(PartialDate(text))
        let submitted = SubmittedPerson(dob: dob)
        #expect(Self.person.differences(from: submitted) == (agrees ? [] : [.dob]))
        #expect(Self.nobody.differences(from: submitted) == [.dob])
    }

    @Test(arguments: [("565228370", true), ("8370", true), ("565228371", false), ("8371", false)])
    func `a social security number differs by what was given of it`(text: String, agrees: Bool) throws {
        let ssn: PartialSSN = try #require(PartialSSN(text))
        let submitted = SubmittedPerson(ssn: ssn)
        #expect(Self.person.differences(from: submitted) == (agrees ? [] : [.ssn]))
        #expect(Self.nobody.differences(from: submitted) == [.ssn])
    }

    @Test(arguments: [
        ("anna@example.com", true), (" ANNA@EXAMPLE.COM ", true), ("a.maria@example.org", true),
        ("anna@example.org", false), ("", false),
    ])
    func `an e-mail address is looked for among all`(text: String, agrees: Bool) {
        let submitted = SubmittedPerson(emailAddress: text)
        #expect(Self.person.differences(from: submitted) == (agrees ? [] : [.email]))
        #expect(Self.nobody.differences(from: submitted) == (text.isEmpty ? [] : [.email]))
    }

    @Test(arguments: [
        (address("39 south  trail", extended: "APT 3", city: "san antonio", region: "tx", postalCode: "78285"), true),
        (address("4861 JAY Junction", city: "boston"), true), (address(city: "Boston"), true),
        (address(postalCode: "02208"), true), (address(postalCode: " 78285 "), true),
        (address(postalCode: "78285-1234"), true), (address("39 South Trail", extended: "Apt 4"), false),
        (address("39 South Trail", extended: ""), false), (address("4861 Jay Junction", extended: " "), true),
        (address("4861 Jay Junction", extended: "Apt 3"), false),
        // Each of two addresses on record has one half of it.
        (address("39 South Trail", city: "Boston"), false), (address(city: "Boston", postalCode: "78285"), false),
        (address(postalCode: "7828"), false), (address(postalCode: "78286"), false),
        (address(postalCode: "78285-1235"), false), (address(postalCode: "02208-1234"), false),
    ])
    func `an address is looked for among all, as a whole`(submitted: SubmittedPerson, agrees: Bool) {
        #expect(Self.person.differences(from: submitted) == (agrees ? [] : [.address]))
    }

    @Test func `a form left empty is no address`() {
        #expect(Self.nobody.differences(from: Self.address("", city: " ")).isEmpty)
        #expect(Self.nobody.differences(from: Self.address("", city: "Boston")) == [.address])
    }

    @Test(arguments: [
        ("782851234", true), ("78285-1234", true), ("78285-123", false), ("78285-12x4", false), ("7828x-1234", false),
        ("78285 1234", false), ("78285", true), ("SW1A 1AA", false),
    ])
    func `five digits are the beginning of a ZIP+4 only`(known: String, agrees: Bool) {
        let person = Person(
            firstName: "A", lastName: "B", dob: nil, ssn: nil, emailAddresses: [],
            addresses: [Person.Address(address: nil, city: nil, region: nil, postalCode: known)])
        #expect(person.differences(from: Self.address(postalCode: "78285")) == (agrees ? [] : [.address]))
    }

    @Test func `tells every difference at once`() {
        let other = SubmittedPerson(
            firstName: "X", lastName: "Y", dob: PartialDate("01-01"), ssn: PartialSSN("0000"), emailAddress: "x@y.z",
            address: Person.Address(address: "X", city: nil, region: nil, postalCode: nil))
        #expect(Self.person.differences(from: other) == Differences(Person.Difference.allCases))
        #expect(Self.nobody.differences(from: other) == Differences(Person.Difference.allCases))
    }

    @Test func `prints as nothing`() {
        #expect("\(SubmittedPerson(firstName: "Anna", ssn: PartialSSN("8370")))" == "<submitted person>")
    }
}
