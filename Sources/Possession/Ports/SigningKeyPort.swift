/// A token-signing key as it is stored: the private half only sealed.
package struct StoredSigningKey: Sendable, Equatable {
    /// Which kind of token a key signs; kinds never share a key (TOK-04).
    package enum Purpose: String, Sendable, Hashable, CaseIterable {
        case auth, access
        /// What this server signs to authenticate itself to an operator (RFC 7523).
        case assertion
    }

    /// The `kid` of its tokens: the base64url RFC 7638 thumbprint of the public half.
    package let kid: String
    package let purpose: Purpose
    package let createdAt: Timestamp
    /// From when it signs, until a later key of the same purpose takes over. It is published before (TOK-08).
    package let activatesAt: Timestamp
    package let sealedPrivateKey: [UInt8]

    package init(
        kid: String, purpose: Purpose, createdAt: Timestamp, activatesAt: Timestamp, sealedPrivateKey: [UInt8]
    ) {
        self.kid = kid
        self.purpose = purpose
        self.createdAt = createdAt
        self.activatesAt = activatesAt
        self.sealedPrivateKey = sealedPrivateKey
    }
}

/// Keeps signing keys over restarts.
package protocol SigningKeyStore: Sendable {
    /// Every key that was ever added, in any order.
    func signingKeys() async throws(StorageFault) -> [StoredSigningKey]
    /// Returns when the key is durable.
    func add(_ key: StoredSigningKey) async throws(StorageFault)
}
