/// Checks what a client signs: DPoP proofs (RFC 9449) and device proofs (client protocol 4.10).
package protocol ProofVerifier: Sendable {
    /// Checks form, ES256, public key on the curve, signature, `htm`, `htu`, `ath`, `nonce`, and `iat` within 60 s of the
    /// system clock. Whether its `jti` is new, the store tells.
    /// - Throws: the first check that fails.
    func verifyDPoP(_ proof: String, expecting expected: DPoPExpectation) throws(ProofFault) -> DPoPProof
    /// Checks form, ES256, public key on the curve, signature, `aud`, and `iat` within 120 s of the system clock. Whether
    /// `nonce`, `sub` and `cnf` are the session's, `Session` decides.
    /// - Throws: the first check that fails.
    func verifyDeviceProof(_ proof: String, systemNow: Timestamp) throws(ProofFault) -> DeviceProof
}

/// Content that one request's DPoP proof must have.
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

/// Outcome for a proof that a call wanted to use up (TOK-15).
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
