/// Why a client's call was not carried out (client protocol 4.11). Some of them change the session all the same: a
/// wrong code spends its try, and that is committed before anybody is told.
package enum ClientRefusal: Error, Sendable, Equatable {
    case invalidToken
    case invalidDPoPProof
    case tokenAlreadyUsed
    case invalidState
    case sessionDone
    case requestIDReused
    case otpMismatch
    case otpExpired
    case sendsExhausted
    case phoneNumberRequired
    case phoneNumberInvalid
    /// `reason` is ours, and names no number.
    case phoneNumberNotAllowed(reason: String)
    case phoneNumberNotAccepted
    case phoneChangeNotAllowed
    case phoneEntriesExhausted
    case messageFailed
    case fingerprintInvalid
    case fingerprintExpired
    case deviceProofInvalid
    case deviceNumberMismatch
    case rateLimited(LimitHit)
}
