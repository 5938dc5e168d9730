/// What the engine needs of signed tokens; `Tokens` implements it on OpenSSL.
///
/// Verification answers with one refusal for every cause: a caller learns that a token is bad, not why (TOK-14).

/// Signs and checks the two kinds of token we hand out. `typ`, `aud` and key keep them apart (TOK-04).
package protocol TokenService: Sendable {
    /// An auth token for the client surface: ES256, `typ` `client-auth+jwt`, claims `iss aud sub jti nonce iat nbf exp`
    /// and nothing else (contract section 8). Lives 900 s.
    func issueAuthToken(for authID: AuthID, nonce: [UInt8], jti: [UInt8], at now: Timestamp) throws(TokenFault)
        -> String
    /// The session it opens and the nonce its proofs must repeat; `nil` when any check fails.
    func verifyAuthToken(_ token: String, at now: Timestamp) -> AuthTokenClaims?
    /// The session that a token has opened until its time was over; `nil` when anything else is wrong with it.
    func expiredAuthToken(_ token: String, at now: Timestamp) -> AuthID?

    /// An access token for the platform surface: ES256, `typ` `at+jwt`. Lives 3600 s.
    func issueAccessToken(for clientID: ClientID, jti: [UInt8], at now: Timestamp) throws(TokenFault) -> String
    /// The tenant it stands for and when it ends; `nil` when any check fails. A valid token's digest is remembered, so
    /// that the same token costs one signature check in its life.
    func verifyAccessToken(_ token: String, at now: Timestamp) -> AccessTokenClaims?

    /// The public halves of every key whose tokens may still be alive: a JWK set (RFC 7517 section 5) as JSON bytes.
    func publicKeySet(at now: Timestamp) -> [UInt8]
}

package struct AuthTokenClaims: Sendable, Equatable {
    package let authID: AuthID
    /// As it stands in the token: base64url text that a DPoP proof repeats.
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

/// Checks what a client signs: DPoP proofs (RFC 9449) and device proofs (client protocol 4.10).
package protocol ProofVerifier: Sendable {
    /// `nil` when any check fails: form, ES256, public key on the curve, signature, `htm`, `htu`, `ath`, `nonce`, and
    /// `iat` within 60 s of the system clock. Whether its `jti` is new, the store tells.
    func verifyDPoP(_ proof: String, expecting expected: DPoPExpectation) -> DPoPProof?
    /// `nil` when any check fails: form, ES256, public key on the curve, signature, `aud`, `iat` within 120 s of the
    /// system clock. Whether `nonce`, `sub` and `cnf` are the session's, `Session` decides.
    func verifyDeviceProof(_ proof: String, systemNow: Timestamp) -> DeviceProof?
}

/// What one request's DPoP proof must say.
package struct DPoPExpectation: Sendable {
    package let method: String
    /// Acceptable `htu` values: the public URL and path; for developers also the request's own loopback authority.
    package let targets: [String]
    package let accessToken: String
    package let nonce: String
    package let systemNow: Timestamp

    package init(method: String, targets: [String], accessToken: String, nonce: String, systemNow: Timestamp) {
        self.method = method
        self.targets = targets
        self.accessToken = accessToken
        self.nonce = nonce
        self.systemNow = systemNow
    }
}

package struct DPoPProof: Sendable, Equatable {
    package let thumbprint: Thumbprint
    /// SHA-256 of `jti`: fixed size, whatever the client sent.
    package let jtiDigest: [UInt8]
    package let issuedAt: Timestamp
    /// When it was checked, by the machine's clock.
    package let checkedAt: Timestamp
    /// From then on it is too old to be taken, by the same clock.
    package let validUntil: Timestamp

    package init(
        thumbprint: Thumbprint, jtiDigest: [UInt8], issuedAt: Timestamp, checkedAt: Timestamp, validUntil: Timestamp
    ) {
        self.thumbprint = thumbprint
        self.jtiDigest = jtiDigest
        self.issuedAt = issuedAt
        self.checkedAt = checkedAt
        self.validUntil = validUntil
    }
}

/// What became of a proof that a call wanted to use up (TOK-15).
package enum ProofUse: Sendable, Equatable {
    /// It was not used before; also where the call brought none.
    case new
    case usedBefore
    /// The session has used as many as it may of those that are still valid.
    case tooMany(retryAfterSeconds: Int)

    /// Valid proofs that a session may have used at a time: far more than a client needs.
    package static let most = 512
    /// The same for looks, so that a client that polls too often can still send its code.
    package static let mostByLooks = 384

    /// - Parameter end: when the proof ends that makes room.
    package static func tooMany(until end: Timestamp, at now: Timestamp) -> ProofUse {
        // A proof is valid for two minutes at most; those of an older schema have no end.
        let wait = min(max(0, end.milliseconds - now.milliseconds), 120_000)
        return .tooMany(retryAfterSeconds: max(1, Int((wait + 999) / 1000)))
    }
}

package struct DeviceProof: Sendable, Equatable {
    package enum Operation: String, Sendable, CaseIterable { case register, authenticate }

    package let publicKey: PublicKey
    package let thumbprint: Thumbprint
    /// `sub`.
    package let authID: AuthID
    /// `nonce`, decoded from base64url.
    package let challenge: [UInt8]
    /// `cnf.jkt`; absent in a Bearer session.
    package let sessionKey: Thumbprint?
    package let operation: Operation

    package init(
        publicKey: PublicKey, thumbprint: Thumbprint, authID: AuthID, challenge: [UInt8], sessionKey: Thumbprint?,
        operation: Operation
    ) {
        self.publicKey = publicKey
        self.thumbprint = thumbprint
        self.authID = authID
        self.challenge = challenge
        self.sessionKey = sessionKey
        self.operation = operation
    }
}

/// Makes what this server authenticates itself with at an operator: `private_key_jwt` (OpenID Connect Core section 9,
/// RFC 7523 section 3).
package protocol ClientAssertionIssuer: Sendable {
    /// A client assertion: ES256, claims `iss sub aud jti iat exp` and nothing else. Lives 120 s; CAMARA allows 300 s.
    ///
    /// - Parameters:
    ///   - clientID: our name at the operator; `iss` and `sub`.
    ///   - audience: the operator's token endpoint.
    ///   - jti: random; goes out as base64url and is never used again.
    func issueClientAssertion(
        clientID: String, audience: String, jti: [UInt8], at now: Timestamp
    ) throws(TokenFault) -> String
}

/// Checks client assertions of our own; only an operator that is played has to.
package protocol ClientAssertionVerifier: Sendable {
    /// `nil` when any check fails: form, ES256, key, signature, `aud`, `iss` other than `sub`, `iat`, `exp`, a life of
    /// more than 300 s. Whether its `jti` is new, the caller tells.
    func verifyClientAssertion(_ assertion: String, audience: String, at now: Timestamp) -> ClientAssertion?
}

package struct ClientAssertion: Sendable, Equatable {
    /// `iss` and `sub`.
    package let clientID: String
    /// As it stands in the assertion: 1 to 128 bytes of text.
    package let jti: String
    package let expiresAt: Timestamp

    package init(clientID: String, jti: String, expiresAt: Timestamp) {
        self.clientID = clientID
        self.jti = jti
        self.expiresAt = expiresAt
    }
}

/// A signature or key operation failed; its text says which call, never a value.
package struct TokenFault: Error, Sendable, CustomStringConvertible {
    package let reason: String
    package init(_ reason: String) { self.reason = reason }
    package var description: String { reason }
}
