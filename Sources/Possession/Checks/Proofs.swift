package struct DPoPProof: Sendable, Equatable {
    package let thumbprint: Thumbprint
    /// SHA-256 of `jti`: fixed size, whatever the client sent.
    package let jtiDigest: [UInt8]
    package let issuedAt: Timestamp
    /// When it was checked, by the system clock.
    package let checkedAt: Timestamp
    /// From this time on it is too old, by the system clock.
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

/// Result of using up a proof (TOK-15).
package enum ProofUse: Sendable, Equatable {
    /// It was not used before, or the call has no proof.
    case new
    case usedBefore
    /// The session has used the maximum number of proofs that are still valid.
    case tooMany(retryAfterSeconds: Int)

    /// Maximum valid proofs that a session may have used at a time: far more than a client needs.
    package static let most = 512
    /// The maximum for calls that only read, so that a client that polls too often can still send its code.
    package static let mostByReads = 384

    /// - Parameter end: when the next proof expires and makes room.
    package static func tooMany(until end: Timestamp, at now: Timestamp) -> ProofUse {
        // A proof is valid for at most two minutes. Proofs of an older schema have no end.
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
