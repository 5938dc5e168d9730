/// Why a call was not let near a session: its credential, its proof or its retry key (client protocol 4.11).
package enum AdmissionRefusal: Error, Sendable, Equatable {
    case invalidDPoPProof(ProofFault)
    /// The session is bound to another credential.
    case tokenAlreadyUsed
    /// The session has used as many proofs as it may.
    case tooManyProofs(LimitHit)
    /// A call with another body has used the retry key.
    case retryKeyReused
}
