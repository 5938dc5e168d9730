package import Possession

/// Finds imported people by their credentials, if an identification has exactly the names of a declared key
/// (`identity.keys`). Messages go to the person's number.
///
/// If several people share the credentials, none of them is found. The log reports this without a value.
package struct StoredPersonFinder: PersonFinder {
    private let store: any PeopleStore
    private let keys: [IdentificationKey]
    private let kinds: CredentialKinds
    private let number: @Sendable (String) -> PhoneNumber?
    private let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - kinds: the kinds of credentials, as for the import.
    ///   - number: reads a number from a text; `nil`: it is not a number.
    ///   - report: gets a sentence for the log.
    package init(
        _ store: any PeopleStore, keys: [IdentificationKey], kinds: CredentialKinds = CredentialKinds(),
        number: @escaping @Sendable (String) -> PhoneNumber? = { PhoneNumber(e164: $0) },
        report: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.keys = keys
        self.kinds = kinds
        self.number = number
        self.report = report
    }

    package func person(
        _ identification: Identification, for client: ClientID
    ) async throws(IdentityFault) -> FoundPerson? {
        guard let key = keys.first(where: { $0.opens(identification) }),
            let said = kinds.canonical(identification, number: number)
        else { return nil }
        let match: CredentialMatch
        do { match = try await store.match(said) } catch { throw .unavailable(reason: "storage: \(error)") }
        let names = key.names.joined(separator: " and ")
        switch match {
        case .nobody: return nil
        case .one(let number): return FoundPerson(target: .number(number))
        case .several: report("no person is found by \(names): more than one imported person has the same")
        case .tooMany: report("no person is found by \(names): too many imported people have the same")
        }
        return nil
    }
}
