internal import Possession
internal import StrictJSON

extension Person {
    /// Reads the person of a sandbox user. The data is made up, so its content is not checked.
    static func read(_ name: String, in parent: inout MemberReader) -> Person? {
        guard let value = parent.value(name) else { return nil }
        guard let object = value.object else {
            parent.note(name, "must be an object")
            return nil
        }
        var reader = MemberReader(object, at: parent.path(name))
        var mistakes: [String] = []
        let person = person(&reader, mistakes: &mistakes)
        parent.adopt(reader.allMistakes() + mistakes)
        return person
    }

    private static func person(_ reader: inout MemberReader, mistakes: inout [String]) -> Person? {
        let firstName = reader.text("firstName", maxBytes: Limit.textBytes, required: true)
        let lastName = reader.text("lastName", maxBytes: Limit.textBytes, required: true)
        let dob = reader.text("dob", reason: "must be a date of the form YYYY-MM-DD", where: Person.isDate)
        let ssn = reader.text("ssn", reason: "must be nine digits", where: Person.isSSN)
        var emailAddresses: [String] = []
        for (place, value) in reader.list("emailAddresses", maxCount: Limit.emailAddresses) {
            let mistake = emailMistake(value)
            if let mistake { mistakes.append("\(place): \(mistake)") }
            if let text = value.string { emailAddresses.append(text) }
        }
        var addresses: [Address] = []
        for (place, value) in reader.list("addresses", maxCount: Limit.addresses) {
            guard var inner = MemberReader.reader(of: value, at: place, mistakes: &mistakes) else { continue }
            addresses.append(address(&inner))
            mistakes += inner.allMistakes()
        }
        let findings = ComplianceFindings.read(in: &reader)
        guard let firstName, let lastName else { return nil }
        return Person(
            firstName: firstName, lastName: lastName, dob: dob, ssn: ssn, emailAddresses: emailAddresses,
            addresses: addresses, findings: findings)
    }

    private static func address(_ reader: inout MemberReader) -> Address {
        Address(
            address: reader.text("address", maxBytes: Limit.textBytes),
            extendedAddress: reader.text("extendedAddress", maxBytes: Limit.textBytes),
            city: reader.text("city", maxBytes: Limit.textBytes),
            region: reader.text("region", maxBytes: Limit.textBytes),
            postalCode: reader.text("postalCode", maxBytes: Limit.textBytes))
    }

    private static func emailMistake(_ value: JSONValue) -> String? {
        if let mistake = MemberReader.textMistake(value, maxBytes: Limit.textBytes) { return mistake }
        return Person.isEmailAddress(value.string ?? "") ? nil : "must be an e-mail address"
    }
}
