/// Finds imported people by their credentials, where an identification has exactly the names of a declared key
/// (`identity.keys`). Messages go to the person's number.
///
/// A person who shares those credentials with another one is found by none of them: the log says so, without a value.
package struct StoredPersonFinder: PersonFinder {
    private let store: any PeopleStore
    private let keys: [IdentificationKey]
    private let kinds: CredentialKinds
    private let number: @Sendable (String) -> PhoneNumber?
    private let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - kinds: of the credentials, as the import has them.
    ///   - number: the number that a text means; `nil`: none.
    ///   - report: takes a sentence for the log.
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
        case .several: report("nobody is found by \(names): more than one imported person has the same")
        case .tooMany: report("nobody is found by \(names): too many imported people have the same")
        }
        return nil
    }
}
