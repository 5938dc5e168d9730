/// A sandbox person, whom the holder of a link may choose if its session names no person.
package struct SandboxPerson: Sendable, Equatable {
    package let number: PhoneNumber
    package let name: String
    package let email: EmailAddress?

    package init(number: PhoneNumber, name: String, email: EmailAddress?) {
        self.number = number
        self.name = name
        self.email = email
    }
}
