/// A person of the sandbox, whom the holder of a link that names nobody may play.
package struct PlayedPerson: Sendable, Equatable {
    package let number: PhoneNumber
    package let name: String
    package let email: EmailAddress?

    package init(number: PhoneNumber, name: String, email: EmailAddress?) {
        self.number = number
        self.name = name
        self.email = email
    }
}
