package import Possession
internal import Text

// Applications that make calls.

extension Engine {
    /// The tenant and the keys of the application with this key; `nil`: there is no such key, it has ended, or the
    /// tenant is revoked.
    package func application(
        ofKey applicationKey: String
    ) async throws(StorageFault) -> (tenant: Tenant, keys: ApplicationKeys)? {
        guard applicationKey.utf8.count == ApplicationKeys.textBytes,
            let application = try await applications.application(applicationKey),
            let keys = application.keys.keys(named: applicationKey, at: now()),
            let tenant = try await tenants.tenant(application.client), tenant.revokedAt == nil
        else { return nil }
        return (tenant, keys)
    }
}
