internal import Text

/// Why the session's last Mobile Auth attempt did not prove the number, as far as the timeline shows.
package enum MobileAuthFailure: Sendable, CaseIterable {
    /// The phone's connection belongs to another number.
    case otherNumber
    /// The number has a bad standing.
    case badStanding
    /// The phone did not connect over its operator's network.
    case notOnNetwork
    /// No operator is known for the phone's address.
    case noOperator
    /// The operator gave no answer in time.
    case operatorTimeout
    /// The operator failed, or the circuit breaker skips it after failures.
    case operatorFault
    /// The operator sent the phone back without a code.
    case refused
    /// The phone did not open the first hop in time.
    case notOpened
    /// The phone did not return in time, or the client did not submit its answer in time.
    case late
    /// The client gave up the attempt, or the session went on without it.
    case givenUp

    /// - Parameter timeline: the session's events.
    /// - Returns: `nil`: no attempt was begun, the last one is still open, or it has proven the number.
    package init?(_ session: Session, _ timeline: [SessionEvent]) {
        guard let begun = timeline.lastIndex(where: { $0.kind == .mobileAuthBegun }),
            session.phase != .active(.mobileAuth), session.proof?.method != .mobileAuth
        else { return nil }
        let attempt = timeline[begun...]
        let wasOpened = attempt.contains { $0.kind == .mobileAuthSentToOperator || $0.kind == .mobileAuthAnswered }
        let end = attempt.last { $0.kind == .mobileAuthFailed }?.detail
        switch end.flatMap({ MobileAuthEndWord.spelled($0) }) {
        case .mismatch: self = .otherNumber
        case .unavailable: self = Self(answered: attempt.last { $0.kind == .mobileAuthAnswered }?.detail)
        case .late: self = wasOpened ? .late : .notOpened
        case nil where session.outcome == .expired: self = wasOpened ? .late : .notOpened
        case nil where attempt.contains { $0.kind == .mobileAuthPassed }: self = .badStanding
        default: self = .givenUp
        }
    }

    /// - Parameter detail: the detail of the answer's event.
    private init(answered detail: String?) {
        switch detail.flatMap({ MobileAuthAnswerWord.spelled($0) }) {
        case .notOnNetwork: self = .notOnNetwork
        case .noOperator: self = .noOperator
        case .timeout: self = .operatorTimeout
        case .refused: self = .refused
        case .circuitOpen, .operatorError, .agrees, .differs, .found, nil: self = .operatorFault
        }
    }
}

/// Words in a timeline for the end of a failed attempt.
enum MobileAuthEndWord: String, CaseIterable {
    case mismatch, unavailable, late
    /// The client gave it up.
    case client
}

/// Words in a timeline for an operator's answer, or for why there is no answer.
package enum MobileAuthAnswerWord: String, CaseIterable {
    case agrees, differs, found, refused, timeout
    case notOnNetwork = "not_on_network"
    case noOperator = "no_operator"
    case circuitOpen = "circuit_open"
    case operatorError = "operator_error"
}
