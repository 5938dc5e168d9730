package import Possession

/// A person's data as the one record that is sealed in its row. Findings are left out: only sandbox users have them.
package enum SealedPerson {
    private static let column: StaticString = "people.person_sealed"
    private static let version: UInt8 = 1

    package static func seal(_ person: Person, for id: PersonID, _ sealing: Sealing) throws(StorageFault) -> [UInt8] {
        var record = RecordWriter(version: version)
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
        return try sealing.seal(try record.finished(column), SealingContext(column, row: id).bytes)
    }

    package static func open(_ sealed: [UInt8], for id: PersonID, _ sealing: Sealing) throws(StorageFault) -> Person {
        let bytes = try sealing.open(sealed, SealingContext(column, row: id).bytes)
        var record = try RecordReader(bytes, versions: version...version, column)
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
        try record.end()
        return Person(
            firstName: names.first, lastName: names.last, dob: dob, ssn: ssn, emailAddresses: emailAddresses,
            addresses: addresses)
    }
}
