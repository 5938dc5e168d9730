internal import Text

/// The kinds of the values of credentials, where the operator declares them (`identity.keys`). They are compared as the server compares
/// such values elsewhere: two spellings of one address, or of one number, are the same value.
package enum CredentialKind: String, Sendable, CaseIterable {
    case address
    case number

    /// The one form of a value; `nil`: it is none of this kind.
    /// - Parameter number: the number that a text means.
    package func canonical(_ value: String, number: (String) -> PhoneNumber?) -> String? {
        switch self {
        case .address: EmailAddress(value).map { Target.email($0).canonical }
        case .number: number(value).map { Target.number($0).canonical }
        }
    }

    /// Says of a value that is none of this kind what is due: the end of a sentence about it.
    package var rule: String {
        switch self {
        case .address: "must be an e-mail address"
        case .number: "must be a phone number that can exist"
        }
    }
}

/// The kinds of credentials by their names. Values of all other names are texts, which are compared byte by byte.
package struct CredentialKinds: Sendable, Equatable {
    private var kinds: [ByteText: CredentialKind] = [:]

    package init() {}

    package subscript(name: String) -> CredentialKind? {
        get { kinds[ByteText(name)] }
        set { kinds[ByteText(name)] = newValue }
    }

    /// An identification with each value in the one form of its kind; `nil`: a value is none of its kind.
    package func canonical(_ said: Identification, number: (String) -> PhoneNumber?) -> Identification? {
        var entries: [Identification.Entry] = []
        for entry in said.entries {
            guard let kind = self[entry.name] else {
                entries.append(entry)
                continue
            }
            guard let value = kind.canonical(entry.value, number: number) else { return nil }
            entries.append(Identification.Entry(entry.name, value))
        }
        return Identification(entries)
    }
}
