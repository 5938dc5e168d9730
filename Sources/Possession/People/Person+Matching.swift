/// Compares a caller's data about a person with the record (contract section 8, App).
extension Person {
    /// A part of a person's data that differs from the record. It names the part, not the values.
    package enum Difference: String, Sendable, CaseIterable {
        case ssn, dob, name, address, email
    }

    /// The parts in which `submitted` differs from the record. A part that was not given is not compared. A part that
    /// was given but is not on record is a difference.
    ///
    /// Text is compared as `FoldedText` folds it. A partial date or social security number is compared by its parts; an
    /// address and an e-mail address with every one on record.
    package func differences(from submitted: SubmittedPerson) -> Set<Difference> {
        var differences: Set<Difference> = []
        if let given = submitted.ssn, !(ssn.map(given.matches) ?? false) { differences.insert(.ssn) }
        if let given = submitted.dob, !(dob.map(given.matches) ?? false) { differences.insert(.dob) }
        if !Self.agrees(submitted.firstName, firstName) || !Self.agrees(submitted.lastName, lastName) {
            differences.insert(.name)
        }
        if let given = submitted.address, !isOnRecord(given) { differences.insert(.address) }
        if let given = submitted.emailAddress, !isOnRecord(emailAddress: given) { differences.insert(.email) }
        return differences
    }

    /// All given parts must belong to one address on record. If the record has no address, only an address without
    /// content agrees.
    private func isOnRecord(_ given: Address) -> Bool {
        guard !addresses.isEmpty else { return given.agrees(with: .blank) }
        return addresses.contains { given.agrees(with: $0) }
    }

    private func isOnRecord(emailAddress given: String) -> Bool {
        guard !emailAddresses.isEmpty else { return Self.agrees(given, nil) }
        return emailAddresses.contains { Self.agrees(given, $0) }
    }

    /// Whether a given text equals the known one; a text that was not given agrees. A blank text agrees if nothing is
    /// known, because forms send it for an empty field.
    fileprivate static func agrees(_ given: String?, _ known: String?) -> Bool {
        guard let given else { return true }
        return FoldedText(given) == FoldedText(known ?? "")
    }
}

extension Person.Address {
    fileprivate static let blank = Person.Address(address: nil, city: nil, region: nil, postalCode: nil)

    /// Whether every given member of this address equals that of `known`.
    fileprivate func agrees(with known: Person.Address) -> Bool {
        Person.agrees(address, known.address) && Person.agrees(extendedAddress, known.extendedAddress)
            && Person.agrees(city, known.city) && Person.agrees(region, known.region)
            && postalCodeAgrees(with: known.postalCode)
    }

    /// Five digits also agree with the first five of a ZIP+4.
    private func postalCodeAgrees(with known: String?) -> Bool {
        if Person.agrees(postalCode, known) { return true }
        guard let postalCode, let known, let known = Self.fiveDigits(ofZIPPlus4: FoldedText(known).text) else {
            return false
        }
        return FoldedText(postalCode) == FoldedText(known)
    }

    /// `nil` unless five digits, an optional hyphen, and four digits.
    private static func fiveDigits(ofZIPPlus4 text: String) -> String? {
        let bytes = Array(text.utf8)
        let isHyphened = bytes.count == 10 && bytes[5] == UInt8(ascii: "-")
        guard isHyphened || bytes.count == 9 else { return nil }
        let digits = bytes.prefix(5) + bytes.suffix(4)
        return digits.allSatisfy { $0 >= 48 && $0 <= 57 } ? String(decoding: bytes.prefix(5), as: UTF8.self) : nil
    }
}
