internal import Possession

/// The meaning of a table's columns, from the names in its first record.
///
/// The second to tenth e-mail or postal address have their number after the name: `emailAddress2`, `city2`. A
/// credential's own name follows `credentials.`, as in `credentials.clientNumber`.
struct PeopleColumns {
    private enum Single: String, CaseIterable { case phoneNumber, firstName, lastName, dob, ssn }
    private enum Part: String, CaseIterable { case address, extendedAddress, city, region, postalCode }
    private enum Content {
        case single(Single)
        case emailAddress(Int)
        case address(Int, Part)
        case credential(String)
    }

    private static let credentialPrefix = "credentials."

    /// Why a table cannot be read at all.
    struct Mistake: Error, Equatable, CustomStringConvertible { let description: String }

    static let known =
        (Single.allCases.map(\.rawValue) + ["emailAddress"] + Part.allCases.map(\.rawValue)).joined(separator: ", ")

    private let columns: [(name: String, content: Content)]

    init(_ names: [String]) throws(Mistake) {
        var columns: [(name: String, content: Content)] = []
        var credentialCount = 0
        for (index, name) in names.enumerated() {
            guard let content = Self.content(name) else {
                if let separator = Self.otherSeparator(in: name) {
                    throw Mistake(
                        description: "the columns must be separated by commas, and this record has \(separator) instead"
                    )
                }
                throw Mistake(
                    description: """
                        column \(index + 1) has no known name; known are \(Self.known), with 2 to 10 behind it \
                        every name from emailAddress on, and \(Self.credentialPrefix) with a name of 1 to \
                        \(Identification.longestName) bytes behind it
                        """)
            }
            if case .credential = content { credentialCount += 1 }
            guard credentialCount <= Identification.mostEntries else {
                throw Mistake(description: "more than \(Identification.mostEntries) columns are of credentials")
            }
            guard !columns.contains(where: { $0.name == name }) else {
                throw Mistake(description: "column \(index + 1) has the name of an earlier one: \(name)")
            }
            columns.append((name, content))
        }
        for required: Single in [.phoneNumber, .firstName, .lastName]
        where !columns.contains(where: { $0.name == required.rawValue }) {
            throw Mistake(description: "there is no column \(required.rawValue)")
        }
        self.columns = columns
    }

    /// The separator of a table that does not use commas, guessed from the name of its only column.
    private static func otherSeparator(in name: String) -> String? {
        for (byte, word) in [
            (UInt8(ascii: ";"), "semicolons"), (UInt8(ascii: "\t"), "tabs"), (UInt8(ascii: "|"), "bars"),
        ]
        where name.utf8.contains(byte) {
            let first = String(decoding: name.utf8.prefix { $0 != byte }, as: UTF8.self)
            if content(first) != nil { return word }
        }
        return nil
    }

    /// An empty field counts as absent.
    func person(_ fields: [String]) -> Result<PersonFields, RowMistakes> {
        guard fields.count == columns.count else {
            return .failure(RowMistakes(row: "has \(fields.count) fields where the header has \(columns.count)"))
        }
        var person = PersonFields()
        var emailAddresses: [Int: PersonFields.Field] = [:]
        var addresses: [Int: PersonFields.AddressFields] = [:]
        for (column, text) in zip(columns, fields) where !text.isEmpty {
            let field = PersonFields.Field(name: column.name, text: text)
            switch column.content {
            case .single(.phoneNumber): person.phoneNumber = field
            case .single(.firstName): person.firstName = field
            case .single(.lastName): person.lastName = field
            case .single(.dob): person.dob = field
            case .single(.ssn): person.ssn = field
            case .emailAddress(let number): emailAddresses[number] = field
            case .credential(let name): person.credentials.append(PersonFields.Credential(name, text))
            case .address(let number, let part): Self.set(part, field, in: &addresses[number, default: .init()])
            }
        }
        person.emailAddresses = emailAddresses.sorted { $0.key < $1.key }.map(\.value)
        person.addresses = addresses.sorted { $0.key < $1.key }.map(\.value)
        return .success(person)
    }

    private static func set(
        _ part: Part, _ field: PersonFields.Field, in address: inout PersonFields.AddressFields
    ) {
        switch part {
        case .address: address.address = field
        case .extendedAddress: address.extendedAddress = field
        case .city: address.city = field
        case .region: address.region = field
        case .postalCode: address.postalCode = field
        }
    }

    private static func content(_ name: String) -> Content? {
        if let single = Single(rawValue: name) { return .single(single) }
        if name.utf8.starts(with: credentialPrefix.utf8) {
            let own = String(decoding: name.utf8.dropFirst(credentialPrefix.utf8.count), as: UTF8.self)
            return PersonFields.Credential.isName(own) ? .credential(own) : nil
        }
        for number in 1...Person.Limit.addresses {
            let suffix = number == 1 ? "" : String(number)
            guard name.hasSuffix(suffix) else { continue }
            let base = String(name.dropLast(suffix.count))
            if base == "emailAddress" { return .emailAddress(number) }
            if let part = Part(rawValue: base) { return .address(number, part) }
        }
        return nil
    }
}
