/// Limits and times of tokens and proofs. The defaults are the contract's.
package struct TokenLimits: Sendable {
    /// Life of an auth token (TOK-05).
    package var authTokenLifetime: Duration = .seconds(900)
    /// Life of an access token (TOK-05).
    package var accessTokenLifetime: Duration = .seconds(3600)
    /// Life of a client assertion, at most 300 s (CAMARA Identity and Consent Management r4.2). It must cover the
    /// difference between our clock and the operator's.
    package var assertionLifetime: Duration = .seconds(120)
    /// Life of a statement on a proven number: long enough to be passed on once.
    package var statementLifetime: Duration = .seconds(900)
    /// Life of an ID token: the backend that requested it reads it at once.
    package var idTokenLifetime: Duration = .seconds(300)
    /// How far the clocks of our own processes may differ; at most 30 s (TOK-03).
    package var leeway: Duration = .seconds(30)
    /// How long a signing key is published before it signs: one cache lifetime of the key set (TOK-08).
    package var publicationLead: Duration = .seconds(300)
    /// The same for a key that signs webhooks: operators copy it into their own settings, so they get a week.
    package var webhookKeyLead: Duration = .seconds(7 * 24 * 3600)
    /// How long a receiver may take to check a webhook's signature.
    package var webhookSignatureLifetime: Duration = .seconds(3600)
    /// How far `iat` of a DPoP proof may lie from the system clock (client protocol 4.3).
    package var dpopWindow: Duration = .seconds(60)
    /// The same for a device proof (client protocol 4.10).
    package var deviceProofWindow: Duration = .seconds(120)
    /// Remembered tokens of each kind, whose signature need not be checked again; about 200 bytes each.
    package var rememberedTokens = 4096
    /// Slots for auth tokens that were signed here and have not been used yet; 136 bytes each.
    package var rememberedIssuedTokens = 2048
    /// Remembered keys of clients, already prepared for use; about 4 kB each.
    package var rememberedKeys = 1024

    package init() {}
}
