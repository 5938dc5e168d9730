internal import Text

/// Why the last Mobile Auth attempt of a session has proven nothing, as far as its timeline tells.
package enum MobileAuthObstacle: Sendable, CaseIterable {
    /// The connection is another number's.
    case otherNumber
    /// The number's standing is bad.
    case badStanding
    /// The phone did not come over its operator's network.
    case notOnNetwork
    /// No operator is known for the phone's address.
    case noOperator
    /// The operator gave no answer in time.
    case operatorTimeout
    /// The operator has failed, or is left alone after failures.
    case operatorFault
    /// The operator sent the phone back without a code.
    case refused
    /// The phone did not take the first hop in time.
    case notOpened
    /// The phone did not come back, or its answer was not brought, in time.
    case late
    /// Somebody gave the attempt up, or the session has gone on without it.
    case givenUp

    /// - Parameter timeline: the session's events.
    /// - Returns: `nil`: no attempt was begun, the last one is not over, or it has proven the number.
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

    /// - Parameter detail: of the answer that proved nothing.
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

/// Words of a timeline for the end of an attempt that has failed.
enum MobileAuthEndWord: String, CaseIterable {
    case mismatch, unavailable, late
    /// The client gave it up.
    case client
}

/// Words of a timeline for an operator's answer, or for the reason why there is none.
enum MobileAuthAnswerWord: String, CaseIterable {
    case agrees, differs, found, refused, timeout
    case notOnNetwork = "not_on_network"
    case noOperator = "no_operator"
    case circuitOpen = "circuit_open"
    case operatorError = "operator_error"
}
