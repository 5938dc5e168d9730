/// The made-up person behind a test number: what Pre-Fill answers and what submitted data is compared with.
package struct SandboxPerson: Sendable, Equatable {
    package struct Address: Sendable, Equatable {
        package let address: String?
        package let extendedAddress: String?
        package let city: String?
        package let region: String?
        /// Five digits or ZIP+4 in the United States, else as that country writes it.
        package let postalCode: String?
    }

    package let firstName: String
    package let lastName: String
    /// `YYYY-MM-DD`.
    package let dob: String?
    /// Nine digits.
    package let ssn: String?
    package let emailAddresses: [String]
    package let addresses: [Address]
}
