internal import Text

/// The kinds of credential values, if the operator declares them (`identity.keys`). Values are compared as elsewhere in
/// the server: two spellings of one address or number are the same value.
package enum CredentialKind: String, Sendable, CaseIterable {
    case address
    case number

    /// The canonical form of a value; `nil`: it is not of this kind.
    /// - Parameter number: reads a number from a text.
    package func canonical(_ value: String, number: (String) -> PhoneNumber?) -> String? {
        switch self {
        case .address: EmailAddress(value).map { Target.email($0).canonical }
        case .number: number(value).map { Target.number($0).canonical }
        }
    }

    /// The requirement of this kind, as the end of a sentence about a value.
    package var rule: String {
        switch self {
        case .address: "must be an e-mail address"
        case .number: "must be a phone number that can exist"
        }
    }
}

/// The kinds of credentials by name. Values with other names are texts, which are compared byte by byte.
package struct CredentialKinds: Sendable, Equatable {
    private var kinds: [ByteText: CredentialKind] = [:]

    package init() {}

    package subscript(name: String) -> CredentialKind? {
        get { kinds[ByteText(name)] }
        set { kinds[ByteText(name)] = newValue }
    }

    /// An identification with each value in its canonical form; `nil`: a value is not of its kind.
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
