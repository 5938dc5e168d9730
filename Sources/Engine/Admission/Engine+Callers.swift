package import Possession
internal import Text

// API clients, and the keys that name them.

extension Engine {
    /// The tenant with this id, also if it is revoked; `nil`: there is none.
    package func tenant(_ id: ClientID) async throws(EngineFault) -> Tenant? {
        do { return try await stores.clients.tenants.tenant(id) } catch { throw EngineFault(error) }
    }

    /// The tenant with this id; `nil`: there is none, or it is revoked.
    package func activeTenant(_ id: ClientID) async throws(EngineFault) -> Tenant? {
        try await tenant(id).flatMap { $0.revokedAt == nil ? $0 : nil }
    }

    /// All tenants, also those that are revoked.
    package func tenants() async throws(EngineFault) -> [Tenant] {
        do { return try await stores.clients.tenants.tenants() } catch { throw EngineFault(error) }
    }

    /// The tenant of a key of this kind; `nil`: there is no such key, or the tenant is revoked.
    package func tenant(ofKey text: String, _ kind: APIKey.Kind) async throws(EngineFault) -> Tenant? {
        guard text.utf8.count <= APIKey.mostTextBytes else { return nil }
        let key: APIKey?
        do { key = try await stores.clients.apiKeys.key(crypto.keyed.apiKey(text)) } catch { throw EngineFault(error) }
        guard let key, key.kind == kind else { return nil }
        return try await activeTenant(key.client)
    }

    /// The API client of a key, if the key was looked up before. Used for fair shares, because it does not wait.
    package func rememberedClient(ofKey text: String) -> ClientID? {
        guard text.begins(with: APIKey.prefix), text.utf8.count <= APIKey.mostTextBytes,
            let key = stores.clients.apiKeys.rememberedKey(crypto.keyed.apiKey(text)), key.kind == .api
        else { return nil }
        return key.client
    }

    /// The tenant and the keys of the application with this key; `nil`: there is no such key, it has ended, or the
    /// tenant is revoked.
    package func application(
        ofKey applicationKey: String
    ) async throws(EngineFault) -> (tenant: Tenant, keys: ApplicationKeys)? {
        guard applicationKey.utf8.count == ApplicationKeys.textBytes else { return nil }
        let found: Application?
        do { found = try await stores.clients.applications.application(applicationKey) } catch {
            throw EngineFault(error)
        }
        guard let found, let keys = found.keys.keys(named: applicationKey, at: now()),
            let tenant = try await activeTenant(found.client)
        else { return nil }
        return (tenant, keys)
    }
}
