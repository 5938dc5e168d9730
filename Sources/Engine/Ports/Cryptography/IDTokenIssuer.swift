package import Possession

/// Signs ID tokens (OpenID Connect Core section 2) for libraries that accept only RS256. This server accepts nothing
/// that is signed by their key.
///
///     let text = try await issuer.issueIDToken(token, at: engine.now())
package protocol IDTokenIssuer: Sendable {
    /// RS256, `typ` `JWT`, claims `iss aud sub iat exp auth_time` and those of the token. Lives 300 s. If there is no
    /// key yet, one is made first, which takes up to some seconds.
    func issueIDToken(_ token: IDToken, at now: Timestamp) async throws(TokenFault) -> String
    /// The public halves of every key whose tokens may still be valid, the key that signs at `now` first: a JWK set
    /// (RFC 7517 section 5) as JSON bytes. `nil`: there is no key yet.
    func idTokenKeySet(at now: Timestamp) -> [UInt8]?
}

/// The claims of an ID token.
package struct IDToken: Sendable {
    package enum Claim: Sendable, Equatable {
        case text(String)
        case flag(Bool)
    }

    package let issuer: String
    package let audience: ClientID
    package let subject: String
    /// When the person proved the number or the address.
    package let provenAt: Timestamp
    /// Further claims, each name once.
    package let claims: [(name: String, value: Claim)]

    package init(
        issuer: String, audience: ClientID, subject: String, provenAt: Timestamp,
        claims: [(name: String, value: Claim)]
    ) {
        self.issuer = issuer
        self.audience = audience
        self.subject = subject
        self.provenAt = provenAt
        self.claims = claims
    }
}
