/// Phone number or e-mail address that a session proves a person holds. Messages go to it, and limits count it. A session of
/// somebody whom nobody knows has a target that counts as the others do and gets nothing.
///
/// Its description is masked, so that one printed by accident shows nobody.
package enum Target: Sendable, Hashable, CustomStringConvertible {
    case number(PhoneNumber)
    case email(EmailAddress)
    case nobody(UnknownPerson)

    /// Reads what `text` wrote; `nil` for anything else. An address has an `@`, and no number has.
    /// An unknown person's text begins with `?`.
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

    /// As limits count it: `EmailAddress.withoutTag`.
    package var counted: String {
        if case .email(let address) = self { address.withoutTag } else { canonical }
    }

    package var email: EmailAddress? {
        if case .email(let address) = self { address } else { nil }
    }

    /// No message goes there.
    package var isNobody: Bool {
        if case .nobody = self { true } else { false }
    }

    /// As messages go to it: E.164, or the address.
    package var text: String {
        switch self {
        case .number(let number): number.e164
        case .email(let address): address.text
        case .nobody(let person): person.text
        }
    }

    /// The one form of it that is digested, indexed and counted. The forms of numbers and of addresses differ.
    package var canonical: String {
        switch self {
        case .number(let number): number.formerE164
        case .email(let address): address.canonical
        case .nobody(let person): person.text
        }
    }

    /// For the person who owns it.
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
