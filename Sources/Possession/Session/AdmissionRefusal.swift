/// Why a call was refused before it reached the session: its credential, its proof or its retry key (client protocol
/// 4.11).
package enum AdmissionRefusal: Error, Sendable, Equatable {
    case invalidDPoPProof(ProofFault)
    /// The session is bound to another credential.
    case tokenAlreadyUsed
    /// The client has used the session's maximum number of proofs.
    case tooManyProofs(LimitHit)
    /// The retry key was used before with another body.
    case retryKeyReused
}
