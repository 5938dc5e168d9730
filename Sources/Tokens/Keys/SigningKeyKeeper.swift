package import Engine
package import Possession

/// Loads and stores the key ring.
package struct SigningKeyKeeper: Sendable {
    private let store: any SigningKeyStore
    private let sealer: Sealer
    private let limits: TokenLimits

    /// - Parameter sealer: with the key of `MasterKey.Label.signingKeySeal`.
    package init(store: any SigningKeyStore, sealer: Sealer, limits: TokenLimits = TokenLimits()) {
        self.store = store
        self.sealer = sealer
        self.limits = limits
    }

    /// Loads all stored keys. If a token purpose has no key, creates its first one, which signs at once.
    ///
    /// - Throws: `SigningKeyFault` when a key cannot be read, opened, created or stored: the server must not start.
    package func load(at now: Timestamp) async throws(SigningKeyFault) -> SigningKeyRing {
        var ring = try await stored()
        for purpose in SigningKeyRecord.Purpose.ofTokens where !ring.keys.contains(where: { $0.purpose == purpose }) {
            // Another server may have made it.
            ring = if let key = try await first(purpose, at: now) { ring.adding(key) } else { try await stored() }
        }
        return ring
    }

    /// Creates the first key of a purpose, which signs at once; `nil`: the purpose already has a key.
    ///
    /// - Throws: `SigningKeyFault`; nothing is stored then.
    package func first(
        _ purpose: SigningKeyRecord.Purpose, at now: Timestamp
    ) async throws(SigningKeyFault) -> SigningKeyRecord? {
        let ring = try await stored()
        guard ring.signer(for: purpose, at: now) == nil else { return nil }
        let (record, stored) = try successor(in: ring, for: purpose, at: now)
        do { return try await store.addFirst(stored) ? record : nil } catch { throw .storage(error) }
    }

    /// Adds a key that takes over after the publication lead. Returns it, to be added to the ring in use.
    ///
    /// - Throws: `SigningKeyFault`; the ring in use stays valid.
    package func rotate(
        _ purpose: SigningKeyRecord.Purpose, at now: Timestamp
    ) async throws(SigningKeyFault) -> SigningKeyRecord {
        let (record, stored) = try successor(in: try await stored(), for: purpose, at: now)
        do { try await store.add(stored) } catch { throw .storage(error) }
        return record
    }

    /// Deletes the private halves of keys that can never sign again, and keys whose last token has expired. Returns the
    /// deleted ones.
    ///
    /// - Parameter now: a reliable time: a time far in the future would end tokens that are still valid.
    /// - Throws: `SigningKeyFault`; the keys are then unchanged.
    package func retire(at now: Timestamp) async throws(SigningKeyFault) -> SigningKeyRing.Outlived {
        let outlived = try await stored().outlived(at: now)
        guard !outlived.isEmpty else { return outlived }
        let halves: [StoredSigningKey]
        do {
            halves = try outlived.privateHalves.map { (key) throws(TokenFault) in
                try key.publicOnly.stored(sealedWith: sealer)
            }
        } catch { throw .token(error) }
        do { try await store.retire(halves, removing: outlived.keys.map(\.kid)) } catch { throw .storage(error) }
        return outlived
    }

    /// All stored keys.
    package func stored() async throws(SigningKeyFault) -> SigningKeyRing {
        let stored: [StoredSigningKey]
        do { stored = try await store.signingKeys() } catch { throw .storage(error) }
        do {
            let records = try stored.map { (key) throws(TokenFault) in
                try SigningKeyRecord(key, openedWith: sealer)
            }
            return SigningKeyRing(records, limits: limits)
        } catch { throw .token(error) }
    }

    private func successor(
        in ring: SigningKeyRing, for purpose: SigningKeyRecord.Purpose, at now: Timestamp
    ) throws(SigningKeyFault) -> (SigningKeyRecord, StoredSigningKey) {
        do throws(TokenFault) {
            let record = try ring.successor(for: purpose, at: now)
            return (record, try record.stored(sealedWith: sealer))
        } catch { throw .token(error) }
    }
}

/// Keys could not be loaded or stored.
package enum SigningKeyFault: Error, Sendable {
    case storage(StorageFault)
    case token(TokenFault)

    /// A message for the operator, with the action to take.
    package var advice: String {
        switch self {
        case .storage(let fault): "the signing keys cannot be read or stored: \(fault)"
        case .token(let fault):
            "the signing keys cannot be opened (\(fault)): is the master key the one that this database was made with?"
        }
    }
}
