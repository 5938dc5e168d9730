/// A key that identifies an API client. Its text is shown once; only a keyed digest of it is stored.
package struct APIKey: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Authenticates a backend, as the client's id and secret do. 256 random bits.
        case api
        /// Part of apps, where anyone can read it: it identifies the client and does not authenticate. 128 random bits.
        case sdk
    }

    /// Prefix of every key of kind `api`.
    package static let prefix = "hf_"
    /// Longer texts are not looked up.
    package static let mostTextBytes = 256
    /// Maximum keys of one kind for one client, so that it stays clear who holds which key.
    package static let most = 20
    /// Maximum length of `name`, in bytes.
    package static let mostNameBytes = 64

    package let id: APIKeyID
    package let kind: Kind
    package let client: ClientID
    package let digest: SecretDigest
    /// Shows operators who holds the key; may be empty.
    package let name: String
    /// The last four characters of its text, by which its holder recognizes it.
    package let ending: String
    /// It comes from the configuration file of a sandbox, and is removed with its entry there.
    package let isConfigured: Bool
    package let createdAt: Timestamp

    package init(
        id: APIKeyID, kind: Kind, client: ClientID, digest: SecretDigest, name: String, ending: String,
        isConfigured: Bool = false, createdAt: Timestamp
    ) {
        self.id = id
        self.kind = kind
        self.client = client
        self.digest = digest
        self.name = name
        self.ending = ending
        self.isConfigured = isConfigured
        self.createdAt = createdAt
    }

    /// Whether both are the same entry of a configuration file.
    package func isSameConfigured(as other: APIKey) -> Bool {
        isConfigured && other.isConfigured && digest == other.digest && kind == other.kind && client == other.client
    }

    /// The last four characters of a key's text.
    package static func ending(of text: String) -> String { String(decoding: text.utf8.suffix(4), as: UTF8.self) }
}

/// Identifies an API key for operators. It is not a credential.
package struct APIKeyID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}
