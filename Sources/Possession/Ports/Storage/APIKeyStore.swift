/// Keeps the keys that name tenants.
package protocol APIKeyStore: Sendable {
    /// The key whose text has this digest; `nil`: there is none.
    func key(_ digest: SecretDigest) async throws(StorageFault) -> APIKey?

    /// The same without waiting, of a key that was asked for before.
    func rememberedKey(_ digest: SecretDigest) -> APIKey?

    /// The tenant's keys, the oldest first.
    func keys(of tenant: ClientID) async throws(StorageFault) -> [APIKey]

    /// - Returns: `false` where the tenant has `APIKey.most` of the kind.
    /// - Throws: `.duplicate` for a text or an id that is there.
    func add(_ key: APIKey) async throws(StorageFault) -> Bool

    /// Removes a key. It lets nobody in from when this returns.
    /// - Returns: what was removed; `nil`: there is no such key.
    func removeKey(_ id: APIKeyID) async throws(StorageFault) -> APIKey?

    /// Removes every configured key but these, and adds those of them that are missing.
    func setConfigured(_ keys: [APIKey]) async throws(StorageFault)
}

/// No tenant has a key.
package struct NoAPIKeys: APIKeyStore {
    package init() {}

    package func key(_ digest: SecretDigest) async throws(StorageFault) -> APIKey? { nil }
    package func rememberedKey(_ digest: SecretDigest) -> APIKey? { nil }
    package func keys(of tenant: ClientID) async throws(StorageFault) -> [APIKey] { [] }
    package func add(_ key: APIKey) async throws(StorageFault) -> Bool { false }
    package func removeKey(_ id: APIKeyID) async throws(StorageFault) -> APIKey? { nil }
    package func setConfigured(_ keys: [APIKey]) async throws(StorageFault) {}
}
