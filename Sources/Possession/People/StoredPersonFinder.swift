/// Finds imported people by their credentials, where an identification has exactly the names of a declared key
/// (`identity.keys`). Messages go to the person's number.
///
/// A person who shares those credentials with another one is found by none of them: the log says so, without a value.
package struct StoredPersonFinder: PersonFinder {
    private let store: any PeopleStore
    private let keys: [IdentificationKey]
    private let report: @Sendable (String) -> Void

    /// - Parameter report: takes a sentence for the log.
    package init(
        _ store: any PeopleStore, keys: [IdentificationKey], report: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.keys = keys
        self.report = report
    }

    package func person(
        _ identification: Identification, for client: ClientID
    ) async throws(IdentityFault) -> FoundPerson? {
        guard let key = keys.first(where: { $0.opens(identification) }) else { return nil }
        let match: CredentialMatch
        do { match = try await store.match(identification) } catch { throw .unavailable(reason: "storage: \(error)") }
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
