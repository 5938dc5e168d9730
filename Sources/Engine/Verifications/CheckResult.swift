package import Possession

/// Result of a call that brings the proof of a verification: a code that a person has typed, the code of a link, or the
/// backend's word.
package enum CheckResult: Sendable, Equatable {
    /// The session succeeded.
    case passed(Session)
    /// The proof was right, and the bad standing of the number ended the session.
    case stopped(Session)
    /// The code is wrong. It cost a try; with none left the session is over.
    case wrong(Session)
    /// A text of this length cannot be a code of the session. It cost nothing.
    case impossible(Session)
    /// The session's codes are for a payment that the check does not name (`isNamed` is `false`), or for another one than it
    /// names. The code was not compared.
    case otherPayment(Session, isNamed: Bool)
    /// The code was right once, and its time is over.
    case late(Session)
    /// The session is over.
    /// - Parameter secondsLeft: until it would have expired; `nil`: that time is over.
    case over(Session, secondsLeft: Int?)
    /// The session awaits no code at this point.
    case notAwaited(Session)
    /// The API client has no such session of the product, or may no longer call.
    case noSession
    /// A limit of tries. The code was not compared.
    case limited(LimitHit)
    /// A call with another body has used the retry key.
    case retryKeyReused
}

/// Result of a call that ends a session before its time.
package enum CancelResult: Sendable, Equatable {
    case cancelled(Session)
    /// The session was over before.
    case over(Session)
    /// The API client has no such session of the product, or may no longer call.
    case noSession
}

extension OperationReply {
    /// The result of a call that brought a proof.
    func checkResult(at now: Timestamp) throws(EngineFault) -> CheckResult {
        switch refusal {
        case nil: return session.outcome == .succeeded ? .passed(session) : .stopped(session)
        case .otpMismatch: return .wrong(session)
        case .otpLength: return .impossible(session)
        case .otherPayment(let isNamed): return .otherPayment(session, isNamed: isNamed)
        case .otpExpired: return .late(session)
        case .sessionDone: return .over(session, secondsLeft: session.secondsLeft(at: now))
        case .invalidState: return .notAwaited(session)
        case .rateLimited(let hit): return .limited(hit)
        case .sendsExhausted, .phoneNumberRequired, .phoneNumberInvalid, .phoneNumberNotAllowed,
            .phoneNumberNotAccepted, .phoneChangeNotAllowed, .phoneEntriesExhausted, .messageFailed,
            .fingerprintInvalid, .fingerprintExpired, .deviceProofInvalid, .deviceNumberMismatch:
            throw .failed("a proof was refused: \(String(describing: refusal))")
        }
    }
}
