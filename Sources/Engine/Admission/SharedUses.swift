package import Possession

/// Accepts each name once over all servers.
///
///     guard try await uses.isFirst(name, at: systemNow()) else { throw .used }
package struct SharedUses: Sendable {
    private let store: any UsedNameStore

    package init(_ store: any UsedNameStore) {
        self.store = store
    }

    /// Whether no other use of the name was or will be accepted. This server's own memory must have accepted it.
    package func isFirst(_ name: UsedName, at now: Timestamp) async throws(EngineFault) -> Bool {
        do throws(StorageFault) { return try await store.isFirstUse(of: name, at: now) } catch {
            throw EngineFault(error)
        }
    }
}
