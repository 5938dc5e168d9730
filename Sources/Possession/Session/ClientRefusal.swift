/// Why a client's call was not carried out (client protocol 4.11). One that is thrown has changed nothing; see
/// `StepOutcome` for the others.
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

    /// Those that a call may come to and change the session by: they are kept for a retry. Only ever added to, at the
    /// end: their places stand in records.
    package static let outcomes: [ClientRefusal] = [
        .otpMismatch, .otpExpired, .fingerprintInvalid, .fingerprintExpired, .deviceProofInvalid, .deviceNumberMismatch,
        .messageFailed,
    ]
}
