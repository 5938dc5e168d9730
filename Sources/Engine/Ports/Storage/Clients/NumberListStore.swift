package import Possession

/// Stores tenants' lists of numbers.
package protocol NumberListStore: Sendable {
    /// The newest entries first, at most `NumberList.mostTold`.
    func numbers(_ list: NumberList, of tenant: ClientID) async throws(StorageFault) -> [ListedNumber]

    func contains(_ number: PhoneNumber, _ list: NumberList, of tenant: ClientID) async throws(StorageFault) -> Bool

    /// Adds a number. An existing entry does not change.
    /// - Returns: `false` if the list has `NumberList.most` entries.
    func add(
        _ number: PhoneNumber, to list: NumberList, of tenant: ClientID, at now: Timestamp
    ) async throws(StorageFault) -> Bool

    /// Removes a number, if it is there.
    func remove(_ number: PhoneNumber, from list: NumberList, of tenant: ClientID) async throws(StorageFault)
}

extension NumberListStore {
    /// Whether the tenant's lists block messages to a number. An allowed number lifts only the tenant's own block: the
    /// server's limits, closed countries and line types still apply.
    package func stops(_ number: PhoneNumber, of tenant: ClientID) async throws(StorageFault) -> Bool {
        guard try await contains(number, .blocked, of: tenant) else { return false }
        return !(try await contains(number, .allowed, of: tenant))
    }
}
