internal import StrictJSON

extension SandboxPerson {
    private enum Limit {
        static let textBytes = 256
        static let emailAddresses = 10
        static let addresses = 10
    }

    /// Reads a person's form. Whether the data means anything is not asked: it is made up.
    static func read(_ name: String, in parent: inout MemberReader) -> SandboxPerson? {
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

    private static func person(_ reader: inout MemberReader, mistakes: inout [String]) -> SandboxPerson? {
        let firstName = reader.text("firstName", maxBytes: Limit.textBytes, required: true)
        let lastName = reader.text("lastName", maxBytes: Limit.textBytes, required: true)
        let dob = reader.text("dob", reason: "must be a date of the form YYYY-MM-DD", where: isDate)
        let ssn = reader.text("ssn", reason: "must be nine digits") {
            $0.utf8.count == 9 && $0.utf8.allSatisfy(isDigit)
        }
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
        guard let firstName, let lastName else { return nil }
        return SandboxPerson(
            firstName: firstName, lastName: lastName, dob: dob, ssn: ssn, emailAddresses: emailAddresses,
            addresses: addresses)
    }

    private static func address(_ reader: inout MemberReader) -> Address {
        Address(
            address: reader.text("address", maxBytes: Limit.textBytes),
            extendedAddress: reader.text("extendedAddress", maxBytes: Limit.textBytes),
            city: reader.text("city", maxBytes: Limit.textBytes),
            region: reader.text("region", maxBytes: Limit.textBytes),
            postalCode: reader.text("postalCode", maxBytes: Limit.textBytes))
    }

    // MARK: Forms

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }

    /// Something on both sides of one `@`.
    private static func emailMistake(_ value: JSONValue) -> String? {
        if let mistake = MemberReader.textMistake(value, maxBytes: Limit.textBytes) { return mistake }
        let parts = (value.string ?? "").split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } ? nil : "must be an e-mail address"
    }

    /// A day of the Gregorian calendar, `YYYY-MM-DD`, from the year 1900 on.
    private static func isDate(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10])
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return year >= 1900 && (1...12).contains(month) && day >= 1 && day <= days[month - 1]
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }
}
