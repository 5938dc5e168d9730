/// Data about a person from a caller, to compare with the record. A member that was not given is `nil`.
package struct SubmittedPerson: Sendable, Equatable, CustomStringConvertible {
    package var firstName: String?
    package var lastName: String?
    package var dob: PartialDate?
    package var ssn: PartialSSN?
    package var emailAddress: String?
    /// Only its members that are set were given.
    package var address: Person.Address?

    package init(
        firstName: String? = nil, lastName: String? = nil, dob: PartialDate? = nil, ssn: PartialSSN? = nil,
        emailAddress: String? = nil, address: Person.Address? = nil
    ) {
        self.firstName = firstName
        self.lastName = lastName
        self.dob = dob
        self.ssn = ssn
        self.emailAddress = emailAddress
        self.address = address
    }

    package var description: String { "<submitted person>" }
}
