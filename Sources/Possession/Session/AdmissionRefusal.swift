/// Why a call was not let near a session: its credential, its proof or its retry key (client protocol 4.11).
package enum AdmissionRefusal: Error, Sendable, Equatable {
    /// The proof is missing, not valid, or was used before.
    case invalidDPoPProof
    /// The session is bound to another credential.
    case tokenAlreadyUsed
    /// The session has used as many proofs as it may.
    case tooManyProofs(LimitHit)
    /// A call with another body has used the retry key.
    case retryKeyReused
}
