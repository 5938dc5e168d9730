import Locks
package import Engine
package import Possession
import Text

/// Keys of applications, in memory.
package final class InMemoryApplicationKeys: ApplicationKeyStore {
    private let all = Locked<[ClientID: Application]>([:])

    package init() {}

    package func application(_ applicationKey: String) async throws(StorageFault) -> Application? {
        all.withLock { $0.values.first { $0.names.contains(ByteText(applicationKey)) } }
    }

    package func application(of client: ClientID) async throws(StorageFault) -> Application? {
        all.withLock { $0[client] }
    }

    package func add(_ keys: ApplicationKeys, to client: ClientID) async throws(StorageFault) -> Bool {
        try store { all in
            guard all[client] == nil else { return false }
            all[client] = Application(client: client, keys: ApplicationKeyRing(current: keys))
            return true
        }
    }

    package func rotate(
        _ client: ClientID, to keys: ApplicationKeys, at now: Timestamp, overlap: Duration
    ) async throws(StorageFault) -> Application? {
        try store { all in
            guard let stored = all[client], !stored.isConfigured else { return all[client] }
            let ring = stored.keys.rotated(to: keys, at: now, overlap: overlap)
            all[client] = Application(client: client, keys: ring)
            return all[client]
        }
    }

    package func setConfigured(_ keys: [(client: ClientID, keys: ApplicationKeys)]) async throws(StorageFault) {
        try store { all in
            all = all.filter { !$0.value.isConfigured }
            for (client, keys) in keys {
                all[client] = Application(client: client, keys: ApplicationKeyRing(current: keys), isConfigured: true)
            }
        }
    }

    /// Changes nothing, and refuses, where two keys would have one name.
    private func store<Result>(_ change: (inout [ClientID: Application]) -> Result) throws(StorageFault) -> Result {
        let result: Result? = all.withLock { all in
            var changed = all
            let result = change(&changed)
            let names = changed.values.flatMap(\.names)
            guard Set(names).count == names.count else { return nil }
            all = changed
            return result
        }
        guard let result else { throw .duplicate }
        return result
    }
}

extension Application {
    fileprivate var names: [ByteText] {
        [keys.current.applicationKey, keys.previous?.keys.applicationKey].compactMap { $0.map { ByteText($0) } }
    }
}
