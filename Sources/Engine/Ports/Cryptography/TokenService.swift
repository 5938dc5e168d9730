package import Possession

// Signed tokens, as the engine needs them; `Tokens` implements them on OpenSSL.
//
// Verification gives the same refusal for every cause: a caller learns that a token is bad, not why (TOK-14).

/// Signs and checks the two kinds of token that authenticate callers here, and signs statements for third parties.
/// `typ` and key keep the kinds apart (TOK-04).
package protocol TokenService: Sendable {
    /// An auth token for the client surface: ES256, `typ` `client-auth+jwt`, claims `iss aud sub jti nonce iat nbf exp`
    /// and nothing else (contract section 8). Lives 900 s.
    func issueAuthToken(for authID: AuthID, nonce: [UInt8], jti: [UInt8], at now: Timestamp) throws(TokenFault)
        -> String
    /// The session it opens and the nonce its proofs must repeat; `nil` when any check fails.
    func verifyAuthToken(_ token: String, at now: Timestamp) -> AuthTokenClaims?
    /// The session of a token that has expired; `nil` if anything else is wrong with it.
    func expiredAuthToken(_ token: String, at now: Timestamp) -> AuthID?

    /// An access token for the platform surface: ES256, `typ` `at+jwt`. Lives 3600 s.
    func issueAccessToken(for clientID: ClientID, jti: [UInt8], at now: Timestamp) throws(TokenFault) -> String
    /// The tenant of the token and when the token ends; `nil` if any check fails. A valid token's digest is cached, so
    /// that a token costs only one signature check.
    func verifyAccessToken(_ token: String, at now: Timestamp) -> AccessTokenClaims?

    /// An access token for some calls of another surface: ES256, `typ` `at+jwt`, with the claims `scope` (RFC 9068
    /// section 2.2.3) and, if it belongs to a session, `txn`. It names no number.
    func issueScopedToken(
        _ grant: ScopedGrant, lifetime: Duration, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String
    /// Grant of the token; `nil` when any check fails. Costs a signature check each time.
    func verifyScopedToken(_ token: String, audience: String, at now: Timestamp) -> ScopedGrant?

    /// Makes a statement about a proven number for a third party: ES256, `typ` `possession+jwt`, claims `iss aud jti client_id txn
    /// phone_number phone_number_verified method auth_time iat nbf exp` and nothing else. Lives 900 s.
    ///
    /// It has no `sub`, so that a party who knows this server's keys does not accept it as a client assertion (RFC 7523
    /// section 3).
    func issueStatement(_ statement: PossessionStatement, jti: [UInt8], at now: Timestamp) throws(TokenFault) -> String

    /// The public halves of every key whose tokens may still be valid: a JWK set (RFC 7517 section 5) as JSON bytes.
    func publicKeySet(at now: Timestamp) -> [UInt8]
}

package struct AuthTokenClaims: Sendable, Equatable {
    package let authID: AuthID
    /// As in the token: base64url text that a DPoP proof repeats.
    package let nonce: String
    package let expiresAt: Timestamp

    package init(authID: AuthID, nonce: String, expiresAt: Timestamp) {
        self.authID = authID
        self.nonce = nonce
        self.expiresAt = expiresAt
    }
}

package struct AccessTokenClaims: Sendable, Equatable {
    package let clientID: ClientID
    package let expiresAt: Timestamp

    package init(clientID: ClientID, expiresAt: Timestamp) {
        self.clientID = clientID
        self.expiresAt = expiresAt
    }
}

/// Rights of an API client on one surface.
package struct ScopedGrant: Sendable, Equatable {
    package let clientID: ClientID
    /// URL that identifies the surface.
    package let audience: String
    /// Words of visible characters (RFC 6749 section 3.3).
    package let scopes: [String]
    /// The session that proved the number of the person in question; `nil`: no person took part.
    package let session: CorrelationID?

    package init(clientID: ClientID, audience: String, scopes: [String], session: CorrelationID? = nil) {
        self.clientID = clientID
        self.audience = audience
        self.scopes = scopes
        self.session = session
    }
}

/// Statement for a third party that a person held a phone number. The third party need not call this server.
package struct PossessionStatement: Sendable, Equatable {
    /// The third party, as the API client named it.
    package let audience: String
    package let clientID: ClientID
    package let session: CorrelationID
    package let number: PhoneNumber
    package let method: CheckName
    /// When the check was passed.
    package let provenAt: Timestamp

    package init(
        audience: String, clientID: ClientID, session: CorrelationID, number: PhoneNumber, method: CheckName,
        provenAt: Timestamp
    ) {
        self.audience = audience
        self.clientID = clientID
        self.session = session
        self.number = number
        self.method = method
        self.provenAt = provenAt
    }
}

/// A signature or key operation failed. The text names the call, never a value.
package struct TokenFault: Error, Sendable, CustomStringConvertible {
    package let reason: String
    package init(_ reason: String) { self.reason = reason }
    package var description: String { reason }
}
