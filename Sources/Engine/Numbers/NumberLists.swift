package import Possession

/// A tenant's lists of numbers: those that may get messages, and those that may not.
package struct NumberLists: Sendable {
    private let store: any NumberListStore
    private let now: Now

    package init(_ engine: Engine) {
        store = engine.stores.clients.numberLists
        now = engine.now
    }

    /// The newest entries first, at most `NumberList.mostRead`.
    package func numbers(_ list: NumberList, of tenant: ClientID) async throws(EngineFault) -> [ListedNumber] {
        do { return try await store.numbers(list, of: tenant) } catch { throw EngineFault(error) }
    }

    package func contains(
        _ number: PhoneNumber, _ list: NumberList, of tenant: ClientID
    ) async throws(EngineFault) -> Bool {
        do { return try await store.contains(number, list, of: tenant) } catch { throw EngineFault(error) }
    }

    /// Adds a number. An existing entry does not change.
    /// - Returns: `false` if the list has `NumberList.most` entries.
    package func add(
        _ number: PhoneNumber, to list: NumberList, of tenant: ClientID
    ) async throws(EngineFault) -> Bool {
        do { return try await store.add(number, to: list, of: tenant, at: now()) } catch { throw EngineFault(error) }
    }

    /// Removes a number, if it is there.
    package func remove(
        _ number: PhoneNumber, from list: NumberList, of tenant: ClientID
    ) async throws(EngineFault) {
        do { try await store.remove(number, from: list, of: tenant) } catch { throw EngineFault(error) }
    }

    /// Whether the lists block messages to a number. An allowed number lifts only the tenant's own block: the server's
    /// limits, closed countries and line types still apply.
    package func block(_ number: PhoneNumber, of tenant: ClientID) async throws(EngineFault) -> Bool {
        guard try await contains(number, .blocked, of: tenant) else { return false }
        return !(try await contains(number, .allowed, of: tenant))
    }
}
