package import Possession

/// A stored signing key. Its halves are only stored sealed.
package struct StoredSigningKey: Sendable, Equatable {
    /// The use of a key: a kind of token, or webhooks. Two uses never share a key (TOK-04).
    package enum Purpose: String, Sendable, Hashable, CaseIterable {
        case auth, access
        /// Assertions by which this server authenticates itself to an operator (RFC 7523).
        case assertion
        /// Statements about a proven number for third parties.
        case statement
        /// Webhooks of vendors whose customers check them by one public key of the server (`WebhookDialect`). An RSA
        /// key that signs no tokens.
        case webhook
        /// ID tokens of vendors whose libraries accept only RS256 (`IDTokenIssuer`). An RSA key; this server accepts
        /// nothing that it signs.
        case idToken

        /// Kinds for which every server has keys from its first start. Other kinds get their first key when it is
        /// needed.
        package static let ofTokens: [Purpose] = [.auth, .access, .assertion, .statement]
    }

    /// The half of a key that is stored.
    package enum Half: Sendable, Equatable {
        /// The private half, from which the public one is computed.
        case sealedPrivate([UInt8])
        /// The public half of a key that no longer signs.
        case sealedPublic([UInt8])
    }

    /// The `kid` of its tokens and its id: the base64url RFC 7638 thumbprint of the public half.
    package let kid: String
    package let purpose: Purpose
    package let createdAt: Timestamp
    /// When it starts to sign, until a later key of the same purpose replaces it. It is published before that (TOK-08).
    package let activatesAt: Timestamp
    package let half: Half

    package init(kid: String, purpose: Purpose, createdAt: Timestamp, activatesAt: Timestamp, half: Half) {
        self.kid = kid
        self.purpose = purpose
        self.createdAt = createdAt
        self.activatesAt = activatesAt
        self.half = half
    }
}

/// Stores signing keys across restarts.
package protocol SigningKeyStore: Sendable {
    /// Every key that was not removed, in any order.
    func signingKeys() async throws(StorageFault) -> [StoredSigningKey]
    /// Returns when the key is durable.
    func add(_ key: StoredSigningKey) async throws(StorageFault)
    /// The same, unless the purpose has a key with a private half: two servers may make the first one at the same time.
    /// - Returns: whether it was added.
    func addFirst(_ key: StoredSigningKey) async throws(StorageFault) -> Bool
    /// Replaces the private halves of `keys` by their public halves, and removes the keys in `outlived` that have only
    /// a public half. Returns when no file contains the removed data.
    ///
    /// A key does not change unless its purpose has a later key with a private half.
    func retire(_ keys: [StoredSigningKey], removing outlived: [String]) async throws(StorageFault)
}
