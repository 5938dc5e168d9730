/// Stores the secrets from which temporary keys of phones are derived, so that a key outlives a restart.
///
///     let stored = try await store.add(TemporarySecret(period: period, sealed: sealed))
///     try await store.removeTemporarySecrets([stored.period])
package protocol TemporarySecretStore: Sendable {
    func temporarySecrets() async throws(StorageFault) -> [TemporarySecret]

    /// Adds a secret, unless its period already has one.
    /// - Returns: the secret of the period, which is durable.
    func add(_ secret: TemporarySecret) async throws(StorageFault) -> TemporarySecret

    /// Removes the secrets of these periods. No file of the store contains them afterwards.
    func removeTemporarySecrets(_ periods: [Int64]) async throws(StorageFault)
}

/// The secret of the temporary keys that end in one period of time.
package struct TemporarySecret: Sendable, Equatable {
    /// Number of the period since 1970, in lengths of a period.
    package let period: Int64
    /// Encrypted for the period.
    package let sealed: [UInt8]

    package init(period: Int64, sealed: [UInt8]) {
        self.period = period
        self.sealed = sealed
    }

    /// The context with which a secret is encrypted.
    package static func context(ofPeriod period: Int64) -> [UInt8] {
        let shifts = stride(from: Int64(56), through: 0, by: -8)
        return SealedKeys.temporary.context(of: shifts.map { UInt8(truncatingIfNeeded: period >> $0) })
    }
}
