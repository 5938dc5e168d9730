/// A key that names an API client. Its text is shown once; only a keyed digest of it is kept.
package struct APIKey: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Lets a backend in, as id and secret of the client do. 256 random bits.
        case api
        /// Stands in apps, where everybody can read it: it names the client and lets nobody in. 128 random bits.
        case sdk
    }

    /// Begins every key of kind `api`.
    package static let prefix = "hf_"
    /// Length of the longest text that is looked up.
    package static let mostTextBytes = 256
    /// Most keys of one kind for one client: with more of them nobody knows who holds which.
    package static let most = 20
    /// Longest `name`, in bytes.
    package static let mostNameBytes = 64

    package let id: APIKeyID
    package let kind: Kind
    package let client: ClientID
    package let digest: SecretDigest
    /// Tells operators who holds the key; may be empty.
    package let name: String
    /// The last four characters of its text, by which its holder tells it from others.
    package let ending: String
    /// Comes from the configuration file of a sandbox, and goes with its entry there.
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

    /// Whether both are one entry of a configuration file.
    package func isSameConfigured(as other: APIKey) -> Bool {
        isConfigured && other.isConfigured && digest == other.digest && kind == other.kind && client == other.client
    }

    /// The last four characters of a key's text.
    package static func ending(of text: String) -> String { String(decoding: text.utf8.suffix(4), as: UTF8.self) }
}

/// Names an API key towards operators. It is no credential.
package struct APIKeyID: Identifier {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}
