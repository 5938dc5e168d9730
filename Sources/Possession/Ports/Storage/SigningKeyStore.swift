/// A signing key as it is stored: its halves only sealed.
package struct StoredSigningKey: Sendable, Equatable {
    /// Which kind of token a key signs, or what else; kinds never share a key (TOK-04).
    package enum Purpose: String, Sendable, Hashable, CaseIterable {
        case auth, access
        /// Assertions by which this server authenticates itself to an operator (RFC 7523).
        case assertion
        /// Statements about a proven number for third parties.
        case statement
        /// Webhooks of vendors whose customers check them by one public key of the server (`WebhookDialect`). It is an RSA
        /// key, which no token is signed by.
        case webhook
        /// ID tokens of vendors whose libraries take RS256 only (`IDTokenIssuer`). It is an RSA key, by which nothing that
        /// this server accepts is signed.
        case idToken

        /// Those that every server has keys for from its first start. Any other gets its first key when it is needed.
        package static let ofTokens: [Purpose] = [.auth, .access, .assertion, .statement]
    }

    /// Half of a key that is still stored.
    package enum Half: Sendable, Equatable {
        /// The private half, from which the public one is made.
        case sealedPrivate([UInt8])
        /// The public half of a key that signs nothing more.
        case sealedPublic([UInt8])
    }

    /// The `kid` of its tokens, and its name: the base64url RFC 7638 thumbprint of the public half.
    package let kid: String
    package let purpose: Purpose
    package let createdAt: Timestamp
    /// From when it signs, until a later key of the same purpose takes over. It is published before (TOK-08).
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

/// Keeps signing keys over restarts.
package protocol SigningKeyStore: Sendable {
    /// Every key that has not been removed, in any order.
    func signingKeys() async throws(StorageFault) -> [StoredSigningKey]
    /// Returns when the key is durable.
    func add(_ key: StoredSigningKey) async throws(StorageFault)
    /// Puts the public halves of `keys` in the place of their private ones, and removes the keys named in `outlived` of
    /// which only the public half is left. Returns when no file holds what went.
    ///
    /// A key stays as it is unless its purpose has another that activates later and has its private half.
    func retire(_ keys: [StoredSigningKey], removing outlived: [String]) async throws(StorageFault)
}
