/// Identifies a person in the store, even if the person's number changes.
package struct PersonID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// Record of the person of a phone number. Prefill returns it, and submitted data is compared with it. All of it is
/// personal data: encrypted at rest, in no log and no error.
package struct Person: Sendable, Equatable, CustomStringConvertible {
    package struct Address: Sendable, Equatable {
        package let address: String?
        package let extendedAddress: String?
        package let city: String?
        package let region: String?
        /// Five digits or ZIP+4 in the United States, else in the country's own form.
        package let postalCode: String?

        package init(
            address: String?, extendedAddress: String? = nil, city: String?, region: String?, postalCode: String?
        ) {
            self.address = address
            self.extendedAddress = extendedAddress
            self.city = city
            self.region = region
            self.postalCode = postalCode
        }
    }

    package let firstName: String
    package let lastName: String
    /// `YYYY-MM-DD`.
    package let dob: String?
    /// Nine digits.
    package let ssn: String?
    package let emailAddresses: [String]
    package let addresses: [Address]
    /// Findings about a test user. A people store does not keep them, so an imported person has none.
    package let findings: ComplianceFindings?

    package init(
        firstName: String, lastName: String, dob: String?, ssn: String?, emailAddresses: [String],
        addresses: [Address], findings: ComplianceFindings? = nil
    ) {
        self.firstName = firstName
        self.lastName = lastName
        self.dob = dob
        self.ssn = ssn
        self.emailAddresses = emailAddresses
        self.addresses = addresses
        self.findings = findings
    }

    package var description: String { "<person>" }
}
