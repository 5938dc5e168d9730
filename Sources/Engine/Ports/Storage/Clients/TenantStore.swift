package import Possession

/// Stores tenants: who may call, and by which rules.
package protocol TenantStore: Sendable {
    func tenant(_ id: ClientID) async throws(StorageFault) -> Tenant?
    func tenants() async throws(StorageFault) -> [Tenant]
    /// - Throws: `.duplicate` if the id exists.
    func add(_ tenant: Tenant) async throws(StorageFault)
    /// Adds or replaces a tenant of a configuration file.
    func save(_ tenant: Tenant) async throws(StorageFault)
    /// Changes a stored tenant as one step, and returns the stored result. `nil`: no such tenant.
    func updateTenant(
        _ id: ClientID, _ change: @escaping @Sendable (inout Tenant) -> Void
    ) async throws(StorageFault) -> Tenant?
    /// `false`: no such tenant. Revoking twice keeps the first time.
    func revokeTenant(_ id: ClientID, at now: Timestamp) async throws(StorageFault) -> Bool
}
