package import Possession

/// Stores the sender names that tenants want. The operator's settings decide the actual sender of a route.
package protocol SenderNameStore: Sendable {
    /// In the order in which they were added.
    func names(of tenant: ClientID) async throws(StorageFault) -> [SenderName]

    /// Adds a name. An existing name does not change.
    /// - Returns: `false` if the tenant has `SenderName.most` names.
    func add(_ name: SenderName, of tenant: ClientID, at now: Timestamp) async throws(StorageFault) -> Bool
}
