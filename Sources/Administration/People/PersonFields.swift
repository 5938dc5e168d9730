internal import Engine
internal import Possession
internal import StrictJSON

/// A mistake in one field of a row. It never contains the value.
struct FieldMistake: Error, Sendable, Equatable {
    /// A column or member: `city2`, `addresses[1].city`; empty: the whole row.
    let field: String
    let reason: String
}

/// All mistakes of a row.
struct RowMistakes: Error, Sendable, Equatable {
    var all: [FieldMistake]

    init(_ all: [FieldMistake]) { self.all = all }
    init(row reason: String) { all = [FieldMistake(field: "", reason: reason)] }
}

/// The texts of one row before any check, from either form of file.
struct PersonFields {
    struct Field {
        /// The name in the file.
        let name: String
        let text: String
    }

    struct AddressFields {
        var address: Field?
        var extendedAddress: Field?
        var city: Field?
        var region: Field?
        var postalCode: Field?
    }

    /// A credential. The file names it `credentials.` and its own name.
    struct Credential {
        let name: String
        let field: Field

        init(_ name: String, _ text: String) {
            self.name = name
            field = Field(name: Self.place(name), text: text)
        }

        static func isName(_ text: String) -> Bool {
            (1...Identification.longestName).contains(text.utf8.count) && Person.isPrintable(text)
        }

        /// The name in a mistake. A name may be a value in the wrong place, so it is repeated only if it looks like a
        /// name.
        static func place(_ name: String) -> String {
            let isPlain =
                name.utf8.count <= Identification.longestName
                && name.utf8.first.map { PersonFields.isLetter($0) } == true
                && name.utf8.allSatisfy { byte in
                    PersonFields.isLetter(byte) || (0x30...0x39).contains(byte) || "_-.".utf8.contains(byte)
                }
            return "credentials." + (isPlain ? name : "(another name)")
        }
    }

    fileprivate static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    var phoneNumber: Field?
    var firstName: Field?
    var lastName: Field?
    var dob: Field?
    var ssn: Field?
    var emailAddresses: [Field] = []
    var addresses: [AddressFields] = []
    /// Each name occurs once.
    var credentials: [Credential] = []
    /// Mistakes in the form of the row.
    var mistakes: [FieldMistake] = []

    /// The person, or all mistakes.
    ///
    /// - Parameters:
    ///   - kinds: the kinds of credentials.
    ///   - number: reads the number that a text means; `nil`: no telephone can have it.
    func person(
        kinds: CredentialKinds = CredentialKinds(), number: (String) -> PhoneNumber?
    ) -> Result<NumberedPerson, RowMistakes> {
        var check = FieldCheck(mistakes: mistakes)
        let own = check.number(phoneNumber, number)
        let firstName = check.name(firstName, "firstName")
        let lastName = check.name(lastName, "lastName")
        let dob = check.text(dob, "must be a date of the form YYYY-MM-DD", where: Person.isDate)
        let ssn = check.text(ssn, "must be nine digits", where: Person.isSSN)
        let emails = emailAddresses.compactMap {
            check.text($0, "must be an e-mail address", where: Person.isEmailAddress)
        }
        let addresses = addresses.map { fields in
            Person.Address(
                address: check.text(fields.address), extendedAddress: check.text(fields.extendedAddress),
                city: check.text(fields.city), region: check.text(fields.region),
                postalCode: check.text(fields.postalCode))
        }
        let credentials = check.identification(credentials, kinds, number)
        guard check.mistakes.isEmpty, let own, let firstName, let lastName else {
            return .failure(RowMistakes(check.mistakes))
        }
        let person = Person(
            firstName: firstName, lastName: lastName, dob: dob, ssn: ssn, emailAddresses: emails, addresses: addresses)
        return .success(NumberedPerson(own, person, credentials: credentials))
    }
}

/// Checks fields by the rules of `Person` and collects the mistakes.
private struct FieldCheck {
    var mistakes: [FieldMistake]

    mutating func number(_ field: PersonFields.Field?, _ read: (String) -> PhoneNumber?) -> PhoneNumber? {
        guard let field else { return missing("phoneNumber") }
        guard let number = read(field.text) else { return note(field, "must be a phone number that can exist") }
        return number
    }

    mutating func name(_ field: PersonFields.Field?, _ name: String) -> String? {
        // If the form already has a mistake there, do not also report the text as missing.
        guard let field else { return mistakes.contains { $0.field == name } ? nil : missing(name) }
        guard field.text.unicodeScalars.count <= Person.Limit.nameCharacters else {
            return note(field, "is longer than \(Person.Limit.nameCharacters) characters")
        }
        return text(field, maxBytes: Person.Limit.nameCharacters * 4)
    }

    mutating func text(
        _ field: PersonFields.Field?, _ reason: String = "", maxBytes: Int = Person.Limit.textBytes,
        where rule: (String) -> Bool = { _ in true }
    ) -> String? {
        guard let field else { return nil }
        guard !field.text.isEmpty else { return note(field, "must not be empty") }
        guard Person.isPrintable(field.text) else { return note(field, "must not contain control characters") }
        guard field.text.utf8.count <= maxBytes else { return note(field, "is longer than \(maxBytes) bytes") }
        guard rule(field.text) else { return note(field, reason) }
        return field.text
    }

