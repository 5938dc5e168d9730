package import Possession
internal import Text

// API keys and the tenants that they name.

extension Engine {
    /// The tenant of a key of this kind; `nil`: there is no such key, or the tenant is revoked.
    package func tenant(ofKey text: String, _ kind: APIKey.Kind) async throws(StorageFault) -> Tenant? {
        guard text.utf8.count <= APIKey.mostTextBytes, let key = try await apiKeys.key(keyed.apiKey(text)),
            key.kind == kind, let tenant = try await tenants.tenant(key.client), tenant.revokedAt == nil
        else { return nil }
        return tenant
    }

    /// The API client of a key, if the key was looked up before. Used for fair shares, because it does not wait.
    package func rememberedClient(ofKey text: String) -> ClientID? {
        guard text.begins(with: APIKey.prefix), text.utf8.count <= APIKey.mostTextBytes,
            let key = apiKeys.rememberedKey(keyed.apiKey(text)), key.kind == .api
        else { return nil }
        return key.client
    }
}
