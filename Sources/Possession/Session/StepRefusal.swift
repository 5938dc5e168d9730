/// Why a step of a session was refused (client protocol 4.11). A thrown refusal has changed nothing; for the others see
/// `StepOutcome`. `AdmissionRefusal` says who may request a step.
package enum StepRefusal: Error, Sendable, Equatable {
    case invalidState
    case sessionDone
    case otpMismatch
    /// The text cannot be a code: codes of this session have this many digits.
    case otpLength(Int)
    /// The session's codes are for a payment that the check does not name (`isNamed` is `false`), or names wrongly. No
    /// code was compared.
    case otherPayment(isNamed: Bool)
    case otpExpired
    case sendsExhausted
    case phoneNumberRequired
    case phoneNumberInvalid
    /// `reason` is our text and does not contain the number.
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

    /// Refusals that change the session and are stored for a retry. Records store their index, so new ones are added
    /// only at the end.
    package static let outcomes: [StepRefusal] = [
        .otpMismatch, .otpExpired, .fingerprintInvalid, .fingerprintExpired, .deviceProofInvalid, .deviceNumberMismatch,
        .messageFailed,
    ]
}
