package import Possession

/// The sender names that tenants want. The operator's settings decide the actual sender of a route.
package struct SenderNames: Sendable {
    private let store: any SenderNameStore
    private let now: Now

    package init(_ engine: Engine) {
        store = engine.stores.clients.senderNames
        now = engine.now
    }

    /// In the order in which they were added.
    package func names(of tenant: ClientID) async throws(EngineFault) -> [SenderName] {
        do { return try await store.names(of: tenant) } catch { throw EngineFault(error) }
    }

    /// Adds a name. An existing name does not change.
    /// - Returns: `false` if the tenant has `SenderName.most` names.
    package func add(_ name: SenderName, of tenant: ClientID) async throws(EngineFault) -> Bool {
        do { return try await store.add(name, of: tenant, at: now()) } catch { throw EngineFault(error) }
    }
}
