package import Possession

/// Stores tenants' lists of numbers.
package protocol NumberListStore: Sendable {
    /// The newest entries first, at most `NumberList.mostRead`.
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
