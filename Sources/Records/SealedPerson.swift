package import Engine
package import Possession

/// A person's data and credentials, in one record that is sealed in its row. Findings are left out: only sandbox users
/// have them.
package enum SealedPerson {
    private static let column: StaticString = "people.person_sealed"

    package static func seal(
        _ person: Person, credentials: Identification?, for id: PersonID, _ sealing: Sealing
    ) throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(RecordVersions.person)
        record.text(person.firstName)
        record.text(person.lastName)
        record.text(person.dob)
        record.text(person.ssn)
        record.integer(person.emailAddresses.count)
        for address in person.emailAddresses { record.text(address) }
        record.integer(person.addresses.count)
        for address in person.addresses {
            record.text(address.address)
            record.text(address.extendedAddress)
            record.text(address.city)
            record.text(address.region)
            record.text(address.postalCode)
        }
        let entries = credentials?.entries ?? []
        record.integer(entries.count)
        for entry in entries {
            record.text(entry.name)
            record.text(entry.value)
        }
        return try sealing.seal(try record.finished(column), SealingContext(column, row: id).bytes)
    }

    package static func open(
        _ sealed: [UInt8], for id: PersonID, _ sealing: Sealing
    ) throws(StorageFault) -> (person: Person, credentials: Identification?) {
        let bytes = try sealing.open(sealed, SealingContext(column, row: id).bytes)
        var record = try RecordReader(bytes, RecordVersions.person, column)
        let names = (first: try record.text(), last: try record.text())
        let (dob, ssn) = (try record.optionalText(), try record.optionalText())
        var emailAddresses: [String] = []
        for _ in 0..<(try record.count(0...Person.Limit.emailAddresses)) { emailAddresses.append(try record.text()) }
        var addresses: [Person.Address] = []
        for _ in 0..<(try record.count(0...Person.Limit.addresses)) {
            addresses.append(
                Person.Address(
                    address: try record.optionalText(), extendedAddress: try record.optionalText(),
                    city: try record.optionalText(), region: try record.optionalText(),
                    postalCode: try record.optionalText()))
        }
        let credentials = record.version == 1 ? nil : try credentials(&record)
        try record.end()
        let person = Person(
            firstName: names.first, lastName: names.last, dob: dob, ssn: ssn, emailAddresses: emailAddresses,
            addresses: addresses)
        return (person, credentials)
    }

    private static func credentials(_ record: inout RecordReader) throws(StorageFault) -> Identification? {
        let count = try record.count(0...Identification.mostEntries)
        guard count > 0 else { return nil }
        var entries: [Identification.Entry] = []
        for _ in 0..<count { entries.append(.init(try record.text(), try record.text())) }
        return try record.required(Identification(entries))
    }
}
