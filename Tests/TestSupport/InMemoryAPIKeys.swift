import Locks
package import Engine
package import Possession

/// Keys that name tenants, in memory.
package final class InMemoryAPIKeys: APIKeyStore {
    private let all = Locked<[APIKey]>([])

    package init() {}

    package func key(_ digest: SecretDigest) async throws(StorageFault) -> APIKey? { rememberedKey(digest) }

    package func rememberedKey(_ digest: SecretDigest) -> APIKey? {
        all.withLock { $0.first { $0.digest == digest } }
    }

    package func keys(of tenant: ClientID) async throws(StorageFault) -> [APIKey] {
        all.withLock { $0.filter { $0.client == tenant } }.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    package func add(_ key: APIKey) async throws(StorageFault) -> Bool {
        let isAdded = all.withLock { all -> Bool? in
            if all.contains(where: { $0.id == key.id || $0.digest == key.digest }) { return nil }
            guard all.count(where: { $0.client == key.client && $0.kind == key.kind }) < APIKey.most else {
                return false
            }
            all.append(key)
            return true
        }
        guard let isAdded else { throw .duplicate }
        return isAdded
    }

    package func removeKey(_ id: APIKeyID) async throws(StorageFault) -> APIKey? {
        all.withLock { all in
            guard let index = all.firstIndex(where: { $0.id == id }) else { return nil }
            return all.remove(at: index)
        }
    }

    package func setConfigured(_ keys: [APIKey]) async throws(StorageFault) {
        all.withLock { all in
            all.removeAll { old in old.isConfigured && !keys.contains { $0.isSameConfigured(as: old) } }
            for key in keys where !all.contains(where: { $0.isSameConfigured(as: key) }) { all.append(key) }
        }
    }
}
