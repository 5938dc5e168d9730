import Locks
package import Engine
internal import Possession

/// Secrets of temporary keys, in memory.
package final class InMemoryTemporarySecrets: TemporarySecretStore {
    private let all = Locked<[Int64: TemporarySecret]>([:])
    private let fault = Locked<StorageFault?>(nil)
    private let counted = Locked(0)

    package init() {}

    /// Calls of `temporarySecrets`.
    package var reads: Int { counted.withLock { $0 } }

    /// Each call fails from now on; `nil`: none does.
    package func fail(by fault: StorageFault?) { self.fault.withLock { $0 = fault } }

    package func temporarySecrets() async throws(StorageFault) -> [TemporarySecret] {
        counted.withLock { $0 += 1 }
        try look()
        return all.withLock { $0.values.sorted { $0.period < $1.period } }
    }

    package func add(_ secret: TemporarySecret) async throws(StorageFault) -> TemporarySecret {
        try look()
        return all.withLock { all in
            let stored = all[secret.period] ?? secret
            all[secret.period] = stored
            return stored
        }
    }

    package func removeTemporarySecrets(_ periods: [Int64]) async throws(StorageFault) {
        try look()
        all.withLock { all in for period in periods { all[period] = nil } }
    }

    private func look() throws(StorageFault) {
        if let fault = fault.withLock({ $0 }) { throw fault }
    }
}
