package import Possession

/// Stores the API keys of tenants.
package protocol APIKeyStore: Sendable {
    /// The key whose text has this digest, or `nil`.
    func key(_ digest: SecretDigest) async throws(StorageFault) -> APIKey?

    /// As `key`, from the cache and without waiting, for a key that was looked up before.
    func rememberedKey(_ digest: SecretDigest) -> APIKey?

    /// The tenant's keys, the oldest first.
    func keys(of tenant: ClientID) async throws(StorageFault) -> [APIKey]

    /// - Returns: `false` if the tenant has `APIKey.most` keys of this kind.
    /// - Throws: `.duplicate` if the text or the id exists.
    func add(_ key: APIKey) async throws(StorageFault) -> Bool

    /// Removes a key. It is refused as soon as this returns.
    /// - Returns: the removed key; `nil`: there is no such key.
    func removeKey(_ id: APIKeyID) async throws(StorageFault) -> APIKey?

    /// Removes every other configured key, and adds those of `keys` that are missing.
    func setConfigured(_ keys: [APIKey]) async throws(StorageFault)
}
