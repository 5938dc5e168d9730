/// Why a step of a session was not taken (client protocol 4.11). One that is thrown has changed nothing; see
/// `StepOutcome` for the others. Who may ask for a step at all is another matter: see `AdmissionRefusal`.
package enum StepRefusal: Error, Sendable, Equatable {
    case invalidState
    case sessionDone
    case otpMismatch
    /// The text cannot be the code: those of the session have so many digits.
    case otpLength(Int)
    /// The session's codes are for a payment that the check does not name (`isNamed` is `false`), or for another one than it
    /// names. No code was looked at.
    case otherPayment(isNamed: Bool)
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
    package static let outcomes: [StepRefusal] = [
        .otpMismatch, .otpExpired, .fingerprintInvalid, .fingerprintExpired, .deviceProofInvalid, .deviceNumberMismatch,
        .messageFailed,
    ]
}
