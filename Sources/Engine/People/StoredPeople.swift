package import Possession

/// The imported people as a source of identities.
package struct StoredPeople: IdentitySource {
    private let store: any PeopleStore

    package init(_ store: any PeopleStore) {
        self.store = store
    }

    package func person(_ number: PhoneNumber) async throws(IdentityFault) -> Person? {
        do { return try await store.person(number) } catch { throw .unavailable(reason: "storage: \(error)") }
    }
}
