/// Keeps the names that tenants wish their messages to come from. What a route sends as is the operator's setting.
package protocol SenderNameStore: Sendable {
    /// In the order in which they were added.
    func names(of tenant: ClientID) async throws(StorageFault) -> [SenderName]

    /// Adds a name; one that is there stays as it is.
    /// - Returns: `false` where the tenant has `SenderName.most`.
    func add(_ name: SenderName, of tenant: ClientID, at now: Timestamp) async throws(StorageFault) -> Bool
}
