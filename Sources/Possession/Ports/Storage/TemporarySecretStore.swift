/// Keeps the secrets that temporary keys of phones are derived from, so that a key outlives a restart.
///
///     let stored = try await store.add(TemporarySecret(period: period, sealed: sealed))
///     try await store.removeTemporarySecrets([stored.period])
package protocol TemporarySecretStore: Sendable {
    func temporarySecrets() async throws(StorageFault) -> [TemporarySecret]

    /// Adds a secret, unless its period has one.
    /// - Returns: the one that the period has, which is durable.
    func add(_ secret: TemporarySecret) async throws(StorageFault) -> TemporarySecret

    /// Removes the secrets of these periods. Nothing of them stays in the files of the store.
    func removeTemporarySecrets(_ periods: [Int64]) async throws(StorageFault)
}

/// The secret of the temporary keys that end in one period of time.
package struct TemporarySecret: Sendable, Equatable {
    /// In steps of the length of a period, from 1970.
    package let period: Int64
    /// Sealed for the period.
    package let sealed: [UInt8]

    package init(period: Int64, sealed: [UInt8]) {
        self.period = period
        self.sealed = sealed
    }

    /// The context that a secret is sealed with.
    package static func context(ofPeriod period: Int64) -> [UInt8] {
        let shifts = stride(from: Int64(56), through: 0, by: -8)
        return SealedKeys.temporary.context(of: shifts.map { UInt8(truncatingIfNeeded: period >> $0) })
    }
}