    /// The credentials in canonical form, with which an app's identification is compared. `nil`: there are none, or
    /// they are invalid.
    mutating func identification(
        _ credentials: [PersonFields.Credential], _ kinds: CredentialKinds, _ number: (String) -> PhoneNumber?
    ) -> Identification? {
        guard credentials.count <= Identification.mostEntries else {
            mistakes.append(
                FieldMistake(field: "credentials", reason: "has more than \(Identification.mostEntries) entries"))
            return nil
        }
        var entries: [Identification.Entry] = []
        for credential in credentials {
            if !PersonFields.Credential.isName(credential.name) {
                note(
                    credential.field,
                    "must have a name of 1 to \(Identification.longestName) bytes, without control characters")
            } else if let text = text(credential.field, maxBytes: Identification.longestValue) {
                if let entry = entry(credential, Identification.Entry(credential.name, text), kinds, number) {
                    entries.append(entry)
                }
            }
        }
        return Identification(entries)
    }

    /// - Parameter entry: the credential, with blanks around its value removed.
    private mutating func entry(
        _ credential: PersonFields.Credential, _ entry: Identification.Entry, _ kinds: CredentialKinds,
        _ number: (String) -> PhoneNumber?
    ) -> Identification.Entry? {
        guard !entry.value.utf8.isEmpty else { return note(credential.field, "must not be empty") }
        guard let kind = kinds[entry.name] else { return entry }
        guard let value = kind.canonical(entry.value, number: number) else { return note(credential.field, kind.rule) }
        return Identification.Entry(entry.name, value)
    }

    private mutating func missing<Value>(_ name: String) -> Value? {
        guard !mistakes.contains(where: { $0.field == name }) else { return nil }
        mistakes.append(FieldMistake(field: name, reason: "is missing"))
        return nil
    }

    private mutating func note<Value>(_ field: PersonFields.Field, _ reason: String) -> Value? {
        note(field, reason)
        return nil
    }

    private mutating func note(_ field: PersonFields.Field, _ reason: String) {
        mistakes.append(FieldMistake(field: field.name, reason: reason))
    }
}

// MARK: From JSON

extension PersonFields {
    /// Members as in prove-api 6.3, and `phoneNumber`. `null` counts as absent.
    init(_ object: JSONObject) {
        for member in object.members where member.value != .null {
            switch member.name {
            case "phoneNumber": phoneNumber = text(member.value, member.name)
            case "firstName": firstName = text(member.value, member.name)
            case "lastName": lastName = text(member.value, member.name)
            case "dob": dob = text(member.value, member.name)
            case "ssn": ssn = text(member.value, member.name)
            case "emailAddresses":
                let values = list(member.value, member.name, Person.Limit.emailAddresses)
                emailAddresses = values.compactMap { text($0.value, $0.name) }
            case "addresses":
                let values = list(member.value, member.name, Person.Limit.addresses)
                addresses = values.compactMap { address($0.value, $0.name) }
            case "credentials": credentials = credentials(member.value)
            default: noteUnknown(member.name, in: "")
            }
        }
    }

    /// Texts, whole numbers and flags by name, as in an identification. A number becomes its digits, a flag `true` or
    /// `false`.
    private mutating func credentials(_ value: JSONValue) -> [Credential] {
        guard let object = value.object else {
            mistakes.append(FieldMistake(field: "credentials", reason: "must be an object"))
            return []
        }
        var credentials: [Credential] = []
        for member in object.members where member.value != .null {
            switch member.value {
            case .string(let text): credentials.append(Credential(member.name, text))
            case .integer(let number): credentials.append(Credential(member.name, String(number)))
            case .bool(let flag): credentials.append(Credential(member.name, flag ? "true" : "false"))
            case .null, .number, .array, .object:
                mistakes.append(
                    FieldMistake(
                        field: Credential.place(member.name), reason: "must be text, a whole number, true or false"))
            }
        }
        return credentials
    }

    private mutating func address(_ value: JSONValue, _ place: String) -> AddressFields? {
        guard let object = value.object else {
            mistakes.append(FieldMistake(field: place, reason: "must be an object"))
            return nil
        }
        var fields = AddressFields()
        for member in object.members where member.value != .null {
            let name = "\(place).\(member.name)"
            switch member.name {
            case "address": fields.address = text(member.value, name)
            case "extendedAddress": fields.extendedAddress = text(member.value, name)
            case "city": fields.city = text(member.value, name)
            case "region": fields.region = text(member.value, name)
            case "postalCode": fields.postalCode = text(member.value, name)
            default: noteUnknown(member.name, in: place + ".")
            }
        }
        return fields
    }

    private mutating func text(_ value: JSONValue, _ name: String) -> Field? {
        if let text = value.string { return Field(name: name, text: text) }
        mistakes.append(FieldMistake(field: name, reason: "must be text"))
        return nil
    }

    private mutating func list(
        _ value: JSONValue, _ name: String, _ maxCount: Int
    ) -> [(name: String, value: JSONValue)] {
        guard let values = value.array else {
            mistakes.append(FieldMistake(field: name, reason: "must be a list"))
            return []
        }
        guard values.count <= maxCount else {
            mistakes.append(FieldMistake(field: name, reason: "has more than \(maxCount) entries"))
            return []
        }
        return values.enumerated().map { ("\(name)[\($0.offset)]", $0.element) }
    }

    /// An unknown name may be a value in the wrong place, so it is repeated only if it looks like a name.
    private mutating func noteUnknown(_ name: String, in place: String) {
        let isPlain = name.utf8.count <= 32 && name.utf8.allSatisfy { Self.isLetter($0) }
        mistakes.append(FieldMistake(field: place + (isPlain ? name : "(another name)"), reason: "is unknown"))
    }
}
