/// Phone number or e-mail address that a session proves. Messages go to it, and limits count it. A session for an
/// unknown person has a target that is counted like others and gets no messages.
///
/// Its description is masked, so that printing it by accident reveals nothing.
package enum Target: Sendable, Hashable, CustomStringConvertible {
    case number(PhoneNumber)
    case email(EmailAddress)
    case nobody(UnknownPerson)

    /// Reads the form of `text`; `nil` for any other text. An address has an `@`, and a number does not. An unknown
    /// person's text begins with `?`.
    package init?(_ text: String) {
        if let number = PhoneNumber(e164: text) {
            self = .number(number)
        } else if let address = EmailAddress(text) {
            self = .email(address)
        } else if let person = UnknownPerson(text) {
            self = .nobody(person)
        } else {
            return nil
        }
    }

    package var number: PhoneNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The form for limits: `EmailAddress.withoutTag`.
    package var counted: String {
        if case .email(let address) = self { address.withoutTag } else { canonical }
    }

    package var email: EmailAddress? {
        if case .email(let address) = self { address } else { nil }
    }

    /// Whether it is an unknown person, who gets no messages.
    package var isNobody: Bool {
        if case .nobody = self { true } else { false }
    }

    /// The form for messages: E.164, or the address.
    package var text: String {
        switch self {
        case .number(let number): number.e164
        case .email(let address): address.text
        case .nobody(let person): person.text
        }
    }

    /// The form for digests, indexes and counters. Numbers and addresses never have the same one.
    package var canonical: String {
        switch self {
        case .number(let number): number.formerE164
        case .email(let address): address.canonical
        case .nobody(let person): person.text
        }
    }

    /// For the owner of the number or address.
    package var masked: String {
        switch self {
        case .number(let number): number.masked
        case .email(let address): address.masked
        case .nobody(let person): person.description
        }
    }

    /// For logs and events.
    package var description: String {
        switch self {
        case .number(let number): number.description
        case .email(let address): address.description
        case .nobody(let person): person.description
        }
    }
}
